package service

import (
	"context"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// Recall answers questions in plain words with knowledge, inside a scope.
type Recall struct {
	search     *EntrySearch
	entries    EntryLister
	entities   EntityFinder
	embeddings *Embeddings
	marks      *AccessMarks
	expander   Expander
	features   func(*knowledge.Workspace) []knowledge.Feature
	clock      Clock
	log        *slog.Logger
}

// RecallConfig is what Recall needs.
type RecallConfig struct {
	Search     *EntrySearch
	Entries    EntryLister
	Entities   EntityFinder
	Expander   Expander
	Embeddings *Embeddings
	Marks      *AccessMarks // nil: recalls are not counted
	Features   func(*knowledge.Workspace) []knowledge.Feature
	Clock      Clock
	Log        *slog.Logger // nil: nothing is logged
}

// NewRecall makes the use case of recalling.
func NewRecall(c RecallConfig) *Recall {
	r := &Recall{
		search: c.Search, entries: c.Entries, entities: c.Entities, embeddings: c.Embeddings, marks: c.Marks, expander: c.Expander,
		features: c.Features, clock: c.Clock, log: c.Log,
	}
	if r.log == nil {
		r.log = slog.New(slog.DiscardHandler)
	}
	return r
}

// Recall finds what a query asks for (SPEC L). A leg that fails is named in Degraded and
// the others answer; UNAVAILABLE where none can. INVALID_INPUT names the field, scope too
// for a contact that does not exist.
func (s *Recall) Recall(ctx context.Context, ws *knowledge.Workspace, q knowledge.RecallQuery) (*knowledge.Recall, error) {
	began := time.Now()
	q, err := q.Checked(s.embeddings.Model().Dimensions)
	if err != nil {
		return nil, err
	}
	run := &recallRun{Recall: s, query: q, result: &knowledge.Recall{Hits: []*knowledge.RecallHit{}, Mode: knowledge.ModeFlat, Degraded: []knowledge.Degraded{}}}
	if run.sel, err = s.selection(ctx, ws, q); err != nil {
		return nil, err
	}
	run.features = s.features(ws)
	if knowledge.FeatureOn(run.features, knowledge.FeatureAIKnowledge) {
		if err := run.answer(ctx); err != nil {
			return nil, err
		}
	}
	run.result.Took = time.Since(began)
	return run.result, nil
}

func (s *Recall) selection(ctx context.Context, ws *knowledge.Workspace, q knowledge.RecallQuery) (knowledge.EntrySelection, error) {
	sel := knowledge.EntrySelection{
		WorkspaceID: ws.ID, At: q.At, Now: s.clock(), Filter: knowledge.EntryFilter{Types: q.Types},
		Scope: knowledge.Scope{OrgGeneralOnly: q.Scope.OrgGeneralOnly, OrgWide: q.Scope.OrgWide},
	}
	if q.Scope.Contact == nil {
		return sel, nil
	}
	contact, err := findOne(ctx, s.entities, ws.ID, *q.Scope.Contact)
	if knowledge.IsNotFound(err) {
		return sel, knowledge.Invalid("scope.contact", "there is no entity %q", q.Scope.Contact.String())
	}
	if err != nil {
		return sel, knowledge.InField("scope.contact", err)
	}
	sel.Scope.ContactID = contact.ID
	return sel, nil
}

// recallRun is one recall on its way.
type recallRun struct {
	*Recall
	query    knowledge.RecallQuery
	sel      knowledge.EntrySelection
	features []knowledge.Feature
	result   *knowledge.Recall

	vector     []knowledge.EntryVectorHit
	text       []knowledge.LexicalHit
	similarity map[string]float64
	known      map[string]*knowledge.Entry
}

func (r *recallRun) degrade(leg knowledge.RecallLeg, reason string) {
	r.result.Degraded = append(r.result.Degraded, knowledge.Degraded{Leg: leg, Reason: reason})
}

func (r *recallRun) answer(ctx context.Context) error {
	if err := r.legs(ctx); err != nil {
		return err
	}
	if err := r.hydrate(ctx); err != nil {
		return err
	}
	vector, text := r.visible()
	ranked := knowledge.RankFlat(vector, text, r.query.Limit)
	if r.expands() {
		ranked = r.expanded(ctx, vector, text, ranked)
	}
	r.hits(ranked)
	r.mark()
	return nil
}

// legs runs the vector and the text leg beside each other. One that fails is left out;
// where none works the recall fails.
func (r *recallRun) legs(ctx context.Context) error {
	var vectorErr, textErr error
	var group errgroup.Group
	group.Go(func() error { vectorErr = r.vectorLeg(ctx); return nil })
	if r.query.Query != "" {
		group.Go(func() error { textErr = r.textLeg(ctx); return nil })
	}
	_ = group.Wait() // the legs keep their errors
	if err := ctx.Err(); err != nil {
		return err
	}
	if vectorErr != nil {
		r.log.WarnContext(ctx, "recall without its vector leg", slog.Any("cause", vectorErr))
		r.degrade(knowledge.LegVector, reasonOf(vectorErr))
	}
	if textErr != nil {
		r.log.WarnContext(ctx, "recall without its text leg", slog.Any("cause", textErr))
		r.degrade(knowledge.LegText, reasonOf(textErr))
	}
	if vectorErr != nil && (textErr != nil || r.query.Query == "") {
		if textErr != nil && knowledge.CodeOf(textErr) != knowledge.CodeUnavailable {
			return textErr
		}
		return knowledge.Errorf(knowledge.CodeUnavailable, "neither meaning nor words could be searched: %s", reasonOf(vectorErr)).Because(vectorErr)
	}
	return nil
}

// reasonOf is what of an error may be shown.
func reasonOf(err error) string {
	if knowledge.CodeOf(err) == knowledge.CodeInternal {
		return "internal error"
	}
	return err.Error()
}

func (r *recallRun) textLeg(ctx context.Context) error {
	terms := knowledge.RecallTerms(r.query.Query)
	if len(terms) == 0 {
		return nil
	}
	hits, err := r.search.texts(ctx, r.sel, terms)
	r.text = hits[:min(len(hits), knowledge.LegFetch(r.query.Limit))]
	return err
}

func (r *recallRun) vectorLeg(ctx context.Context) error {
	query := r.query.Embedding
	if len(query) == 0 {
		var err error
		if query, err = r.embeddings.Query(ctx, r.query.Query); err != nil {
			return err
		}
	}
	q := knowledge.EntryVectorQuery{Selection: r.sel, Model: r.embeddings.Model(), Vector: query, Limit: knowledge.LegFetch(r.query.Limit)}
	var err error
	if r.vector, err = r.search.vectors(ctx, q); err != nil {
		return err
	}
	return r.gaps(ctx)
}

// gaps says what the vector leg could not see.
func (r *recallRun) gaps(ctx context.Context) error {
	awaiting, otherModel, err := r.search.port.VectorGaps(ctx, r.sel.WorkspaceID, r.embeddings.Model())
	if err != nil {
		return err
	}
	if otherModel != "" {
		r.degrade(knowledge.LegVector, "some entries have vectors of "+otherModel+", which are not compared with those of "+r.embeddings.Model().Name+": run `mneme maintain REEMBED`")
	}
	_ = awaiting
	return nil
}

// hydrate reads what the legs found.
func (r *recallRun) hydrate(ctx context.Context) error {
	r.similarity = make(map[string]float64, len(r.vector))
	ids := make([]string, 0, len(r.vector)+len(r.text))
	for _, h := range r.vector {
		r.similarity[h.ID] = h.Similarity
		ids = append(ids, h.ID)
	}
	for _, h := range r.text {
		if _, ok := r.similarity[h.ID]; !ok {
			ids = append(ids, h.ID)
		}
	}
	r.known = make(map[string]*knowledge.Entry, len(ids))
	if len(ids) == 0 {
		return nil
	}
	found, err := r.entries.EntriesByID(ctx, r.sel.WorkspaceID, ids)
	if err != nil {
		return err
	}
	for _, e := range found {
		if r.sel.Permits(e) {
			r.known[e.ID] = e
		}
	}
	return nil
}

// visible are the lists of both legs, restricted to what may be seen (SPEC L6).
func (r *recallRun) visible() (vector, text []string) {
	for _, h := range r.vector {
		if r.known[h.ID] != nil {
			vector = append(vector, h.ID)
		}
	}
	for _, h := range r.text {
		if r.known[h.ID] != nil {
			text = append(text, h.ID)
		}
	}
	return vector, text
}

// hits turns what was ranked into the answer.
func (r *recallRun) hits(ranked []knowledge.RankedEntry) {
	for _, x := range ranked {
		h := &knowledge.RecallHit{
			Item: r.known[x.ID], Score: x.Score, Hops: x.Hops, Via: x.Via, ViaMentionIDs: x.ViaMentionIDs, Stale: x.Stale, Caveat: x.Caveat,
			VectorRank: rankPtr(x.VectorRank), TextRank: rankPtr(x.TextRank),
		}
		if similarity, ok := r.similarity[x.ID]; ok {
			h.Similarity = &similarity
		}
		if r.query.Explain {
			h.Explanation = x.Parts
		}
		r.result.Hits = append(r.result.Hits, h)
	}
}

func rankPtr(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

// mark counts that the hits were recalled, off the request path (SPEC L9).
func (r *recallRun) mark() {
	for _, h := range r.result.Hits {
		if e := h.Entry(); e != nil {
			r.marks.Add(r.sel.WorkspaceID, e.ID, r.sel.Now)
		}
	}
}
