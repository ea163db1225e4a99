package mcp

import (
	"context"
	"strings"
	"time"

	"mneme/knowledge"
)

// The knowledge layer (SPEC T21, L28, M20 to M25) and the context of a prompt (SPEC I).

type turnIn struct {
	Speaker string  `json:"speaker" jsonschema:"who said it"`
	Text    string  `json:"text" jsonschema:"what was said"`
	ID      string  `json:"id,omitempty" jsonschema:"the turn's id, by which it is kept once"`
	At      *moment `json:"at,omitempty" jsonschema:"when it was said"`
}

type rememberIn struct {
	Text          string    `json:"text,omitempty" jsonschema:"what to remember; this or turns"`
	Turns         []turnIn  `json:"turns,omitempty" jsonschema:"a talk, turn by turn, at most 100"`
	About         []subject `json:"about,omitempty" jsonschema:"whom and what it is about: ids, names or mail addresses"`
	Type          string    `json:"type,omitempty" jsonschema:"fact, decision, event, preference, goal, relationship or action_item; fact without it"`
	Title         string    `json:"title,omitempty" jsonschema:"a short title; its first sentence without one"`
	ThreadID      string    `json:"thread_id,omitempty" jsonschema:"the conversation that it belongs to"`
	OccurredAt    *moment   `json:"occurred_at,omitempty" jsonschema:"when it happened or was said"`
	CreateMissing *bool     `json:"create_missing,omitempty" jsonschema:"whether what it is about is made where it is missing; true without it"`
	TaskID        string    `json:"task_id,omitempty" jsonschema:"the task that this write belongs to"`
}

type savedEntry struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Created bool   `json:"created" jsonschema:"false where it was known already"`
}

type rememberedEntity struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Created bool   `json:"created"`
}

type rememberOut struct {
	Success       bool               `json:"success" jsonschema:"false where nothing was kept; skipped says why"`
	Skipped       string             `json:"skipped,omitempty"`
	Entries       []savedEntry       `json:"entries"`
	Entities      []rememberedEntity `json:"entities" jsonschema:"whom and what it is about or mentions"`
	EntryCount    int                `json:"entryCount" jsonschema:"how many entries were kept or found in all"`
	EntityCount   int                `json:"entityCount" jsonschema:"how many entities in all"`
	RelationCount int                `json:"relationCount" jsonschema:"how many relations to neighbours were made"`
	Truncated     bool               `json:"truncated" jsonschema:"whether the lists were too long to be given in full"`
}

func remember(ctx context.Context, c *call, in *rememberIn) (*rememberOut, error) {
	draft := knowledge.RememberDraft{
		Text: in.Text, Type: entryType(in.Type), Title: in.Title, ThreadID: in.ThreadID, OccurredAt: in.OccurredAt.given(),
		CreateMissing: in.CreateMissing == nil || *in.CreateMissing, TaskID: in.TaskID,
	}
	for _, turn := range in.Turns {
		draft.Turns = append(draft.Turns, knowledge.Turn{ID: turn.ID, Speaker: turn.Speaker, Text: turn.Text, At: turn.At.given()})
	}
	for _, ref := range in.About {
		draft.About = append(draft.About, ref.EntityRef)
	}
	done, err := c.view.Remember(ctx, draft)
	if err != nil {
		return nil, renamed(err, map[string]string{"threadId": "thread_id", "taskId": "task_id"})
	}
	out := &rememberOut{
		Success: done.Skipped == nil, Skipped: given(done.Skipped), Entries: []savedEntry{}, Entities: []rememberedEntity{},
		EntryCount: len(done.Entries), EntityCount: len(done.Entities), RelationCount: len(done.Relations),
	}
	var entries []savedEntry
	for _, e := range done.Entries {
		entries = append(entries, savedEntry{e.Entry.ID, string(e.Entry.Type), cut(e.Entry.Title, c.budget.short()), e.Created})
	}
	var entities []rememberedEntity
	for _, e := range done.Entities {
		entities = append(entities, rememberedEntity{e.Entity.ID, e.Entity.TypeKey, cut(e.Entity.Name, c.budget.short()), e.Created})
	}
	room := c.budget.max - cost(out) - cursorRoom
	n := fits(entries, room/2)
	m := fits(entities, room/2)
	out.Entries, out.Entities, out.Truncated = append(out.Entries, entries[:n]...), append(out.Entities, entities[:m]...), n < len(entries) || m < len(entities)
	return out, nil
}

