package service

import (
	"context"

	"mneme/knowledge"
)

// AuditStore keeps what administrators did.
type AuditStore interface {
	RecordAudit(ctx context.Context, workspaceID string, event knowledge.AuditEvent) error
}

// Audit records administrative acts.
type Audit struct {
	store AuditStore
	clock Clock
	newID NewID
}

// NewAudit makes the record of administrative acts.
func NewAudit(store AuditStore, clock Clock, newID NewID) *Audit {
	return &Audit{store: store, clock: clock, newID: newID}
}

// Record notes an act of a caller in a workspace.
func (a *Audit) Record(ctx context.Context, workspaceID string, by knowledge.Caller, action string, detail map[string]any) error {
	actor := by.Name
	if actor == "" {
		actor = string(by.Actor)
	}
	return a.store.RecordAudit(ctx, workspaceID, knowledge.AuditEvent{ID: a.newID(knowledge.PrefixEvent), At: a.clock(), Actor: actor, Action: action, Detail: detail})
}
