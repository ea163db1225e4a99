package service_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *codeBundle) entity(t *testing.T, name string, aliases ...string) *knowledge.Entity {
	t.Helper()
	u, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "concept", Name: name, Aliases: aliases})
	require.NoError(t, err)
	return u.Entity
}

func (b *codeBundle) near(t *testing.T, e *knowledge.Entity, hops, first int) (files []string, n *knowledge.CodeNeighborhood) {
	t.Helper()
	n, err := b.code.Neighbors(t.Context(), b.ws, service.CodeNeighborQuery{EntityID: e.ID, Hops: hops, First: first})
	require.NoError(t, err)
	for _, node := range n.Nodes {
		var names []string
		for _, s := range node.Symbols {
			names = append(names, s.Name)
		}
		files = append(files, fmt.Sprintf("%d %s: %s", node.Hops, node.File.Path, strings.Join(names, " ")))
	}
	return files, n
}

// The example of the rule: entity engine → car.ts, Car.
func TestP15_EngineAndCar(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	b.index(t)
	engine := b.entity(t, "engine")
	files, n := b.near(t, engine, 1, 10)
	assert.Equal(t, []string{"1 car.ts: Car"}, files)
	assert.False(t, n.Truncated)
	assert.InDelta(t, 0.8, n.Nodes[0].Via.Confidence, 1e-9)
	assert.Equal(t, engine.ID, n.Nodes[0].Via.EntityID)
	assert.Equal(t, "Engine", n.Nodes[0].Via.Symbol.(*knowledge.CodeSymbol).Name)

	symbol := b.find(t, "Engine")
	bridged, err := b.code.BridgedTo(t.Context(), b.ws.ID, []string{symbol.ID()})
	require.NoError(t, err)
	require.Len(t, bridged[symbol.ID()], 1)
	assert.Equal(t, engine.ID, bridged[symbol.ID()][0].EntityID)
}

func TestP15_NearestFirstThenByPath(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar+`
-- base.ts --
export interface Startable {}
-- diesel.ts --
import type { Engine } from './engine';
export class Diesel implements Startable { engine?: Engine }
-- boat.ts --
import { Engine } from './engine';
export class Boat extends Engine {}
-- fleet.ts --
import { Car } from './car';
export const fleet = [new Car()];
-- fuel.ts --
export const fuel = 1;
`)
	b.put(t, "-- engine.ts --\nimport { fuel } from './fuel';\nexport class Engine { fuel = fuel }\n")
	b.index(t)
	engine := b.entity(t, "Engine")
	files, n := b.near(t, engine, 1, 10)
	assert.Equal(t, []string{"1 boat.ts: Boat", "1 car.ts: Car", "1 diesel.ts: Diesel", "1 fuel.ts: fuel"}, files, "both directions")
	assert.False(t, n.Truncated)
	files, _ = b.near(t, engine, 2, 10)
	assert.Equal(t, "2 fleet.ts: fleet", files[4])
	files, n = b.near(t, engine, 2, 2)
	assert.Equal(t, []string{"1 boat.ts: Boat", "1 car.ts: Car"}, files)
	assert.True(t, n.Truncated)
}

// P15: heritage joins files without an import between them.
func TestP15_Heritage(t *testing.T) {
	t.Parallel()
	b := withCode(t, `
-- go.mod --
module example.com/m
-- a/store.go --
package a

type Storage interface{ Load() error }
-- a/disk.go --
package a

type Disk struct{}

func (d Disk) Load() error { return nil }
-- a/cached.go --
package a

type Cached struct{ Disk }
`)
	b.index(t)
	files, _ := b.near(t, b.entity(t, "storage"), 1, 10)
	assert.Equal(t, []string{"1 a/cached.go: Cached", "1 a/disk.go: Disk"}, files, "what implements it")
	files, _ = b.near(t, b.entity(t, "cached"), 1, 10)
	assert.Equal(t, []string{"1 a/disk.go: Disk", "1 a/store.go: Storage"}, files, "what it embeds and implements")
}

// Bridges follow every change of names, on both sides.
func TestP14_NoBridgeIsStale(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	e := b.entity(t, "motor")
	none := func(because string) {
		t.Helper()
		files, _ := b.near(t, e, 1, 10)
		assert.Empty(t, files, because)
	}
	one := func(because string) {
		t.Helper()
		files, _ := b.near(t, e, 1, 10)
		assert.Len(t, files, 1, because)
	}
	none("nothing is indexed")
	b.index(t)
	none("another name")
	aliases := []string{"The  ENGINE", "engine"}
	_, err := b.entities.Update(t.Context(), b.to, knowledge.EntityPatch{ID: e.ID, Aliases: &aliases})
	require.NoError(t, err)
	one("by an alias")
	symbol := b.find(t, "Engine")
	bridged, err := b.code.BridgedTo(t.Context(), b.ws.ID, []string{symbol.ID()})
	require.NoError(t, err)
	assert.Len(t, bridged[symbol.ID()], 1)
	aliases = nil
	_, err = b.entities.Update(t.Context(), b.to, knowledge.EntityPatch{ID: e.ID, Aliases: &aliases})
	require.NoError(t, err)
	none("the alias is gone")
	name := "Engine"
	_, err = b.entities.Update(t.Context(), b.to, knowledge.EntityPatch{ID: e.ID, Name: &name})
	require.NoError(t, err)
	one("by its new name")
	twin := b.entity(t, "machine")
	_, err = b.all.Curation.Merge(t.Context(), b.to, twin.ID, []string{e.ID}, false)
	require.NoError(t, err)
	e = twin
	one("the merged name is an alias")
	b.put(t, "-- engine.ts --\nexport class Turbine {}\n")
	b.index(t)
	none("the symbol is gone")
}

