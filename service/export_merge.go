package service

import (
	"context"
	"errors"

	"mneme/knowledge"
)

// merged is what became of drafts that were made of a batch: at holds their places in it.
func merged[T any](out []Outcome[T], at []int, t *tallied, use func(place int, value T) (created bool)) {
	for n, o := range out {
		switch {
		case o.Err != nil:
			t.failed[at[n]] = o.Err
		case use(at[n], o.Value):
			t.created++
		default:
			t.matched++
		}
	}
}

// drafts makes a draft of each thing of a batch that is not there yet.
func drafts[D any](batch []knowledge.ExportItem, at located, id func(knowledge.ExportItem) string, t *tallied, draft func(knowledge.ExportItem) (D, error)) (made []D, places []int) {
	for i, item := range batch {
		if at.there[id(item)] {
			t.matched++
			continue
		}
		d, err := draft(item)
		if err != nil {
			t.failed[i] = err
			continue
		}
		made, places = append(made, d), append(places, i)
	}
	return made, places
}

// origin is what a thing of an export rests on first: a document, a task, both or none.
func origin(supports []knowledge.ExportedSupport) (docID, taskID string) {
	for _, s := range supports {
		if s.DocID != nil && docID == "" {
			docID = *s.DocID
		}
		if s.TaskID != nil && taskID == "" {
			taskID = *s.TaskID
		}
	}
	return docID, taskID
}

// supports notes what else merged things rest on.
func (in *importing) supports(ctx context.Context, kind knowledge.Supported, of map[string][]knowledge.ExportedSupport) error {
	var all []knowledge.SupportAdd
	for id, supports := range of {
		adds, err := knowledge.SupportAdds(kind, id, supports)
		if err != nil {
			return err
		}
		all = append(all, adds...)
	}
	return in.c.Restore.AddSupports(ctx, in.ws.ID, all)
}

func (in *importing) mergeEntities(ctx context.Context, batch []knowledge.ExportItem, at located) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	made, places := drafts(batch, at, func(item knowledge.ExportItem) string { return item.Entity.ID }, &t, func(item knowledge.ExportItem) (knowledge.EntityDraft, error) {
		e, err := item.Entity.Entity(in.ws.ID)
		if err != nil {
			return knowledge.EntityDraft{}, err
		}
		d := knowledge.EntityDraft{
			Type: e.TypeKey, Name: e.Name, Aliases: e.Aliases, Identities: e.Identities, Description: e.Description, Properties: e.Properties,
			Confidence: &e.Confidence, Source: e.Source,
		}
		d.DocID, d.TaskID = origin(item.Entity.Supports)
		return d, nil
	})
	out, err := in.c.Services.Entities.UpsertMany(ctx, in.to, made, false)
	if err != nil {
		return t, err
	}
	merged(out, places, &t, func(i int, u *knowledge.EntityUpsert) bool {
		in.renamed[batch[i].Entity.ID] = u.Entity.ID
		return u.Created
	})
	return t, nil
}

func (in *importing) mergeEdges(ctx context.Context, batch []knowledge.ExportItem, at, ends located) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	made, places := drafts(batch, at, func(item knowledge.ExportItem) string { return item.Edge.ID }, &t, func(item knowledge.ExportItem) (knowledge.EdgeDraft, error) {
		e, err := item.Edge.Edge(in.ws.ID)
		if err != nil {
			return knowledge.EdgeDraft{}, err
		}
		for _, end := range []struct{ field, id string }{{"from", e.FromID}, {"to", e.ToID}} {
			if !ends.there[end.id] {
				return knowledge.EdgeDraft{}, missing(end.field, end.id)
			}
		}
		d := knowledge.EdgeDraft{
			From: knowledge.EntityRef{ID: ends.id[e.FromID]}, To: knowledge.EntityRef{ID: ends.id[e.ToID]}, Type: e.Type, Fact: e.Fact, Properties: e.Properties,
			Confidence: &e.Confidence, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo, Source: e.Source,
		}
		d.DocID, d.TaskID = origin(item.Edge.Supports)
		return d, nil
	})
	out, err := in.c.Services.Edges.AssertMany(ctx, in.to, made, false)
	if err != nil {
		return t, err
	}
	supports := map[string][]knowledge.ExportedSupport{}
	merged(out, places, &t, func(i int, a *knowledge.EdgeAssert) bool {
		supports[a.Edge.ID] = batch[i].Edge.Supports
		return a.Created
	})
	return t, in.supports(ctx, knowledge.SupportedFact, supports)
}

