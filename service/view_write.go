package service

import (
	"context"
	"fmt"
	"slices"

	"mneme/knowledge"
)

// errOthers is what a session for one contact learns when it names a person that is not
// its own: the same whether there is one or not.
func errOthers(field string) error {
	return &knowledge.Error{
		Code: knowledge.CodeForbidden, Field: field, Message: "this session may write about its own contact and about things, not about other people or contacts",
	}
}

// Upsert creates an entity or merges into the one that is there, as Entities.Upsert. A
// bounded view makes no persons and finds only its own contact: FORBIDDEN (name).
func (v *View) Upsert(ctx context.Context, draft knowledge.EntityDraft) (*knowledge.EntityUpsert, error) {
	if v.Bounded() && knowledge.TypeKey(draft.Type) == knowledge.TypePerson {
		found, err := v.Entity(ctx, "name", knowledge.EntityRef{Name: draft.Name, Type: draft.Type})
		if err != nil || found.ID != v.scope.ContactID {
			return nil, errOthers("name")
		}
	}
	return v.s.Entities.Upsert(ctx, v.target(), draft)
}

// Update changes an entity by id, as Entities.Update.
func (v *View) Update(ctx context.Context, patch knowledge.EntityPatch) (*knowledge.EntityUpsert, error) {
	if err := v.seen(ctx, patch.ID); err != nil {
		return nil, err
	}
	return v.s.Entities.Update(ctx, v.target(), patch)
}

// seen is NOT_FOUND (id) where an id is that of an entity that is not to be seen.
func (v *View) seen(ctx context.Context, id string) error {
	if !v.Bounded() {
		return nil
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return err
	}
	_, err := v.Entity(ctx, "id", knowledge.EntityRef{ID: id})
	return err
}

// Delete removes an entity by id, as Entities.Delete; Deleted is false where there is none
// to be seen.
func (v *View) Delete(ctx context.Context, id string) (*knowledge.DeleteCounts, error) {
	if err := v.seen(ctx, id); knowledge.IsNotFound(err) {
		return &knowledge.DeleteCounts{}, nil
	} else if err != nil {
		return nil, err
	}
	return v.s.Entities.Delete(ctx, v.target(), id)
}

// Connect says that an edge holds, as Edges.Assert, between entities that are to be seen:
// NOT_FOUND or AMBIGUOUS name the end (from, to).
func (v *View) Connect(ctx context.Context, draft knowledge.EdgeDraft) (*knowledge.EdgeAssert, error) {
	if v.Bounded() {
		for _, end := range []struct {
			field string
			ref   *knowledge.EntityRef
		}{{"from", &draft.From}, {"to", &draft.To}} {
			e, err := v.Entity(ctx, end.field, *end.ref)
			if err != nil {
				return nil, err
			}
			*end.ref = knowledge.EntityRef{ID: e.ID}
		}
	}
	out, err := v.s.Edges.Assert(ctx, v.target(), draft)
	if err != nil || !v.Bounded() {
		return out, err
	}
	seen := *out
	seen.Superseded, err = v.seenEdges(ctx, out.Superseded)
	return &seen, err
}

// Invalidate ends an edge by id, as Edges.Invalidate.
func (v *View) Invalidate(ctx context.Context, end knowledge.EdgeEnd) (*knowledge.Edge, error) {
	if ok, err := v.seesEdge(ctx, end.ID); err != nil {
		return nil, err
	} else if !ok {
		return nil, knowledge.NotFound("id", "there is no edge %q", end.ID)
	}
	return v.s.Edges.Invalidate(ctx, v.target(), end)
}

// Disconnect removes an edge and its history, as Edges.Delete.
func (v *View) Disconnect(ctx context.Context, id string) (*knowledge.DeleteCounts, error) {
	if ok, err := v.seesEdge(ctx, id); err != nil || !ok {
		return &knowledge.DeleteCounts{}, err
	}
	return v.s.Edges.Delete(ctx, v.target(), id)
}

// seesEdge is false where an id is that of an edge that is not to be seen.
func (v *View) seesEdge(ctx context.Context, id string) (bool, error) {
	if !v.Bounded() {
		return true, nil
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return false, err
	}
	found, err := v.s.Edges.ByIDs(ctx, v.Workspace.ID, []string{id})
	if err != nil || found[id] == nil {
		return false, err
	}
	seen, err := v.seenEdges(ctx, []*knowledge.Edge{found[id]})
	return len(seen) == 1, err
}