func TestP14_NamesThatSayNothing(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Car", "index", "Main", "new", "config", "Config", "_", "utils", ""} {
		assert.Empty(t, knowledge.BridgeSlug(name), name)
	}
	for name, slug := range map[string]string{"Engine": "engine", "parse_header": "parse-header", "HTTPServer": "httpserver", "größe": "größe"} {
		assert.Equal(t, slug, knowledge.BridgeSlug(name))
	}
}

// At most 20 symbols of an entity, those that are exported first, and it says so.
func TestP14_ManySymbolsOfAName(t *testing.T) {
	t.Parallel()
	var archive strings.Builder
	for i := range 30 {
		export := ""
		if i >= 25 {
			export = "export "
		}
		fmt.Fprintf(&archive, "-- f%02d.ts --\n%sclass Widget {}\n", i, export)
	}
	b := withCode(t, archive.String()+"-- one.ts --\nexport class Gadget {}\n")
	b.index(t)
	widget := b.entity(t, "widget")
	bridges, cut, err := b.code.Bridges(t.Context(), b.ws.ID, []*knowledge.Entity{widget})
	require.NoError(t, err)
	require.Len(t, bridges[widget.ID], 20)
	assert.True(t, cut[widget.ID])
	var paths []string
	for _, bridge := range bridges[widget.ID] {
		paths = append(paths, bridge.Symbol.(*knowledge.CodeSymbol).Path)
	}
	assert.Equal(t, []string{"f25.ts", "f26.ts", "f27.ts", "f28.ts", "f29.ts", "f00.ts"}, paths[:6])
	_, n := b.near(t, widget, 1, 10)
	assert.True(t, n.Truncated)
	hits, err := b.code.Search(t.Context(), b.ws, service.CodeSearch{Query: "widget", First: 100})
	require.NoError(t, err)
	led := 0
	for _, h := range hits {
		if s, ok := h.Node.(*knowledge.CodeSymbol); ok {
			to, err := b.code.BridgedTo(t.Context(), b.ws.ID, []string{s.ID()})
			require.NoError(t, err)
			led += len(to[s.ID()])
		}
	}
	assert.Equal(t, 20, led, "both directions agree")
}

// O10: what the files near an entity export widens a query.
func TestO10_ExpansionWithCodeNames(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	b.index(t)
	b.entity(t, "Engine")
	expand := func() *knowledge.QueryExpansion {
		x, err := b.all.Expansions.Expand(t.Context(), b.ws, "how does the engine start", knowledge.DefaultExpansionTerms, knowledge.TimePoint{})
		require.NoError(t, err)
		return x
	}
	x := expand()
	assert.Equal(t, []string{"Car"}, x.CodeSymbols)
	assert.Contains(t, x.Expanded, "Car")
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{Switches: knowledge.FeatureSwitches{knowledge.FeatureCodeGraph: false}}, nil)
	assert.Empty(t, expand().CodeSymbols, "Q1")
}

// R1: another workspace's entities and files are not there.
func TestR1_CodeOfAnotherWorkspace(t *testing.T) {
	t.Parallel()
	b, other := withCode(t, engineAndCar), withCode(t, engineAndCar)
	b.index(t)
	other.index(t)
	e := other.entity(t, "engine")
	_, err := b.code.Neighbors(t.Context(), b.ws, service.CodeNeighborQuery{EntityID: e.ID, Hops: 1, First: 10})
	codeOf(t, err, knowledge.CodeNotFound, "id")
	symbol := other.find(t, "Engine")
	for name, fetch := range map[string]func() (int, error){
		"symbols": func() (int, error) {
			found, err := b.code.SymbolsByID(t.Context(), b.ws.ID, []string{symbol.ID()})
			return len(found), err
		},
		"files": func() (int, error) {
			found, err := b.code.FilesByID(t.Context(), b.ws.ID, []string{symbol.FileID()})
			return len(found), err
		},
		"declared": func() (int, error) {
			found, err := b.code.Symbols(t.Context(), b.ws.ID, []string{symbol.FileID()})
			return len(found), err
		},
		"importers": func() (int, error) {
			found, err := b.code.ImportedBy(knowledge.CodeImportsFile)(t.Context(), b.ws.ID, []string{symbol.FileID()})
			return len(found), err
		},
		"bridges": func() (int, error) {
			found, err := b.code.BridgedTo(t.Context(), b.ws.ID, []string{symbol.ID()})
			return len(found), err
		},
	} {
		n, err := fetch()
		require.NoError(t, err, name)
		assert.Zero(t, n, name)
	}
}
