package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"mneme/knowledge"
	"mneme/service"
)

// The size of a generated history.
const (
	truthSources = 16
	truthTargets = 8
	// truthDocuments is how many sources there are.
	truthDocuments = 12
	truthEvents    = 240
	// truthInstants is how many past states of knowledge each source is asked for.
	truthInstants = 4
	// truthAtOnce is how many moments are asked for in one operation.
	truthAtOnce = 8
	// truthYears is how far back the history goes.
	truthYears = 6
)

// Truth tells the product a generated history through its API, out of order, corrected
// and from several sources, and asks it at every moment what is true and what was known.
type Truth struct {
	API        API
	Workspaces *service.Workspaces
	Caller     knowledge.Caller
	Clock      service.Clock // the product's own
	Seed       uint64
	// Progress, where set, is told how many of a stage's items are done.
	Progress func(stage string, done, total int)
}

// TruthResult counts wrong answers. A case is one question: what holds for a source at
// one moment, as it was known at one moment.
type TruthResult struct {
	WronglyEnded   int `json:"wronglyEnded"`   // facts that hold and were not answered
	WronglyCurrent int `json:"wronglyCurrent"` // facts that were answered and do not hold
	KnownAtWrong   int `json:"knownAtWrong"`   // questions about past knowledge with a wrong answer
	Cases          int `json:"cases"`
	// Hits are those of recall, among which are what was superseded and is not marked as
	// stale, or has ended (StaleUnmarked), and what is marked and holds (WronglyStale).
	Hits          int `json:"hits"`
	StaleUnmarked int `json:"staleUnmarked"`
	WronglyStale  int `json:"wronglyStale"`
}

// truthKinds are the types of edges of a history, and which of them are single-valued.
func truthKinds() (kinds []string, single map[string]bool) {
	return []string{"tested_with", "works_on", "reports_to", "based_in"}, map[string]bool{"reports_to": true, "based_in": true}
}

// Run generates, tells and asks. Its workspace is removed again.
func (t *Truth) Run(ctx context.Context) (_ *TruthResult, err error) {
	key := fmt.Sprintf("bench-truth-%x", time.Now().UnixNano())
	if _, err := t.Workspaces.Create(ctx, t.Caller, key, "Measurement: truth"); err != nil {
		return nil, err
	}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
		defer cancel()
		_, rerr := t.Workspaces.Clear(end, service.Target{Workspace: key, Caller: t.Caller}, service.ClearRequest{Confirm: key})
		err = errors.Join(err, rerr)
	}()
	_, single := truthKinds()
	r := &truthRun{
		Truth: t, key: key, random: rand.New(rand.NewPCG(t.Seed, t.Seed)), //nolint:gosec // a history that can be repeated
		past: &history{single: single}, ids: map[string]string{},
	}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := r.tellAll(ctx); err != nil {
		return nil, err
	}
	out, err := r.askAll(ctx)
	if err != nil {
		return nil, err
	}
	return out, r.askStale(ctx, out)
}

// truthRun is one history.
type truthRun struct {
	*Truth
	key      string
	random   *rand.Rand
	past     *history
	ids      map[string]string // of the entities, by name
	begin    time.Time
	instants []time.Time // moments after each telling
}

func sourceName(n int) string { return fmt.Sprintf("Source %d", n) }

func targetName(n int) string { return fmt.Sprintf("Target %d", n) }

func (r *truthRun) prepare(ctx context.Context) error {
	r.begin = r.Clock().AddDate(-truthYears, 0, 0).Truncate(24 * time.Hour)
	kinds, single := truthKinds()
	for _, kind := range kinds {
		var made struct{}
		if err := r.API.Do(ctx, `mutation($w: String!, $i: CreateEdgeTypeInput!) { createEdgeType(workspace: $w, input: $i) { edgeType { key } } }`,
			r.vars(map[string]any{"key": kind, "singleValued": single[kind]}), &made); err != nil {
			return err
		}
	}
	var names []string
	for n := range truthSources {
		names = append(names, sourceName(n))
	}
	for n := range truthTargets {
		names = append(names, targetName(n))
	}
	for _, name := range names {
		var made struct {
			UpsertEntity struct{ Entity struct{ ID string } }
		}
		if err := r.API.Do(ctx, `mutation($w: String!, $i: UpsertEntityInput!) { upsertEntity(workspace: $w, input: $i) { entity { id } } }`,
			r.vars(map[string]any{"type": "concept", "name": name}), &made); err != nil {
			return err
		}
		r.ids[name] = made.UpsertEntity.Entity.ID
	}
	return nil
}

func (r *truthRun) vars(input map[string]any) map[string]any {
	return map[string]any{"w": r.key, "i": input}
}

// tellAll tells the history, one event after the other.
func (r *truthRun) tellAll(ctx context.Context) error {
	kinds, _ := truthKinds()
	for n := range truthEvents {
		key := factKey{sourceName(r.random.IntN(truthSources)), targetName(r.random.IntN(truthTargets)), kinds[r.random.IntN(len(kinds))]}
		if err := r.event(ctx, key); err != nil {
			return fmt.Errorf("event %d: %w", n, err)
		}
		r.instants = append(r.instants, r.Clock())
		r.report("telling", n+1, truthEvents)
	}
	return nil
}

func (r *truthRun) report(stage string, done, total int) {
	if r.Progress != nil {
		r.Progress(stage, done, total)
	}
}

