package service

import (
	"context"
	"slices"
	"time"

	"mneme/knowledge"
)

// edgeBatch decides on edges one after the other: each against what is stored and
// against what the drafts before it made. Everything is written at the end.
type edgeBatch struct {
	c           EdgesConfig
	workspaceID string
	now         time.Time

	rules   map[string]knowledge.EdgeType
	stored  map[string][]*knowledge.Edge // by group: the edges that decide on each other
	created []knowledge.EdgeCreated
	made    map[string]int // index in created, by id
	changed map[string]*knowledge.Edge
	order   []string // ids of changed edges, as they were first changed
}

// edgeClaim is a draft with its ends found.
type edgeClaim struct {
	index int
	draft knowledge.EdgeDraft
	from  *knowledge.Entity
	to    *knowledge.Entity
}

func (b *edgeBatch) run(ctx context.Context, drafts []knowledge.EdgeDraft, right []int, out []Outcome[*knowledge.EdgeAssert]) error {
	b.stored, b.made, b.changed = map[string][]*knowledge.Edge{}, map[string]int{}, map[string]*knowledge.Edge{}
	claims, err := b.find(ctx, drafts, right, out)
	if err != nil {
		return err
	}
	if err := b.read(ctx, claims); err != nil {
		return err
	}
	var supports []knowledge.SupportAdd
	for _, claim := range claims {
		change, err := b.decide(claim)
		if err != nil {
			out[claim.index].Err = err
			continue
		}
		out[claim.index].Value = &knowledge.EdgeAssert{Edge: change.Edge, Created: change.Created, Superseded: change.Ended}
		d := claim.draft
		if !change.Created || d.DocID != "" || d.TaskID != "" {
			supports = append(supports, knowledge.SupportAdd{Kind: knowledge.SupportedFact, ID: change.Edge.ID, DocID: d.DocID, TaskID: d.TaskID, Source: d.Source, At: b.now})
		}
	}
	writes := knowledge.EdgeWrites{Created: b.created}
	for _, id := range b.order {
		writes.Changed = append(writes.Changed, b.changed[id])
	}
	if err := b.c.Store.WriteEdges(ctx, b.workspaceID, writes); err != nil {
		return err
	}
	return b.c.Supports.AddSupports(ctx, b.workspaceID, supports)
}

// find looks the ends up (SPEC B7, B8, B10): the source's error comes before the target's.
func (b *edgeBatch) find(ctx context.Context, drafts []knowledge.EdgeDraft, right []int, out []Outcome[*knowledge.EdgeAssert]) ([]edgeClaim, error) {
	refs := make([]knowledge.EntityRef, 0, 2*len(right))
	for _, i := range right {
		refs = append(refs, drafts[i].From, drafts[i].To)
	}
	found, errs, err := b.ends(ctx, refs)
	if err != nil {
		return nil, err
	}
	claims := make([]edgeClaim, 0, len(right))
	for n, i := range right {
		from, to := found[2*n], found[2*n+1]
		switch {
		case errs[2*n] != nil:
			out[i].Err = knowledge.InField("from", errs[2*n])
		case errs[2*n+1] != nil:
			out[i].Err = knowledge.InField("to", errs[2*n+1])
		case from.ID == to.ID:
			out[i].Err = knowledge.Invalid("to", "is the same entity as from: an edge joins two")
		default:
			claims = append(claims, edgeClaim{index: i, draft: drafts[i], from: from, to: to})
		}
	}
	return claims, nil
}

