package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mneme/knowledge"
)

// recallOutput is a recall as JSON: the shape and the names of the API.
type recallOutput struct {
	Hits     []recallHit      `json:"hits"`
	Mode     string           `json:"mode"`
	Degraded []recallDegraded `json:"degraded"`
	TookMs   float64          `json:"tookMs"`
}

type recallDegraded struct {
	Leg    string `json:"leg"`
	Reason string `json:"reason"`
}

type recallHit struct {
	Entry       *entryOutput       `json:"entry"`
	Edge        *edgeOutput        `json:"edge,omitempty"`
	Observation *observationOutput `json:"observation,omitempty"`
	Score       float64            `json:"score"`
	Similarity  *float64           `json:"similarity"`
	VectorRank  *int               `json:"vectorRank"`
	TextRank    *int               `json:"textRank"`
	Hops        int                `json:"hops"`
	Via         []relationOutput   `json:"via"`
	ViaMentions []namedOutput      `json:"viaMentions"`
	Hints       []string           `json:"hints"`
	Stale       bool               `json:"stale"`
	Caveat      bool               `json:"caveat"`
	Explanation []scorePartOutput  `json:"explanation,omitempty"`
}

type entryOutput struct {
	ID         string     `json:"id"`
	Type       string     `json:"type"`
	Title      string     `json:"title"`
	Content    string     `json:"content"`
	Source     string     `json:"source"`
	SourceID   *string    `json:"sourceId"`
	ThreadID   *string    `json:"threadId"`
	Tags       []string   `json:"tags"`
	Confidence float64    `json:"confidence"`
	ValidFrom  *time.Time `json:"validFrom"`
	ValidTo    *time.Time `json:"validTo"`
	CreatedAt  time.Time  `json:"createdAt"`
}

type edgeOutput struct {
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Fact      string     `json:"fact"`
	ValidFrom *time.Time `json:"validFrom"`
	ValidTo   *time.Time `json:"validTo"`
}

type observationOutput struct {
	ID         string    `json:"id"`
	Text       string    `json:"text"`
	ObservedAt time.Time `json:"observedAt"`
}

type relationOutput struct {
	ID   string      `json:"id"`
	Type string      `json:"type"`
	From titleOutput `json:"from"`
	To   titleOutput `json:"to"`
}

type titleOutput struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

type namedOutput struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

type scorePartOutput struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// newRecallOutput looks up the titles and names that a recall's hits refer to.
func newRecallOutput(ctx context.Context, a *App, ws *knowledge.Workspace, r *knowledge.Recall) (recallOutput, error) {
	out := recallOutput{Hits: []recallHit{}, Mode: strings.ToUpper(string(r.Mode)), Degraded: []recallDegraded{}, TookMs: r.TookMs()}
	for _, d := range r.Degraded {
		out.Degraded = append(out.Degraded, recallDegraded{Leg: strings.ToUpper(string(d.Leg)), Reason: d.Reason})
	}
	var entryIDs, entityIDs []string
	for _, h := range r.Hits {
		for _, v := range h.Via {
			entryIDs = append(entryIDs, v.FromID, v.ToID)
		}
		entityIDs = append(entityIDs, h.ViaMentionIDs...)
	}
	titles, err := titlesOf(ctx, a, ws.ID, entryIDs)
	if err != nil {
		return out, err
	}
	names, err := namesOf(ctx, a, ws.ID, entityIDs)
	if err != nil {
		return out, err
	}
	for _, h := range r.Hits {
		out.Hits = append(out.Hits, newRecallHit(h, titles, names))
	}
	return out, nil
}

func titlesOf(ctx context.Context, a *App, workspaceID string, ids []string) (map[string]string, error) {
	titles := map[string]string{}
	if len(ids) == 0 {
		return titles, nil
	}
	found, err := a.Entries.ByIDs(ctx, workspaceID, ids)
	for id, e := range found {
		titles[id] = e.Title
	}
	return titles, err
}

func namesOf(ctx context.Context, a *App, workspaceID string, ids []string) (map[string]string, error) {
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	found, err := a.Entities.ByIDs(ctx, workspaceID, ids)
	for id, e := range found {
		names[id] = e.Name
	}
	return names, err
}

