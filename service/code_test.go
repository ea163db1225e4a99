package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
	"mneme/service"
)

func codeOf(t *testing.T, err error, code knowledge.Code, field string) {
	t.Helper()
	var e *knowledge.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, code, e.Code)
	assert.Equal(t, field, e.Field)
}

// The stored graph is that of a clean index, and a second run writes nothing.
func TestP11_StoredAsIndexed(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	run := b.index(t)
	assert.Equal(t, 2, run.Fresh)
	b.sameAsClean(t, t.Context(), b.clean(t))

	again := b.index(t)
	assert.Nil(t, again.Report, "nothing has changed")
	assert.Equal(t, 1, b.scans)
	b.put(t, "-- tsconfig.json --\n{}\n-- engine.ts --\n\n\nexport class Engine {}\n")
	run = b.index(t)
	assert.Equal(t, 1, run.Fresh)
	assert.Equal(t, 1, run.Changed)
	assert.Equal(t, 1, run.Kept)
	b.sameAsClean(t, t.Context(), b.clean(t))

	require.NoError(t, os.Rename(filepath.Join(b.dir, "engine.ts"), filepath.Join(b.dir, "motor.ts")))
	run = b.index(t)
	assert.Equal(t, 1, run.Fresh)
	assert.Equal(t, 1, run.Changed, "car.ts imports nothing any more")
	assert.Equal(t, 1, run.Removed)
	b.sameAsClean(t, t.Context(), b.clean(t))
}

// P1: an edit above a symbol does not change its id.
func TestP1_IDsStayWhenLinesMove(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	b.index(t)
	before := b.find(t, "Engine")
	b.put(t, "-- engine.ts --\n// above\n\nexport class Engine {}\n")
	b.index(t)
	after := b.find(t, "Engine")
	assert.Equal(t, before.ID(), after.ID())
	assert.Equal(t, 3, after.Line)
	assert.Equal(t, 2, before.Line)
}

func (b *codeBundle) search(t *testing.T, query string, kinds ...knowledge.CodeKind) []string {
	t.Helper()
	hits, err := b.code.Search(t.Context(), b.ws, service.CodeSearch{Query: query, Kinds: kinds, First: knowledge.DefaultCodeSearch})
	require.NoError(t, err)
	var names []string
	for _, h := range hits {
		switch n := h.Node.(type) {
		case *knowledge.CodeSymbol:
			names = append(names, n.QualifiedName)
		case *knowledge.CodeFile:
			names = append(names, n.Path)
		}
	}
	return names
}

func (b *codeBundle) find(t *testing.T, name string) *knowledge.CodeSymbol {
	t.Helper()
	hits, err := b.code.Search(t.Context(), b.ws, service.CodeSearch{Query: name, First: 100})
	require.NoError(t, err)
	for _, h := range hits {
		if s, ok := h.Node.(*knowledge.CodeSymbol); ok && s.QualifiedName == name {
			return s
		}
	}
	require.Fail(t, "not found", name)
	return nil
}

func TestP3_P16_Search(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar+`
-- http/parse_request.py --
def parse_header(text):
    """Reads one line of the head."""
class HTTPServerPool: pass
-- README.md --
# Read me
`)
	b.index(t)
	assert.Equal(t, "Engine", b.search(t, "engine")[0], "the name itself, exported, before what only mentions it")
	assert.Contains(t, b.search(t, "header"), "parse_header", "a part of a snake-case name")
	assert.Equal(t, []string{"HTTPServerPool"}, b.search(t, "server"), "a part of a camel-case name")
	assert.Equal(t, []string{"Engine"}, b.search(t, "motion"), "documentation")
	assert.Contains(t, b.search(t, "readme"), "README.md", "a path")
	assert.Equal(t, []string{"engine.ts"}, b.search(t, "engine", knowledge.CodeKindFile))
	assert.Empty(t, b.search(t, "  "))
	assert.Empty(t, b.search(t, "+(:*"))
	_, err := b.code.Search(t.Context(), b.ws, service.CodeSearch{Query: "x", First: 101})
	codeOf(t, err, knowledge.CodeLimitExceeded, "first")

	other := withCode(t, "")
	assert.Empty(t, other.search(t, "engine"), "R1")
}

