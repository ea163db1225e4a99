package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// EventStore keeps which mailbox events were taken in.
type EventStore interface {
	// ClaimEvents takes events in, or gives what they gave before, in the order of the keys.
	// They are locked until the transaction ends.
	ClaimEvents(ctx context.Context, workspaceID string, keys []string, at time.Time) ([]knowledge.EventClaim, error)
	// FinishEvents notes what claimed events gave, by their keys.
	FinishEvents(ctx context.Context, workspaceID string, claims map[string]knowledge.EventClaim) error
}

// Intake fills the graph from what an organisation already has, without a language model.
type Intake struct {
	c   IntakeConfig
	log *slog.Logger
}

// IntakeConfig is what Intake needs.
type IntakeConfig struct {
	Events       EventStore
	Messages     MessageStore
	Files        FileStore
	Entries      *Entries
	Supports     SupportStore
	Workspaces   WorkspaceFinder
	Entities     *Entities
	Edges        *Edges
	Observations *Observations
	Memory       *Memory
	Tx           Transactor
	Clock        Clock
	NewID        NewID
	Log          *slog.Logger // nil: nothing is logged
	// Decay, where set, is called when entities were extracted: their decay may be due (SPEC D4).
	Decay func(ctx context.Context, ws *knowledge.Workspace) error
}

// NewIntake makes the use cases of taking in tasks and mailboxes.
func NewIntake(c IntakeConfig) *Intake {
	s := &Intake{c: c, log: c.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// auto is on whose behalf patterns write: an automatic writer with the caller's rights (SPEC F8).
func auto(by knowledge.Caller) knowledge.Caller {
	by.Actor = knowledge.ActorAuto
	return by
}

// forbidden is why a caller's profile leaves nothing to be understood for it (SPEC F8);
// nil where it may read.
func forbidden(by knowledge.Caller) *string {
	if by.Profile.MayRead() == nil {
		return nil
	}
	code := string(knowledge.CodeForbidden)
	return &code
}

func skipped(v knowledge.MemoryVerdict) *string {
	if v.Decision == knowledge.Allow || v.Decision == "" {
		return nil
	}
	code := string(v.Code)
	return &code
}
