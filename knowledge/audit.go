package knowledge

import "time"

// AuditEvent is one administrative act: a flag, a clear, an erasure.
type AuditEvent struct {
	ID     string
	At     time.Time
	Actor  string // who did it
	Action string // what it was, as in "workspace.cleared"
	Detail map[string]any
}