func TestP16_FilesImportsDependentsStats(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar+"-- fleet.ts --\nimport { Car } from './car';\nexport class Fleet extends Car {}\n-- app.ts --\nimport type { Fleet } from './fleet';\n")
	b.index(t)
	at := func(path string) *knowledge.CodeFile {
		f, err := b.code.File(t.Context(), b.ws, service.CodeFileRef{Path: path})
		require.NoError(t, err)
		return f
	}
	engine := at("./engine.ts")
	symbols, err := b.code.Symbols(t.Context(), b.ws.ID, []string{engine.ID()})
	require.NoError(t, err)
	var names []string
	for _, s := range symbols[engine.ID()] {
		names = append(names, s.QualifiedName)
	}
	assert.Equal(t, []string{"Engine", "Engine.start", "ignite"}, names, "by line")
	imports, err := b.code.Imports(t.Context(), b.ws.ID, []string{at("app.ts").ID()})
	require.NoError(t, err)
	require.Len(t, imports[at("app.ts").ID()], 1)
	found := imports[at("app.ts").ID()][0]
	assert.Equal(t, "fleet.ts", found.File.Path)
	assert.Equal(t, "./fleet", found.Specifier)
	assert.True(t, found.TypeOnly)
	assert.InDelta(t, knowledge.CodeConfidenceImport, found.Confidence, 1e-9)
	by, err := b.code.ImportedBy(knowledge.CodeImportsFile)(t.Context(), b.ws.ID, []string{engine.ID()})
	require.NoError(t, err)
	assert.Equal(t, []string{"car.ts"}, pathsOf(by[engine.ID()]))

	dependents := func(hops, first int) *knowledge.CodeFiles {
		d, err := b.code.Dependents(t.Context(), b.ws, service.CodeFileRef{Path: "engine.ts"}, hops, first)
		require.NoError(t, err)
		return d
	}
	assert.Equal(t, []string{"car.ts"}, pathsOf(dependents(1, 100).Nodes))
	assert.Equal(t, []string{"car.ts", "fleet.ts", "app.ts"}, pathsOf(dependents(6, 100).Nodes), "nearest first")
	assert.True(t, dependents(6, 2).Truncated)
	_, err = b.code.Dependents(t.Context(), b.ws, service.CodeFileRef{Path: "engine.ts"}, 7, 10)
	codeOf(t, err, knowledge.CodeLimitExceeded, "hops")
	_, err = b.code.File(t.Context(), b.ws, service.CodeFileRef{Path: "nothing.ts"})
	codeOf(t, err, knowledge.CodeNotFound, "path")

	stats, err := b.code.Stats(t.Context(), b.ws)
	require.NoError(t, err)
	assert.Equal(t, []string{"cars"}, stats.Repositories)
	assert.Equal(t, 4, stats.Files)
	assert.Equal(t, 5, stats.Symbols)
	assert.Equal(t, []knowledge.Count{{Key: "typescript", Count: 4}}, stats.Languages)
	assert.Contains(t, stats.Edges, knowledge.Count{Key: "IMPORTS_FILE", Count: 3})
	assert.Contains(t, stats.Edges, knowledge.Count{Key: "EXTENDS", Count: 1})
	summary, err := b.workspaces.Summary(t.Context(), b.ws, 0, knowledge.TimePoint{})
	require.NoError(t, err)
	assert.Equal(t, 4, summary.CodeFiles)
	assert.Equal(t, 5, summary.CodeSymbols)
}

func pathsOf(files []*knowledge.CodeFile) []string {
	out := []string{}
	for _, f := range files {
		out = append(out, f.Path)
	}
	return out
}

