package service_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
	"mneme/service"
)

// agedEntry is an entry of a generated workspace; its word stands in no other.
type agedEntry struct {
	Word               string
	Contacts, Mentions []int
	Type               knowledge.EntryType
	Confidence         float64
	Degrees            float64
	Expires, Used      bool
}

// agedThing is an entity of one.
type agedThing struct {
	Actor      knowledge.Actor
	Type, Name string
	Properties map[string]any
}

type agedWorld struct {
	Entries   []agedEntry
	Things    []agedThing
	Relations [][2]int
}

func agedWorlds() *rapid.Generator[agedWorld] {
	return rapid.Custom(func(t *rapid.T) agedWorld {
		var w agedWorld
		for i := range rapid.IntRange(6, 16).Draw(t, "entries") {
			w.Entries = append(w.Entries, agedEntry{
				Word: fmt.Sprintf("word%dx", i), Contacts: rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 0, 2, rapid.ID[int]).Draw(t, "contacts"),
				Mentions:   rapid.SliceOfNDistinct(rapid.IntRange(0, 2), 0, 3, rapid.ID[int]).Draw(t, "mentions"),
				Type:       rapid.SampledFrom([]knowledge.EntryType{knowledge.EntryFact, knowledge.EntryGoal}).Draw(t, "type"),
				Confidence: float64(rapid.IntRange(1, 10).Draw(t, "confidence")) / 10, Degrees: float64(rapid.SampledFrom([]int{0, 5, 90, 95}).Draw(t, "degrees")),
				Expires: rapid.IntRange(0, 4).Draw(t, "expires") == 0, Used: rapid.Bool().Draw(t, "used"),
			})
		}
		names := []string{"go", "rest", "electron", "Electron", "Redis"}
		for i, actor := range rapid.SliceOfN(rapid.SampledFrom([]knowledge.Actor{knowledge.ActorAuto, knowledge.ActorAgent, knowledge.ActorManual}), 6, 6).Draw(t, "actors") {
			w.Things = append(w.Things, []agedThing{
				{actor, "technology", rapid.SampledFrom(names).Draw(t, "technology"), nil},
				{actor, "organization", "Gmail", mailbox("domain", "gmail.com")},
				{actor, "organization", "News", mailbox("domain", "news.amazon.com")},
				{actor, "person", "Shop", mailbox("email", "no-reply@shop.example")},
				{actor, "service", "billing", nil},
				{actor, "organization", "Amazon", nil},
			}[i])
		}
		for range rapid.IntRange(0, 8).Draw(t, "relations") {
			a, b := rapid.IntRange(0, len(w.Entries)-1).Draw(t, "from"), rapid.IntRange(0, len(w.Entries)-1).Draw(t, "to")
			if pair := [2]int{a, b}; a != b && !slices.Contains(w.Relations, pair) {
				w.Relations = append(w.Relations, pair)
			}
		}
		return w
	})
}

// agedWorkspace is a generated workspace in the database.
type agedWorkspace struct {
	*aging
	world    agedWorld
	contacts []*knowledge.Entity
	things   []*knowledge.Entity
	ids      []string
}

func (w agedWorld) make(t *testing.T) *agedWorkspace {
	t.Helper()
	a := &agedWorkspace{aging: &aging{entryBundle: withEntries(t)}, world: w}
	var mentioned []*knowledge.Entity
	for i := range 3 {
		a.contacts = append(a.contacts, a.person(t, fmt.Sprint("Contact ", i)))
		mentioned = append(mentioned, a.thing(t, a.to, fmt.Sprint("thing ", i), 1))
	}
	for _, e := range w.Entries {
		saved := a.entry(t, e.Word, "said "+e.Word, at(pointing(e.Degrees)...), sure(e.Confidence), func(d *knowledge.EntryDraft) {
			d.Type = e.Type
			if e.Expires {
				d.ExpiresInDays = ptr(20.0)
			}
			for _, c := range e.Contacts {
				d.Contacts = append(d.Contacts, knowledge.EntityRef{ID: a.contacts[c].ID})
			}
			for _, m := range e.Mentions {
				d.Mentions = append(d.Mentions, knowledge.EntityRef{ID: mentioned[m].ID})
			}
		})
		a.ids = append(a.ids, saved.ID)
		if e.Used {
			require.NoError(t, a.store.MarkAccessed(t.Context(), []knowledge.AccessMark{{WorkspaceID: a.ws.ID, EntryID: saved.ID, Count: 1, At: a.clock.Now()}}))
		}
		a.clock.advance(time.Second)
	}
	for _, thing := range w.Things {
		to := a.to
		to.Caller.Actor = thing.Actor
		up, err := a.entities.Upsert(t.Context(), to, knowledge.EntityDraft{Type: thing.Type, Name: thing.Name, Properties: thing.Properties})
		require.NoError(t, err)
		a.things = append(a.things, up.Entity)
	}
	for _, pair := range w.Relations {
		a.relation(t, knowledge.Relation{FromID: a.ids[pair[0]], ToID: a.ids[pair[1]], Type: knowledge.RelationSupports, Confidence: 0.5, ConfidenceTag: knowledge.TagAmbiguous, Provenance: knowledge.ProvenanceLLM})
	}
	a.days(31)
	return a
}

