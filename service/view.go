package service

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"mneme/knowledge"
)

// View is what one caller sees of one workspace, and may do there: everything, or what its
// contact scope permits (SPEC L22, R6, T23). What is outside the scope is not there: it is
// not found, not counted and not named among candidates.
//
// Of the entity graph a contact's scope holds every thing, the contact, the edges between
// things and those that touch the contact. Another person at the far end of such an edge is
// shown by name alone.
type View struct {
	Workspace *knowledge.Workspace
	Caller    knowledge.Caller
	s         *Services
	scope     knowledge.Scope
}

// View gives a caller's view of a workspace. NOT_FOUND (workspace) where there is none of
// the key. The caller's profile says the scope.
func (s *Services) View(ctx context.Context, workspace string, caller knowledge.Caller) (*View, error) {
	ws, err := s.Workspaces.Get(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return &View{Workspace: ws, Caller: caller, s: s, scope: caller.Profile.Scope()}, nil
}

// Bounded tells whether the view leaves anything out.
func (v *View) Bounded() bool { return v.scope.Bounded() }

func (v *View) target() Target { return Target{Workspace: v.Workspace.Key, Caller: v.Caller} }

func noEntity(field string, ref knowledge.EntityRef) error {
	return knowledge.NotFound(field, "there is no entity %q", ref.String())
}

// Entity is the entity that a reference names: NOT_FOUND, or AMBIGUOUS with the candidates
// that the caller may see; field is whose reference it is.
func (v *View) Entity(ctx context.Context, field string, ref knowledge.EntityRef) (*knowledge.Entity, error) {
	e, err := findOne(ctx, v.s.Entities, v.Workspace.ID, ref)
	if err == nil && v.scope.PermitsEntity(e) {
		return e, nil
	}
	var ambiguous *knowledge.Error
	switch {
	case err == nil:
		return nil, noEntity(field, ref)
	case !v.Bounded() || !errors.As(err, &ambiguous) || ambiguous.Code != knowledge.CodeAmbiguous:
		return nil, knowledge.InField(field, err)
	}
	seen := slices.DeleteFunc(slices.Clone(ambiguous.Candidates), func(c knowledge.Candidate) bool {
		return !v.scope.PermitsEntity(&knowledge.Entity{ID: c.ID, TypeKey: c.Type})
	})
	switch len(seen) {
	case 0:
		return nil, noEntity(field, ref)
	case 1:
		return v.Entity(ctx, field, knowledge.EntityRef{ID: seen[0].ID})
	}
	return nil, &knowledge.Error{Code: knowledge.CodeAmbiguous, Field: field, Message: ambiguous.Message, Candidates: seen}
}

// Search finds entities by full text, best first, at most limit, 1 to 50 (SPEC J14 to
// J17); total is how many were found in all.
func (v *View) Search(ctx context.Context, query string, types []string, limit int) (found []knowledge.ScoredEntity, total int, err error) {
	if err := within("limit", limit, 1, knowledge.MaxSearchResults); err != nil {
		return nil, 0, err
	}
	found, err = v.s.Entities.searchIn(ctx, v.Workspace.ID, query, typeKeys(types), v.scope)
	return found[:min(len(found), limit)], len(found), err
}

// Neighbors are the entities near a root, as Navigation.Neighbors. A root that is not
// there, or not to be seen, has none (SPEC B21).
func (v *View) Neighbors(ctx context.Context, root knowledge.EntityRef, q NeighborQuery) (*knowledge.Neighborhood, error) {
	e, err := v.Entity(ctx, "root", root)
	if knowledge.IsNotFound(err) {
		return &knowledge.Neighborhood{Nodes: []*knowledge.Neighbor{}}, nil
	}
	if err != nil {
		return nil, err
	}
	q.Root, q.Scope = e.ID, v.scope
	found, err := v.s.Navigation.Neighbors(ctx, v.Workspace.ID, q)
	if err != nil {
		return nil, err
	}
	for _, n := range found.Nodes {
		n.Entity = v.scope.Show(n.Entity)
	}
	return found, nil
}

// Subgraph is the given entities and the edges between them, as Navigation.Subgraph. What
// is not to be seen is missing.
func (v *View) Subgraph(ctx context.Context, q SubgraphQuery) (*knowledge.Subgraph, error) {
	q.Scope = v.scope
	var hidden []string
	if v.Bounded() {
		var seen []knowledge.EntityRef
		for i, ref := range q.Refs {
			e, err := v.Entity(ctx, fmt.Sprintf("refs.%d", i), ref)
			switch {
			case knowledge.IsNotFound(err):
				hidden = append(hidden, ref.String())
			case err != nil:
				return nil, err
			default:
				seen = append(seen, knowledge.EntityRef{ID: e.ID})
			}
		}
		q.Refs = seen
	}
	found, err := v.s.Navigation.Subgraph(ctx, v.Workspace.ID, q)
	if err != nil {
		return nil, err
	}
	found.Missing = append(found.Missing, hidden...)
	for i, e := range found.Entities {
		found.Entities[i] = v.scope.Show(e)
	}
	return found, nil
}

// Path is the shortest way between two entities, as Navigation.ShortestPath, through what
// is to be seen; nil where there is none. NOT_FOUND names the end (from, to) that is not there.
func (v *View) Path(ctx context.Context, q PathQuery) (*knowledge.Path, error) {
	for _, end := range []struct {
		field string
		ref   *knowledge.EntityRef
	}{{"from", &q.From}, {"to", &q.To}} {
		e, err := v.Entity(ctx, end.field, *end.ref)
		if err != nil {
			return nil, err
		}
		*end.ref = knowledge.EntityRef{ID: e.ID}
	}
	q.Scope = v.scope
	path, err := v.s.Navigation.ShortestPath(ctx, v.Workspace.ID, q)
	var none *knowledge.Error
	if errors.As(err, &none) && none.Code == knowledge.CodeNotFound && none.Field == "" {
		return nil, nil //nolint:nilnil // no way is an answer (SPEC O15)
	}
	if err != nil {
		return nil, err
	}
	for i, e := range path.Entities {
		path.Entities[i] = v.scope.Show(e)
	}
	return path, nil
}

// Edges is a page of an entity's edges, best first, and how many there are in all.
func (v *View) Edges(ctx context.Context, entityID string, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Edge], int, error) {
	q := EdgeQuery{Direction: knowledge.Both, At: at, Scope: v.scope}
	pages, err := v.s.Edges.OfEntities(ctx, v.Workspace.ID, []string{entityID}, q, page)
	if err != nil {
		return nil, 0, err
	}
	counts, err := v.s.Edges.CountOfEntities(ctx, v.Workspace.ID, []string{entityID}, q)
	return pages[entityID], counts[entityID], err
}

