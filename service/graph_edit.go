package service

import (
	"context"
	"errors"
	"strings"

	"mneme/knowledge"
)

// GraphEdits are the edits of a person who wants to see first what they would change. Each
// is done, or only rehearsed: then nothing is written, and the answer is what would be.
type GraphEdits struct {
	entities *Entities
	edges    *Edges
	tx       Transactor
}

// NewGraphEdits makes the edits over the use cases that carry them out.
func NewGraphEdits(entities *Entities, edges *Edges, tx Transactor) *GraphEdits {
	return &GraphEdits{entities: entities, edges: edges, tx: tx}
}

// NodeEdit is what became of an entity, or would.
type NodeEdit struct {
	Before          *knowledge.Entity // nil: it is new
	After           *knowledge.Entity
	KeptDescription bool
}

// EdgeEdit is what became of an edge, or would.
type EdgeEdit struct {
	Edge       *knowledge.Edge
	From, To   *knowledge.Entity
	Created    bool
	Superseded []*knowledge.Edge
	New        []*knowledge.Entity // ends that were made for it
}

// errRehearsed takes back what was only to be looked at.
var errRehearsed = errors.New("only rehearsed")

// rehearse runs f in a transaction that is taken back.
func (s *GraphEdits) rehearse(ctx context.Context, f func(ctx context.Context) error) error {
	err := s.tx.Atomically(ctx, func(ctx context.Context) error {
		if err := f(ctx); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}

// Find is the one entity that a person means: by id, name, alias or slug in any casing, or
// by mail address (SPEC O22). NOT_FOUND, or AMBIGUOUS with the candidates.
func (s *GraphEdits) Find(ctx context.Context, workspaceID, text string) (*knowledge.Entity, error) {
	text = strings.TrimSpace(text)
	refs := []knowledge.EntityRef{{Name: text}}
	if lower := strings.ToLower(text); knowledge.IsID(knowledge.PrefixEntity, lower) {
		refs = append([]knowledge.EntityRef{{ID: lower}}, refs...)
	}
	if strings.Contains(text, "@") {
		refs = append(refs, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: "email", Value: text}})
	}
	found, errs, err := s.entities.FindMany(ctx, workspaceID, refs)
	if err != nil {
		return nil, err
	}
	for i, e := range found {
		if e != nil || errs[i] != nil && !knowledge.IsNotFound(errs[i]) {
			return e, errs[i]
		}
	}
	return nil, knowledge.NotFound("", "there is no entity %q", text)
}

// AddNode creates an entity or adds to the one that the draft means (SPEC A11, A15–A23).
func (s *GraphEdits) AddNode(ctx context.Context, to Target, draft knowledge.EntityDraft, apply bool) (*NodeEdit, error) {
	ws, err := s.entities.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	draft.Source = to.Caller.Claim(draft.Source)
	checked, err := draft.Checked()
	if err != nil {
		return nil, err
	}
	if err := s.entities.memory.permit(ctx, ws, entityWrite(to.Caller)(checked)); err != nil {
		return nil, err
	}
	edit := &NodeEdit{}
	look := func(ctx context.Context) error {
		candidates, err := s.entities.store.EntityCandidates(ctx, ws.ID, []knowledge.EntityDraft{checked})
		if err != nil {
			return err
		}
		match, err := knowledge.MatchEntity(candidates, checked)
		if err != nil {
			return err
		}
		now := s.entities.clock()
		if edit.Before = match.Entity; match.Entity == nil {
			edit.After = knowledge.NewEntity(checked, "", ws.ID, match.Discriminator, now)
			return nil
		}
		edit.After, edit.KeptDescription = knowledge.MergeEntity(match.Entity, checked, now)
		return nil
	}
	return edit, s.node(ctx, edit, look, apply, func(ctx context.Context) (*knowledge.EntityUpsert, error) { return s.entities.Upsert(ctx, to, draft) })
}