func pointing(degrees float64) []float32 {
	switch degrees {
	case 0:
		return []float32{1, 0}
	case 5:
		return []float32{0.9962, 0.0872}
	case 90:
		return []float32{0, 1}
	default:
		return []float32{-0.0872, 0.9962}
	}
}

// N9, N13: whatever maintenance does, nothing becomes visible where none of its sources was,
// what a person or an agent made is never deleted, no confidence rises, and a second run
// changes nothing.
func TestN13_MaintenanceProperty(t *testing.T) {
	t.Parallel()
	for seed := range 8 {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			a := agedWorlds().Example(seed).make(t)
			confidence := map[string]float64{}
			for _, task := range allTasks() {
				for id, e := range a.allEntries(t) {
					confidence[id] = e.Confidence
				}
				a.maintainBy(t, a.server(inBatches(3)), service.MaintenanceCall{Task: task})
				a.requireHonest(t, task, confidence)
				once := a.picture(t)
				a.maintainBy(t, a.server(inBatches(2)), service.MaintenanceCall{Task: task})
				assert.Equal(t, once, a.picture(t), "a second run of %s", task)
			}
		})
	}
}

func (a *agedWorkspace) allEntries(t *testing.T) map[string]*knowledge.Entry {
	t.Helper()
	found, err := a.entries.ByIDs(t.Context(), a.ws.ID, a.ids)
	require.NoError(t, err)
	return found
}

func (a *agedWorkspace) requireHonest(t *testing.T, task knowledge.MaintenanceTask, before map[string]float64) {
	t.Helper()
	for id, e := range a.allEntries(t) {
		assert.LessOrEqual(t, e.Confidence, before[id]+1e-9, "%s raised a confidence", task)
		var sources []agedEntry
		for _, source := range a.world.Entries {
			if strings.Contains(e.Content, source.Word) {
				sources = append(sources, source)
			}
		}
		require.NotEmpty(t, sources)
		if len(e.ContactIDs) == 0 {
			for _, source := range sources {
				assert.Empty(t, source.Contacts, "%s made general what was about somebody", task)
			}
		}
		for _, contact := range e.ContactIDs {
			assert.True(t, slices.ContainsFunc(sources, func(source agedEntry) bool {
				return slices.ContainsFunc(source.Contacts, func(c int) bool { return a.contacts[c].ID == contact })
			}), "%s shows %q to a contact that none of its sources was about", task, e.Content)
		}
		linked := a.cypher(t, "MATCH (n:Entry {id: $id})-[:ABOUT]->(e) RETURN e.id", map[string]any{"id": id})
		assert.Len(t, linked, len(e.ContactIDs), "K4: links and contacts are equal")
	}
	for _, thing := range a.things {
		found, err := a.entities.ByIDs(t.Context(), a.ws.ID, []string{thing.ID})
		require.NoError(t, err)
		if thing.Source != knowledge.ActorAuto {
			assert.NotNil(t, found[thing.ID], "%s deleted %s %q of %s", task, thing.TypeKey, thing.Name, thing.Source)
		}
	}
	for _, r := range a.relationsTouching(t, a.ids...) {
		if r.Origin == knowledge.OriginExpansion && task == knowledge.TaskScopedExpansion {
			from, to := a.entryByID(t, r.FromID), a.entryByID(t, r.ToID)
			shared := slices.ContainsFunc(from.ContactIDs, func(id string) bool { return slices.Contains(to.ContactIDs, id) })
			assert.True(t, shared || len(from.ContactIDs)+len(to.ContactIDs) == 0, "expansion crossed a scope")
		}
	}
}