// seenEdges are those of the edges that are to be seen.
func (v *View) seenEdges(ctx context.Context, edges []*knowledge.Edge) ([]*knowledge.Edge, error) {
	ids := make([]string, 0, 2*len(edges))
	for _, e := range edges {
		ids = append(ids, e.FromID, e.ToID)
	}
	ends, err := v.s.Entities.ByIDs(ctx, v.Workspace.ID, ids)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(edges), func(e *knowledge.Edge) bool {
		from, to := ends[e.FromID], ends[e.ToID]
		return from == nil || to == nil || !v.scope.PermitsEdge(from, to)
	}), nil
}

// Observe adds a remark, as Observations.Add; NOT_FOUND (entity) where its entity is not
// to be seen.
func (v *View) Observe(ctx context.Context, draft knowledge.ObservationDraft) (*knowledge.ObservationAdd, error) {
	if v.Bounded() {
		e, err := v.Entity(ctx, "entity", draft.Entity)
		if err != nil {
			return nil, err
		}
		draft.Entity = knowledge.EntityRef{ID: e.ID}
	}
	return v.s.Observations.Add(ctx, v.target(), draft)
}

// Saved is a piece of knowledge that was saved, beside what it bears on.
type Saved struct {
	*knowledge.EntrySave
	// Contradicts are older entries that say otherwise, by what a language model finds;
	// without one nothing is found.
	Contradicts []*knowledge.Entry
	// Similar are entries that say nearly the same, which a reader may compare.
	Similar []*knowledge.Entry
	// Unchecked is why the comparison did not take place; nil where it did.
	Unchecked error
}

// Save saves a piece of knowledge about a contact, or about nobody in particular, and
// compares it with what is known (SPEC L28). A bounded view saves about its own contact,
// whatever the draft says of none; about another one it is FORBIDDEN (contact).
func (v *View) Save(ctx context.Context, contact *knowledge.EntityRef, draft knowledge.EntryDraft) (*Saved, error) {
	if v.Bounded() || contact != nil {
		scope, err := v.scopeOf(ctx, contact)
		if knowledge.IsNotFound(err) && v.Bounded() {
			return nil, errOthers("contact")
		}
		if err != nil {
			return nil, err
		}
		draft.Contacts = []knowledge.EntityRef{*scope.Contact}
	}
	save, err := v.s.Entries.Create(ctx, v.target(), draft)
	if err != nil {
		return nil, err
	}
	out := &Saved{EntrySave: save}
	ids := []string{save.Entry.ID}
	linked, err := v.s.Linker.Contradictions(ctx, v.Workspace, ids)
	if err == nil {
		out.Contradicts = v.permitted(linked.Contradicts)
		out.Similar, err = v.s.Linker.NearDuplicates(ctx, v.Workspace, ids)
		out.Similar = slices.DeleteFunc(v.permitted(out.Similar), func(e *knowledge.Entry) bool {
			return slices.ContainsFunc(out.Contradicts, func(c *knowledge.Entry) bool { return c.ID == e.ID })
		})
	}
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	out.Unchecked = err // the knowledge is saved all the same
	return out, nil
}

func (v *View) permitted(entries []*knowledge.Entry) []*knowledge.Entry {
	return slices.DeleteFunc(slices.Clone(entries), func(e *knowledge.Entry) bool { return !v.scope.Permits(e.ContactIDs) })
}

// Remember keeps what was said, as Remember.Remember. In a bounded view all of it is about
// the view's contact; naming another person or contact is FORBIDDEN (about).
func (v *View) Remember(ctx context.Context, draft knowledge.RememberDraft) (*knowledge.Remembered, error) {
	if !v.Bounded() {
		return v.s.Remember.Remember(ctx, v.target(), draft)
	}
	about := []knowledge.EntityRef{{ID: v.scope.ContactID}}
	for i, ref := range draft.About {
		field := fmt.Sprintf("about.%d", i)
		e, err := v.Entity(ctx, field, ref)
		switch {
		case knowledge.IsNotFound(err) && draft.CreateMissing:
			missing, makes := ref.MissingEntity()
			if !makes {
				return nil, err
			}
			if (&knowledge.Entity{TypeKey: knowledge.TypeKey(missing.Type)}).IsContact() {
				return nil, errOthers(field)
			}
			about = append(about, ref)
		case err != nil:
			return nil, err
		case e.ID == v.scope.ContactID:
		case e.IsContact():
			return nil, errOthers(field)
		default:
			about = append(about, knowledge.EntityRef{ID: e.ID})
		}
	}
	draft.About = about
	out, err := v.s.Remember.Remember(ctx, v.target(), draft)
	if err != nil {
		return nil, err
	}
	seen := *out
	seen.Entities = slices.DeleteFunc(slices.Clone(out.Entities), func(u *knowledge.EntityUpsert) bool { return !v.scope.PermitsEntity(u.Entity) })
	return &seen, nil
}
