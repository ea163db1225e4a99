package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// eventWrite is a checked event on its way to the database.
type eventWrite struct {
	event knowledge.MailboxEvent
	// messageID is the stored message that the facts rest on, where there is one.
	messageID string
	// others are further contacts that it names; named those of them that were told apart.
	others  []knowledge.EntityDraft
	named   []*knowledge.Entity
	reading knowledge.MailboxReading
	out     *knowledge.MailboxIngest
	first   bool     // it was not taken in before
	made    []string // ids of the entities that it was the first to name
}

// ingest writes checked events that may be written, in their order, in one transaction.
func (s *Intake) ingest(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, writes []*eventWrite) error {
	for _, w := range writes {
		w.reading = w.event.Read()
	}
	return s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		b := &eventBatch{s: s, ws: ws, by: auto(by), now: s.c.Clock()}
		if err := b.claim(ctx, writes); err != nil {
			return err
		}
		if err := b.run(ctx, writes); err != nil {
			return err
		}
		claims := map[string]knowledge.EventClaim{}
		for _, w := range writes {
			if w.first {
				claims[w.reading.Claim] = claimOf(w.out)
			}
		}
		if len(claims) == 0 {
			return nil
		}
		return s.c.Events.FinishEvents(ctx, ws.ID, claims)
	})
}

// eventBatch writes some events together.
type eventBatch struct {
	s        *Intake
	ws       *knowledge.Workspace
	by       knowledge.Caller
	now      time.Time
	supports []knowledge.SupportAdd
}

