package service_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// everything is all text that the database holds of a workspace, merges and answers too.
func (b *bundle) everything(t *testing.T) string {
	t.Helper()
	driver := rawDriver(t)
	out := b.dump(t)
	for _, label := range []string{"Merge", "IdempotencyKey", "AuditEvent", "JobItem", "Job", "Extraction", "MailEvent"} {
		result, err := neo4j.ExecuteQuery(t.Context(), driver, `MATCH (n:`+label+` {workspaceId: $ws}) RETURN properties(n) AS props`, map[string]any{"ws": b.ws.ID}, neo4j.EagerResultTransformer)
		require.NoError(t, err)
		for _, record := range result.Records {
			props, _ := record.Get("props")
			out = append(out, shownValue(props))
		}
	}
	return strings.Join(out, "\n")
}

func TestT19_EraseContact(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	c := b.curation()
	rosa := b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: "Rosa Quint", Aliases: []string{"Rosalind"}, Identities: []knowledge.ContactIdentity{{Kind: "email", Value: "rosa@quint.io"}}}).Entity
	dup := b.named(t, "person", "R. Quint")[0]
	tom, nyc, city := b.named(t, "person", "Tom")[0], b.named(t, "place", "NYC")[0], b.named(t, "place", "New York City")[0]
	b.join(t, rosa.ID, "visited", nyc)
	b.join(t, rosa.ID, "visited", city)
	b.join(t, tom, "visited", nyc)
	b.join(t, dup, "likes", tom)
	b.remark(t, rosa.ID, "Rosa Quint is tall")
	alone := b.entry(t, "Quint alone", "x", about(rosa))
	shared := b.entry(t, "shared", "y", about(rosa, b.lookUp(t, tom)))
	b.entry(t, "also about nyc", "z", about(rosa, b.lookUp(t, nyc)))
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: alone.ID}, To: knowledge.EntryRef{ID: shared.ID}, Type: knowledge.RelationSupports, Confidence: 1})
	require.NoError(t, err)
	_, err = c.Merge(t.Context(), b.to, rosa.ID, []string{dup}, false)
	require.NoError(t, err)
	cities, err := c.Merge(t.Context(), b.to, city, []string{nyc}, false)
	require.NoError(t, err)
	require.Contains(t, b.everything(t), "Rosa Quint visited", "the merge of the places keeps what was dropped")
	_, err = b.all.Idempotency.Once(t.Context(), knowledge.IdempotencyScope{Workspace: b.ws.Key, Caller: "test", Key: "k"}, "f", func(context.Context) (json.RawMessage, error) {
		return json.RawMessage(fmt.Sprintf(`{"id":%q,"name":"Rosa Quint"}`, rosa.ID)), nil
	})
	require.NoError(t, err)

	before := b.everything(t)
	_, err = c.EraseContact(t.Context(), b.to, rosa.ID, "rosa", false)
	requireCode(t, err, knowledge.CodeInvalidInput, "confirm")
	_, err = c.EraseContact(t.Context(), b.to, "ent_none", "Rosa Quint", false)
	requireCode(t, err, knowledge.CodeNotFound, "id")
	other := setup(t)
	_, err = c.EraseContact(t.Context(), other.to, rosa.ID, "Rosa Quint", false)
	requireCode(t, err, knowledge.CodeNotFound, "id")
	want := knowledge.DeleteCounts{Entities: 1, Edges: 2, Observations: 1, Entries: 1, Relations: 1}
	dry, err := c.EraseContact(t.Context(), b.to, rosa.ID, "Rosa Quint", true)
	require.NoError(t, err)
	require.Equal(t, want, *dry)
	require.Equal(t, before, b.everything(t), "a dry run, and what failed, write nothing")

	counts, err := c.EraseContact(t.Context(), b.to, rosa.ID, "Rosa Quint", false)
	require.NoError(t, err)
	want.Deleted = true
	require.Equal(t, want, *counts)
	left := b.everything(t)
	for _, trace := range []string{"Quint", "quint", "Rosalind", dup} {
		require.NotContains(t, left, trace)
	}
	require.Contains(t, left, knowledge.ActionErased)
	entries, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{alone.ID, shared.ID})
	require.NoError(t, err)
	require.Nil(t, entries[alone.ID], "R8 never general")
	require.Equal(t, []string{tom}, entries[shared.ID].ContactIDs)
	b.requireWhole(t)

	_, err = c.Unmerge(t.Context(), b.to, cities.MergeID)
	require.NoError(t, err, "what the other merge kept of others is still there")
	b.requireWhole(t)
	count, err := b.edges.CountOfEntities(t.Context(), b.ws.ID, []string{nyc, city}, allEdges())
	require.NoError(t, err)
	require.Equal(t, map[string]int{nyc: 1, city: 0}, count)
	require.NotContains(t, b.everything(t), rosa.ID, "no list names it any more")
}

