package service

import (
	"context"
	"slices"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// maxCommitments is how many open action items a briefing names.
const maxCommitments = 10

// ThreadHistory gives the messages of a thread, oldest first, the newest limit of them.
type ThreadHistory func(ctx context.Context, ws *knowledge.Workspace, threadID string, limit int) ([]knowledge.BriefingNote, error)

// ContextText gives the entities relevant to a prompt as one string (SPEC I).
type ContextText func(ctx context.Context, ws *knowledge.Workspace, prompt string, scope knowledge.Scope, at knowledge.TimePoint) (string, error)

// Briefings say what an agent should know before it answers a message.
type Briefings struct {
	c BriefingsConfig
}

// BriefingsConfig is what Briefings needs.
type BriefingsConfig struct {
	Recall       *Recall
	Entries      *Entries
	Entities     EntityFinder
	Observations *Observations
	Files        FileSearch    // nil: no files
	History      ThreadHistory // nil: no history
	Context      ContextText   // nil: no [GRAPH] section
	Features     func(*knowledge.Workspace) []knowledge.Feature
}

// NewBriefings makes the use case.
func NewBriefings(c BriefingsConfig) *Briefings { return &Briefings{c: c} }

// Brief makes a briefing (SPEC L23 to L27). A contact that does not exist is INVALID_INPUT.
func (s *Briefings) Brief(ctx context.Context, ws *knowledge.Workspace, r knowledge.BriefingRequest) (*knowledge.Briefing, error) {
	r, err := r.Checked()
	if err != nil {
		return nil, err
	}
	run := &briefingRun{Briefings: s, ws: ws, request: r, query: knowledge.BriefingQuery(r.Subject, r.Message)}
	run.parts.Subject, run.parts.Message = r.Subject, r.Message
	if err := run.contact(ctx); err != nil {
		return nil, err
	}
	if run.query != "" {
		run.vector = s.c.Recall.vectorOf(ctx, run.query)
	}
	group, running := errgroup.WithContext(ctx)
	for _, part := range []func(context.Context) error{run.activity, run.commitments, run.history, run.knowledge, run.graph, run.files} {
		group.Go(func() error { return part(running) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return run.result(), nil
}

// briefingRun is one briefing on its way. Each part fills fields of its own.
type briefingRun struct {
	*Briefings
	ws      *knowledge.Workspace
	request knowledge.BriefingRequest
	query   string    // empty: too little to search for
	vector  []float32 // of the query; nil: there is none
	parts   knowledge.BriefingParts
	hits    []*knowledge.RecallHit
	found   []*knowledge.SourceFile
}

func (r *briefingRun) contact(ctx context.Context) error {
	if r.request.Scope.Contact == nil {
		return nil
	}
	e, err := findOne(ctx, r.c.Entities, r.ws.ID, *r.request.Scope.Contact)
	if knowledge.IsNotFound(err) {
		return knowledge.Invalid("scope.contact", "there is no entity %q", r.request.Scope.Contact.String())
	}
	r.parts.Contact = e
	return knowledge.InField("scope.contact", err)
}

func (r *briefingRun) activity(ctx context.Context) error {
	if r.parts.Contact == nil || r.request.ActivityLimit == 0 {
		return nil
	}
	pages, err := r.c.Observations.OfEntities(ctx, r.ws.ID, []string{r.parts.Contact.ID}, knowledge.PageRequest{First: r.request.ActivityLimit})
	if err != nil {
		return err
	}
	for _, o := range pages[r.parts.Contact.ID].Items {
		r.parts.Activity = append(r.parts.Activity, knowledge.BriefingNote{At: o.ObservedAt, Text: o.Text})
	}
	return nil
}

// commitments are the open action items of the scope, newest first.
func (r *briefingRun) commitments(ctx context.Context) error {
	if !r.knows() {
		return nil
	}
	filter := knowledge.EntryFilter{Types: []knowledge.EntryType{knowledge.EntryActionItem}}
	scope := r.scope()
	if r.parts.Contact != nil {
		filter.Contact = &knowledge.EntityRef{ID: r.parts.Contact.ID}
	}
	page, err := r.c.Entries.List(ctx, r.ws.ID, filter, r.request.At, knowledge.PageRequest{First: knowledge.MaxPage})
	if err != nil {
		return err
	}
	for _, e := range page.Items {
		if scope.Permits(e.ContactIDs) && len(r.parts.Commitments) < maxCommitments {
			r.parts.Commitments = append(r.parts.Commitments, e)
		}
	}
	return nil
}

// scope is the request's, with its contact looked up.
func (r *briefingRun) scope() knowledge.Scope {
	scope := knowledge.Scope{OrgGeneralOnly: r.request.Scope.OrgGeneralOnly, OrgWide: r.request.Scope.OrgWide}
	if r.parts.Contact != nil {
		scope.ContactID = r.parts.Contact.ID
	}
	return scope
}

func (r *briefingRun) history(ctx context.Context) error {
	if r.c.History == nil || r.request.ThreadID == "" {
		return nil
	}
	var err error
	r.parts.History, err = r.c.History(ctx, r.ws, r.request.ThreadID, knowledge.BriefingHistory)
	return err
}

// knows tells whether knowledge may be read at all (SPEC Q3).
func (r *briefingRun) knows() bool {
	return knowledge.FeatureOn(r.c.Features(r.ws), knowledge.FeatureAIKnowledge)
}

func (r *briefingRun) knowledge(ctx context.Context) error {
	if r.query == "" || r.request.KnowledgeLimit == 0 {
		return nil
	}
	found, err := r.c.Recall.Recall(ctx, r.ws, knowledge.RecallQuery{
		Query: r.query, Embedding: r.vector, Scope: r.request.Scope, Limit: r.request.KnowledgeLimit, Ranking: knowledge.RankingBest,
		Kinds: []knowledge.RecallKind{knowledge.RecallEntry}, At: r.request.At,
	})
	if err != nil {
		return err
	}
	r.hits = found.Hits
	titles := map[string]string{}
	var far []string
	for _, h := range found.Hits {
		if e := h.Entry(); e != nil {
			titles[e.ID] = e.Title
		}
	}
	for _, h := range found.Hits {
		for _, via := range h.Via {
			if _, known := titles[via.ToID]; !known {
				far = append(far, via.ToID)
			}
		}
	}
	others, err := r.c.Entries.ByIDs(ctx, r.ws.ID, far)
	if err != nil {
		return err
	}
	for id, e := range others {
		titles[id] = e.Title
	}
	for _, h := range found.Hits {
		if e := h.Entry(); e != nil {
			r.parts.Knowledge = append(r.parts.Knowledge, knowledge.BriefingEntry{Entry: e, Stale: h.Stale, Caveat: h.Caveat, Outgoing: outgoing(e, h.Via, titles)})
		}
	}
	return nil
}

// outgoing are the relations of a hit that lead away from it (SPEC L24).
func outgoing(e *knowledge.Entry, via []*knowledge.Relation, titles map[string]string) []knowledge.BriefingRelation {
	var out []knowledge.BriefingRelation
	for _, v := range via {
		if v.FromID == e.ID && titles[v.ToID] != "" {
			out = append(out, knowledge.BriefingRelation{Type: v.Type, Title: titles[v.ToID]})
		}
	}
	return out
}

// graph is the context string, which is a section of briefings where it is not given
// by itself (SPEC Q6).
func (r *briefingRun) graph(ctx context.Context) error {
	if r.c.Context == nil || r.query == "" || r.ws.Memory.WakeUpLayers || !knowledge.FeatureOn(r.c.Features(r.ws), knowledge.FeatureGraph) {
		return nil
	}
	var err error
	r.parts.Graph, err = r.c.Context(ctx, r.ws, r.query, r.scope(), r.request.At)
	return err
}

func (r *briefingRun) files(ctx context.Context) error {
	if r.c.Files == nil || r.query == "" || r.request.FileLimit == 0 {
		return nil
	}
	found, err := r.c.Files(ctx, r.ws, FileQuery{Query: r.query, Vector: r.vector, Scope: r.request.Scope, Limit: r.request.FileLimit})
	for _, f := range found {
		r.found = append(r.found, f.File)
		r.parts.Files = append(r.parts.Files, knowledge.BriefingFile{ID: f.ID, Name: f.Name, Title: f.Title, Excerpt: f.Excerpt})
	}
	return err
}

func (r *briefingRun) result() *knowledge.Briefing {
	out := knowledge.AssembleBriefing(r.parts, r.request.MaxTokens)
	out.Hits = []*knowledge.RecallHit{}
	for _, h := range r.hits {
		if e := h.Entry(); e != nil && slices.Contains(out.EntryIDs, e.ID) {
			out.Hits = append(out.Hits, h)
		}
	}
	out.Files = []*knowledge.SourceFile{}
	for _, f := range r.found {
		if f != nil && slices.Contains(out.FileIDs, f.ID) {
			out.Files = append(out.Files, f)
		}
	}
	return &out
}
