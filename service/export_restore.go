package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// located says where things of an export are: under which id each is, or would be written,
// in this workspace, and which of them are there.
type located struct {
	id    map[string]string
	there map[string]bool
}

// locate looks ids of an export up. A thing keeps its id where that is free, and has a
// mapped one where it is not; an entity that was merged into another is under that one's.
func (in *importing) locate(ctx context.Context, kind knowledge.ExportKind, prefix string, ids []string) (located, error) {
	mapped := make(map[string]string, len(ids))
	asked := make([]string, 0, 2*len(ids))
	for _, id := range ids {
		mapped[id] = knowledge.MappedID(prefix, in.ws.ID, id)
		asked = append(asked, id, mapped[id])
	}
	slices.Sort(asked)
	taken, err := in.c.Restore.TakenIDs(ctx, kind, slices.Compact(asked))
	out := located{id: make(map[string]string, len(ids)), there: make(map[string]bool, len(ids))}
	for _, id := range ids {
		by, isTaken := taken[id]
		switch {
		case in.renamed[id] != "":
			out.id[id], out.there[id] = in.renamed[id], true
		case by == in.ws.ID && isTaken:
			out.id[id], out.there[id] = id, true
		case isTaken, !knowledge.IsID(prefix, id):
			_, out.there[id] = taken[mapped[id]]
			out.id[id] = mapped[id]
		default:
			_, out.there[id] = taken[mapped[id]] // an earlier run, in which the id was not free yet
			out.id[id] = id
			if out.there[id] {
				out.id[id] = mapped[id]
			}
		}
	}
	return out, err
}

// missing says that a thing of an export names another that is not there.
func missing(field, id string) error {
	return knowledge.NotFound(field, "there is no %q in this export", id)
}

// fresh goes through the things of a batch that are not there yet, each id once, and
// counts the others.
func fresh(batch []knowledge.ExportItem, at located, id func(knowledge.ExportItem) string, t *tallied, use func(i int, item knowledge.ExportItem) error) {
	seen := map[string]bool{}
	for i, item := range batch {
		key := id(item)
		if at.there[key] || seen[key] {
			t.matched++
			continue
		}
		if err := use(i, item); err != nil {
			t.failed[i] = err
			continue
		}
		seen[key] = true
		t.created++
	}
}

func (in *importing) restoreEntities(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	id := func(item knowledge.ExportItem) string { return item.Entity.ID }
	at, err := in.locate(ctx, knowledge.ExportEntities, knowledge.PrefixEntity, idsOf(batch, id))
	if err != nil {
		return tallied{}, err
	}
	if !in.raw {
		return in.mergeEntities(ctx, batch, at)
	}
	t := tallied{failed: map[int]error{}}
	var writes []knowledge.EntityWrite
	var supports []knowledge.SupportAdd
	var types []string
	fresh(batch, at, id, &t, func(_ int, item knowledge.ExportItem) error {
		e, err := item.Entity.Entity(in.ws.ID)
		if err != nil {
			return err
		}
		e.ID = at.id[e.ID]
		adds, err := knowledge.SupportAdds(knowledge.SupportedEntity, e.ID, item.Entity.Supports)
		if err != nil {
			return err
		}
		writes, supports, types = append(writes, knowledge.EntityWrite{After: e}), append(supports, adds...), append(types, e.TypeKey)
		return nil
	})
	if err := in.c.Workspaces.types.ensure(ctx, in.ws.ID, types); err != nil {
		return t, err
	}
	if err := in.c.Restore.WriteEntities(ctx, in.ws.ID, writes); err != nil {
		return t, err
	}
	return t, in.c.Restore.AddSupports(ctx, in.ws.ID, supports)
}

// ends locates what a batch names.
func (in *importing) ends(ctx context.Context, kind knowledge.ExportKind, prefix string, batch []knowledge.ExportItem, names func(knowledge.ExportItem) []string) (located, error) {
	var ids []string
	for _, item := range batch {
		ids = append(ids, names(item)...)
	}
	slices.Sort(ids)
	return in.locate(ctx, kind, prefix, slices.Compact(ids))
}

