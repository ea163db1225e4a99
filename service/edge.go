package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// EdgeStore keeps edges. What is read for a change is locked until the transaction
// ends, so that a decision is made on what is there.
type EdgeStore interface {
	// LockEdges are the edges that claims of these keys are decided by, locked.
	LockEdges(ctx context.Context, workspaceID string, keys []knowledge.EdgeKey) ([]*knowledge.Edge, error)
	// LockEnds locks the entities at both ends of edges.
	LockEnds(ctx context.Context, edges []*knowledge.Edge) error
	WriteEdges(ctx context.Context, workspaceID string, w knowledge.EdgeWrites) error
	// DeleteEdges gives the number of edges that were there.
	DeleteEdges(ctx context.Context, workspaceID string, ids []string) (int, error)
	EdgesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Edge, error)
	EdgesOfDocument(ctx context.Context, workspaceID, docID string) ([]*knowledge.Edge, error)
}

// EdgeLister reads the edges of entities, and how a workspace's edge types behave.
type EdgeLister interface {
	// EntityNames are the names of entities, by id, those that exist.
	EntityNames(ctx context.Context, workspaceID string, ids []string) (map[string]string, error)
	EdgesOf(ctx context.Context, workspaceID string, entityIDs []string, w knowledge.Walk, from *knowledge.EdgePosition, limit int) (map[string][]*knowledge.Edge, error)
	CountEdgesOf(ctx context.Context, workspaceID string, entityIDs []string, w knowledge.Walk) (map[string]int, error)
	EdgeTypeRules(ctx context.Context, workspaceID string, keys []string) (map[string]knowledge.EdgeType, error)
	SymmetricEdgeTypes(ctx context.Context, workspaceID string) ([]string, error)
}

// FactSupports are what edges, observations and entries rest on (SPEC T5).
type FactSupports interface {
	SupportStore
	SupportsOf(ctx context.Context, workspaceID string, kind knowledge.Supported, ids []string) (map[string][]*knowledge.Support, error)
	// DropSupporter takes a supporter's support away and gives what is left with none.
	DropSupporter(ctx context.Context, workspaceID string, kind knowledge.Supporter, id string) (map[knowledge.Supported][]string, error)
}

// EntityFinder looks references up: for each the entity, or NOT_FOUND or AMBIGUOUS without a field.
type EntityFinder interface {
	FindMany(ctx context.Context, workspaceID string, refs []knowledge.EntityRef) ([]*knowledge.Entity, []error, error)
}

// EntryEnder changes entries that were locked.
type EntryEnder interface {
	LockEntries(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
	UpdateEntry(ctx context.Context, w knowledge.EntryWrite, change knowledge.EntryChange, model knowledge.EmbeddingModel) error
}

// Edges are the typed, bi-temporal connections of entities.
type Edges struct {
	c EdgesConfig
}

// EdgesConfig is what Edges needs.
type EdgesConfig struct {
	Store        EdgeStore
	Lists        EdgeLister
	Supports     FactSupports
	Entities     EntityFinder
	Types        TypeStore
	Workspaces   WorkspaceStore
	Observations ObservationStore
	Entries      EntryEnder
	Tx           Transactor
	Memory       *Memory // nil: nothing is held back
	Clock        Clock
	NewID        NewID
}

// NewEdges makes the use cases of edges.
func NewEdges(c EdgesConfig) *Edges { return &Edges{c: c} }

// Assert says that an edge holds: creates it, or finds the equal one (SPEC B7–B15, T4, T5).
// NOT_FOUND or AMBIGUOUS name the end (from, to), INVALID_INPUT the field, and
// OVERLAPPING_INTERVAL the edge that is in the way.
func (s *Edges) Assert(ctx context.Context, to Target, draft knowledge.EdgeDraft) (*knowledge.EdgeAssert, error) {
	out, err := s.AssertMany(ctx, to, []knowledge.EdgeDraft{draft}, false)
	if err != nil {
		return nil, err
	}
	return out[0].Value, out[0].Err
}

// AssertMany is Assert for many drafts in one transaction, in their order: a later
// draft finds what an earlier one made. Atomic: where one fails nothing is written.
func (s *Edges) AssertMany(ctx context.Context, to Target, drafts []knowledge.EdgeDraft, atomic bool) ([]Outcome[*knowledge.EdgeAssert], error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	return permitted(ctx, s.c.Memory, ws, drafts, atomic, edgeWrite(to.Caller), func(drafts []knowledge.EdgeDraft) ([]Outcome[*knowledge.EdgeAssert], error) {
		return s.assertMany(ctx, ws, to.Caller, drafts, atomic)
	})
}

func (s *Edges) assertMany(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, drafts []knowledge.EdgeDraft, atomic bool) ([]Outcome[*knowledge.EdgeAssert], error) {
	return inBatch(ctx, s.c.Tx, drafts, atomic,
		func(d knowledge.EdgeDraft) (knowledge.EdgeDraft, error) {
			d.Source = by.Claim(d.Source)
			return d.Checked()
		},
		func(ctx context.Context, drafts []knowledge.EdgeDraft, right []int, out []Outcome[*knowledge.EdgeAssert]) error {
			batch := &edgeBatch{c: s.c, workspaceID: ws.ID}
			return batch.run(ctx, drafts, right, out)
		})
}

func (s *Edges) now() time.Time { return knowledge.Moment(s.c.Clock()) }