func TestP2_LinksBetweenSymbolsAndPackages(t *testing.T) {
	t.Parallel()
	b := withCode(t, `
-- go.mod --
module example.com/m
-- lib/lib.go --
package lib

type Base struct{}

func (b *Base) Close() error { return nil }

type Closer interface{ Close() error }

func Run() { helper() }

func helper() {}
-- lib/other.go --
package lib
-- main.go --
package main

import "example.com/m/lib"

type App struct{ lib.Base }

func main() { lib.Run() }
-- packages/web/package.json --
{"name": "web", "main": "./src/index.ts"}
-- packages/web/src/index.ts --
export class Page {}
-- package.json --
{"workspaces": ["packages/*"]}
-- site.ts --
import { Page } from 'web';
`)
	b.index(t)
	linked := func(name string, kind knowledge.CodeEdgeType, incoming bool) []string {
		s := b.find(t, name)
		found, err := b.code.Linked(knowledge.CodeLink{Type: kind, Incoming: incoming})(t.Context(), b.ws.ID, []string{s.ID()})
		require.NoError(t, err)
		var names []string
		for _, n := range found[s.ID()] {
			names = append(names, n.QualifiedName)
		}
		return names
	}
	assert.Equal(t, []string{"Base"}, linked("App", knowledge.CodeEmbeds, false))
	assert.Equal(t, []string{"App"}, linked("Base", knowledge.CodeEmbeds, true))
	assert.Equal(t, []string{"App", "Base"}, sorted(linked("Closer", knowledge.CodeImplements, true)), "promoted methods count")
	assert.Equal(t, []string{"main"}, linked("Run", knowledge.CodeCalls, true))
	assert.Equal(t, []string{"helper"}, linked("Run", knowledge.CodeCalls, false))

	main, err := b.code.File(t.Context(), b.ws, service.CodeFileRef{Path: "main.go"})
	require.NoError(t, err)
	packages, err := b.code.PackagesOf(t.Context(), b.ws.ID, []string{main.ID()})
	require.NoError(t, err)
	require.Len(t, packages[main.ID()], 1)
	lib := packages[main.ID()][0]
	assert.Equal(t, "lib", lib.Name)
	files, err := b.code.FilesOf(t.Context(), b.ws.ID, []string{lib.ID()})
	require.NoError(t, err)
	assert.Equal(t, []string{"lib/lib.go", "lib/other.go"}, pathsOf(files[lib.ID()]))
	by, err := b.code.ImportedBy(knowledge.CodeImportsPackage)(t.Context(), b.ws.ID, []string{lib.ID()})
	require.NoError(t, err)
	assert.Equal(t, []string{"main.go"}, pathsOf(by[lib.ID()]))
	web := knowledge.CodePackageID(b.ws.ID, "cars", "web")
	files, err = b.code.FilesOf(t.Context(), b.ws.ID, []string{web})
	require.NoError(t, err)
	assert.Equal(t, []string{"packages/web/package.json", "packages/web/src/index.ts"}, pathsOf(files[web]), "all below a package's folder")
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func TestP16_SamePathInTwoRepositories(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	b.index(t)
	_, err := b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir, Repository: "other"})
	require.NoError(t, err)
	_, err = b.code.File(t.Context(), b.ws, service.CodeFileRef{Path: "car.ts"})
	codeOf(t, err, knowledge.CodeAmbiguous, "repository")
	f, err := b.code.File(t.Context(), b.ws, service.CodeFileRef{Path: "car.ts", Repository: "other"})
	require.NoError(t, err)
	assert.Equal(t, "other", f.Repository)
	_, err = b.code.Stored(t.Context(), b.ws, "")
	codeOf(t, err, knowledge.CodeAmbiguous, "repository")
	require.NoError(t, os.RemoveAll(b.dir))
	b.put(t, "-- one.ts --\n1\n")
	b.index(t)
	b.sameAsClean(t, t.Context(), b.clean(t))
	other, err := b.code.Stored(t.Context(), b.ws, "other")
	require.NoError(t, err)
	assert.Len(t, other.Files, 2, "one repository leaves another alone")
}

