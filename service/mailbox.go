package service

import (
	"context"

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
	if code := forbidden(to.Caller); code != nil {
		return &knowledge.MailboxIngest{Observations: []*knowledge.Observation{}, Skipped: code}, nil
	}
	verdict := s.judgeEvent(ctx, ws, event, knowledge.WriteAutomatic)
	if code := skipped(verdict); code != nil {
		return &knowledge.MailboxIngest{Observations: []*knowledge.Observation{}, Skipped: code}, nil
	}
	write := &eventWrite{event: event}
	if err := s.ingest(ctx, ws, to.Caller, []*eventWrite{write}); err != nil {
		return nil, err
	}
	return write.out, nil
}

func (s *Intake) judgeEvent(ctx context.Context, ws *knowledge.Workspace, event knowledge.MailboxEvent, kind knowledge.WriteKind) knowledge.MemoryVerdict {
	w := memoryWrite{kind: kind, taskID: event.ThreadID}
	if event.NoMemory() {
		w.texts = []string{"<no-memory>"}
	}
	return s.c.Memory.judge(ctx, ws, []memoryWrite{w})[0]
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
