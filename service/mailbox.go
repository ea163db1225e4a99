package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// IngestMailboxEvent writes the person, the organisation and the project of a mailbox
// event, the edges between them and one remark on each, in one transaction (SPEC E). An
// event that was delivered before changes nothing. Where the memory settings or a marker
// forbid it nothing is written, and the answer says so.
func (s *Intake) IngestMailboxEvent(ctx context.Context, to Target, event knowledge.MailboxEvent) (*knowledge.MailboxIngest, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if event, err = event.Checked(); err != nil {
		return nil, err
	}
	verdict := s.judgeEvent(ctx, ws, event, knowledge.WriteAutomatic)
	if code := skipped(verdict); code != nil {
		return &knowledge.MailboxIngest{Observations: []*knowledge.Observation{}, Skipped: code}, nil
	}
	return s.ingest(ctx, ws, to.Caller, event, "")
}

func (s *Intake) judgeEvent(ctx context.Context, ws *knowledge.Workspace, event knowledge.MailboxEvent, kind knowledge.WriteKind) knowledge.MemoryVerdict {
	w := memoryWrite{kind: kind, taskID: event.ThreadID}
	if event.NoMemory() {
		w.texts = []string{"<no-memory>"}
	}
	return s.c.Memory.judge(ctx, ws, []memoryWrite{w})[0]
}

// ingest writes a checked event that may be written. messageID is the stored message that
// the facts rest on, where there is one.
func (s *Intake) ingest(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, event knowledge.MailboxEvent, messageID string) (*knowledge.MailboxIngest, error) {
	reading := event.Read()
	if reading.Person == nil && reading.Organization == nil && reading.Project == nil {
		return &knowledge.MailboxIngest{Observations: []*knowledge.Observation{}}, nil
	}
	var out *knowledge.MailboxIngest
	err := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		claim, err := s.c.Events.ClaimEvent(ctx, ws.ID, reading.Claim, s.c.Clock())
		if err != nil {
			return err
		}
		if !claim.First {
			out, err = s.delivered(ctx, ws.ID, claim)
			return err
		}
		w := &mailboxWrite{s: s, ws: ws, by: auto(by), event: event, reading: reading, messageID: messageID, now: s.c.Clock()}
		if out, err = w.run(ctx); err != nil {
			return err
		}
		return s.c.Events.FinishEvent(ctx, ws.ID, reading.Claim, claimOf(out))
	})
	return out, err
}

func claimOf(m *knowledge.MailboxIngest) knowledge.EventClaim {
	claim := knowledge.EventClaim{PersonID: idOf(m.Person), OrganizationID: idOf(m.Organization), ProjectID: idOf(m.Project), ObservationIDs: []string{}}
	for _, o := range m.Observations {
		claim.ObservationIDs = append(claim.ObservationIDs, o.ID)
	}
	return claim
}

func idOf(e *knowledge.Entity) string {
	if e == nil {
		return ""
	}
	return e.ID
}

// delivered is the answer to an event that was taken in before: what of it is still there.
func (s *Intake) delivered(ctx context.Context, workspaceID string, claim knowledge.EventClaim) (*knowledge.MailboxIngest, error) {
	out := &knowledge.MailboxIngest{Duplicate: true, Observations: []*knowledge.Observation{}}
	found, err := s.c.Entities.ByIDs(ctx, workspaceID, []string{claim.PersonID, claim.OrganizationID, claim.ProjectID})
	if err != nil {
		return nil, err
	}
	out.Person, out.Organization, out.Project = found[claim.PersonID], found[claim.OrganizationID], found[claim.ProjectID]
	remarks, err := s.c.Observations.ByIDs(ctx, workspaceID, claim.ObservationIDs)
	if err != nil {
		return nil, err
	}
	for _, id := range claim.ObservationIDs {
		if o := remarks[id]; o != nil {
			out.Observations = append(out.Observations, o)
		}
	}
	return out, nil
}

// mailboxWrite is one event on its way to the database.
type mailboxWrite struct {
	s         *Intake
	ws        *knowledge.Workspace
	by        knowledge.Caller
	event     knowledge.MailboxEvent
	reading   knowledge.MailboxReading
	messageID string
	now       time.Time
}