// ends are the entities of references, with id and name. Those that are named by id, as
// most are in a bulk import, are read all at once; the rest is looked up.
func (b *edgeBatch) ends(ctx context.Context, refs []knowledge.EntityRef) ([]*knowledge.Entity, []error, error) {
	seen := map[string]bool{}
	var ids []string
	for _, ref := range refs {
		if ref.ID != "" && !seen[ref.ID] {
			seen[ref.ID] = true
			ids = append(ids, ref.ID)
		}
	}
	names, err := b.c.Lists.EntityNames(ctx, b.workspaceID, ids)
	if err != nil {
		return nil, nil, err
	}
	found, errs := make([]*knowledge.Entity, len(refs)), make([]error, len(refs))
	var rest []knowledge.EntityRef
	var at []int
	for i, ref := range refs {
		if name, ok := names[ref.ID]; ok {
			found[i] = &knowledge.Entity{ID: ref.ID, WorkspaceID: b.workspaceID, Name: name}
			continue
		}
		rest, at = append(rest, ref), append(at, i)
	}
	if len(rest) == 0 {
		return found, errs, nil
	}
	others, missing, err := b.c.Entities.FindMany(ctx, b.workspaceID, rest)
	for n, i := range at {
		if err != nil {
			break
		}
		found[i], errs[i] = others[n], missing[n]
	}
	return found, errs, err
}

// read locks and reads the edges that decide on the claims, and notes edge types that
// the workspace has not seen yet.
func (b *edgeBatch) read(ctx context.Context, claims []edgeClaim) error {
	var types []string
	for _, claim := range claims {
		if !slices.Contains(types, claim.draft.Type) {
			types = append(types, claim.draft.Type)
		}
	}
	var err error
	if b.rules, err = b.c.Lists.EdgeTypeRules(ctx, b.workspaceID, types); err != nil {
		return err
	}
	var fresh []*knowledge.EdgeType
	for _, key := range types {
		if _, ok := b.rules[key]; !ok {
			fresh = append(fresh, &knowledge.EdgeType{Key: key})
		}
	}
	if err := b.c.Types.PutEdgeTypes(ctx, b.workspaceID, fresh, false); err != nil {
		return err
	}
	keys := make([]knowledge.EdgeKey, 0, len(claims))
	for _, claim := range claims {
		keys = append(keys, b.key(claim.from.ID, claim.to.ID, claim.draft.Type))
	}
	edges, err := b.c.Store.LockEdges(ctx, b.workspaceID, keys)
	if err != nil {
		return err
	}
	// The moment of the claims is that in which they hold the locks: an earlier one would
	// lie before the start of an edge that another writer made while these waited.
	b.now = knowledge.Moment(b.c.Clock())
	for _, e := range edges {
		b.keep(e)
	}
	return nil
}

func (b *edgeBatch) key(from, to, typ string) knowledge.EdgeKey {
	rules := b.rules[typ]
	return knowledge.EdgeKey{From: from, To: to, Type: typ, SingleValued: rules.SingleValued, Symmetric: rules.Symmetric}
}

func (b *edgeBatch) keep(e *knowledge.Edge) {
	group := b.key(e.FromID, e.ToID, e.Type).Group()
	b.stored[group] = append(b.stored[group], e)
}

func (b *edgeBatch) decide(claim edgeClaim) (knowledge.EdgeChange, error) {
	next := knowledge.NewEdge(claim.draft, b.c.NewID(knowledge.PrefixEdge), claim.from, claim.to, b.now)
	key := b.key(next.FromID, next.ToID, next.Type)
	dated := claim.draft.ValidFrom != nil || claim.draft.ValidTo != nil
	group := b.stored[key.Group()]
	change, err := knowledge.AssertEdge(group, knowledge.EdgeClaim{Edge: next, Dated: dated}, b.rules[next.Type], b.now)
	if err != nil {
		return change, err
	}
	for _, ended := range change.Ended {
		b.end(group, ended)
	}
	if change.Created {
		b.made[change.Edge.ID] = len(b.created)
		b.created = append(b.created, knowledge.EdgeCreated{Edge: change.Edge, Key: key, Direct: claim.draft.DocID == "" && claim.draft.TaskID == ""})
		b.keep(change.Edge)
	}
	return change, nil
}

// end takes an edge's end as the one that the next drafts find.
func (b *edgeBatch) end(group []*knowledge.Edge, ended *knowledge.Edge) {
	for i, e := range group {
		if e.ID == ended.ID {
			group[i] = ended
		}
	}
	if i, ok := b.made[ended.ID]; ok {
		b.created[i].Edge = ended
		return
	}
	if b.changed[ended.ID] == nil {
		b.order = append(b.order, ended.ID)
	}
	b.changed[ended.ID] = ended
}