// Observations is a page of the remarks about an entity that was looked up in this view,
// newest first, and how many there are in all.
func (v *View) Observations(ctx context.Context, entityID string, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Observation], int, error) {
	pages, err := v.s.Observations.OfEntities(ctx, v.Workspace.ID, []string{entityID}, page)
	if err != nil {
		return nil, 0, err
	}
	counts, err := v.s.Observations.CountOfEntities(ctx, v.Workspace.ID, []string{entityID})
	return pages[entityID], counts[entityID], err
}

// Names are the names of entities, by id.
func (v *View) Names(ctx context.Context, ids []string) (map[string]string, error) {
	return v.s.Edges.c.Lists.EntityNames(ctx, v.Workspace.ID, ids)
}

// Context is the context of a prompt, as Contexts.Of.
func (v *View) Context(ctx context.Context, q knowledge.ContextQuery) (*knowledge.GraphContext, error) {
	q.Scope = v.scope
	return v.s.Contexts.Of(ctx, v.Workspace, q)
}

// Recall finds knowledge as Recall.Recall. A contact is looked up in this view; without
// one the view's own scope holds.
func (v *View) Recall(ctx context.Context, contact *knowledge.EntityRef, q knowledge.RecallQuery) (*knowledge.Recall, error) {
	var err error
	if q.Scope, err = v.readScope(ctx, contact); err != nil {
		return nil, err
	}
	return v.s.Recall.Recall(ctx, v.Workspace, q)
}

