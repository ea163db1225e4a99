// Package resolvers is the GraphQL front door: it translates between GraphQL
// and the use cases of package service, and serves the result over HTTP.
package resolvers

import (
	"context"

	"mneme/knowledge"
	"mneme/service"
)

// Resolver holds the use cases that the API offers.
type Resolver struct {
	Workspaces   *service.Workspaces
	Types        *service.Types
	Entities     *service.Entities
	Edges        *service.Edges
	Observations *service.Observations
	Entries      *service.Entries
	Recalls      *service.Recall
	Navigation   *service.Navigation
	Curation     *service.Curation
	Loading      *service.Loading
	Intake       *service.Intake
	Memory       *service.Memory
	Messages     *service.Messages
	Files        *service.Files
	Jobs         *service.Jobs
	Upkeep       *service.Upkeep
	Extraction   *service.Extraction
	Backfills    *service.Backfill
	Audits       *service.Audit
	Answers      *service.Ask
	Briefings    *service.Briefings
	Contexts     *service.Contexts
	Remembers    *service.Remember
	Expansions   *service.Expansions
	Nodes        *service.Nodes
	Exports      *service.Exports
	Code         *service.Code
	Describe     service.DescribeServer
	// Idempotency remembers what mutations answered.
	Idempotency *service.Idempotency
	// Clock tells what holds now.
	Clock service.Clock
}

// NewResolver offers use cases; describe says what is known of the server.
func NewResolver(s *service.Services, describe service.DescribeServer, clock service.Clock) *Resolver {
	return &Resolver{
		Workspaces: s.Workspaces, Types: s.Types, Entities: s.Entities, Edges: s.Edges, Observations: s.Observations,
		Entries: s.Entries, Recalls: s.Recall, Navigation: s.Navigation, Curation: s.Curation, Loading: s.Loading,
		Intake: s.Intake, Memory: s.Memory, Messages: s.Messages, Files: s.Files, Jobs: s.Jobs, Upkeep: s.Upkeep, Nodes: s.Nodes, Code: s.Code, Exports: s.Exports,
		Extraction: s.Extraction, Backfills: s.Backfill, Audits: s.Audit, Answers: s.Ask, Briefings: s.Briefings, Contexts: s.Contexts, Remembers: s.Remember, Expansions: s.Expansions, Idempotency: s.Idempotency, Describe: describe, Clock: clock,
	}
}

// target is where a write goes, on behalf of whoever made the request.
func target(ctx context.Context, workspace string) service.Target {
	return service.Target{Workspace: workspace, Caller: callerOf(ctx)}
}

type callerKey struct{}

// withCaller remembers who makes a request.
func withCaller(ctx context.Context, c knowledge.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// callerOf is who makes the request. Whoever is not known counts as the weakest writer.
func callerOf(ctx context.Context) knowledge.Caller {
	c, ok := ctx.Value(callerKey{}).(knowledge.Caller)
	if !ok {
		return knowledge.Caller{Actor: knowledge.ActorAuto}
	}
	return c
}
