package service_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func TestK1_K2_TypesAndSources(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	for _, kind := range []knowledge.EntryType{"fact", "decision", "event", "preference", "goal", "relationship", "action_item"} {
		e := b.entry(t, "of "+string(kind), "something", func(d *knowledge.EntryDraft) { d.Type = kind })
		require.Equal(t, kind, e.Type)
	}
	for _, source := range []knowledge.EntrySource{"email", "chat", "manual", "file", "agent_extracted"} {
		e := b.entry(t, "from "+string(source), "something", func(d *knowledge.EntryDraft) { d.Source = source })
		require.Equal(t, source, e.Source)
	}
	n, err := b.entries.Count(t.Context(), b.ws.ID, knowledge.EntryFilter{Types: []knowledge.EntryType{"goal", "event"}}, knowledge.TimePoint{})
	require.NoError(t, err)
	require.Equal(t, 2, n)
}

// The links of an entry are its contacts, each once, whatever is done to it.
func TestK4_LinksAreTheContacts(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	ann, ben, cid := b.person(t, "Ann"), b.person(t, "Ben"), b.person(t, "Cid")
	merged := map[string]string{}
	linked := func(e *knowledge.Entry) {
		t.Helper()
		byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID})
		require.NoError(t, err)
		require.NotEmpty(t, byID[e.ID].ContactIDs)
		for _, p := range []*knowledge.Entity{ann, ben, cid} {
			n, err := b.entries.Count(t.Context(), b.ws.ID, knowledge.EntryFilter{Contact: &knowledge.EntityRef{ID: p.ID}}, knowledge.TimePoint{})
			if knowledge.IsNotFound(err) {
				n, err = 0, nil
			}
			require.NoError(t, err)
			// A merged entity's id leads to the one that was kept.
			is := slices.Contains(byID[e.ID].ContactIDs, p.ID) || merged[p.ID] != "" && slices.Contains(byID[e.ID].ContactIDs, merged[p.ID])
			require.Equal(t, is, n == 1, p.Name)
		}
	}
	e := b.entry(t, "Plan", "the plan", about(ann, ben, ann))
	require.Len(t, e.ContactIDs, 2)
	linked(e)
	_, err := b.entries.Update(t.Context(), b.to, knowledge.EntryPatch{ID: e.ID, Contacts: &[]knowledge.EntityRef{{ID: ben.ID}, {ID: cid.ID}}})
	require.NoError(t, err)
	linked(e)
	_, err = b.curation().Merge(t.Context(), b.to, ann.ID, []string{cid.ID}, false)
	require.NoError(t, err)
	merged[cid.ID] = ann.ID
	linked(e)
	_, err = b.entities.Delete(t.Context(), b.to, ben.ID)
	require.NoError(t, err)
	linked(e)
}

// One read shows an entry with its relations of both directions and what they lead to.
func TestK9_K13_Detail(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	e, newer, reason := b.entry(t, "Plan", "ship in May"), b.entry(t, "New plan", "ship in June"), b.entry(t, "Delay", "parts are late")
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{
		From: knowledge.EntryRef{ID: newer.ID}, To: knowledge.EntryRef{ID: e.ID}, Type: knowledge.RelationSupersedes, Confidence: 1, Rationale: strings.Repeat("r", 200),
	})
	require.NoError(t, err)
	_, err = b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: e.ID}, To: knowledge.EntryRef{ID: reason.ID}, Type: knowledge.RelationBlocks, Confidence: 0.5, Weight: ptr(0.3)})
	require.NoError(t, err)
	both, err := b.entries.RelationsOf(t.Context(), b.ws.ID, []string{e.ID}, service.RelationQuery{Direction: knowledge.Both}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, both[e.ID].Items, 2)
	var ends []string
	for _, r := range both[e.ID].Items {
		ends = append(ends, r.FromID, r.ToID)
		require.Equal(t, knowledge.ProvenanceManual, r.Provenance, "K15")
		require.Equal(t, knowledge.TagExtracted, r.ConfidenceTag, "K15")
		require.False(t, r.CreatedAt.IsZero() || r.UpdatedAt.IsZero())
		if r.Type == knowledge.RelationSupersedes {
			require.Len(t, *r.Rationale, 200)
		} else {
			require.InDelta(t, 0.3, *r.Weight, 0)
		}
	}
	titles, err := b.entries.ByIDs(t.Context(), b.ws.ID, ends)
	require.NoError(t, err)
	require.Equal(t, "New plan", titles[newer.ID].Title)
	require.Equal(t, "Delay", titles[reason.ID].Title)
	_, err = b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: reason.ID}, To: knowledge.EntryRef{ID: newer.ID}, Type: knowledge.RelationCauses, Confidence: 1, Rationale: strings.Repeat("r", 201)})
	require.Equal(t, "rationale", fieldOf(err), "K13 at most 200 characters")
}

