package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"mneme/cypher"
	"mneme/knowledge"
	"mneme/localneo4j"
)

// completionTime is how long a shell waits for names.
const completionTime = 2 * time.Second

// completions is how many names a shell is given.
const completions = 50

// completeTypes lets the shell complete --type with the types that every workspace has.
func (p *program) completeTypes(cmd *cobra.Command) {
	var names []string
	for _, t := range knowledge.BuiltInEntityTypes() {
		names = append(names, t.Key+"\t"+t.Description)
	}
	_ = cmd.RegisterFlagCompletionFunc("type", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
}

// completeEntities lets the shell complete flags with names of entities, from a database
// that runs: none is started for it.
func (p *program) completeEntities(cmd *cobra.Command, f *graphFlags, flags ...string) {
	for _, flag := range flags {
		_ = cmd.RegisterFlagCompletionFunc(flag, func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) { // fails for unknown flags only
			ctx := cmd.Context()
			if ctx == nil {
				ctx = context.Background()
			}
			ctx, cancel := context.WithTimeout(ctx, completionTime)
			defer cancel()
			return p.entityNames(ctx, f.workspace, typed), cobra.ShellCompDirectiveNoFileComp
		})
	}
}

// entityNames are names of entities that hold a text, with their types; none where the
// database does not run or something else fails: there is nobody to tell.
func (p *program) entityNames(ctx context.Context, workspace, typed string) []string {
	cfg, err := p.loadConfig()
	if err != nil {
		return nil
	}
	db := cypher.Config{URI: cfg.Neo4jURI, Username: cfg.Neo4jUsername, Password: cfg.Neo4jPassword, Database: cfg.Neo4jDatabase, Log: p.commandLogger(cfg)}
	if db.URI == "" {
		here := cfg.localNeo4j(db.Log, p.fetchMeter)
		if status, err := localneo4j.Inspect(ctx, here); err != nil || !status.Ready {
			return nil
		}
		local, err := localneo4j.Ensure(ctx, here)
		if err != nil {
			return nil
		}
		db.URI, db.Username, db.Password = local.URI, local.Username, local.Password
	}
	store, err := cypher.Open(ctx, db)
	if err != nil {
		return nil
	}
	defer func() { _ = store.Close(ctx) }() // only read
	ws, err := store.Workspace(ctx, workspace)
	if err != nil {
		return nil
	}
	found, err := store.Entities(ctx, ws.ID, knowledge.EntityFilter{NameContains: typed}, knowledge.EntityOrder{Field: knowledge.OrderByName, Direction: knowledge.Ascending}, nil, false, completions)
	if err != nil {
		return nil
	}
	names := make([]string, 0, len(found))
	for _, e := range found {
		names = append(names, e.Name+"\t"+e.TypeKey)
	}
	return names
}
