package knowledge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestH9_JoinEntities(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
	text := func(s string) *string { return &s }
	by := func(a Actor) *Actor { return &a }
	entity := func(id string, change func(*Entity)) *Entity {
		e := &Entity{ID: id, TypeKey: "concept", Name: id, NormalizedName: NormalizeName(id), Source: ActorAgent, Confidence: 0.5, CreatedAt: day(5), UpdatedAt: day(5), LastSeenAt: day(5)}
		if change != nil {
			change(e)
		}
		return e
	}
	for _, c := range []struct {
		name   string
		keep   *Entity
		merged []*Entity
		check  func(t *testing.T, out *Entity)
	}{
		{
			"description of the strongest writer", entity("a", func(e *Entity) { e.Description, e.DescriptionSource = text("mine"), by(ActorAuto) }),
			[]*Entity{entity("b", func(e *Entity) { e.Description, e.DescriptionSource = text("x"), by(ActorManual) })},
			func(t *testing.T, out *Entity) {
				require.Equal(t, "x", *out.Description)
				require.Equal(t, ActorManual, *out.DescriptionSource)
			},
		},
		{
			"of equals the canonical's own", entity("a", func(e *Entity) { e.Description, e.DescriptionSource = text("mine"), by(ActorAgent) }),
			[]*Entity{entity("b", func(e *Entity) { e.Description = text("a longer one, its source that of the entity") })},
			func(t *testing.T, out *Entity) { require.Equal(t, "mine", *out.Description) },
		},
		{
			"without its own the longest", entity("a", nil),
			[]*Entity{entity("b", func(e *Entity) { e.Description = text("short") }), entity("c", func(e *Entity) { e.Description = text("not so short") }), entity("d", func(e *Entity) { e.Description = text("") })},
			func(t *testing.T, out *Entity) { require.Equal(t, "not so short", *out.Description) },
		},
		{
			"properties: higher rank wins, the canonical wins ties", entity("a", func(e *Entity) { e.Properties = map[string]any{"k": "a", "only": 1.0} }),
			[]*Entity{
				entity("b", func(e *Entity) { e.Properties = map[string]any{"k": "b", "l": "b"} }),
				entity("c", func(e *Entity) { e.Properties, e.Source = map[string]any{"l": "c", "m": "c"}, ActorManual }),
				entity("d", func(e *Entity) { e.Properties, e.Source = map[string]any{"k": "d", "m": "d", "n": "d"}, ActorAuto }),
			},
			func(t *testing.T, out *Entity) {
				require.Equal(t, map[string]any{"k": "a", "only": 1.0, "l": "c", "m": "c", "n": "d"}, out.Properties)
			},
		},
		{
			"A20 an unknown source counts as manual", entity("a", nil),
			[]*Entity{entity("b", func(e *Entity) { e.Source = "" })},
			func(t *testing.T, out *Entity) { require.Equal(t, 3, out.Source.Rank()) },
		},
		{
			"source, confidence, times, task", entity("a", nil),
			[]*Entity{
				entity("b", func(e *Entity) {
					e.Confidence, e.CreatedAt, e.UpdatedAt, e.LastSeenAt, e.TaskID = 0.9, day(2), day(3), day(9), text("t1")
				}),
				entity("c", func(e *Entity) { e.Source, e.UpdatedAt, e.TaskID = ActorManual, day(7), text("t2") }),
			},
			func(t *testing.T, out *Entity) {
				require.Equal(t, ActorManual, out.Source)
				require.InDelta(t, 0.9, out.Confidence, 1e-9)
				require.Equal(t, []time.Time{day(2), day(7), day(9)}, []time.Time{out.CreatedAt, out.UpdatedAt, out.LastSeenAt})
				require.Equal(t, "t1", *out.TaskID)
			},
		},
		{
			"T6 names become aliases, identities are taken over", entity("New York City", func(e *Entity) {
				e.Aliases, e.Identities = []string{"NY"}, []ContactIdentity{{"wikidata", "q60"}}
			}),
			[]*Entity{entity("NYC", func(e *Entity) {
				e.Aliases, e.Identities = []string{"ny", "Big Apple"}, []ContactIdentity{{"wikidata", "q60"}, {"geo", "5128581"}}
			})},
			func(t *testing.T, out *Entity) {
				require.Equal(t, []string{"NY", "NYC", "Big Apple"}, out.Aliases)
				require.Equal(t, []ContactIdentity{{"wikidata", "q60"}, {"geo", "5128581"}}, out.Identities)
				require.Equal(t, "New York City", out.Name)
			},
		},
		{
			"A13 capitals of a merged row", entity("acme", nil),
			[]*Entity{entity("other", nil), entity("ACME", nil), entity("Acme", nil)},
			func(t *testing.T, out *Entity) { require.Equal(t, "ACME", out.Name) },
		},
		{
			"A13 another name is an alias, not a casing", entity("acme", nil),
			[]*Entity{entity("Acme Inc", nil)},
			func(t *testing.T, out *Entity) {
				require.Equal(t, "acme", out.Name)
				require.Equal(t, []string{"Acme Inc"}, out.Aliases)
			},
		},
		{
			"A13 canonical spelling of a known technology", entity("ELECTRON", func(e *Entity) { e.TypeKey = "technology" }),
			[]*Entity{entity("electron", func(e *Entity) { e.TypeKey = "technology" })},
			func(t *testing.T, out *Entity) { require.Equal(t, "Electron", out.Name) },
		},
		{
			"A13 the canonical row's name stands", entity("AcMe", nil),
			[]*Entity{entity("ACME", nil)},
			func(t *testing.T, out *Entity) { require.Equal(t, "AcMe", out.Name) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := *c.keep
			c.check(t, JoinEntities(c.keep, c.merged))
			require.Equal(t, before, *c.keep)
		})
	}
}

func TestA13_CanonicalTechnology(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"nodejs": "Node.js", "NODE.js": "Node.js", "k8s": "Kubernetes", "postgres": "PostgreSQL", "rest": "REST", "cobol": ""} {
		got, ok := CanonicalTechnology(name)
		require.Equal(t, want, got, name)
		require.Equal(t, want != "", ok)
	}
}
