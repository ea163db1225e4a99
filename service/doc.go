// Package service carries out use cases: it checks what is asked, calls the
// ports that it declares, lets package knowledge decide, and returns.
//
// Every front door (GraphQL, command line, MCP, jobs) calls the same methods.
// Writes name their workspace by its key in a Target, because that is what a
// caller knows; reads take the id of a workspace that was looked up before.
package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// Clock gives the moment of a use case. Tests inject their own.
type Clock func() time.Time

// NewID makes an id of a kind: its prefix, an underscore, a lower-case ULID.
type NewID func(prefix string) string

// Target says where a write goes and on whose behalf.
type Target struct {
	Workspace string // the workspace's key
	Caller    knowledge.Caller
}

// Transactor runs f in one write transaction: every store call made with the
// context that f is given takes part in it. It commits when f returns nil. The
// transaction may be run again after a transient failure, so f must be
// repeatable and must make no network call.
type Transactor interface {
	Atomically(ctx context.Context, f func(ctx context.Context) error) error
}
