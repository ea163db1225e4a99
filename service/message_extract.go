package service

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"time"
	"unicode/utf8"

	"mneme/knowledge"
)

// extractionLease is how long a claim is believed to be worked on: longer than the
// requests to a model that one extraction may make.
const extractionLease = 5 * time.Minute

// ExtractionStore remembers what was extracted from.
type ExtractionStore interface {
	// ClaimExtraction takes a source in hand, unless it is done or somebody else has it.
	// Of several claims at once exactly one gets it.
	ClaimExtraction(ctx context.Context, claim knowledge.ExtractionClaim) (knowledge.ExtractionRecord, error)
	// FinishExtraction ends a claim; nothing happens where another owner took over.
	FinishExtraction(ctx context.Context, claim knowledge.ExtractionClaim, outcome knowledge.ExtractionOutcome) error
}

// Extraction gets knowledge out of messages and files with a language model.
type Extraction struct {
	c ExtractionConfig
}

// ExtractionConfig is what Extraction needs.
type ExtractionConfig struct {
	Model      LanguageModel // nil: none is configured
	Claims     ExtractionStore
	Workspaces WorkspaceFinder
	Entries    *Entries
	Entities   EntityFinder
	Linker     *Linker
	// Graph and Edges are where the entities and edges of documents go (SPEC O8).
	Graph     *Entities
	Edges     *Edges
	Files     FileStore
	Documents FileReader // nil: no files are read
	Tx        Transactor
	Memory    *Memory
	Features  func(*knowledge.Workspace) []knowledge.Feature
	Clock     Clock
	NewID     NewID
	Log       *slog.Logger // nil: nothing is logged
	// PlainText is what a reader sees of HTML; nil: its text without tags.
	PlainText func(html string) string
}

// NewExtraction makes the use case.
func NewExtraction(c ExtractionConfig) *Extraction {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.PlainText == nil {
		c.PlainText = knowledge.VisibleHTML
	}
	return &Extraction{c: c}
}

// FromMessage extracts knowledge from a message, once (SPEC M1 to M8). FEATURE_DISABLED
// where the features that it needs are off. What is not extracted says why in Skipped.
// UNAVAILABLE, RATE_LIMITED and TIMEOUT leave the message open for another try; what it
// cost is in the result also then.
func (s *Extraction) FromMessage(ctx context.Context, to Target, m knowledge.MessageExtraction) (*knowledge.Extracted, error) {
	ws, err := s.workspace(ctx, to)
	if err != nil {
		return nil, err
	}
	if m, err = checkMessage(m); err != nil {
		return nil, err
	}
	text := strings.TrimSpace(m.Body)
	if text == "" {
		text = strings.TrimSpace(s.c.PlainText(m.HTML))
	}
	source := sourceText{
		source: m.Source, id: m.MessageID, thread: m.ThreadID, said: m.SentAt, contacts: m.Contacts, force: m.Force,
		text: text, shortest: knowledge.MinMessageText, screened: []string{m.Subject, m.Body, m.HTML, m.From}, call: knowledge.MessageCall(m, text),
	}
	if source.contacts == nil {
		if source.contacts, err = s.sender(ctx, ws.ID, m.From); err != nil {
			return nil, err
		}
	}
	return s.extract(ctx, ws, to, source)
}

func (s *Extraction) workspace(ctx context.Context, to Target) (*knowledge.Workspace, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	features := s.c.Features(ws)
	for _, name := range []knowledge.FeatureName{knowledge.FeatureAI, knowledge.FeatureAIKnowledge} {
		if err := needFeature(features, name); err != nil {
			return nil, err
		}
	}
	if s.c.Model == nil {
		return nil, knowledge.Errorf(knowledge.CodeFeatureDisabled, "no language model is configured")
	}
	return ws, nil
}

