package service

import (
	"context"
	"log/slog"
	"strings"
	"unicode/utf8"

	"mneme/knowledge"
)

// maxSearched is how much of a question is searched for, in characters.
const maxSearched = 2_000

// FoundFile is a file that a search found, with its text or a part of it.
type FoundFile struct {
	File                     *knowledge.SourceFile
	ID, Name, Title, Excerpt string
}

// FileQuery asks for files in a scope.
type FileQuery struct {
	Query  string
	Vector []float32 // of the query; nil: it is made
	Scope  knowledge.ScopeRef
	Limit  int
}

// FileSearch finds files in a scope, best first.
type FileSearch func(ctx context.Context, ws *knowledge.Workspace, q FileQuery) ([]FoundFile, error)

// Ask answers questions from what a workspace knows, with sources.
type Ask struct {
	c AskConfig
}

// AskConfig is what Ask needs.
type AskConfig struct {
	Model      LanguageModel // nil: none is configured
	Recall     *Recall
	Navigation *Navigation
	Expansions *Expansions // nil: questions are searched for as they are
	Files      FileSearch  // nil: files are not searched
	Features   func(*knowledge.Workspace) []knowledge.Feature
	Log        *slog.Logger // nil: nothing is logged
}

// NewAsk makes the use case.
func NewAsk(c AskConfig) *Ask {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Ask{c: c}
}

// Answer answers a question (SPEC M20 to M25, O16). FEATURE_DISABLED where ai or
// ai_knowledge is off. Where nothing is found, or the model fails, the answer says so or
// is the sources themselves: a failing model is no error.
func (s *Ask) Answer(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery) (*knowledge.Answer, error) {
	return s.answer(ctx, ws, q, nil)
}

// Stream is Answer that hands the text to emit as it is written, with citations that are
// not checked yet. The answer that it returns is the checked one. An error of emit ends it.
func (s *Ask) Stream(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery, emit func(delta string) error) (*knowledge.Answer, error) {
	return s.answer(ctx, ws, q, emit)
}