func (in *importing) restoreEdges(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	id := func(item knowledge.ExportItem) string { return item.Edge.ID }
	at, err := in.locate(ctx, knowledge.ExportEdges, knowledge.PrefixEdge, idsOf(batch, id))
	if err != nil {
		return tallied{}, err
	}
	ends, err := in.ends(ctx, knowledge.ExportEntities, knowledge.PrefixEntity, batch, func(item knowledge.ExportItem) []string { return []string{item.Edge.From, item.Edge.To} })
	if err != nil {
		return tallied{}, err
	}
	if !in.raw {
		return in.mergeEdges(ctx, batch, at, ends)
	}
	t := tallied{failed: map[int]error{}}
	var created []knowledge.EdgeCreated
	var supports []knowledge.SupportAdd
	fresh(batch, at, id, &t, func(_ int, item knowledge.ExportItem) error {
		e, err := item.Edge.Edge(in.ws.ID)
		if err != nil {
			return err
		}
		for field, end := range map[string]*string{"from": &e.FromID, "to": &e.ToID} {
			if !ends.there[*end] {
				return missing(field, *end)
			}
			*end = ends.id[*end]
		}
		e.ID = at.id[e.ID]
		adds, err := knowledge.SupportAdds(knowledge.SupportedFact, e.ID, item.Edge.Supports)
		if err != nil {
			return err
		}
		created, supports = append(created, knowledge.EdgeCreated{Edge: e}), append(supports, adds...)
		return nil
	})
	if err := in.keys(ctx, created); err != nil {
		return t, err
	}
	if err := in.c.Restore.WriteEdges(ctx, in.ws.ID, knowledge.EdgeWrites{Created: created}); err != nil {
		return t, err
	}
	return t, in.c.Restore.AddSupports(ctx, in.ws.ID, supports)
}

// keys gives edges their keys, which depend on how the workspace has declared their types.
func (in *importing) keys(ctx context.Context, created []knowledge.EdgeCreated) error {
	var types []string
	for _, c := range created {
		if !slices.Contains(types, c.Edge.Type) {
			types = append(types, c.Edge.Type)
		}
	}
	rules, err := in.c.Restore.EdgeTypeRules(ctx, in.ws.ID, types)
	if err != nil {
		return err
	}
	var unknown []*knowledge.EdgeType
	for _, key := range types {
		if _, known := rules[key]; !known {
			unknown = append(unknown, &knowledge.EdgeType{Key: key})
		}
	}
	for i, c := range created {
		r := rules[c.Edge.Type]
		created[i].Key = knowledge.EdgeKey{From: c.Edge.FromID, To: c.Edge.ToID, Type: c.Edge.Type, SingleValued: r.SingleValued, Symmetric: r.Symmetric}
	}
	return in.c.Restore.PutEdgeTypes(ctx, in.ws.ID, unknown, false)
}

func (in *importing) restoreObservations(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	id := func(item knowledge.ExportItem) string { return item.Observation.ID }
	at, err := in.locate(ctx, knowledge.ExportObservations, knowledge.PrefixObservation, idsOf(batch, id))
	if err != nil {
		return tallied{}, err
	}
	ends, err := in.ends(ctx, knowledge.ExportEntities, knowledge.PrefixEntity, batch, func(item knowledge.ExportItem) []string { return []string{item.Observation.Entity} })
	if err != nil {
		return tallied{}, err
	}
	if !in.raw {
		return in.mergeObservations(ctx, batch, at, ends)
	}
	t := tallied{failed: map[int]error{}}
	var created []knowledge.ObservationCreated
	var supports []knowledge.SupportAdd
	fresh(batch, at, id, &t, func(_ int, item knowledge.ExportItem) error {
		o, err := item.Observation.Observation(in.ws.ID)
		if err != nil {
			return err
		}
		if !ends.there[o.EntityID] {
			return missing("entity", o.EntityID)
		}
		o.ID, o.EntityID = at.id[o.ID], ends.id[o.EntityID]
		adds, err := knowledge.SupportAdds(knowledge.SupportedObservation, o.ID, item.Observation.Supports)
		if err != nil {
			return err
		}
		created, supports = append(created, knowledge.ObservationCreated{Observation: o}), append(supports, adds...)
		return nil
	})
	// Nothing is touched: when the entities were seen last is in the export.
	if err := in.c.Restore.WriteObservations(ctx, in.ws.ID, knowledge.ObservationWrites{Created: created, Touched: []string{}, SeenAt: in.c.Clock()}); err != nil {
		return t, err
	}
	return t, in.c.Restore.AddSupports(ctx, in.ws.ID, supports)
}