func TestK16_RelationsGoWithTheirEntries(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	a, c, d := b.entry(t, "A", "first"), b.entry(t, "C", "second"), b.entry(t, "D", "third")
	relate := func(from, to *knowledge.Entry) *knowledge.Relation {
		save, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: from.ID}, To: knowledge.EntryRef{ID: to.ID}, Type: knowledge.RelationSupports, Confidence: 1})
		require.NoError(t, err)
		return save.Relation
	}
	removed, in, out := relate(a, d), relate(a, c), relate(c, d)
	for _, want := range []bool{true, false} {
		counts, err := b.entries.Unrelate(t.Context(), b.to, removed.ID)
		require.NoError(t, err)
		require.Equal(t, want, counts.Deleted)
	}
	_, err := b.entries.Delete(t.Context(), b.to, c.ID)
	require.NoError(t, err)
	left, err := b.entries.RelationsByID(t.Context(), b.ws.ID, []string{in.ID, out.ID})
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestK22_AnInsertHasOneMoment(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	e := b.entry(t, "Plan", "the plan", about(b.person(t, "Ann")))
	for _, at := range []time.Time{e.LastValidatedAt, e.CreatedAt, e.UpdatedAt} {
		require.Equal(t, b.clock.Now(), at)
	}
	b.clock.advance(time.Hour)
	save, err := b.entries.Create(t.Context(), b.to, b.draft("PLAN", " the  plan ", about(b.person(t, "Ann"))))
	require.NoError(t, err)
	require.True(t, save.Merged)
	require.Equal(t, e.UpdatedAt, save.Entry.UpdatedAt, "K20 what is there is not changed")
}

// The workspace is the organisation: what is equal in two stays two, and nothing joins them.
func TestK25_RulesHoldInsideAWorkspace(t *testing.T) {
	t.Parallel()
	b, other := withEntries(t), withEntries(t)
	same := func(d *knowledge.EntryDraft) { d.Source, d.SourceID = knowledge.SourceChat, "turn 1" }
	mine, theirs := b.entry(t, "Plan", "the plan", same), other.entry(t, "Plan", "the plan", same)
	require.NotEqual(t, mine.ID, theirs.ID, "K20 and K21 look at one workspace")
	_, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: mine.ID}, To: knowledge.EntryRef{ID: theirs.ID}, Type: knowledge.RelationSupports, Confidence: 1})
	require.Equal(t, knowledge.CodeNotFound, knowledge.CodeOf(err))
	require.Equal(t, "to", fieldOf(err))
	list, err := b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.False(t, slices.ContainsFunc(list.Items, func(e *knowledge.Entry) bool { return e.ID == theirs.ID }))
}

// Deleting an entity takes its edges and remarks along, and frees its identities.
func TestH14_DeletingAnEntity(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	email := knowledge.ContactIdentity{Kind: "email", Value: "ann@acme.com"}
	ann, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "Ann", Identities: []knowledge.ContactIdentity{email}})
	require.NoError(t, err)
	ben := b.person(t, "Ben")
	edge, err := b.edges.Assert(t.Context(), b.to, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: ann.Entity.ID}, To: knowledge.EntityRef{ID: ben.ID}, Type: "knows"})
	require.NoError(t, err)
	_, err = b.all.Observations.Add(t.Context(), b.to, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: ann.Entity.ID}, Text: "likes tea"})
	require.NoError(t, err)
	e := b.entry(t, "Plan", "the plan", about(ann.Entity))
	counts, err := b.entities.Delete(t.Context(), b.to, ann.Entity.ID)
	require.NoError(t, err)
	require.Equal(t, 1, counts.Entities)
	require.Equal(t, 1, counts.Edges)
	require.Equal(t, 1, counts.Observations)
	left, err := b.edges.ByIDs(t.Context(), b.ws.ID, []string{edge.Edge.ID})
	require.NoError(t, err)
	require.Empty(t, left)
	byID, err := b.entries.ByIDs(t.Context(), b.ws.ID, []string{e.ID})
	require.NoError(t, err)
	if kept := byID[e.ID]; kept != nil {
		require.Empty(t, kept.ContactIDs)
	}
	again, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: "Another", Identities: []knowledge.ContactIdentity{email}})
	require.NoError(t, err)
	require.True(t, again.Created, "the address is free")
}

// fieldOf is the field that an error blames.
func fieldOf(err error) string {
	var e *knowledge.Error
	if errors.As(err, &e) {
		return e.Field
	}
	return ""
}

// Six types, each from one entry to another: the same type the other way is another relation.
func TestK12_RelationTypes(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	older, newer := b.entry(t, "Old", "the old plan"), b.entry(t, "New", "the new plan")
	for _, kind := range []knowledge.RelationType{"supports", "contradicts", "supersedes", "relates_to", "causes", "blocks"} {
		save, err := b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: newer.ID}, To: knowledge.EntryRef{ID: older.ID}, Type: kind, Confidence: 1})
		require.NoError(t, err)
		require.True(t, save.Created, kind)
		require.Equal(t, newer.ID, save.Relation.FromID)
		require.Equal(t, older.ID, save.Relation.ToID)
	}
	by, err := b.entries.SupersededBy(t.Context(), b.ws.ID, []string{older.ID, newer.ID})
	require.NoError(t, err)
	require.Equal(t, newer.ID, by[older.ID].ID)
	require.Nil(t, by[newer.ID], "from is the newer")
	_, err = b.entries.Relate(t.Context(), b.to, knowledge.RelationDraft{From: knowledge.EntryRef{ID: newer.ID}, To: knowledge.EntryRef{ID: older.ID}, Type: "resembles", Confidence: 1})
	require.Equal(t, "type", fieldOf(err))
}
