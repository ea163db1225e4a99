package service

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// Recall answers questions in plain words with knowledge, inside a scope.
type Recall struct {
	search     *EntrySearch
	entries    EntryLister
	entities   EntityFinder
	mentions   *MentionFinder
	expander   Expander
	expansions *Expansions
	facts      FactSearcher
	edges      *Edges
	remarks    *Observations
	embeddings *Embeddings
	marks      *AccessMarks
	features   func(*knowledge.Workspace) []knowledge.Feature
	clock      Clock
	log        *slog.Logger
}

// RecallConfig is what Recall needs.
type RecallConfig struct {
	Search     *EntrySearch
	Entries    EntryLister
	Entities   EntityFinder
	Mentions   *MentionFinder // nil: names in questions are words like others
	Expander   Expander
	Expansions *Expansions // nil: hits have no hints
	// Facts, Edges and Observations are what is recalled besides entries, where it is asked for.
	Facts        FactSearcher
	Edges        *Edges
	Observations *Observations
	Embeddings   *Embeddings
	Marks        *AccessMarks // nil: recalls are not counted
	Features     func(*knowledge.Workspace) []knowledge.Feature
	Clock        Clock
	Log          *slog.Logger // nil: nothing is logged
}

// NewRecall makes the use case of recalling.
func NewRecall(c RecallConfig) *Recall {
	r := &Recall{
		search: c.Search, entries: c.Entries, entities: c.Entities, mentions: c.Mentions, expander: c.Expander, expansions: c.Expansions, facts: c.Facts, edges: c.Edges, remarks: c.Observations, embeddings: c.Embeddings,
		marks: c.Marks, features: c.Features, clock: c.Clock, log: c.Log,
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
	run := &recallRun{Recall: s, ws: ws, query: q, result: &knowledge.Recall{Hits: []*knowledge.RecallHit{}, Mode: knowledge.ModeFlat, Degraded: []knowledge.Degraded{}}}
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

// vectorOf is the vector of a query that several searches share (SPEC M22: embedded once);
// nil where it cannot be made, which a search then says itself.
func (s *Recall) vectorOf(ctx context.Context, query string) []float32 {
	vector, err := s.embeddings.Query(ctx, query)
	if err != nil {
		return nil
	}
	return vector
}

func (s *Recall) selection(ctx context.Context, ws *knowledge.Workspace, q knowledge.RecallQuery) (knowledge.EntrySelection, error) {
	sel := knowledge.EntrySelection{
		WorkspaceID: ws.ID, At: q.At, Now: s.clock(), Filter: knowledge.EntryFilter{Types: q.Types, Sources: q.Sources},
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
	ws       *knowledge.Workspace
	query    knowledge.RecallQuery
	sel      knowledge.EntrySelection
	features []knowledge.Feature
	result   *knowledge.Recall

	vector []knowledge.EntryVectorHit // what the legs found, best first
	text   textRanking
	graph  knowledge.QueryGraph
	// anchors are what is about the entities that the question names.
	anchors []knowledge.AboutEntity
}

func (r *recallRun) degrade(leg knowledge.RecallLeg, reason string) {
	r.result.Degraded = append(r.result.Degraded, knowledge.Degraded{Leg: leg, Reason: reason})
}

func (r *recallRun) degraded(leg knowledge.RecallLeg) bool {
	return slices.ContainsFunc(r.result.Degraded, func(d knowledge.Degraded) bool { return d.Leg == leg })
}

// failed names a leg that failed; its cause is for the log.
func (r *recallRun) failed(ctx context.Context, leg knowledge.RecallLeg, err error) {
	if ctx.Err() == nil {
		r.log.WarnContext(ctx, "recall without a leg", slog.String("leg", string(leg)), slog.Any("cause", err))
	}
	r.degrade(leg, reasonOf(err))
}

// reasonOf is what of an error may be shown.
func reasonOf(err error) string {
	if knowledge.CodeOf(err) == knowledge.CodeInternal {
		return "internal error"
	}
	return err.Error()
}

func (r *recallRun) answer(ctx context.Context) error {
	expand := r.expands()
	if err := r.legs(ctx, expand); err != nil {
		return err
	}
	rank := r.plainly
	if r.query.Ranking == knowledge.RankingBest {
		rank = r.best
	}
	ranked := rank(ctx, expand)
	if err := r.load(ctx, ranked, expand && !r.degraded(knowledge.LegExpansion)); err != nil {
		return err
	}
	r.mark()
	return ctx.Err()
}

// fetch is how many candidates each leg gives (SPEC L3).
func (r *recallRun) fetch() int { return knowledge.LegFetch(r.query.Limit) }

// legs runs the legs beside each other. One that fails is left out; where neither
// meaning nor words can be searched the recall fails (SPEC L2).
func (r *recallRun) legs(ctx context.Context, expand bool) error {
	var vectorErr, textErr, namesErr error
	var group errgroup.Group
	group.Go(func() error { vectorErr = r.vectorLeg(ctx); return nil })
	if r.query.Query != "" {
		group.Go(func() error { textErr = r.textLeg(ctx); return nil })
	}
	if expand && r.query.Query != "" {
		group.Go(func() error {
			r.graph = r.expansions.around(ctx, r.ws, r.query.Query, r.query.At, r.sel.Scope)
			return nil
		})
		if r.query.Ranking == knowledge.RankingBest {
			group.Go(func() error { namesErr = r.nameLeg(ctx); return nil })
		}
	}
	_ = group.Wait() // the legs keep their errors
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, leg := range []struct {
		name knowledge.RecallLeg
		err  error
	}{{knowledge.LegVector, vectorErr}, {knowledge.LegText, textErr}, {knowledge.LegMentions, namesErr}} {
		if leg.err != nil {
			r.failed(ctx, leg.name, leg.err)
		}
	}
	if vectorErr == nil || textErr == nil && r.query.Query != "" {
		return nil
	}
	if textErr != nil && knowledge.CodeOf(textErr) != knowledge.CodeUnavailable {
		return textErr
	}
	return knowledge.Errorf(knowledge.CodeUnavailable, "neither meaning nor words could be searched: %s", reasonOf(vectorErr)).Because(vectorErr)
}

// wants tells whether a kind is asked for.
func (r *recallRun) wants(kind knowledge.RecallKind) bool {
	return slices.Contains(r.query.Kinds, kind)
}

// words is what is searched by words.
func (r *recallRun) words() string {
	if r.query.Words != "" {
		return r.query.Words
	}
	return r.query.Query
}

func (r *recallRun) textLeg(ctx context.Context) (err error) {
	if r.wants(knowledge.RecallEntry) {
		if r.text, err = r.search.texts(ctx, r.sel, r.words()); err != nil {
			return err
		}
	}
	for _, kind := range factKinds {
		if !r.wants(kind) {
			continue
		}
		found, err := r.factTexts(ctx, kind)
		if err != nil {
			return err
		}
		r.text.merge(found)
	}
	r.text.hits = r.text.hits[:min(len(r.text.hits), r.fetch())]
	return nil
}

func (r *recallRun) vectorLeg(ctx context.Context) error {
	query := r.query.Embedding
	var err error
	if len(query) == 0 {
		if query, err = r.embeddings.Query(ctx, r.query.Query); err != nil {
			return err
		}
	}
	q := knowledge.EntryVectorQuery{Selection: r.sel, Model: r.embeddings.Model(), Vector: query, Limit: r.fetch()}
	if r.wants(knowledge.RecallEntry) {
		if r.vector, err = r.search.vectors(ctx, q); err != nil {
			return err
		}
	}
	for _, kind := range factKinds {
		if !r.wants(kind) {
			continue
		}
		found, err := r.factVectors(ctx, kind, q)
		if err != nil {
			return err
		}
		r.vector = append(r.vector, found...)
	}
	slices.SortFunc(r.vector, knowledge.CompareVectorHits)
	r.vector = r.vector[:min(len(r.vector), r.fetch())]
	return r.gaps(ctx)
}

// gaps says what the vector leg could not see.
func (r *recallRun) gaps(ctx context.Context) error {
	model := r.embeddings.Model()
	otherModel, err := r.search.stats.otherModel(ctx, r.sel.WorkspaceID, model)
	if err != nil {
		return err
	}
	if otherModel != "" {
		r.degrade(knowledge.LegVector, "some entries have vectors of "+otherModel+", which are not compared with those of "+model.Name+": run `mneme maintain REEMBED`")
	}
	return nil
}

// nameLeg finds the entities that the question names, and what is about them.
func (r *recallRun) nameLeg(ctx context.Context) error {
	found, err := r.mentions.Find(ctx, r.sel.WorkspaceID, []string{r.query.Query})
	if err != nil || len(found[0]) == 0 {
		return err
	}
	r.anchors, err = r.expander.EntriesAbout(ctx, r.sel, found[0], knowledge.DefiningEntries+1)
	return err
}

// plainly is the ranking by reciprocal ranks (SPEC L5, L8, L15, L16).
func (r *recallRun) plainly(ctx context.Context, expand bool) []knowledge.RankedEntry {
	vector, text := make([]string, len(r.vector)), make([]string, len(r.text.hits))
	for i, h := range r.vector {
		vector[i] = h.ID
	}
	for i, h := range r.text.hits {
		text[i] = h.ID
	}
	all := len(vector) + len(text)
	flat := knowledge.RankFlat(vector, text, all)
	if !expand {
		return flat
	}
	x, err := r.walk(ctx, knowledge.Seeds(flat))
	if err != nil {
		r.failed(ctx, knowledge.LegExpansion, err)
		return flat
	}
	return knowledge.RankExpanded(vector, text, x, all+knowledge.MaxBudget)
}

// loadSlack is how many entries more than are asked for are read at once, for those that
// changed since they were found.
const loadSlack = 4

// load reads what was ranked, in its order, until there is as much as was asked for.
// Each is checked again (SPEC L6, L21). Beside it, where the recall expands, it reads what
// marks them, also those that the walk did not start from (SPEC L18).
func (r *recallRun) load(ctx context.Context, ranked []knowledge.RankedEntry, marked bool) error {
	var marks []*knowledge.Relation
	for len(ranked) > 0 && len(r.result.Hits) < r.query.Limit {
		n := min(len(ranked), r.query.Limit-len(r.result.Hits)+loadSlack)
		ids := make([]string, n)
		for i, x := range ranked[:n] {
			ids[i] = x.ID
		}
		var items map[string]knowledge.RecallItem
		var group errgroup.Group
		group.Go(func() (err error) { items, err = r.items(ctx, ids); return err })
		if marked {
			group.Go(func() error { marks = append(marks, r.marksOf(ctx, ids)...); return nil })
		}
		if err := group.Wait(); err != nil {
			return err
		}
		for _, x := range ranked[:n] {
			if item := items[x.ID]; item != nil && len(r.result.Hits) < r.query.Limit {
				r.result.Hits = append(r.result.Hits, r.hit(x, item))
			}
		}
		ranked = ranked[n:]
	}
	if knowledge.MarkHits(r.result.Hits, marks) {
		r.result.Mode = knowledge.ModeGraph
	}
	return nil
}

// items are what ids name, as far as it may be seen.
func (r *recallRun) items(ctx context.Context, ids []string) (map[string]knowledge.RecallItem, error) {
	found, err := r.entries.EntriesByID(ctx, r.sel.WorkspaceID, ids)
	if err != nil {
		return nil, err
	}
	items := make(map[string]knowledge.RecallItem, len(ids))
	for _, e := range found {
		if r.sel.Permits(e) {
			if e.Embedding != nil {
				e.Embedding.Stale = e.Embedding.Key != r.embeddings.Model().Key()
			}
			items[e.ID] = e
		}
	}
	return items, r.addFacts(ctx, ids, items)
}

func (r *recallRun) hit(x knowledge.RankedEntry, item knowledge.RecallItem) *knowledge.RecallHit {
	h := &knowledge.RecallHit{
		Item: item, Hints: r.hints(item), Score: x.Score, Hops: x.Hops, Via: x.Via, ViaMentionIDs: x.ViaMentionIDs, Stale: x.Stale, Caveat: x.Caveat,
		VectorRank: rankPtr(x.VectorRank), TextRank: rankPtr(x.TextRank),
	}
	if x.VectorRank > 0 {
		h.Similarity = &r.vector[x.VectorRank-1].Similarity
	}
	if r.query.Explain {
		h.Explanation = x.Parts
	}
	return h
}

// hints say what of the entity graph the question and an entry have in common (SPEC O13).
func (r *recallRun) hints(item knowledge.RecallItem) []string {
	text := ""
	switch x := item.(type) {
	case *knowledge.Entry:
		text = x.Title + "\n" + x.Content
	case *knowledge.Edge:
		text = x.Fact
	case *knowledge.Observation:
		text = x.Text
	}
	_, hints := r.graph.Affinity(text)
	if hints == nil {
		return []string{}
	}
	return hints
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
