package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// EventStore keeps which mailbox events were taken in.
type EventStore interface {
	// ClaimEvent takes an event in, or gives what it gave before. The event is locked until
	// the transaction ends.
	ClaimEvent(ctx context.Context, workspaceID, key string, at time.Time) (knowledge.EventClaim, error)
	// FinishEvent notes what a claimed event gave.
	FinishEvent(ctx context.Context, workspaceID, key string, claim knowledge.EventClaim) error
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
}

// NewIntake makes the use cases of taking in tasks and mailboxes.
func NewIntake(c IntakeConfig) *Intake {
	s := &Intake{c: c, log: c.Log}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// auto is on whose behalf patterns write.
func auto(by knowledge.Caller) knowledge.Caller {
	return knowledge.Caller{Name: by.Name, Actor: knowledge.ActorAuto}
}

func skipped(v knowledge.MemoryVerdict) *string {
	if v.Decision == knowledge.Allow || v.Decision == "" {
		return nil
	}
	code := string(v.Code)
	return &code
}
