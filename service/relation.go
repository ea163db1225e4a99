package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// RelationStore keeps the relations between entries. A relation is to be seen where
// neither of its ends has expired.
type RelationStore interface {
	// Relation is NOT_FOUND where no relation of the type joins the two.
	Relation(ctx context.Context, fromID, toID string, t knowledge.RelationType) (*knowledge.Relation, error)
	InsertRelation(ctx context.Context, r *knowledge.Relation) error
	UpdateRelation(ctx context.Context, r *knowledge.Relation) error
	DeleteRelation(ctx context.Context, r *knowledge.Relation) (bool, error)
	RelationsByID(ctx context.Context, workspaceID string, ids []string, now time.Time) ([]*knowledge.Relation, error)
	RelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q knowledge.RelationListQuery) (map[string][]*knowledge.Relation, error)
	CountRelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q knowledge.RelationListQuery) (map[string]int, error)
}

// RelationQuery selects relations of an entry; no types means all.
type RelationQuery struct {
	Direction knowledge.Direction
	Types     []knowledge.RelationType
}

// Relate joins two entries by hand, or folds the evidence into the relation that is
// there (SPEC K13–K17). NOT_FOUND (from, to) for an end that does not exist.
func (s *Entries) Relate(ctx context.Context, to Target, draft knowledge.RelationDraft) (*knowledge.RelationSave, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if draft, err = draft.Checked(); err != nil {
		return nil, err
	}
	if err := s.memory.permit(ctx, ws, memoryWrite{kind: knowledge.WriteKindOf(to.Caller.Actor), texts: []string{draft.Rationale}}); err != nil {
		return nil, err
	}
	from, err := s.entryOf(ctx, ws.ID, "from", draft.From)
	if err != nil {
		return nil, err
	}
	target, err := s.entryOf(ctx, ws.ID, "to", draft.To)
	if err != nil {
		return nil, err
	}
	if from == target {
		return nil, knowledge.Invalid("to", "an entry cannot be related to itself")
	}
	relation := relationOf(ws.ID, from, target, draft.Type)
	relation.Confidence, relation.Weight = draft.Confidence, draft.Weight
	if draft.Rationale != "" {
		relation.Rationale = &draft.Rationale
	}
	now, id := s.clock(), s.newID(knowledge.PrefixRelation)
	var result *knowledge.RelationSave
	err = s.tx.Atomically(ctx, func(ctx context.Context) error {
		result, err = s.relate(ctx, relation, id, now)
		return err
	})
	return result, err
}

// relationOf is a relation that a person makes (SPEC K15).
func relationOf(workspaceID, fromID, toID string, t knowledge.RelationType) knowledge.Relation {
	return knowledge.Relation{
		WorkspaceID: workspaceID, Type: t, FromID: fromID, ToID: toID,
		ConfidenceTag: knowledge.TagExtracted, Confidence: 1, Provenance: knowledge.ProvenanceManual,
	}
}

// relate stores a relation, or folds it into the equal one; both ends are locked, so that
// of many writers one makes it and the others find it (SPEC K14).
func (s *Entries) relate(ctx context.Context, r knowledge.Relation, id string, now time.Time) (*knowledge.RelationSave, error) {
	ends, err := s.store.LockEntries(ctx, r.WorkspaceID, []string{r.FromID, r.ToID})
	if err != nil {
		return nil, err
	}
	for _, end := range []struct{ field, id string }{{"from", r.FromID}, {"to", r.ToID}} {
		if !hasEntry(ends, end.id) {
			return nil, knowledge.NotFound(end.field, "there is no entry %q", end.id)
		}
	}
	stored, err := s.relations.Relation(ctx, r.FromID, r.ToID, r.Type)
	if knowledge.IsNotFound(err) {
		r.ID, r.CreatedAt, r.UpdatedAt = id, now, now
		return &knowledge.RelationSave{Relation: &r, Created: true}, s.relations.InsertRelation(ctx, &r)
	}
	if err != nil {
		return nil, err
	}
	folded := knowledge.FoldRelation(*stored, r, now)
	if knowledge.SameEvidence(folded, *stored) {
		return &knowledge.RelationSave{Relation: stored}, nil
	}
	return &knowledge.RelationSave{Relation: &folded}, s.relations.UpdateRelation(ctx, &folded)
}

func hasEntry(entries []*knowledge.Entry, id string) bool {
	for _, e := range entries {
		if e.ID == id {
			return true
		}
	}
	return false
}

// entryOf is the id of the entry that a reference names: NOT_FOUND, or AMBIGUOUS where a
// source gave several.
func (s *Entries) entryOf(ctx context.Context, workspaceID, field string, ref knowledge.EntryRef) (string, error) {
	found, err := s.lists.EntriesByRef(ctx, workspaceID, []knowledge.EntryRef{ref})
	if err != nil {
		return "", err
	}
	switch len(found[0]) {
	case 0:
		return "", knowledge.NotFound(field, "there is no such entry")
	case 1:
		return found[0][0].ID, nil
	default:
		return "", &knowledge.Error{Code: knowledge.CodeAmbiguous, Field: field, Message: "several entries have this sourceId; name one by id"}
	}
}

// Unrelate removes a relation; Deleted is false where there is none.
func (s *Entries) Unrelate(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	counts := &knowledge.DeleteCounts{}
	err = s.tx.Atomically(ctx, func(ctx context.Context) error {
		*counts = knowledge.DeleteCounts{}
		found, err := s.relations.RelationsByID(ctx, ws.ID, []string{id}, s.clock())
		if err != nil || len(found) == 0 {
			return err
		}
		if counts.Deleted, err = s.relations.DeleteRelation(ctx, found[0]); counts.Deleted {
			counts.Relations = 1
		}
		return err
	})
	return counts, err
}

// RelationsByID are the relations of ids, those that exist in the workspace.
func (s *Entries) RelationsByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Relation, error) {
	found, err := s.relations.RelationsByID(ctx, workspaceID, ids, s.clock())
	out := make(map[string]*knowledge.Relation, len(found))
	for _, r := range found {
		out[r.ID] = r
	}
	return out, err
}

func (s *Entries) relationQuery(q RelationQuery) (knowledge.RelationListQuery, error) {
	for _, t := range q.Types {
		if !t.Valid() {
			return knowledge.RelationListQuery{}, knowledge.Invalid("types", "%q is not a relation type", t)
		}
	}
	return knowledge.RelationListQuery{Direction: q.Direction, Types: q.Types, Now: s.clock()}, nil
}

// RelationsOf pages through the relations of each of several entries, oldest first; a page for every id,
// empty for what is not there. A cursor goes with a single id.
func (s *Entries) RelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q RelationQuery, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Relation], error) {
	list, err := s.relationQuery(q)
	if err != nil {
		return nil, err
	}
	return forwardPages(entryIDs, page, func(from *knowledge.Cursor, limit int) (map[string][]*knowledge.Relation, error) {
		list.From, list.Limit = from, limit
		return s.relations.RelationsOf(ctx, workspaceID, entryIDs, list)
	}, func(r *knowledge.Relation) knowledge.Cursor {
		return knowledge.Cursor{Key: r.CreatedAt.Format(time.RFC3339Nano), ID: r.ID}
	})
}

// CountRelationsOf are the numbers of entries' relations, by entry id.
func (s *Entries) CountRelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q RelationQuery) (map[string]int, error) {
	list, err := s.relationQuery(q)
	if err != nil {
		return nil, err
	}
	return s.relations.CountRelationsOf(ctx, workspaceID, entryIDs, list)
}
