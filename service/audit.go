package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// AuditStore keeps what administrators did.
type AuditStore interface {
	RecordAudit(ctx context.Context, workspaceID string, event knowledge.AuditEvent) error
	AuditEvents(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.AuditEvent, error)
	CountAuditEvents(ctx context.Context, workspaceID string) (int, error)
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

// List pages through a workspace's administrative acts, newest first.
func (a *Audit) List(ctx context.Context, workspaceID string, page knowledge.PageRequest) (*knowledge.Page[*knowledge.AuditEvent], error) {
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.AuditEvent, error) {
		return a.store.AuditEvents(ctx, workspaceID, from, limit)
	}, func(e *knowledge.AuditEvent) knowledge.Cursor {
		return knowledge.Cursor{Key: e.At.Format(time.RFC3339Nano), ID: e.ID}
	})
}

// Count is the number of a workspace's administrative acts.
func (a *Audit) Count(ctx context.Context, workspaceID string) (int, error) {
	return a.store.CountAuditEvents(ctx, workspaceID)
}