func (in *importing) mergeObservations(ctx context.Context, batch []knowledge.ExportItem, at, ends located) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	made, places := drafts(batch, at, func(item knowledge.ExportItem) string { return item.Observation.ID }, &t, func(item knowledge.ExportItem) (knowledge.ObservationDraft, error) {
		o, err := item.Observation.Observation(in.ws.ID)
		if err != nil {
			return knowledge.ObservationDraft{}, err
		}
		if !ends.there[o.EntityID] {
			return knowledge.ObservationDraft{}, missing("entity", o.EntityID)
		}
		d := knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: ends.id[o.EntityID]}, Text: o.Text, ObservedAt: &o.ObservedAt, Source: o.Source, Fingerprint: o.Fingerprint}
		d.DocID, d.TaskID = origin(item.Observation.Supports)
		return d, nil
	})
	out, err := in.c.Services.Observations.AddMany(ctx, in.to, made, false)
	if err != nil {
		return t, err
	}
	supports := map[string][]knowledge.ExportedSupport{}
	merged(out, places, &t, func(i int, a *knowledge.ObservationAdd) bool {
		supports[a.Observation.ID] = batch[i].Observation.Supports
		return a.Created
	})
	return t, in.supports(ctx, knowledge.SupportedObservation, supports)
}

func (in *importing) mergeEntries(ctx context.Context, batch []knowledge.ExportItem, at, ends located) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	made, places := drafts(batch, at, func(item knowledge.ExportItem) string { return item.Entry.ID }, &t, func(item knowledge.ExportItem) (knowledge.EntryDraft, error) {
		w, err := in.entryWrite(*item.Entry, at, ends)
		if err != nil {
			return knowledge.EntryDraft{}, err
		}
		e := w.Entry
		d := knowledge.EntryDraft{
			Type: e.Type, Title: e.Title, Content: e.Content, Source: e.Source, Confidence: e.Confidence, Tags: e.Tags,
			ExpiresAt: e.ExpiresAt, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo, Contacts: refsOf(e.ContactIDs), Mentions: refsOf(w.GivenMentions()),
		}
		if e.SourceID != nil {
			d.SourceID = *e.SourceID
		}
		if e.ThreadID != nil {
			d.ThreadID = *e.ThreadID
		}
		d.DocID, d.TaskID = origin(item.Entry.Supports)
		return d, nil
	})
	out, err := in.c.Services.Entries.CreateMany(ctx, in.to, made, false)
	if err != nil {
		return t, err
	}
	supports := map[string][]knowledge.ExportedSupport{}
	merged(out, places, &t, func(i int, s *knowledge.EntrySave) bool {
		in.renamed[batch[i].Entry.ID] = s.Entry.ID
		supports[s.Entry.ID] = batch[i].Entry.Supports
		return s.Created
	})
	return t, in.supports(ctx, knowledge.SupportedEntry, supports)
}

func refsOf(ids []string) []knowledge.EntityRef {
	refs := make([]knowledge.EntityRef, len(ids))
	for i, id := range ids {
		refs[i] = knowledge.EntityRef{ID: id}
	}
	return refs
}

func (in *importing) mergeRelations(ctx context.Context, batch []knowledge.ExportItem, at, ends located) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	made, places := drafts(batch, at, func(item knowledge.ExportItem) string { return item.Relation.ID }, &t, func(item knowledge.ExportItem) (knowledge.RelationDraft, error) {
		r, err := item.Relation.Relation(in.ws.ID)
		if err != nil {
			return knowledge.RelationDraft{}, err
		}
		for _, end := range []struct{ field, id string }{{"from", r.FromID}, {"to", r.ToID}} {
			if !ends.there[end.id] {
				return knowledge.RelationDraft{}, missing(end.field, end.id)
			}
		}
		d := knowledge.RelationDraft{
			From: knowledge.EntryRef{ID: ends.id[r.FromID]}, To: knowledge.EntryRef{ID: ends.id[r.ToID]}, Type: r.Type, Confidence: r.Confidence, Weight: r.Weight,
		}
		if r.Rationale != nil {
			d.Rationale = *r.Rationale
		}
		return d, nil
	})
	for n, draft := range made {
		var ours *knowledge.Error
		saved, err := in.c.Services.Entries.Relate(ctx, in.to, draft)
		switch {
		case errors.As(err, &ours):
			t.failed[places[n]] = err
		case err != nil:
			return t, err
		case saved.Created:
			t.created++
		default:
			t.matched++
		}
	}
	return t, nil
}