// entryType is a type of entries as callers write it.
func entryType(name string) knowledge.EntryType {
	return knowledge.EntryType(strings.ToLower(strings.TrimSpace(name)))
}

type saveIn struct {
	Type          string     `json:"type,omitempty" jsonschema:"fact, decision, event, preference, goal, relationship or action_item; fact without it"`
	Title         string     `json:"title" jsonschema:"a short title"`
	Content       string     `json:"content" jsonschema:"the knowledge itself, understandable without the conversation"`
	Contact       *reference `json:"contact,omitempty" jsonschema:"the person or company that it is about; without one it is general"`
	Confidence    *float64   `json:"confidence,omitempty" jsonschema:"how sure it is, 0 to 1; 0.8 without it"`
	ExpiresInDays *float64   `json:"expires_in_days,omitempty" jsonschema:"after how many days it is of no use any more; never without it"`
	TaskID        string     `json:"task_id,omitempty" jsonschema:"the task that this write belongs to"`
}

type entrySummary struct {
	ID         string  `json:"id"`
	Type       string  `json:"type"`
	Title      string  `json:"title"`
	Content    string  `json:"content"`
	Confidence float64 `json:"confidence"`
}

type saveOut struct {
	Success     bool           `json:"success"`
	Created     bool           `json:"created" jsonschema:"false where the same was known already"`
	Entry       entrySummary   `json:"entry"`
	Contradicts []entrySummary `json:"contradicts" jsonschema:"what was known before and cannot be true together with it"`
	Similar     []entrySummary `json:"similar" jsonschema:"what is known already and says nearly the same: compare it"`
	Unchecked   string         `json:"unchecked,omitempty" jsonschema:"why it could not be compared with what is known"`
}

// mostCompared bounds the entries that a saved one is compared with in an answer.
const mostCompared = 5

func saveKnowledge(ctx context.Context, c *call, in *saveIn) (*saveOut, error) {
	draft := knowledge.EntryDraft{
		Type: entryType(in.Type), Title: in.Title, Content: in.Content, Source: knowledge.SourceAgentExtracted,
		Confidence: knowledge.DefaultEntryConfidence, ExpiresInDays: in.ExpiresInDays, TaskID: in.TaskID,
	}
	if draft.Type == "" {
		draft.Type = knowledge.EntryFact
	}
	if in.Confidence != nil {
		draft.Confidence = *in.Confidence
	}
	saved, err := c.view.Save(ctx, contactOf(in.Contact), draft)
	if err != nil {
		return nil, renamed(err, map[string]string{"expiresInDays": "expires_in_days", "taskId": "task_id", "contacts": "contact"})
	}
	out := &saveOut{
		Success: true, Created: saved.Created, Entry: c.summary(saved.Entry, c.budget.text()), Contradicts: c.summaries(saved.Contradicts), Similar: c.summaries(saved.Similar),
	}
	if saved.Unchecked != nil {
		out.Unchecked = "what is known could not be compared: " + string(knowledge.CodeOf(saved.Unchecked))
	}
	return out, nil
}

func contactOf(r *reference) *knowledge.EntityRef {
	if r == nil {
		return nil
	}
	return &r.EntityRef
}

func (c *call) summary(e *knowledge.Entry, room int) entrySummary {
	return entrySummary{e.ID, string(e.Type), cut(e.Title, c.budget.short()), cut(e.Content, room), e.Confidence}
}

func (c *call) summaries(entries []*knowledge.Entry) []entrySummary {
	out := []entrySummary{}
	for _, e := range entries[:min(len(entries), mostCompared)] {
		out = append(out, c.summary(e, c.budget.short()))
	}
	return out
}

const (
	defaultRecallLimit = 5   // SPEC L28
	maxRecallContent   = 800 // characters, SPEC L28
)