func newRecallHit(h *knowledge.RecallHit, titles, names map[string]string) recallHit {
	out := recallHit{
		Score: h.Score, Similarity: h.Similarity, VectorRank: h.VectorRank, TextRank: h.TextRank, Hops: h.Hops,
		Via: []relationOutput{}, ViaMentions: []namedOutput{}, Hints: append([]string{}, h.Hints...), Stale: h.Stale, Caveat: h.Caveat,
	}
	switch item := h.Item.(type) {
	case *knowledge.Entry:
		out.Entry = newEntryOutput(item)
	case *knowledge.Edge:
		out.Edge = &edgeOutput{ID: item.ID, Type: item.Type, Fact: item.Fact, ValidFrom: item.ValidFrom, ValidTo: item.ValidTo}
	case *knowledge.Observation:
		out.Observation = &observationOutput{ID: item.ID, Text: item.Text, ObservedAt: item.ObservedAt}
	}
	for _, v := range h.Via {
		out.Via = append(out.Via, newRelationOutput(v, titles))
	}
	for _, id := range h.ViaMentionIDs {
		out.ViaMentions = append(out.ViaMentions, namedOutput{id, names[id]})
	}
	for _, part := range h.Explanation {
		out.Explanation = append(out.Explanation, scorePartOutput(part))
	}
	return out
}

func newEntryOutput(e *knowledge.Entry) *entryOutput {
	return &entryOutput{
		ID: e.ID, Type: strings.ToUpper(string(e.Type)), Title: e.Title, Content: e.Content, Source: strings.ToUpper(string(e.Source)),
		SourceID: e.SourceID, ThreadID: e.ThreadID, Tags: append([]string{}, e.Tags...), Confidence: e.Confidence,
		ValidFrom: e.ValidFrom, ValidTo: e.ValidTo, CreatedAt: e.CreatedAt,
	}
}

func newRelationOutput(r *knowledge.Relation, titles map[string]string) relationOutput {
	return relationOutput{
		ID: r.ID, Type: strings.ToUpper(string(r.Type)), From: titleOutput{r.FromID, titles[r.FromID]}, To: titleOutput{r.ToID, titles[r.ToID]},
	}
}

// when is since when a hit is so, as a table shows it.
func (h recallHit) when() string {
	switch {
	case h.Observation != nil:
		return h.Observation.ObservedAt.Format(time.DateOnly)
	case h.Edge != nil && h.Edge.ValidFrom != nil:
		return h.Edge.ValidFrom.Format(time.DateOnly)
	case h.Entry != nil && h.Entry.ValidFrom != nil:
		return h.Entry.ValidFrom.Format(time.DateOnly)
	case h.Entry != nil:
		return h.Entry.CreatedAt.Format(time.DateOnly)
	}
	return ""
}

// text is what a hit says, as a table shows it.
func (h recallHit) text() string {
	const longest = 240
	var marks string
	if h.Stale {
		marks += "[superseded] "
	}
	if h.Caveat {
		marks += "[disputed] "
	}
	switch {
	case h.Entry != nil:
		text := marks + h.Entry.Title + "\n" + clip(h.Entry.Content, longest)
		if h.Entry.SourceID != nil {
			text += "\n(" + *h.Entry.SourceID + ")"
		}
		return text
	case h.Edge != nil:
		return marks + clip(h.Edge.Fact, longest)
	case h.Observation != nil:
		return marks + clip(h.Observation.Text, longest)
	}
	return ""
}

// how is the way a hit was found, as a table shows it.
func (h recallHit) how() string {
	var parts []string
	if h.VectorRank != nil {
		parts = append(parts, fmt.Sprintf("meaning #%d", *h.VectorRank))
	}
	if h.TextRank != nil {
		parts = append(parts, fmt.Sprintf("words #%d", *h.TextRank))
	}
	for _, v := range h.Via {
		other := v.From.Title
		if other == h.title() {
			other = v.To.Title
		}
		parts = append(parts, strings.ToLower(v.Type)+": "+clip(other, 40))
	}
	for _, m := range h.ViaMentions {
		parts = append(parts, "mentions "+m.Name)
	}
	for _, e := range h.Explanation {
		parts = append(parts, fmt.Sprintf("%s %.4f", e.Name, e.Value))
	}
	return strings.Join(parts, "\n")
}

func (h recallHit) title() string {
	if h.Entry == nil {
		return ""
	}
	return h.Entry.Title
}

// clip cuts a text for a table.
func clip(text string, longest int) string {
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > longest {
		return string(r[:longest-1]) + "…"
	}
	return text
}