func (in *importing) restoreEntries(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	id := func(item knowledge.ExportItem) string { return item.Entry.ID }
	at, err := in.locate(ctx, knowledge.ExportEntries, knowledge.PrefixEntry, idsOf(batch, id))
	if err != nil {
		return tallied{}, err
	}
	ends, err := in.ends(ctx, knowledge.ExportEntities, knowledge.PrefixEntity, batch, func(item knowledge.ExportItem) []string {
		return slices.Concat(item.Entry.Contacts, item.Entry.Mentions)
	})
	if err != nil {
		return tallied{}, err
	}
	if !in.raw {
		return in.mergeEntries(ctx, batch, at, ends)
	}
	t := tallied{failed: map[int]error{}}
	var writes []knowledge.EntryWrite
	var entries []*knowledge.Entry
	var supports []knowledge.SupportAdd
	fresh(batch, at, id, &t, func(_ int, item knowledge.ExportItem) error {
		w, err := in.entryWrite(*item.Entry, at, ends)
		if err != nil {
			return err
		}
		adds, err := knowledge.SupportAdds(knowledge.SupportedEntry, w.Entry.ID, item.Entry.Supports)
		if err != nil {
			return err
		}
		writes, entries, supports = append(writes, w), append(entries, w.Entry), append(supports, adds...)
		return nil
	})
	if err := in.c.Restore.InsertEntries(ctx, in.ws.ID, writes, in.c.Model); err != nil {
		return t, err
	}
	if err := in.c.Restore.SetAccess(ctx, entries); err != nil {
		return t, err
	}
	return t, in.c.Restore.AddSupports(ctx, in.ws.ID, supports)
}

// entryWrite is an entry of an export as it is written. A contact must be there, so that
// what is about somebody never becomes general; a mention that is gone is none any more.
func (in *importing) entryWrite(x knowledge.ExportedEntry, at, ends located) (knowledge.EntryWrite, error) {
	e, err := x.Entry(in.ws.ID)
	if err != nil {
		return knowledge.EntryWrite{}, err
	}
	for i, contact := range e.ContactIDs {
		if !ends.there[contact] {
			return knowledge.EntryWrite{}, missing("contacts", contact)
		}
		e.ContactIDs[i] = ends.id[contact]
	}
	e.ID, e.MentionIDs = at.id[e.ID], ends.present(e.MentionIDs)
	return knowledge.EntryWrite{
		Entry: e, SearchText: analyzed(e), AwaitsVector: true, AutoMentionIDs: ends.present(x.AutoMentions),
	}, nil
}

// present are the ids, in this workspace, of those that are there.
func (l located) present(ids []string) []string {
	out := []string{}
	for _, id := range ids {
		if l.there[id] {
			out = append(out, l.id[id])
		}
	}
	return out
}

func (in *importing) restoreRelations(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	id := func(item knowledge.ExportItem) string { return item.Relation.ID }
	at, err := in.locate(ctx, knowledge.ExportRelations, knowledge.PrefixRelation, idsOf(batch, id))
	if err != nil {
		return tallied{}, err
	}
	ends, err := in.ends(ctx, knowledge.ExportEntries, knowledge.PrefixEntry, batch, func(item knowledge.ExportItem) []string { return []string{item.Relation.From, item.Relation.To} })
	if err != nil {
		return tallied{}, err
	}
	if !in.raw {
		return in.mergeRelations(ctx, batch, at, ends)
	}
	t := tallied{failed: map[int]error{}}
	var relations []*knowledge.Relation
	fresh(batch, at, id, &t, func(_ int, item knowledge.ExportItem) error {
		r, err := item.Relation.Relation(in.ws.ID)
		if err != nil {
			return err
		}
		for field, end := range map[string]*string{"from": &r.FromID, "to": &r.ToID} {
			if !ends.there[*end] {
				return missing(field, *end)
			}
			*end = ends.id[*end]
		}
		r.ID = at.id[r.ID]
		relations = append(relations, r)
		return nil
	})
	return t, in.c.Restore.InsertRelations(ctx, relations)
}