type recallIn struct {
	Query   string     `json:"query" jsonschema:"the question, in plain words"`
	Contact *reference `json:"contact,omitempty" jsonschema:"only what is known about this person or company, and what is general"`
	Type    string     `json:"type,omitempty" jsonschema:"only fact, decision, event, preference, goal, relationship or action_item"`
	Limit   *integer   `json:"limit,omitempty" jsonschema:"how many, 1 to 50; 5 without it"`
	Cursor  string     `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type relatedEntry struct {
	Relation  string `json:"relation" jsonschema:"supports, contradicts, supersedes, relates_to, causes or blocks"`
	Direction string `json:"direction" jsonschema:"outgoing where this entry does so to the other, incoming where the other does to this one"`
	ID        string `json:"id"`
	Title     string `json:"title"`
}

type recalledEntry struct {
	entrySummary
	About     []string       `json:"about,omitempty" jsonschema:"the contacts that it is about"`
	Score     float64        `json:"score" jsonschema:"how well it fits; comparable within one answer"`
	Stale     bool           `json:"stale,omitempty" jsonschema:"true where a newer entry replaces it: do not rely on it"`
	Caveat    bool           `json:"caveat,omitempty" jsonschema:"true where another entry contradicts it"`
	ValidFrom *time.Time     `json:"validFrom,omitempty"`
	Via       []relatedEntry `json:"via,omitempty" jsonschema:"what it bears on among what is known"`
}

type degradedLeg struct {
	Leg    string `json:"leg"`
	Reason string `json:"reason"`
}

type recallOut struct {
	Results  []recalledEntry `json:"results"`
	Count    int             `json:"count" jsonschema:"how many are in this answer"`
	Total    int             `json:"total" jsonschema:"how many the call has in all"`
	Degraded []degradedLeg   `json:"degraded,omitempty" jsonschema:"parts of the search that failed; the rest has answered"`
	Cursor   string          `json:"cursor,omitempty" jsonschema:"set where this answer could not hold them all: repeat the call with it"`
}

func recallKnowledge(ctx context.Context, c *call, in *recallIn) (*recallOut, error) {
	q := knowledge.RecallQuery{
		Query: in.Query, Limit: in.Limit.clamped(defaultRecallLimit, knowledge.MaxRecallLimit), Hops: knowledge.DefaultHops, NeighborBudget: knowledge.DefaultBudget,
		Ranking: knowledge.RankingBest, Kinds: []knowledge.RecallKind{knowledge.RecallEntry},
	}
	if in.Type != "" {
		q.Types = []knowledge.EntryType{entryType(in.Type)}
	}
	found, err := c.view.Recall(ctx, contactOf(in.Contact), q)
	if err != nil {
		return nil, renamed(err, map[string]string{"types": "type"})
	}
	items, err := c.recalled(ctx, found)
	if err != nil {
		return nil, err
	}
	out := &recallOut{Total: len(items)}
	for _, d := range found.Degraded {
		out.Degraded = append(out.Degraded, degradedLeg{string(d.Leg), cut(d.Reason, c.budget.short())})
	}
	if out.Results, out.Cursor, err = page(c, out, items, func(r recalledEntry) string { return r.ID }); err != nil {
		return nil, err
	}
	out.Count = len(out.Results)
	return out, nil
}

// recalled are the hits of a recall with the names and titles that they refer to.
func (c *call) recalled(ctx context.Context, found *knowledge.Recall) ([]recalledEntry, error) {
	var entries, contacts []string
	for _, h := range found.Hits {
		contacts = append(contacts, h.Entry().ContactIDs...)
		for _, via := range h.Via {
			entries = append(entries, via.FromID, via.ToID)
		}
	}
	titles, err := c.view.Entries(ctx, entries)
	if err != nil {
		return nil, err
	}
	names, err := c.view.Names(ctx, contacts)
	if err != nil {
		return nil, err
	}
	out := make([]recalledEntry, 0, len(found.Hits))
	for _, h := range found.Hits {
		e := h.Entry()
		item := recalledEntry{entrySummary: c.summary(e, c.budget.text()), Score: h.Score, Stale: h.Stale, Caveat: h.Caveat, ValidFrom: e.ValidFrom}
		item.Content = knowledge.Ellipsis(item.Content, maxRecallContent)
		for _, id := range e.ContactIDs[:min(len(e.ContactIDs), mostCompared)] {
			item.About = append(item.About, cut(names[id], c.budget.short()/4))
		}
		for _, via := range h.Via {
			other, direction := via.ToID, string(knowledge.Outgoing)
			if via.FromID != e.ID {
				other, direction = via.FromID, string(knowledge.Incoming)
			}
			if titles[other] != nil {
				item.Via = append(item.Via, relatedEntry{string(via.Type), direction, other, cut(titles[other].Title, c.budget.short()/4)})
			}
		}
		out = append(out, item)
	}
	return out, nil
}

type askIn struct {
	Question string     `json:"question" jsonschema:"the question, in plain words"`
	Contact  *reference `json:"contact,omitempty" jsonschema:"only from what is known about this person or company, and what is general"`
}

type sourceCard struct {
	Number int    `json:"number" jsonschema:"as in the text's marker [n]"`
	Entry  string `json:"entry,omitempty" jsonschema:"the entry's id"`
	File   string `json:"file,omitempty" jsonschema:"the file's id"`
	Title  string `json:"title,omitempty"`
	Quote  string `json:"quote"`
}

type askOut struct {
	Text      string       `json:"text" jsonschema:"the answer, with markers [n] that name its sources"`
	Grounded  bool         `json:"grounded" jsonschema:"whether every sentence cites a source"`
	Citations []sourceCard `json:"citations" jsonschema:"the sources that the text cites"`
	Sources   int          `json:"sources" jsonschema:"how many sources there were to answer from"`
	Path      string       `json:"path,omitempty" jsonschema:"how two things relate, where that was asked"`
	Model     string       `json:"model,omitempty" jsonschema:"the language model that answered"`
	Truncated bool         `json:"truncated" jsonschema:"whether the text was too long to be given in full"`
}

func askKnowledge(ctx context.Context, c *call, in *askIn) (*askOut, error) {
	answer, err := c.view.Ask(ctx, contactOf(in.Contact), knowledge.AskQuery{
		Question: in.Question, KnowledgeLimit: knowledge.DefaultAskKnowledge, FileLimit: knowledge.DefaultAskFiles,
	})
	if err != nil {
		return nil, err
	}
	out := &askOut{
		Text: cut(answer.Text, c.budget.max/4), Grounded: answer.Grounded, Citations: []sourceCard{}, Sources: len(answer.Sources),
		Path: cut(knowledge.PathSummary(answer.Path), c.budget.short()), Model: given(answer.Model),
	}
	out.Truncated = out.Text != answer.Text
	for _, s := range answer.Citations {
		card := sourceCard{Number: s.Number, Quote: cut(s.Quote, c.budget.short()/2)}
		if s.File != nil {
			card.File, card.Title = s.File.ID, cut(s.File.Name, c.budget.short()/4)
		}
		if s.Entry != nil {
			card.Entry, card.Title = s.Entry.ID, cut(s.Entry.Title, c.budget.short()/4)
		}
		out.Citations = append(out.Citations, card)
	}
	n := fits(out.Citations, c.budget.max-cost(askOut{Text: out.Text, Path: out.Path, Model: out.Model})-cursorRoom)
	out.Citations = out.Citations[:n]
	return out, nil
}

type contextIn struct {
	Prompt string `json:"prompt" jsonschema:"the prompt, or what it is about"`
	when
}

type contextOut struct {
	Text      string       `json:"text" jsonschema:"the entities and their connections, a line each; empty where nothing is known"`
	Entities  []nearEntity `json:"entities" jsonschema:"the entities that the text tells of, best first"`
	Count     int          `json:"count" jsonschema:"how many entities that are"`
	Truncated bool         `json:"truncated" jsonschema:"whether the text was cut"`
}

func getContext(ctx context.Context, c *call, in *contextIn) (*contextOut, error) {
	found, err := c.view.Context(ctx, knowledge.ContextQuery{
		Prompt: in.Prompt, MaxEntities: knowledge.DefaultContextEntities, MaxCharacters: knowledge.DefaultContextCharacters, At: in.point(),
	})
	if err != nil {
		return nil, err
	}
	out := &contextOut{Text: cut(found.Text, c.budget.max/4), Entities: []nearEntity{}, Count: len(found.Entities)}
	out.Truncated = found.Truncated || out.Text != found.Text
	for _, e := range found.Entities {
		out.Entities = append(out.Entities, nearEntity{ID: e.ID, Type: e.TypeKey, Name: cut(e.Name, c.budget.short()/2)})
	}
	return out, nil
}
