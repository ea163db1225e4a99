package service_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// atOnce runs functions at the same time and gives their errors, in their order.
func atOnce(fs ...func() error) []error {
	errs := make([]error, len(fs))
	start := make(chan struct{})
	var wg sync.WaitGroup
	for i, f := range fs {
		wg.Go(func() {
			<-start
			errs[i] = f()
		})
	}
	close(start)
	wg.Wait()
	return errs
}

// requireWhole checks what always holds: every edge is stored twice, every remark and
// entry is linked to what it says it is about, and to nothing else.
func (b *bundle) requireWhole(t *testing.T) {
	t.Helper()
	driver := rawDriver(t)
	for what, query := range map[string]string{
		"a Fact without its relationship":  `MATCH (f:Fact {workspaceId: $ws}) WHERE f.createdAt IS NOT NULL AND NOT EXISTS { (a:Entity {id: f.src})-[r]->(b:Entity {id: f.dst}) WHERE r.id = f.id } RETURN f.id AS id`,
		"a relationship without its Fact":  `MATCH (a:Entity {workspaceId: $ws})-[r]->(:Entity) WHERE NOT EXISTS { (f:Fact {id: r.id}) } RETURN r.id AS id`,
		"a remark without its entity":      `MATCH (o:Observation {workspaceId: $ws}) WHERE NOT EXISTS { (o)-[:OBSERVED_ON]->(e:Entity) WHERE e.id = o.entityId } RETURN o.id AS id`,
		"an entry about somebody unlinked": `MATCH (n:Entry {workspaceId: $ws}) WHERE [(n)-[:ABOUT]->(e:Entity) | e.id] <> n.contactIds AND size([(n)-[:ABOUT]->(e:Entity) WHERE e.id IN n.contactIds | e]) <> size(n.contactIds) RETURN n.id AS id`,
	} {
		result, err := neo4j.ExecuteQuery(t.Context(), driver, query, map[string]any{"ws": b.ws.ID}, neo4j.EagerResultTransformer)
		require.NoError(t, err)
		require.Empty(t, result.Records, what)
	}
}

func TestT6_MergeBesideUpserts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	nyc, city := b.named(t, "place", "NYC")[0], b.named(t, "place", "New York City")[0]
	fs := []func() error{func() error {
		_, err := b.curation().Merge(context.Background(), b.to, city, []string{nyc}, false)
		return err
	}}
	for i := range 16 {
		fs = append(fs, func() error {
			_, err := b.entities.Upsert(context.Background(), b.to, knowledge.EntityDraft{Type: "place", Name: "nyc", Properties: map[string]any{fmt.Sprint(i): true}})
			return err
		})
	}
	for _, err := range atOnce(fs...) {
		require.NoError(t, err)
	}
	require.Len(t, b.lookUp(t, nyc).Properties, 16, "no write is lost")
	all, err := b.entities.Count(t.Context(), b.ws.ID, knowledge.EntityFilter{})
	require.NoError(t, err)
	require.Equal(t, 1, all)
}

func TestT6_MergesInACircle(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.named(t, "concept", "one", "two", "three", "four")
	var fs []func() error
	for i := range ids {
		fs = append(fs, func() error {
			_, err := b.curation().Merge(context.Background(), b.to, ids[i], []string{ids[(i+1)%len(ids)]}, false)
			return err
		})
	}
	done := 0
	for _, err := range atOnce(fs...) {
		if err == nil {
			done++
			continue
		}
		requireCode(t, err, knowledge.CodeInvalidInput, "merge")
	}
	require.Equal(t, 3, done, "the last one would have merged an entity with itself")
	for _, id := range ids {
		require.Equal(t, b.lookUp(t, ids[0]).ID, b.lookUp(t, id).ID)
	}
	b.requireWhole(t)
}