// event tells one thing about a fact: that it holds, holds again, held for a while, is
// also said by another source, has ended, or that a source was wrong.
func (r *truthRun) event(ctx context.Context, key factKey) error {
	known := r.past.of(key)
	if r.past.single[key.kind] {
		known = r.past.ofSource(key.from, key.kind)
	}
	switch choice := r.random.IntN(10); {
	case len(known) == 0, choice < 4:
		return r.tellInterval(ctx, key, known)
	case choice < 6:
		return r.tellAgain(ctx, known[r.random.IntN(len(known))])
	case choice < 9:
		return r.tellEnd(ctx, known[len(known)-1])
	default:
		return r.withdraw(ctx)
	}
}

func (r *truthRun) day(from time.Time, days int) time.Time {
	return from.Add(time.Duration(1+r.random.IntN(days)) * 24 * time.Hour)
}

// tellInterval tells of an interval that touches none that is known: after the last one
// or, told late, before the first.
func (r *truthRun) tellInterval(ctx context.Context, key factKey, known []*belief) error {
	if len(known) == 0 {
		start := r.day(r.begin.AddDate(1, 0, 0), 400)
		return r.assert(ctx, key, start, r.someEnd(key, start), r.document())
	}
	first, last := known[0], known[len(known)-1]
	if r.random.IntN(3) == 0 && first.start.After(r.begin.AddDate(0, 1, 0)) {
		return r.tellLate(ctx, key, first, last)
	}
	after := last.start
	if until := last.lastEnd(); until != nil {
		after = *until
	} else if !r.past.single[key.kind] || last.key.to == key.to {
		return nil // it still holds: there is nothing new to tell
	}
	start := r.day(after, 60)
	if !start.Before(r.Clock()) {
		return nil
	}
	return r.assert(ctx, key, start, r.someEnd(key, start), r.document())
}

// tellLate tells of a time before all that is known.
func (r *truthRun) tellLate(ctx context.Context, key factKey, first, last *belief) error {
	start := first.start.Add(-time.Duration(2+r.random.IntN(20)) * 24 * time.Hour)
	if !r.past.single[key.kind] {
		until := start.Add(24 * time.Hour)
		return r.assert(ctx, key, start, &until, r.document())
	}
	if !last.open() || first.key.to == key.to {
		return nil // only what comes before a current one of another target has an end by itself
	}
	return r.assert(ctx, key, start, nil, r.document())
}

// someEnd is an end, or none. What is single-valued is told as open, and ends by what
// comes after. An end may lie ahead.
func (r *truthRun) someEnd(key factKey, start time.Time) *time.Time {
	if r.past.single[key.kind] || r.random.IntN(2) == 0 {
		return nil
	}
	until := r.day(start, 50)
	return &until
}

// document is where something comes from: one of a few.
func (r *truthRun) document() string {
	return fmt.Sprintf("document %d", r.random.IntN(truthDocuments))
}

// tellAgain says what was said, from another source: nothing changes but what it rests on.
func (r *truthRun) tellAgain(ctx context.Context, b *belief) error {
	source := r.document()
	if err := r.send(ctx, b.key, b.start, b.lastEnd(), source); err != nil {
		return err
	}
	b.sources[source] = true
	return nil
}

func (r *truthRun) assert(ctx context.Context, key factKey, start time.Time, until *time.Time, source string) error {
	if err := r.send(ctx, key, start, until, source); err != nil {
		return err
	}
	r.past.tell(key, start, until, source, r.Clock())
	return nil
}

func (r *truthRun) send(ctx context.Context, key factKey, start time.Time, until *time.Time, source string) error {
	input := map[string]any{
		"from": map[string]any{"id": r.ids[key.from]}, "to": map[string]any{"id": r.ids[key.to]}, "type": key.kind,
		"validFrom": start.Format(time.RFC3339Nano), "docId": source,
	}
	if until != nil {
		input["validTo"] = until.Format(time.RFC3339Nano)
	}
	var made struct{}
	return r.API.Do(ctx, `mutation($w: String!, $i: CreateEdgeInput!) { createEdge(workspace: $w, input: $i) { created } }`, r.vars(input), &made)
}

// tellEnd tells, late, that the fact that holds has ended.
func (r *truthRun) tellEnd(ctx context.Context, b *belief) error {
	if !b.open() {
		return nil
	}
	at := r.day(b.start, 40)
	if !at.Before(r.Clock()) {
		return nil
	}
	var ended struct{}
	if err := r.API.Do(ctx, `mutation($w: String!, $i: InvalidateEdgeInput!) { invalidateEdge(workspace: $w, input: $i) { edge { id } } }`, r.vars(map[string]any{
		"from": map[string]any{"id": r.ids[b.key.from]}, "to": map[string]any{"id": r.ids[b.key.to]}, "type": b.key.kind, "validTo": at.Format(time.RFC3339Nano),
	}), &ended); err != nil {
		return err
	}
	b.stop(at, r.Clock())
	return nil
}

// withdraw takes a document away: what holds now and rests on nothing else ends.
func (r *truthRun) withdraw(ctx context.Context) error {
	source := r.document()
	at := r.Clock()
	var gone struct{}
	if err := r.API.Do(ctx, `mutation($w: String!, $d: String!, $t: DateTime) { invalidateDocument(workspace: $w, docId: $d, validTo: $t) { edges { id } } }`,
		map[string]any{"w": r.key, "d": source, "t": at.Format(time.RFC3339Nano)}, &gone); err != nil {
		return err
	}
	told := r.Clock()
	for _, b := range r.past.beliefs {
		if !b.sources[source] {
			continue
		}
		delete(b.sources, source)
		if until := b.lastEnd(); len(b.sources) == 0 && (until == nil || until.After(at)) {
			b.stop(at, told)
		}
	}
	return nil
}