// Ask answers a question as Ask.Answer, in the scope of Recall.
func (v *View) Ask(ctx context.Context, contact *knowledge.EntityRef, q knowledge.AskQuery) (*knowledge.Answer, error) {
	var err error
	if q.Scope, err = v.readScope(ctx, contact); err != nil {
		return nil, err
	}
	return v.s.Ask.Answer(ctx, v.Workspace, q)
}

// readScope is scopeOf for reads, where a contact that is not there is INVALID_INPUT, as in Recall.
func (v *View) readScope(ctx context.Context, contact *knowledge.EntityRef) (knowledge.ScopeRef, error) {
	scope, err := v.scopeOf(ctx, contact)
	if knowledge.IsNotFound(err) {
		return scope, knowledge.Invalid("contact", "there is no entity %q", contact.String())
	}
	return scope, err
}

// scopeOf is the scope of what is asked about a contact, or about nobody in particular.
func (v *View) scopeOf(ctx context.Context, contact *knowledge.EntityRef) (knowledge.ScopeRef, error) {
	if contact == nil {
		if v.Bounded() {
			return knowledge.ScopeRef{Contact: &knowledge.EntityRef{ID: v.scope.ContactID}}, nil
		}
		return knowledge.ScopeRef{OrgWide: true}, nil
	}
	e, err := v.Entity(ctx, "contact", *contact)
	if err != nil {
		return knowledge.ScopeRef{}, err
	}
	if v.Bounded() && e.ID != v.scope.ContactID {
		return knowledge.ScopeRef{}, noEntity("contact", *contact)
	}
	return knowledge.ScopeRef{Contact: &knowledge.EntityRef{ID: e.ID}}, nil
}

// Entries are the entries of ids that are to be seen.
func (v *View) Entries(ctx context.Context, ids []string) (map[string]*knowledge.Entry, error) {
	found, err := v.s.Entries.ByIDs(ctx, v.Workspace.ID, ids)
	for id, e := range found {
		if !v.scope.Permits(e.ContactIDs) {
			delete(found, id)
		}
	}
	return found, err
}

// Summary counts what the workspace holds. Counts would tell of what is outside a scope,
// so a bounded view has none: it is FORBIDDEN.
func (v *View) Summary(ctx context.Context, top int) (*knowledge.GraphSummary, error) {
	if v.Bounded() {
		return nil, knowledge.Errorf(knowledge.CodeForbidden, "a session for one contact has no summary of the workspace")
	}
	return v.s.Workspaces.Summary(ctx, v.Workspace, top, knowledge.TimePoint{})
}

// SearchCode finds files and symbols of code, as Code.Search. Code belongs to nobody in
// particular and is seen in every scope.
func (v *View) SearchCode(ctx context.Context, q CodeSearch) ([]*knowledge.CodeSearchHit, error) {
	return v.s.Code.Search(ctx, v.Workspace, q)
}

// CodeNeighbors are the files near the symbols that an entity is called as, as Code.Neighbors.
func (v *View) CodeNeighbors(ctx context.Context, entity knowledge.EntityRef, hops, first int) (*knowledge.CodeNeighborhood, error) {
	e, err := v.Entity(ctx, "entity", entity)
	if err != nil {
		return nil, err
	}
	return v.s.Code.Neighbors(ctx, v.Workspace, CodeNeighborQuery{EntityID: e.ID, Hops: hops, First: first})
}