// node looks at what an edit would change, in a transaction that writes it only where it
// is to be applied.
func (s *GraphEdits) node(ctx context.Context, edit *NodeEdit, look func(context.Context) error, apply bool, write func(context.Context) (*knowledge.EntityUpsert, error)) error {
	if !apply {
		return s.rehearse(ctx, look)
	}
	return s.tx.Atomically(ctx, func(ctx context.Context) error {
		if err := look(ctx); err != nil {
			return err
		}
		u, err := write(ctx)
		if err != nil {
			return err
		}
		edit.After, edit.KeptDescription = u.Entity, u.KeptDescription
		return nil
	})
}

// SetNode changes an entity by id (SPEC A24).
func (s *GraphEdits) SetNode(ctx context.Context, to Target, patch knowledge.EntityPatch, apply bool) (*NodeEdit, error) {
	ws, err := s.entities.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	patch.Source = to.Caller.Claim(patch.Source)
	checked, err := patch.Checked()
	if err != nil {
		return nil, err
	}
	if err := s.entities.memory.permit(ctx, ws, patchWrite(to.Caller, checked)); err != nil {
		return nil, err
	}
	edit := &NodeEdit{}
	look := func(ctx context.Context) error {
		if edit.Before, err = s.entities.locked(ctx, ws.ID, checked.ID); err != nil {
			return err
		}
		edit.After, edit.KeptDescription = knowledge.PatchEntity(edit.Before, checked, s.entities.clock())
		if edit.After.NormalizedName == edit.Before.NormalizedName && edit.After.TypeKey == edit.Before.TypeKey {
			return nil
		}
		return s.entities.free(ctx, ws.ID, edit.After)
	}
	return edit, s.node(ctx, edit, look, apply, func(ctx context.Context) (*knowledge.EntityUpsert, error) { return s.entities.Update(ctx, to, patch) })
}

// AddEdge says that an edge holds from now on between two entities; one that is not there
// is made as a concept of that name (SPEC O5, O6).
func (s *GraphEdits) AddEdge(ctx context.Context, to Target, from, target string, draft knowledge.EdgeDraft, apply bool) (*EdgeEdit, error) {
	ws, err := s.entities.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	edit := &EdgeEdit{}
	run := func(ctx context.Context) error {
		*edit = EdgeEdit{}
		if edit.From, err = s.end(ctx, ws, to, "from", from, edit, apply); err != nil {
			return err
		}
		if edit.To, err = s.end(ctx, ws, to, "to", target, edit, apply); err != nil {
			return err
		}
		if edit.From == edit.To || edit.From.ID != "" && edit.From.ID == edit.To.ID {
			return knowledge.Invalid("to", "is the same entity as from: an edge joins two")
		}
		draft.From, draft.To = knowledge.EntityRef{ID: edit.From.ID}, knowledge.EntityRef{ID: edit.To.ID}
		if apply {
			return edit.asserted(s.edges.Assert(ctx, to, draft))
		}
		return s.look(ctx, ws, to, draft, edit)
	}
	if !apply {
		err := s.rehearse(ctx, run)
		return edit, err
	}
	err = s.tx.Atomically(ctx, run)
	return edit, err
}

func (e *EdgeEdit) asserted(a *knowledge.EdgeAssert, err error) error {
	if err != nil {
		return err
	}
	e.Edge, e.Created, e.Superseded = a.Edge, a.Created, a.Superseded
	return nil
}

// end is an end of an edge to be: the entity that is meant, or a new concept, which has no
// id where it is only looked at.
func (s *GraphEdits) end(ctx context.Context, ws *knowledge.Workspace, to Target, field, text string, edit *EdgeEdit, apply bool) (*knowledge.Entity, error) {
	found, err := s.Find(ctx, ws.ID, text)
	if !knowledge.IsNotFound(err) {
		return found, knowledge.InField(field, err)
	}
	draft := knowledge.EntityDraft{Type: conceptType, Name: text, Source: to.Caller.Claim("")}
	checked, err := draft.Checked()
	if err != nil {
		return nil, knowledge.Invalid(field, "%q is no name", text)
	}
	for _, made := range edit.New {
		if made.NormalizedName == knowledge.NormalizeName(checked.Name) {
			return made, nil
		}
	}
	made := knowledge.NewEntity(checked, "", ws.ID, "", s.entities.clock())
	if apply {
		u, err := s.entities.Upsert(ctx, to, draft)
		if err != nil {
			return nil, knowledge.InField(field, err)
		}
		made = u.Entity
	} else if err := s.entities.memory.permit(ctx, ws, entityWrite(to.Caller)(checked)); err != nil {
		return nil, err
	}
	edit.New = append(edit.New, made)
	return made, nil
}