func (s *Ask) answer(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery, emit func(string) error) (*knowledge.Answer, error) {
	q, err := q.Checked()
	if err != nil {
		return nil, err
	}
	features := s.c.Features(ws)
	for _, name := range []knowledge.FeatureName{knowledge.FeatureAIKnowledge, knowledge.FeatureAI} {
		if err := needFeature(features, name); err != nil {
			return nil, err
		}
	}
	if s.c.Model == nil {
		return nil, knowledge.Errorf(knowledge.CodeFeatureDisabled, "no language model is configured")
	}
	q.Question = strings.TrimSpace(q.Question)
	if q.Question == "" {
		return said(&knowledge.Answer{Text: knowledge.AskHint}, emit)
	}
	found, err := s.sources(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	path, err := s.path(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	if len(found.list) == 0 {
		return said(withPath(&knowledge.Answer{Text: knowledge.AskNoMatch}, path), emit)
	}
	out, streamed, err := s.ask(ctx, q, found, emit)
	if err != nil {
		return nil, err
	}
	out.Sources = found.citations()
	withPath(out, path)
	if streamed {
		return out, nil
	}
	return said(out, emit)
}

// said emits an answer that no model wrote.
func said(a *knowledge.Answer, emit func(string) error) (*knowledge.Answer, error) {
	if a.Citations == nil {
		a.Citations = []*knowledge.Citation{}
	}
	if a.Sources == nil {
		a.Sources = []*knowledge.Citation{}
	}
	if emit == nil {
		return a, nil
	}
	return a, emit(a.Text)
}

func withPath(a *knowledge.Answer, path *knowledge.Path) *knowledge.Answer {
	if path == nil {
		return a
	}
	a.Path = path
	a.Text += "\n\nPath: " + knowledge.PathSummary(path)
	return a
}

// askSources are what an answer may rest on, numbered, with the entries and files by id.
type askSources struct {
	list    []knowledge.AskSource
	entries map[string]*knowledge.Entry
	files   map[string]*knowledge.SourceFile
}

// sources are what the answer may rest on (SPEC M22).
func (s *Ask) sources(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery) (*askSources, error) {
	query := q.Question
	if utf8.RuneCountInString(query) > maxSearched {
		query = string([]rune(query)[:maxSearched])
	}
	vector := s.c.Recall.vectorOf(ctx, query)
	out := &askSources{entries: map[string]*knowledge.Entry{}, files: map[string]*knowledge.SourceFile{}}
	files, err := s.files(ctx, ws, FileQuery{Query: query, Vector: vector, Scope: q.Scope, Limit: q.FileLimit}, out)
	if err != nil {
		return nil, err
	}
	entries, err := s.entries(ctx, ws, query, vector, q, out)
	if err != nil {
		return nil, err
	}
	out.list = knowledge.NumberSources(entries, files)
	return out, nil
}

func (s *Ask) files(ctx context.Context, ws *knowledge.Workspace, q FileQuery, known *askSources) ([]knowledge.AskSource, error) {
	if s.c.Files == nil || q.Limit == 0 {
		return nil, nil
	}
	found, err := s.c.Files(ctx, ws, q)
	var out []knowledge.AskSource
	for _, f := range found {
		known.files[f.ID] = f.File
		out = append(out, knowledge.AskSource{ID: f.ID, File: true, Title: f.Title, Label: f.Name, Text: f.Excerpt})
	}
	return out, err
}

// entries are the entries nearest to a question, widened and ordered by what the graph
// knows of it (SPEC O9 to O14). Pieces of files that are sources themselves are left out.
func (s *Ask) entries(ctx context.Context, ws *knowledge.Workspace, query string, vector []float32, q knowledge.AskQuery, known *askSources) ([]knowledge.AskSource, error) {
	if q.KnowledgeLimit == 0 {
		return nil, nil
	}
	scope, err := s.scope(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	graph := s.c.Expansions.around(ctx, ws, query, q.At, scope)
	found, err := s.c.Recall.Recall(ctx, ws, knowledge.RecallQuery{
		Query: query, Embedding: vector, Words: graph.Expand(query, knowledge.DefaultExpansionTerms).Expanded, Scope: q.Scope, Types: q.Types,
		Limit: min(q.KnowledgeLimit+len(known.files)*filePieces, knowledge.MaxRecallLimit), Ranking: knowledge.RankingBest, Kinds: []knowledge.RecallKind{knowledge.RecallEntry}, At: q.At,
	})
	if err != nil {
		return nil, err
	}
	var entries []*knowledge.Entry
	for _, h := range found.Hits {
		if e := h.Entry(); e != nil && len(entries) < q.KnowledgeLimit && !known.hasFileOf(e) {
			entries = append(entries, e)
		}
	}
	entries = knowledge.RerankByConnectivity(graph, entries, func(e *knowledge.Entry) string { return e.Title + "\n" + e.Content })
	sources := make([]knowledge.AskSource, len(entries))
	for i, e := range entries {
		known.entries[e.ID] = e
		sources[i] = knowledge.AskSource{ID: e.ID, Title: e.Title, Label: string(e.Type), Text: e.Content}
	}
	return sources, nil
}

// hasFileOf tells whether an entry is a piece of a file that is a source itself.
func (a *askSources) hasFileOf(e *knowledge.Entry) bool {
	return e.Source == knowledge.SourceFileText && e.SourceID != nil && a.files[*e.SourceID] != nil
}

// path is how the two things relate that the question is about; nil where it asks
// something else, or there is no way, or a name means nothing or several things.
func (s *Ask) path(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery) (*knowledge.Path, error) {
	from, to, asked := knowledge.RelationQuestion(q.Question)
	if !asked || s.c.Navigation == nil || !knowledge.FeatureOn(s.c.Features(ws), knowledge.FeatureGraph) {
		return nil, nil //nolint:nilnil // no path is an answer here
	}
	scope, err := s.scope(ctx, ws, q)
	if err != nil {
		return nil, err
	}
	path, err := s.c.Navigation.ShortestPath(ctx, ws.ID, PathQuery{
		From: knowledge.EntityRef{Name: from}, To: knowledge.EntityRef{Name: to}, MaxHops: knowledge.MaxPathHops, Direction: knowledge.Both, At: q.At, Scope: scope,
	})
	switch knowledge.CodeOf(err) { // INTERNAL where there is no error
	case knowledge.CodeNotFound, knowledge.CodeAmbiguous, knowledge.CodeInvalidInput, knowledge.CodeLimitExceeded:
		return nil, nil //nolint:nilnil // no path is an answer here
	default:
		return path, err
	}
}

// scope is the question's, with its contact looked up; INVALID_INPUT (scope.contact) as in Recall.
func (s *Ask) scope(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery) (knowledge.Scope, error) {
	sel, err := s.c.Recall.selection(ctx, ws, knowledge.RecallQuery{Scope: q.Scope})
	return sel.Scope, err
}

// ask puts the question to the model. Where that fails, the sources are the answer (SPEC M25).
func (s *Ask) ask(ctx context.Context, q knowledge.AskQuery, found *askSources, emit func(string) error) (*knowledge.Answer, bool, error) {
	call := knowledge.AskCall(q.Question, found.list)
	var reply knowledge.ModelReply
	var err, gone error
	if emit == nil {
		reply, err = s.c.Model.Text(ctx, call)
	} else {
		reply, err = s.c.Model.Stream(ctx, call, func(delta string) error {
			gone = emit(delta)
			return gone
		})
	}
	switch {
	case gone != nil:
		return nil, false, gone
	case err != nil && ctx.Err() != nil:
		return nil, false, err
	case err != nil:
		s.c.Log.WarnContext(ctx, "a question is answered with its sources alone", slog.Any("cause", err))
		text := knowledge.SourceBlocks(found.list)
		return &knowledge.Answer{Text: text, Citations: found.citations(), Usage: reply.Usage}, false, nil
	}
	checked := knowledge.CheckAnswer(reply.Text, found.list)
	out := &knowledge.Answer{
		Text: checked.Text, Grounded: checked.Grounded && !reply.Truncated, DroppedCitations: checked.Dropped, Model: &reply.Model, Usage: reply.Usage,
		Citations: []*knowledge.Citation{},
	}
	for _, c := range checked.Citations {
		out.Citations = append(out.Citations, found.citation(c.Source, c.Quote))
	}
	return out, emit != nil, nil
}

func (a *askSources) citations() []*knowledge.Citation {
	out := make([]*knowledge.Citation, len(a.list))
	for i, source := range a.list {
		out[i] = a.citation(source, knowledge.FirstQuote(source.Text))
	}
	return out
}

func (a *askSources) citation(source knowledge.AskSource, quote string) *knowledge.Citation {
	c := &knowledge.Citation{Number: source.Number, Quote: quote}
	if source.File {
		c.File = a.files[source.ID]
		return c
	}
	c.Entry = a.entries[source.ID]
	return c
}

// Events is Stream as a sequence of events: the text as it is written, then the checked
// answer. What stands in the way before the first word is an error; what ends the context
// ends the sequence.
func (s *Ask) Events(ctx context.Context, ws *knowledge.Workspace, q knowledge.AskQuery) (<-chan *knowledge.AnswerEvent, error) {
	out, begun := make(chan *knowledge.AnswerEvent), make(chan error, 1)
	send := func(e *knowledge.AnswerEvent) error {
		select {
		case out <- e:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	go func() {
		defer close(out)
		written := false
		answer, err := s.Stream(ctx, ws, q, func(delta string) error {
			if !written {
				written = true
				begun <- nil
			}
			return send(&knowledge.AnswerEvent{Delta: delta})
		})
		if !written {
			begun <- err
		}
		if err == nil {
			_ = send(&knowledge.AnswerEvent{Answer: answer}) // whoever listened may have left
		}
	}()
	if err := <-begun; err != nil {
		return nil, err
	}
	return out, nil
}