func (w *mailboxWrite) run(ctx context.Context) (*knowledge.MailboxIngest, error) {
	out := &knowledge.MailboxIngest{}
	var drafts []knowledge.EntityDraft
	var into []**knowledge.Entity
	for _, part := range []struct {
		draft *knowledge.EntityDraft
		into  **knowledge.Entity
	}{{w.reading.Person, &out.Person}, {w.reading.Organization, &out.Organization}, {w.reading.Project, &out.Project}} {
		if part.draft != nil {
			drafts, into = append(drafts, *part.draft), append(into, part.into)
		}
	}
	upserts, err := w.s.c.Entities.upsertMany(ctx, w.ws, w.by, drafts, true)
	if err != nil {
		return nil, err
	}
	if err := firstError(upserts); err != nil {
		return nil, err
	}
	about := make([]*knowledge.Entity, len(upserts))
	for i, up := range upserts {
		*into[i], about[i] = up.Value.Entity, up.Value.Entity
	}
	supports, err := w.connect(ctx, out)
	if err != nil {
		return nil, err
	}
	if out.Observations, err = w.observe(ctx, about); err != nil {
		return nil, err
	}
	for _, o := range out.Observations {
		supports = append(supports, knowledge.SupportAdd{Kind: knowledge.SupportedObservation, ID: o.ID})
	}
	return out, w.rest(ctx, supports)
}

// connect joins the person to the organisation and the project. What stands in the way of
// an edge does not stand in the way of the event (SPEC E13).
func (w *mailboxWrite) connect(ctx context.Context, out *knowledge.MailboxIngest) ([]knowledge.SupportAdd, error) {
	if out.Person == nil {
		return nil, nil
	}
	var drafts []knowledge.EdgeDraft
	join := func(to *knowledge.Entity, typ string, confidence float64, properties map[string]any) {
		if to == nil {
			return
		}
		drafts = append(drafts, knowledge.EdgeDraft{
			From: knowledge.EntityRef{ID: out.Person.ID}, To: knowledge.EntityRef{ID: to.ID}, Type: typ, Confidence: &confidence, Properties: properties,
			Source: knowledge.ActorAuto, TaskID: w.event.ThreadID, ValidFrom: w.past(),
		})
	}
	join(out.Organization, "works_at", knowledge.MailboxWorksAtConfidence, map[string]any{"source": "mailbox"})
	related := map[string]any{"source": "mailbox"}
	if w.event.ThreadID != "" {
		related["threadId"] = w.event.ThreadID
	}
	join(out.Project, "related_to", knowledge.MailboxRelatedConfidence, related)
	var supports []knowledge.SupportAdd
	for _, d := range drafts {
		id, err := w.assert(ctx, d)
		if err != nil {
			return nil, err
		}
		if id != "" {
			supports = append(supports, knowledge.SupportAdd{Kind: knowledge.SupportedFact, ID: id})
		}
	}
	return supports, nil
}

// assert writes an edge and gives its id; empty where it could not be. An edge that holds
// already, since another moment, is the one that is meant.
func (w *mailboxWrite) assert(ctx context.Context, d knowledge.EdgeDraft) (string, error) {
	for {
		out, err := w.s.c.Edges.assertMany(ctx, w.ws, w.by, []knowledge.EdgeDraft{d}, false)
		if err != nil {
			return "", err
		}
		switch {
		case out[0].Err == nil:
			return out[0].Value.Edge.ID, nil
		case knowledge.CodeOf(out[0].Err) == knowledge.CodeOverlappingInterval && d.ValidFrom != nil:
			d.ValidFrom = nil
		default:
			w.s.log.WarnContext(ctx, "an edge of a mailbox event was not written", slog.String("workspace", w.ws.ID), slog.String("type", d.Type), slog.Any("cause", out[0].Err))
			return "", nil
		}
	}
}

// past is when the event happened, where that is not in the future: a sender's clock may be wrong.
func (w *mailboxWrite) past() *time.Time {
	if w.event.OccurredAt == nil || w.event.OccurredAt.After(w.now) {
		return nil
	}
	return w.event.OccurredAt
}

func (w *mailboxWrite) observe(ctx context.Context, about []*knowledge.Entity) ([]*knowledge.Observation, error) {
	drafts := make([]knowledge.ObservationDraft, len(about))
	for i, e := range about {
		drafts[i] = knowledge.ObservationDraft{
			Entity: knowledge.EntityRef{ID: e.ID}, Text: w.reading.Observation, ObservedAt: w.past(), Fingerprint: w.reading.Fingerprint,
			Source: knowledge.ActorAuto, TaskID: w.event.ThreadID,
		}
	}
	added, err := w.s.c.Observations.addMany(ctx, w.ws, w.by, drafts, true)
	if err != nil {
		return nil, err
	}
	if err := firstError(added); err != nil {
		return nil, err
	}
	out := make([]*knowledge.Observation, len(added))
	for i, a := range added {
		out[i] = a.Value.Observation
	}
	return out, nil
}

// rest notes that facts rest on the stored message, where there is one.
func (w *mailboxWrite) rest(ctx context.Context, supports []knowledge.SupportAdd) error {
	if w.messageID == "" || len(supports) == 0 {
		return nil
	}
	for i := range supports {
		supports[i].MessageID, supports[i].Source, supports[i].At = w.messageID, knowledge.ActorAuto, w.now
	}
	return w.s.c.Supports.AddSupports(ctx, w.ws.ID, supports)
}
