package knowledge

import (
	"encoding/json"
	"time"
)

// IdempotencyScope is where an idempotency key counts: one workspace and one caller (SPEC T8).
type IdempotencyScope struct {
	Workspace string // the workspace's key; empty for what makes one
	Caller    string
	Key       string
}

// IdempotencyClaim asks to be the one call that does something under a key.
type IdempotencyClaim struct {
	Scope       IdempotencyScope
	Owner       string // tells this attempt from every other
	Fingerprint string // of what is to be done
	Now         time.Time
	LeaseUntil  time.Time // somebody else may claim it then, should it not be answered
	ExpiresAt   time.Time // it is forgotten then
}

// IdempotencyRecord is what is known under a key.
type IdempotencyRecord struct {
	Owner       string
	Fingerprint string
	Answer      json.RawMessage // nil: not answered yet
}