func checkMessage(m knowledge.MessageExtraction) (knowledge.MessageExtraction, error) {
	if m.Source == "" {
		m.Source = knowledge.SourceAgentExtracted
	}
	if !m.Source.Valid() {
		return m, knowledge.Invalid("source", "%q is not a source of entries", m.Source)
	}
	if err := knowledge.CheckID("messageId", m.MessageID); err != nil {
		return m, err
	}
	for _, part := range []struct {
		field, text string
		limit       int
	}{
		{"threadId", m.ThreadID, knowledge.MaxIDLength},
		{"subject", m.Subject, knowledge.MaxNameLength},
		{"body", m.Body, knowledge.MaxTextLength},
		{"html", m.HTML, knowledge.MaxTextLength},
		{"from", m.From, knowledge.MaxNameLength},
	} {
		if err := knowledge.CheckText(part.field, part.text, part.limit); err != nil {
			return m, err
		}
	}
	return m, nil
}

// sender is the contact that a message's sender is, where it is known.
func (s *Extraction) sender(ctx context.Context, workspaceID, from string) ([]knowledge.EntityRef, error) {
	address := knowledge.AddressOf(from)
	if address == "" {
		return nil, nil
	}
	e, err := findOne(ctx, s.c.Entities, workspaceID, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: knowledge.IdentityEmail, Value: address}})
	if knowledge.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []knowledge.EntityRef{{ID: e.ID}}, nil
}

// sourceText is a message or a file on its way to the model.
type sourceText struct {
	source   knowledge.EntrySource
	id       string
	thread   string
	docID    string
	said     *time.Time
	contacts []knowledge.EntityRef
	force    bool
	text     string
	shortest int
	screened []string
	call     knowledge.ModelCall
	// document is what entities and edges are looked for in; empty: in none (SPEC O8).
	document string
	// claimed says that entries of the source may be there that no model wrote.
	claimed bool
}

// sourceID is the id that its entries carry.
func (s sourceText) sourceID() string {
	if s.docID != "" {
		return s.docID
	}
	return s.id
}

// skip is why a source is not given to a model (SPEC M2, F7); empty where it may be.
func (s *Extraction) skip(ctx context.Context, ws *knowledge.Workspace, src sourceText) string {
	verdict := s.c.Memory.judge(ctx, ws, []memoryWrite{{kind: knowledge.WriteImport, texts: append([]string{src.text}, src.screened...)}})[0]
	if code := skipped(verdict); code != nil {
		return *code
	}
	if src.text == "" {
		return knowledge.SkipMissing
	}
	if utf8.RuneCountInString(src.text) < src.shortest {
		return knowledge.SkipTooShort
	}
	if why, hit := knowledge.Injected(append([]string{src.text}, src.screened...)...); hit {
		s.c.Log.WarnContext(ctx, "a text is kept from the language model", slog.String("reason", string(why)), slog.String("source_id", src.id))
		return knowledge.SkipInjection
	}
	return ""
}

func (s *Extraction) extract(ctx context.Context, ws *knowledge.Workspace, to Target, src sourceText) (*knowledge.Extracted, error) {
	if why := forbidden(to.Caller); why != nil {
		return &knowledge.Extracted{Skipped: why}, nil
	}
	if contact := to.Caller.Profile.ContactID; contact != "" {
		src.contacts = []knowledge.EntityRef{{ID: contact}} // nobody else learns it (SPEC F8)
	}
	if why := s.skip(ctx, ws, src); why != "" {
		return &knowledge.Extracted{Skipped: &why}, nil
	}
	now := s.c.Clock()
	claim := knowledge.ExtractionClaim{
		WorkspaceID: ws.ID, Source: src.source, SourceID: src.id, Owner: s.c.NewID(knowledge.PrefixJob), Now: now, LeaseUntil: now.Add(extractionLease), Force: src.force,
	}
	if !src.claimed {
		done, err := s.done(ctx, claim)
		if err != nil {
			return nil, err
		}
		if done {
			return &knowledge.Extracted{AlreadyExtracted: true}, nil
		}
	}
	record, err := s.c.Claims.ClaimExtraction(ctx, claim)
	switch {
	case err != nil:
		return nil, err
	case record.Done:
		return &knowledge.Extracted{AlreadyExtracted: true}, nil
	case record.Held:
		busy := knowledge.SkipBusy
		return &knowledge.Extracted{Skipped: &busy}, nil
	}
	out, err := s.run(ctx, ws, to, src)
	if finished := s.finish(ctx, claim, out, err); err == nil {
		err = finished
	}
	if err != nil {
		return &knowledge.Extracted{Usage: out.Usage}, modelFailure(err)
	}
	return out, nil
}

