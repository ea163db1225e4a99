package cypher

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"

	"github.com/cenkalti/backoff/v5"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

//go:embed migrations/*.cypher
var migrationFiles embed.FS

//go:embed queries/migration_list.cypher
var migrationList statement

//go:embed queries/migration_record.cypher
var migrationRecord statement

//go:embed queries/index_await.cypher
var indexAwait statement

// Migrate brings the database to this version of the product: it runs the numbered
// files of migrations/ that were not run yet, in order, and waits for the indexes.
// Running it again does nothing. Several servers may start at once: every statement
// of a migration is one that may be run twice, and what another server has just made
// counts as made.
func (s *Store) Migrate(ctx context.Context) error {
	done, err := read(ctx, s, migrationList, nil, func(r row) string { return r.text("name") })
	if err != nil {
		return err
	}
	entries, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		return fmt.Errorf("list migrations: %w", err)
	}
	for _, entry := range entries { // ReadDir sorts by name, and names begin with the number
		name := strings.TrimSuffix(entry.Name(), ".cypher")
		if slices.Contains(done, name) {
			continue
		}
		if err := s.migrate(ctx, name); err != nil {
			return fmt.Errorf("migration %s: %w", name, err)
		}
		s.log.InfoContext(ctx, "migrated the database", slog.String("migration", name))
	}
	return nil
}

func (s *Store) migrate(ctx context.Context, name string) error {
	text, err := migrationFiles.ReadFile(path.Join("migrations", name+".cypher"))
	if err != nil {
		return err
	}
	for _, one := range statements(string(text)) {
		if err := s.schema(ctx, one); err != nil {
			return s.translate(name, err)
		}
	}
	if _, err := read(ctx, s, indexAwait, nil, func(row) struct{} { return struct{}{} }); err != nil {
		return err
	}
	return exec(ctx, s, migrationRecord, map[string]any{"name": name})
}

// schema runs one statement of a migration by itself; schema changes of several servers
// at once can fail on each other, which passes.
func (s *Store) schema(ctx context.Context, text string) error {
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		_, err := s.autoCommit(ctx, text, nil, neo4j.AccessModeWrite, func(result neo4j.ResultWithContext) (any, error) { return result.Consume(ctx) })
		var e *neo4j.Neo4jError
		switch {
		case err == nil, errors.As(err, &e) && (e.Code == codeRuleExists || e.Code == codeIndexExists):
			return struct{}{}, nil
		case neo4j.IsRetryable(err), errors.As(err, &e) && e.Code == codeConstraintFailed:
			return struct{}{}, err
		default:
			return struct{}{}, backoff.Permanent(err)
		}
	}, backoff.WithMaxTries(6))
	return err
}

// statements splits a migration at its semicolons; comment lines are dropped.
func statements(text string) []string {
	var kept []string
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			kept = append(kept, line)
		}
	}
	var out []string
	for _, one := range strings.Split(strings.Join(kept, "\n"), ";") {
		if one = strings.TrimSpace(one); one != "" {
			out = append(out, one)
		}
	}
	return out
}