func TestT19_EraseByAnOldID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.named(t, "person", "Rosa", "Rosa Quint")
	_, err := b.curation().Merge(t.Context(), b.to, ids[1], ids[:1], false)
	require.NoError(t, err)
	counts, err := b.curation().EraseContact(t.Context(), b.to, ids[0], " Rosa Quint ", false)
	require.NoError(t, err)
	require.True(t, counts.Deleted)
	found, err := b.entities.ByIDs(t.Context(), b.ws.ID, ids)
	require.NoError(t, err)
	require.Empty(t, found)
	require.NotContains(t, b.everything(t), "Rosa")
}

// TestR8_EraseBesideWriters: what is written about a contact while it is erased is
// refused or erased with it.
func TestR8_EraseBesideWriters(t *testing.T) {
	t.Parallel()
	for _, hub := range []int{0, 80} {
		t.Run(fmt.Sprint("of ", hub, " edges"), func(t *testing.T) {
			t.Parallel()
			b := withEntries(t)
			rosa := b.person(t, "Rosa Quint")
			var drafts []knowledge.EdgeDraft
			for i := range hub {
				drafts = append(drafts, between(rosa.ID, "near", b.named(t, "place", fmt.Sprint("p", i))[0], nil, nil))
			}
			_, err := b.edges.AssertMany(t.Context(), b.to, drafts, true)
			require.NoError(t, err)
			others := b.named(t, "person", "a", "b", "c", "d")
			fs := []func() error{func() error {
				_, err := b.curation().EraseContact(context.Background(), b.to, rosa.ID, "Rosa Quint", false)
				return err
			}}
			for i, other := range others {
				fs = append(fs,
					func() error {
						_, err := b.entries.Create(context.Background(), b.to, b.draft(fmt.Sprint("entry ", i), "of Quint", about(rosa)))
						return err
					},
					func() error {
						_, err := b.edges.Assert(context.Background(), b.to, between(other, "knows", rosa.ID, nil, nil))
						return err
					},
					func() error {
						_, err := b.notes.Add(context.Background(), b.to, note(rosa.ID, fmt.Sprint("Quint ", i)))
						return err
					})
			}
			errs := atOnce(fs...)
			require.NoError(t, errs[0])
			for _, err := range errs[1:] {
				if err != nil {
					require.Equal(t, knowledge.CodeNotFound, knowledge.CodeOf(err), "%v", err)
				}
			}
			b.requireWhole(t)
			require.NotContains(t, b.everything(t), "Quint")
		})
	}
}

func TestT19_EraseAContactsMails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.mail(t, letter("m1", "Plan"))
	b.mail(t, letter("m2", "Other", func(m *knowledge.Mail) {
		m.From, m.To = knowledge.MailAddress{Name: "Bob Lee", Address: "bob@beta.io"}, []knowledge.MailAddress{m.From}
	}))
	jane, bob := b.find(t, "person", "Jane Doe"), b.find(t, "person", "Bob Lee")
	found, err := b.all.Messages.List(t.Context(), b.ws.ID, "", knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	written := found.Items[slices.IndexFunc(found.Items, func(m *knowledge.Message) bool { return m.MessageID == "m1" })]
	derived := b.remark(t, bob.ID, "said so by Jane alone")
	shared := b.remark(t, bob.ID, "said so by Jane and me")
	driver := rawDriver(t)
	_, err = neo4j.ExecuteQuery(t.Context(), driver, `MATCH (o:Observation {id: $derived}) REMOVE o.directAt, o.directSource
		WITH o MATCH (s:Observation {id: $shared}) MATCH (m:Message {id: $message})
		CREATE (o)-[:SUPPORTED_BY]->(m) CREATE (s)-[:SUPPORTED_BY]->(m)
		CREATE (:JobItem {jobId: $job, key: 'k1', workspaceId: $ws, outcome: 'from JANE@ACME.com', raw: 'x'})
		CREATE (:JobItem {jobId: $job, key: 'k2', workspaceId: $ws, outcome: 'another one'})
		CREATE (:Job {id: $job, workspaceId: $ws, createdAt: datetime(), lastError: 'Jane Doe is no date'})
		CREATE (:Extraction {key: $job, workspaceId: $ws, raw: '{"who": "jane doe"}'})`,
		map[string]any{"derived": derived.ID, "shared": shared.ID, "message": written.ID, "ws": b.ws.ID, "job": newID(knowledge.PrefixJob)}, neo4j.EagerResultTransformer)
	require.NoError(t, err)

	_, err = b.curation().EraseContact(t.Context(), b.to, jane.ID, "Jane Doe", false)
	require.NoError(t, err)
	found, err = b.all.Messages.List(t.Context(), b.ws.ID, "", knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	require.Len(t, found.Items, 1)
	require.Equal(t, []string{bob.ID}, found.Items[0].ParticipantIDs)
	left, err := b.notes.ByIDs(t.Context(), b.ws.ID, []string{derived.ID, shared.ID})
	require.NoError(t, err)
	require.Nil(t, left[derived.ID], "T5 nothing else said so")
	require.NotNil(t, left[shared.ID])
	everything := strings.ToLower(b.everything(t))
	for _, trace := range []string{"jane doe", "jane@acme.com"} {
		require.NotContains(t, everything, trace)
	}
	require.Contains(t, everything, "another one")
}