// claim tells the events that say something and were not taken in before; the others get
// their answers.
func (b *eventBatch) claim(ctx context.Context, writes []*eventWrite) error {
	var asked []*eventWrite
	var keys []string
	for _, w := range writes {
		w.first, w.named, w.made, w.out = false, nil, nil, &knowledge.MailboxIngest{Observations: []*knowledge.Observation{}}
		if r := w.reading; r.Person != nil || r.Organization != nil || r.Project != nil {
			asked, keys = append(asked, w), append(keys, r.Claim)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	claims, err := b.s.c.Events.ClaimEvents(ctx, b.ws.ID, keys, b.now)
	if err != nil {
		return err
	}
	for i, w := range asked {
		if w.first = claims[i].First; w.first {
			continue
		}
		if w.out, err = b.s.delivered(ctx, b.ws.ID, claims[i]); err != nil {
			return err
		}
	}
	return nil
}

func (b *eventBatch) run(ctx context.Context, writes []*eventWrite) error {
	if err := b.entities(ctx, writes); err != nil {
		return err
	}
	if err := b.connect(ctx, writes); err != nil {
		return err
	}
	if err := b.observe(ctx, writes); err != nil {
		return err
	}
	if len(b.supports) == 0 {
		return nil
	}
	return b.s.c.Supports.AddSupports(ctx, b.ws.ID, b.supports)
}

// entities writes whom and what the events name, in the events' order. Further contacts
// that cannot be told apart are left out.
func (b *eventBatch) entities(ctx context.Context, writes []*eventWrite) error {
	var drafts []knowledge.EntityDraft
	var take []func(*knowledge.Entity)
	var of []*eventWrite
	var needed []bool
	for _, w := range writes {
		if w.first {
			for _, part := range []struct {
				draft *knowledge.EntityDraft
				into  **knowledge.Entity
			}{{w.reading.Person, &w.out.Person}, {w.reading.Organization, &w.out.Organization}, {w.reading.Project, &w.out.Project}} {
				if part.draft != nil {
					drafts, of, needed = append(drafts, *part.draft), append(of, w), append(needed, true)
					take = append(take, func(e *knowledge.Entity) { *part.into = e })
				}
			}
		}
		for _, other := range w.others {
			drafts, of, needed = append(drafts, other), append(of, w), append(needed, false)
			take = append(take, func(e *knowledge.Entity) { w.named = append(w.named, e) })
		}
	}
	upserts, err := b.s.c.Entities.upsertMany(ctx, b.ws, b.by, drafts, false)
	if err != nil {
		return err
	}
	for i, up := range upserts {
		switch {
		case up.Err == nil:
			take[i](up.Value.Entity)
			if up.Value.Created {
				of[i].made = append(of[i].made, up.Value.Entity.ID)
			}
		case needed[i]:
			return up.Err
		}
	}
	return nil
}

// connect joins the persons to their organisations and projects. What stands in the way of
// an edge does not stand in the way of the event (SPEC E13).
func (b *eventBatch) connect(ctx context.Context, writes []*eventWrite) error {
	var drafts []knowledge.EdgeDraft
	var of []*eventWrite
	for _, w := range writes {
		if !w.first || w.out.Person == nil {
			continue
		}
		for _, d := range b.edges(w) {
			drafts, of = append(drafts, d), append(of, w)
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	out, err := b.s.c.Edges.assertMany(ctx, b.ws, b.by, drafts, false)
	if err != nil {
		return err
	}
	// An edge that holds already, since another moment, is the one that is meant.
	var again []knowledge.EdgeDraft
	var ofAgain []*eventWrite
	for i, o := range out {
		if knowledge.CodeOf(o.Err) == knowledge.CodeOverlappingInterval && drafts[i].ValidFrom != nil {
			drafts[i].ValidFrom = nil
			again, ofAgain = append(again, drafts[i]), append(ofAgain, of[i])
			continue
		}
		b.rest(ctx, of[i], drafts[i], o)
	}
	if len(again) == 0 {
		return nil
	}
	if out, err = b.s.c.Edges.assertMany(ctx, b.ws, b.by, again, false); err != nil {
		return err
	}
	for i, o := range out {
		b.rest(ctx, ofAgain[i], again[i], o)
	}
	return nil
}

func (b *eventBatch) edges(w *eventWrite) []knowledge.EdgeDraft {
	var drafts []knowledge.EdgeDraft
	join := func(to *knowledge.Entity, typ string, confidence float64, properties map[string]any) {
		if to == nil {
			return
		}
		drafts = append(drafts, knowledge.EdgeDraft{
			From: knowledge.EntityRef{ID: w.out.Person.ID}, To: knowledge.EntityRef{ID: to.ID}, Type: typ, Confidence: &confidence, Properties: properties,
			Source: knowledge.ActorAuto, TaskID: w.event.ThreadID, ValidFrom: b.past(w),
		})
	}
	join(w.out.Organization, "works_at", knowledge.MailboxWorksAtConfidence, map[string]any{"source": "mailbox"})
	related := map[string]any{"source": "mailbox"}
	if w.event.ThreadID != "" {
		related["threadId"] = w.event.ThreadID
	}
	join(w.out.Project, "related_to", knowledge.MailboxRelatedConfidence, related)
	return drafts
}

// past is when an event happened, where that is not in the future: a sender's clock may be wrong.
func (b *eventBatch) past(w *eventWrite) *time.Time {
	if w.event.OccurredAt == nil || w.event.OccurredAt.After(b.now) {
		return nil
	}
	return w.event.OccurredAt
}

// rest notes that an edge rests on the stored message, or why there is none.
func (b *eventBatch) rest(ctx context.Context, w *eventWrite, d knowledge.EdgeDraft, o Outcome[*knowledge.EdgeAssert]) {
	if o.Err != nil {
		b.s.log.WarnContext(ctx, "an edge of a mailbox event was not written", slog.String("workspace", b.ws.ID), slog.String("type", d.Type), slog.Any("cause", o.Err))
		return
	}
	b.support(w, knowledge.SupportedFact, o.Value.Edge.ID)
}

func (b *eventBatch) support(w *eventWrite, kind knowledge.Supported, id string) {
	if w.messageID != "" {
		b.supports = append(b.supports, knowledge.SupportAdd{Kind: kind, ID: id, MessageID: w.messageID, Source: knowledge.ActorAuto, At: b.now})
	}
}

// observe leaves one remark on each entity of an event (SPEC E15).
func (b *eventBatch) observe(ctx context.Context, writes []*eventWrite) error {
	var drafts []knowledge.ObservationDraft
	var of []*eventWrite
	for _, w := range writes {
		if !w.first {
			continue
		}
		for _, e := range []*knowledge.Entity{w.out.Person, w.out.Organization, w.out.Project} {
			if e == nil {
				continue
			}
			of = append(of, w)
			drafts = append(drafts, knowledge.ObservationDraft{
				Entity: knowledge.EntityRef{ID: e.ID}, Text: w.reading.Observation, ObservedAt: b.past(w), Fingerprint: w.reading.Fingerprint,
				Source: knowledge.ActorAuto, TaskID: w.event.ThreadID,
			})
		}
	}
	if len(drafts) == 0 {
		return nil
	}
	added, err := b.s.c.Observations.addMany(ctx, b.ws, b.by, drafts, false)
	if err != nil {
		return err
	}
	if err := firstError(added); err != nil {
		return err
	}
	for i, a := range added {
		of[i].out.Observations = append(of[i].out.Observations, a.Value.Observation)
		b.support(of[i], knowledge.SupportedObservation, a.Value.Observation.ID)
	}
	return nil
}
