package service

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"mneme/knowledge"
)

// LinkStore reads what linking goes by, and writes relations in bulk.
type LinkStore interface {
	EntryVectors(ctx context.Context, workspaceID string, ids []string, model knowledge.EmbeddingModel) (map[string][]float32, error)
	RelationsBetween(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Relation, error)
	InsertRelations(ctx context.Context, relations []*knowledge.Relation) error
	UpdateRelation(ctx context.Context, r *knowledge.Relation) error
	LockEntries(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
}

// Linker joins entries that nobody asked to join: by where they stand, and by what a
// language model says.
type Linker struct {
	c LinkerConfig
}

// LinkerConfig is what Linker needs.
type LinkerConfig struct {
	Model    LanguageModel // nil: none is configured
	Store    LinkStore
	Entries  *Entries
	Search   *EntrySearch
	Tx       Transactor
	Features func(*knowledge.Workspace) []knowledge.Feature
	Clock    Clock
	NewID    NewID
	Log      *slog.Logger // nil: nothing is logged
}

// NewLinker makes the use case.
func NewLinker(c LinkerConfig) *Linker {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Linker{c: c}
}

// Linked is what linking gave.
type Linked struct {
	Relations   []*knowledge.Relation
	Contradicts []*knowledge.Entry // older entries that the new ones contradict
	Dropped     knowledge.Dropped
	Usage       knowledge.ModelUsage
}

// Join links saved entries: to each other and their threads (SPEC M9), and, where a
// model is to be had, to what they bear on (M10 to M14) or at least contradict (L28).
// Where ai_knowledge is off it does nothing.
func (s *Linker) Join(ctx context.Context, ws *knowledge.Workspace, ids []string) (*Linked, error) {
	out := &Linked{}
	features := s.c.Features(ws)
	if len(ids) == 0 || !knowledge.FeatureOn(features, knowledge.FeatureAIKnowledge) {
		return out, nil
	}
	batch, err := s.read(ctx, ws.ID, ids)
	if err != nil || len(batch) == 0 {
		return out, err
	}
	if out.Relations, err = s.structural(ctx, ws.ID, batch); err != nil {
		return out, err
	}
	if !knowledge.FeatureOn(features, knowledge.FeatureAI) || s.c.Model == nil {
		out.Contradicts = nil
		return out, nil
	}
	everything := knowledge.FeatureOn(features, knowledge.FeatureAutoLink)
	linked, err := s.byMeaning(ctx, ws.ID, batch, everything)
	if err != nil {
		return out, err
	}
	out.Relations = append(out.Relations, linked.Relations...)
	out.Contradicts, out.Dropped, out.Usage = linked.Contradicts, linked.Dropped, linked.Usage
	return out, nil
}

// read are the entries of ids, in that order, each once.
func (s *Linker) read(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error) {
	found, err := s.c.Entries.ByIDs(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	var out []*knowledge.Entry
	for _, id := range ids {
		if e := found[id]; e != nil && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out, nil
}

// structural joins a batch by where its entries stand (SPEC M9).
func (s *Linker) structural(ctx context.Context, workspaceID string, batch []*knowledge.Entry) ([]*knowledge.Relation, error) {
	thread, err := s.thread(ctx, workspaceID, batch)
	if err != nil {
		return nil, err
	}
	var wanted []*knowledge.Relation
	for _, p := range knowledge.StructuralPairs(batch, thread) {
		weight := p.Weight
		wanted = append(wanted, &knowledge.Relation{
			WorkspaceID: workspaceID, FromID: p.From, ToID: p.To, Type: knowledge.RelationRelatesTo,
			ConfidenceTag: knowledge.TagExtracted, Confidence: 1, Weight: &weight, Provenance: knowledge.ProvenanceDeterministic,
		})
	}
	return s.save(ctx, workspaceID, wanted)
}

// thread are the newest entries of the batch's threads, newest first.
func (s *Linker) thread(ctx context.Context, workspaceID string, batch []*knowledge.Entry) ([]*knowledge.Entry, error) {
	var out []*knowledge.Entry
	var seen []string
	for _, e := range batch {
		if e.ThreadID == nil || slices.Contains(seen, *e.ThreadID) {
			continue
		}
		seen = append(seen, *e.ThreadID)
		page, err := s.c.Entries.List(ctx, workspaceID, knowledge.EntryFilter{ThreadID: *e.ThreadID}, knowledge.TimePoint{}, knowledge.PageRequest{First: knowledge.MaxPage})
		if err != nil {
			return nil, err
		}
		out = append(out, page.Items...)
	}
	return out, nil
}

// save stores relations, or folds them into the equal ones (SPEC K14, K17). It gives
// those that are new.
func (s *Linker) save(ctx context.Context, workspaceID string, wanted []*knowledge.Relation) ([]*knowledge.Relation, error) {
	if len(wanted) == 0 {
		return nil, nil
	}
	now := s.c.Clock()
	var ids []string
	for _, r := range wanted {
		r.ID, r.CreatedAt, r.UpdatedAt = s.c.NewID(knowledge.PrefixRelation), now, now
		ids = append(ids, r.FromID, r.ToID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	var created []*knowledge.Relation
	err := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		var err error
		created, err = s.write(ctx, workspaceID, ids, wanted, now)
		return err
	})
	return created, err
}

func (s *Linker) write(ctx context.Context, workspaceID string, ids []string, wanted []*knowledge.Relation, now time.Time) ([]*knowledge.Relation, error) {
	locked, err := s.c.Store.LockEntries(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	stored, err := s.c.Store.RelationsBetween(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	var created []*knowledge.Relation
	for _, r := range wanted {
		if !hasEntry(locked, r.FromID) || !hasEntry(locked, r.ToID) {
			continue // deleted meanwhile
		}
		at := slices.IndexFunc(stored, func(x *knowledge.Relation) bool {
			return x.FromID == r.FromID && x.ToID == r.ToID && x.Type == r.Type
		})
		if at < 0 {
			created = append(created, r)
			continue
		}
		folded := knowledge.FoldRelation(*stored[at], *r, now)
		if knowledge.SameEvidence(folded, *stored[at]) {
			continue
		}
		if err := s.c.Store.UpdateRelation(ctx, &folded); err != nil {
			return nil, err
		}
	}
	return created, s.c.Store.InsertRelations(ctx, created)
}

// candidates are the entries near the anchors by their stored vectors, nearest first,
// in each anchor's own scope (SPEC M11).
func (s *Linker) candidates(ctx context.Context, workspaceID string, anchors []*knowledge.Entry, atLeast float64) ([]*knowledge.Entry, error) {
	ids := make([]string, len(anchors))
	for i, a := range anchors {
		ids[i] = a.ID
	}
	model := s.c.Entries.embeddings.Model()
	vectors, err := s.c.Store.EntryVectors(ctx, workspaceID, ids, model)
	if err != nil {
		return nil, err
	}
	near := map[string]float64{}
	for _, a := range anchors {
		if vectors[a.ID] == nil {
			continue
		}
		scope := knowledge.Scope{OrgGeneralOnly: len(a.ContactIDs) == 0}
		if len(a.ContactIDs) > 0 {
			scope.ContactID = a.ContactIDs[0]
		}
		hits, err := s.c.Search.vectors(ctx, knowledge.EntryVectorQuery{
			Selection: knowledge.EntrySelection{WorkspaceID: workspaceID, Scope: scope, Now: s.c.Clock()},
			Model:     model, Vector: vectors[a.ID], Limit: knowledge.CandidatesPerNote + len(anchors),
		})
		if err != nil {
			return nil, err
		}
		taken := 0
		for _, h := range hits {
			if slices.Contains(ids, h.ID) || h.Similarity < atLeast || taken == knowledge.CandidatesPerNote {
				continue
			}
			taken++
			near[h.ID] = max(near[h.ID], h.Similarity)
		}
	}
	order := make([]string, 0, len(near))
	for id := range near {
		order = append(order, id)
	}
	slices.SortFunc(order, func(a, b string) int { return cmp.Or(cmp.Compare(near[b], near[a]), cmp.Compare(a, b)) })
	return s.read(ctx, workspaceID, order[:min(len(order), knowledge.MaxLinkCandidates)])
}
