package cypher

import (
	"context"
	_ "embed"
	"time"

	"mneme/knowledge"
)

//go:embed queries/audit_list.cypher
var auditList statement

//go:embed queries/audit_count.cypher
var auditCount statement

//go:embed queries/audit_record.cypher
var auditRecord statement

// RecordAudit keeps an administrative act. It stays when its workspace is cleared or removed.
func (s *Store) RecordAudit(ctx context.Context, workspaceID string, e knowledge.AuditEvent) error {
	return exec(ctx, s, auditRecord, map[string]any{"props": map[string]any{
		"id": e.ID, "workspaceId": workspaceID, "at": e.At, "actor": e.Actor, "name": e.Action, "detail": jsonText(e.Detail),
	}})
}

// AuditEvents are a workspace's administrative acts, newest first, behind a position (nil:
// from the newest on).
func (s *Store) AuditEvents(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.AuditEvent, error) {
	params := map[string]any{"ws": workspaceID, "at": nil, "id": "", "limit": limit}
	if from != nil {
		at, err := time.Parse(time.RFC3339Nano, from.Key)
		if err != nil {
			return nil, knowledge.Invalid("after", "is not a cursor of this list")
		}
		params["at"], params["id"] = at, from.ID
	}
	return read(ctx, s, auditList, params, func(r row) *knowledge.AuditEvent {
		p := r.props("a")
		return &knowledge.AuditEvent{ID: p.text("id"), At: p.time("at"), Actor: p.text("actor"), Action: p.text("name"), Detail: p.object("detail")}
	})
}

// CountAuditEvents is the number of a workspace's administrative acts.
func (s *Store) CountAuditEvents(ctx context.Context, workspaceID string) (int, error) {
	rows, err := read(ctx, s, auditCount, map[string]any{"ws": workspaceID}, func(r row) int { return r.int("count") })
	if err != nil {
		return 0, err
	}
	return rows[0], nil
}