// done tells whether entries of a source are there (SPEC K23).
func (s *Extraction) done(ctx context.Context, claim knowledge.ExtractionClaim) (bool, error) {
	n, err := s.c.Entries.Count(ctx, claim.WorkspaceID,
		knowledge.EntryFilter{Sources: []knowledge.EntrySource{claim.Source}, SourceID: claim.SourceID, IncludeExpired: true}, knowledge.TimePoint{IncludeHistory: true})
	return n > 0, err
}

// run asks the model and saves what it found. Out has the usage also beside an error.
func (s *Extraction) run(ctx context.Context, ws *knowledge.Workspace, to Target, src sourceText) (*knowledge.Extracted, error) {
	out := &knowledge.Extracted{}
	var found []knowledge.ExtractedEntry
	reply, err := s.c.Model.Structured(ctx, src.call, func(lists knowledge.ReplyLists) error {
		var err error
		found, out.Dropped, err = knowledge.ValidateExtraction(lists)
		return err
	})
	out.Usage = reply.Usage
	if err != nil {
		return out, err
	}
	drafts := make([]knowledge.EntryDraft, 0, len(found))
	for _, e := range found {
		if knowledge.HasNoMemory(append([]string{e.Title, e.Content}, e.Tags...)...) {
			out.Dropped["opted out"]++
			continue
		}
		drafts = append(drafts, knowledge.EntryDraft{
			Type: e.Type, Title: e.Title, Content: e.Content, Confidence: e.Confidence, Tags: e.Tags,
			Source: src.source, SourceID: src.sourceID(), ThreadID: src.thread, DocID: src.docID, Contacts: src.contacts, ValidFrom: src.said,
		})
	}
	if err := s.graph(ctx, ws, to, src, out); err != nil {
		return out, err
	}
	if len(drafts) == 0 {
		return out, nil
	}
	// Not by CreateMany: the memory settings were asked before, as for an import.
	saves, err := s.c.Entries.createAll(ctx, ws, auto(to.Caller), drafts)
	if err != nil {
		return out, err
	}
	if err := firstError(saves); err != nil {
		return out, err
	}
	for _, save := range saves {
		out.Entries = append(out.Entries, save.Value)
	}
	return out, s.join(ctx, ws, out)
}

// join relates the new entries to each other and to older ones. What a model fails to
// say about that is no failure (SPEC M14).
func (s *Extraction) join(ctx context.Context, ws *knowledge.Workspace, out *knowledge.Extracted) error {
	var ids []string
	for _, save := range out.Entries {
		ids = append(ids, save.Entry.ID)
	}
	linked, err := s.c.Linker.Join(ctx, ws, ids)
	if err != nil {
		return err
	}
	out.Relations, out.Contradicts = linked.Relations, linked.Contradicts
	out.Usage = out.Usage.Plus(linked.Usage)
	return nil
}

// finish records what became of a claim, also where the caller has left.
func (s *Extraction) finish(ctx context.Context, claim knowledge.ExtractionClaim, out *knowledge.Extracted, failed error) error {
	outcome := knowledge.ExtractionOutcome{Done: failed == nil, Entries: len(out.Entries), Usage: out.Usage, At: s.c.Clock()}
	if failed != nil {
		outcome.Reason = reasonOf(modelFailure(failed))
		if bad, ok := badReply(failed); ok {
			outcome.Raw = bad.Raw
		}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTimeout)
	defer cancel()
	return s.c.Claims.FinishExtraction(ctx, claim, outcome)
}

// badReply is the reply that an error is about, if it is one.
func badReply(err error) (*knowledge.BadReplyError, bool) {
	var bad *knowledge.BadReplyError
	return bad, errors.As(err, &bad)
}