// TestT6_MergeBesideWrites: while entities are merged, others write about the one that
// goes: one with few links, and one with so many that Neo4j locks it differently.
func TestT6_MergeBesideWrites(t *testing.T) {
	t.Parallel()
	for _, hub := range []int{0, 80} {
		t.Run(fmt.Sprint("of ", hub, " edges"), func(t *testing.T) {
			t.Parallel()
			b := withEntries(t)
			from, to := b.named(t, "person", "Rosa")[0], b.named(t, "person", "Rosa Quint")[0]
			var drafts []knowledge.EdgeDraft
			for i := range hub {
				drafts = append(drafts, between(b.named(t, "place", fmt.Sprint("p", i))[0], "near", from, nil, nil))
			}
			_, err := b.edges.AssertMany(t.Context(), b.to, drafts, true)
			require.NoError(t, err)
			others := b.named(t, "person", "a", "b", "c", "d")
			fs := []func() error{func() error {
				_, err := b.curation().Merge(context.Background(), b.to, to, []string{from}, false)
				return err
			}}
			for i, other := range others {
				fs = append(fs,
					func() error {
						_, err := b.edges.Assert(context.Background(), b.to, between(other, "knows", from, nil, nil))
						return err
					},
					func() error {
						_, err := b.edges.Assert(context.Background(), b.to, between(from, "likes", other, nil, nil))
						return err
					},
					func() error {
						_, err := b.notes.Add(context.Background(), b.to, note(from, fmt.Sprint("remark ", i)))
						return err
					},
					func() error {
						_, err := b.entries.Create(context.Background(), b.to, b.draft(fmt.Sprint("entry ", i), "x", about(&knowledge.Entity{ID: from})))
						return err
					},
				)
			}
			for i, err := range atOnce(fs...) {
				require.NoError(t, err, "write %d", i)
			}
			b.requireWhole(t)
			count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{to}, allEdges())
			require.NoError(t, err)
			require.Equal(t, hub+2*len(others), count[to])
			notes, err := b.notes.CountOfEntities(t.Context(), b.ws.ID, []string{to})
			require.NoError(t, err)
			require.Equal(t, len(others), notes[to])
			seen := b.ask(t, knowledge.RecallQuery{Query: "entry", Scope: contactScope(b.lookUp(t, to))})
			require.Len(t, titles(seen), len(others))
		})
	}
}

// TestT6_EqualEdgesFromBothSides: the same fact is written of both entities while they
// are merged; one edge is left.
func TestT6_EqualEdgesFromBothSides(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two, other := b.named(t, "person", "Rosa")[0], b.named(t, "person", "Rosa Quint")[0], b.named(t, "place", "Rome")[0]
	fs := []func() error{func() error {
		_, err := b.curation().Merge(context.Background(), b.to, two, []string{one}, false)
		return err
	}}
	for i := range 12 {
		d := between(slices.Repeat([]string{one, two}, 6)[i], "visited", other, nil, nil)
		if i%4 > 1 {
			d = between(other, "saw", d.From.ID, second(1), nil)
		}
		fs = append(fs, func() error {
			_, err := b.edges.Assert(context.Background(), b.to, d)
			return err
		})
	}
	for i, err := range atOnce(fs...) {
		require.NoError(t, err, "write %d", i)
	}
	b.requireWhole(t)
	count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{two}, allEdges())
	require.NoError(t, err)
	require.Equal(t, 2, count[two])
}

// TestT6_UnmergeBesideWrites: what is taken back while others write is either taken back
// whole, or was edited.
func TestT6_UnmergeBesideWrites(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.named(t, "person", "Rosa")[0], b.named(t, "person", "Rosa Quint")[0]
	others := b.named(t, "place", "a", "b", "c", "d")
	for _, other := range others {
		b.join(t, one, "visited", other)
	}
	m, err := b.curation().Merge(t.Context(), b.to, two, []string{one}, false)
	require.NoError(t, err)
	fs := make([]func() error, 0, 6)
	for range 2 {
		fs = append(fs, func() error {
			_, err := b.curation().Unmerge(context.Background(), b.to, m.MergeID)
			return err
		})
	}
	for _, other := range others {
		fs = append(fs, func() error {
			_, err := b.edges.Assert(context.Background(), b.to, between(one, "left", other, nil, nil))
			return err
		})
	}
	errs := atOnce(fs...)
	for _, err := range errs[2:] {
		require.NoError(t, err)
	}
	done := 0
	for _, err := range errs[:2] {
		if err == nil {
			done++
			continue
		}
		requireCode(t, err, knowledge.CodeConflict, "mergeId")
	}
	require.LessOrEqual(t, done, 1)
	b.requireWhole(t)
	count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{one, two}, allEdges())
	require.NoError(t, err)
	require.Equal(t, 8, count[one]+count[two])
}