// Wrong input is said, and nothing is stored.
func TestP9_WrongInput(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	_, err := b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: filepath.Join(b.dir, "missing")})
	codeOf(t, err, knowledge.CodeInvalidInput, "path")
	_, err = b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: filepath.Join(b.dir, "car.ts")})
	codeOf(t, err, knowledge.CodeInvalidInput, "path")
	_, err = b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir, Repository: strings.Repeat("x", 201)})
	codeOf(t, err, knowledge.CodeLimitExceeded, "repository")
	for _, outside := range []string{filepath.Dir(b.dir), "/etc", "..", "car.ts", "nothing", "a\x00b"} {
		_, err = b.code.Start(t.Context(), b.to, service.CodeIndexRequest{Folder: outside})
		codeOf(t, err, knowledge.CodeInvalidInput, "path")
	}
	link := filepath.Join(b.dir, "link")
	require.NoError(t, os.Symlink("/etc", link))
	_, err = b.code.Start(t.Context(), b.to, service.CodeIndexRequest{Folder: link})
	codeOf(t, err, knowledge.CodeInvalidInput, "path")
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{Switches: knowledge.FeatureSwitches{knowledge.FeatureCodeGraph: false}}, nil)
	for _, err := range []error{
		failure(b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir})), failure(b.code.Start(t.Context(), b.to, service.CodeIndexRequest{Folder: b.dir})),
		failure(b.code.Of(b.ws)), failure(b.code.Stats(t.Context(), b.ws)), failure(b.code.Search(t.Context(), b.ws, service.CodeSearch{Query: "x", First: 1})),
	} {
		assert.Equal(t, knowledge.CodeFeatureDisabled, knowledge.CodeOf(err), "Q1")
	}
}

func failure[T any](_ T, err error) error { return err }

// P12: the result of a run is a job's, with what could not be read as its items.
func TestP12_IndexAsAJob(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar+"-- broken.ts --\nexport class {\n-- jar.min.js --\nvar a = 1\n-- tsconfig.json --\n{\n")
	job, err := b.code.Start(t.Context(), b.to, service.CodeIndexRequest{Folder: "."})
	require.NoError(t, err)
	worked, err := b.all.Jobs.WorkOn(t.Context(), job.ID)
	require.NoError(t, err)
	require.True(t, worked)
	job, err = b.all.Jobs.Get(t.Context(), b.ws.ID, job.ID)
	require.NoError(t, err)
	assert.Equal(t, knowledge.JobSucceeded, job.State)
	counts := map[string]int{}
	for _, c := range job.Counts {
		counts[c.Key] = c.Count
	}
	assert.Equal(t, 5, counts["files"])
	assert.Equal(t, 1, counts["edges.IMPORTS_FILE"])
	assert.Equal(t, 1, counts["skipped: minified"], "%v", counts)
	assert.Equal(t, 1, counts["parseErrors"])
	assert.Equal(t, 5, counts["fresh"])
	assert.Equal(t, 5, job.Extracted)
	assert.Equal(t, 1, job.Errors, "settings that cannot be read")
	items, err := b.all.Jobs.Items(t.Context(), job.ID, knowledge.ItemFailed, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, items.Items, 1)
	assert.Equal(t, "tsconfig.json", items.Items[0].Key)
	assert.Equal(t, *job.Total, job.Scanned)
	b.sameAsClean(t, t.Context(), b.clean(t))

	again, err := b.code.Start(t.Context(), b.to, service.CodeIndexRequest{Folder: b.dir})
	require.NoError(t, err)
	_, err = b.all.Jobs.WorkOn(t.Context(), again.ID)
	require.NoError(t, err)
	again, err = b.all.Jobs.Get(t.Context(), b.ws.ID, again.ID)
	require.NoError(t, err)
	assert.Equal(t, 5, again.Skipped)
	assert.Zero(t, again.Extracted)
}

// Of several runs at once one after the other has the repository.
func TestP11_RunsAtOnce(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	var group errgroup.Group
	for range 6 {
		group.Go(func() error {
			_, err := b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir})
			return err
		})
	}
	require.NoError(t, group.Wait())
	b.sameAsClean(t, t.Context(), b.clean(t))
	stats, err := b.code.Stats(t.Context(), b.ws)
	require.NoError(t, err)
	assert.Equal(t, 2, stats.Files)
}

// failingWriter fails at a step, as a database that goes away, or is cut off there.
type failingWriter struct {
	service.Store
	mu sync.Mutex
	at string
}

var errAway = errors.New("the database is away")

func (f *failingWriter) step(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.at == name {
		return errAway
	}
	return nil
}

func (f *failingWriter) WriteCodeEdges(ctx context.Context, c knowledge.CodeClaim, edges []knowledge.CodeEdge) error {
	if err := f.step("edges"); err != nil {
		return err
	}
	return f.Store.WriteCodeEdges(ctx, c, edges)
}

func (f *failingWriter) WriteCodeSymbols(ctx context.Context, c knowledge.CodeClaim, symbols []knowledge.CodeSymbol) error {
	if err := f.step("symbols"); err != nil {
		return err
	}
	return f.Store.WriteCodeSymbols(ctx, c, symbols)
}