// conceptType is the type of entities that are made because an edge names them.
const conceptType = "concept"

// look decides on an edge without writing it.
func (s *GraphEdits) look(ctx context.Context, ws *knowledge.Workspace, to Target, draft knowledge.EdgeDraft, edit *EdgeEdit) error {
	draft.Source = to.Caller.Claim(draft.Source)
	ends := draft
	ends.From, ends.To = knowledge.EntityRef{Name: edit.From.Name}, knowledge.EntityRef{Name: edit.To.Name} // new ones have no ids
	checked, err := ends.Checked()
	if err != nil {
		return err
	}
	if err := s.entities.memory.permit(ctx, ws, edgeWrite(to.Caller)(checked)); err != nil {
		return err
	}
	if len(edit.New) > 0 {
		edit.Edge, edit.Created = knowledge.NewEdge(checked, "", edit.From, edit.To, s.edges.now()), true
		if edit.From.ID == "" {
			return nil // a new entity has no other edges
		}
	}
	batch := &edgeBatch{c: s.edges.c, workspaceID: ws.ID, stored: map[string][]*knowledge.Edge{}, made: map[string]int{}, changed: map[string]*knowledge.Edge{}}
	claim := edgeClaim{draft: checked, from: edit.From, to: edit.To}
	if err := batch.read(ctx, []edgeClaim{claim}); err != nil {
		return err
	}
	change, err := batch.decide(claim)
	if err != nil {
		return err
	}
	if edit.Edge, edit.Created, edit.Superseded = change.Edge, change.Created, change.Ended; change.Created {
		edit.Edge.ID = "" // it has none yet
	}
	return nil
}

// RemoveEdge ends the current edge of a type between two entities and keeps it as history,
// or forgets it with its history. No edge is given where there is none.
func (s *GraphEdits) RemoveEdge(ctx context.Context, to Target, from, target *knowledge.Entity, edgeType string, forget, apply bool) (*knowledge.Edge, error) {
	var removed *knowledge.Edge
	run := func(ctx context.Context) error {
		ended, err := s.edges.Invalidate(ctx, to, knowledge.EdgeEnd{From: &knowledge.EntityRef{ID: from.ID}, To: &knowledge.EntityRef{ID: target.ID}, Type: edgeType})
		if removed = ended; err != nil || !forget {
			return err
		}
		_, err = s.edges.Delete(ctx, to, ended.ID)
		return err
	}
	var err error
	if apply {
		err = s.tx.Atomically(ctx, run)
	} else {
		err = s.rehearse(ctx, run)
	}
	if knowledge.IsNotFound(err) {
		var e *knowledge.Error
		if errors.As(err, &e) && e.Field != "workspace" {
			return nil, nil //nolint:nilnil // nothing to remove is no error at a terminal (SPEC O21)
		}
	}
	return removed, err
}

// WithdrawDocument takes a document's support away and gives the edges that end with it (SPEC O7).
func (s *GraphEdits) WithdrawDocument(ctx context.Context, to Target, docID string, apply bool) ([]*knowledge.Edge, error) {
	var ended []*knowledge.Edge
	run := func(ctx context.Context) (err error) {
		ended, err = s.edges.InvalidateDocument(ctx, to, docID, nil)
		return err
	}
	if !apply {
		err := s.rehearse(ctx, run)
		return ended, err
	}
	err := run(ctx)
	return ended, err
}
