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

// ActionErased is the action of an erasure (SPEC T19); its detail holds who did it and
// how much went, and nothing of what that was.
const ActionErased = "contact.erased"
