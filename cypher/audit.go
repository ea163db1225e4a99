package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/audit_record.cypher
var auditRecord statement

// RecordAudit keeps an administrative act. It stays when its workspace is cleared or removed.
func (s *Store) RecordAudit(ctx context.Context, workspaceID string, e knowledge.AuditEvent) error {
	return exec(ctx, s, auditRecord, map[string]any{"props": map[string]any{
		"id": e.ID, "workspaceId": workspaceID, "at": e.At, "actor": e.Actor, "name": e.Action, "detail": jsonText(e.Detail),
	}})
}