func (f *failingWriter) SealCode(ctx context.Context, c knowledge.CodeClaim, parts []knowledge.CodePartState) error {
	if err := f.step("seal"); err != nil {
		return err
	}
	return f.Store.SealCode(ctx, c, parts)
}

func (f *failingWriter) FinishCode(ctx context.Context, c knowledge.CodeClaim, r knowledge.CodeRepository, now time.Time) error {
	if err := f.step("finish"); err != nil {
		return err
	}
	return f.Store.FinishCode(ctx, c, r, now)
}

// A run that ends at any step, with every batch a transaction of its own, leaves what the next one completes.
func TestP11_AnInterruptedRunIsCompletedByTheNext(t *testing.T) {
	t.Parallel()
	for _, at := range []string{"symbols", "edges", "seal", "finish"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel()
			b := withCode(t, engineAndCar)
			b.index(t)
			store := &failingWriter{Store: b.store, at: at}
			apart := service.NewCode(service.CodeConfig{
				Reader: store, Links: store, Walker: store, Writer: store, Stored: store, Workspaces: store, Entities: b.entities, Tx: apart{},
				Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features }, Scan: b.scan, Clock: b.clock.Now, NewID: newID,
			})
			b.put(t, "-- engine.ts --\nexport class Engine {}\nexport function stop() {}\n-- fleet.ts --\nimport { Car } from './car';\n")
			_, err := apart.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir})
			require.ErrorIs(t, err, errAway)
			b.index(t)
			b.sameAsClean(t, t.Context(), b.clean(t))
		})
	}
}

// apart lets every statement be a transaction of its own.
type apart struct{}

func (apart) Atomically(ctx context.Context, f func(ctx context.Context) error) error { return f(ctx) }

// A small change is one transaction: it fails as a whole.
func TestP11_ASmallChangeIsSeenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	b := withCode(t, engineAndCar)
	b.index(t)
	before := b.clean(t)
	store := &failingWriter{Store: b.store, at: "edges"}
	failing := service.NewCode(service.CodeConfig{
		Reader: store, Links: store, Walker: store, Writer: store, Stored: store, Workspaces: store, Entities: b.entities, Tx: store,
		Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features }, Scan: b.scan, Clock: b.clock.Now, NewID: newID,
	})
	b.put(t, "-- engine.ts --\nexport class Motor {}\n")
	_, err := failing.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir})
	require.ErrorIs(t, err, errAway)
	b.sameAsClean(t, t.Context(), before)
}

// A run that is ended gives the repository back, so that the next one need not wait.
func TestP12_ACancelledRunGivesTheRepositoryBack(t *testing.T) {
	t.Parallel()
	for _, stage := range []string{"scan", "extract", "write"} {
		b := withCode(t, engineAndCar)
		ctx, cancel := context.WithCancel(t.Context())
		_, err := b.code.Index(ctx, b.ws, service.CodeIndexRequest{Folder: b.dir, Progress: func(p knowledge.CodeProgress) {
			if p.Stage == stage {
				cancel()
			}
		}})
		require.ErrorIs(t, err, context.Canceled, stage)
		cancel()
		b.index(t)
		b.sameAsClean(t, t.Context(), b.clean(t))
	}
}

// R4, R5: code goes with what a workspace holds, and only that workspace's.
func TestR4_CodeGoesWithTheWorkspace(t *testing.T) {
	t.Parallel()
	b, other := withCode(t, engineAndCar), withCode(t, engineAndCar)
	b.index(t)
	other.index(t)
	_, err := b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key, KeepWorkspace: true})
	require.NoError(t, err)
	assert.Empty(t, b.search(t, "engine"))
	stats, err := b.code.Stats(t.Context(), b.ws)
	require.NoError(t, err)
	assert.Empty(t, stats.Repositories)
	other.sameAsClean(t, t.Context(), other.clean(t))
	b.index(t)
	b.sameAsClean(t, t.Context(), b.clean(t), "it can be indexed again")
	_, err = b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key})
	require.NoError(t, err)
	_, err = b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir})
	codeOf(t, err, knowledge.CodeNotFound, "workspace")
}
