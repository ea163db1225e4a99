package cypher

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

//go:embed migrations/*.cypher
var migrationFiles embed.FS

//go:embed queries/migration_list.cypher
var migrationList statement

//go:embed queries/migration_record.cypher
var migrationRecord statement

//go:embed queries/migration_lock.cypher
var migrationLock statement

//go:embed queries/migration_claim.cypher
var migrationClaim statement

//go:embed queries/migration_release.cypher
var migrationRelease statement

//go:embed queries/index_await.cypher
var indexAwait statement

// How long a server that began to migrate is waited for before another takes over, and how
// often the others look.
const (
	migrationLease = 5 * time.Minute
	migrationPause = 250 * time.Millisecond
	releaseTimeout = 5 * time.Second
)

// migrationKey names the lock that those who migrate hold.
const migrationKey = "migrations"

// Migrate brings the database to this version of the product: it runs the numbered
// files of migrations/ that were not run yet, in order, and waits for the indexes.
// Running it again does nothing. Of several servers that start at once one migrates and
// the others wait for it: changes of the schema wait for every open transaction, so two
// at once would wait for each other. Every statement of a migration may be run twice, so
// that another server can take over from one that died.
func (s *Store) Migrate(ctx context.Context) error {
	owner := rand.Text()
	for {
		names, err := s.pending(ctx)
		if err != nil || len(names) == 0 {
			return err
		}
		claimed, err := s.claimMigration(ctx, migrationKey, owner)
		if err != nil {
			return err
		}
		if claimed {
			err := s.migrate(ctx, names[0])
			if released := s.releaseMigration(ctx, migrationKey, owner); err == nil {
				err = released
			}
			if err != nil {
				return fmt.Errorf("migration %s: %w", names[0], err)
			}
			s.log.InfoContext(ctx, "migrated the database", slog.String("migration", names[0]))
			continue
		}
		if err := wait(ctx, migrationPause); err != nil {
			return err
		}
	}
}

// claimMigration reports whether owner may migrate now.
func (s *Store) claimMigration(ctx context.Context, key, owner string) (bool, error) {
	if err := exec(ctx, s, migrationLock, map[string]any{"key": key}); err != nil {
		return false, err
	}
	params := map[string]any{"key": key, "owner": owner, "seconds": int(migrationLease.Seconds())}
	claimed, err := write(ctx, s, migrationClaim, params, func(r row) bool { return r.bool("claimed") })
	return len(claimed) == 1 && claimed[0], err
}

// releaseMigration lets others migrate, also where the caller was interrupted: they would
// wait for the lease to run out.
func (s *Store) releaseMigration(ctx context.Context, key, owner string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	return exec(ctx, s, migrationRelease, map[string]any{"key": key, "owner": owner})
}

// pending are the migrations that were not run yet, in their order.
func (s *Store) pending(ctx context.Context) ([]string, error) {
	done, err := read(ctx, s, migrationList, nil, func(r row) string { return r.text("name") })
	if err != nil {
		return nil, err
	}
	entries, err := migrationFiles.ReadDir("migrations")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	var names []string
	for _, entry := range entries { // ReadDir sorts by name, and names begin with the number
		if name := strings.TrimSuffix(entry.Name(), ".cypher"); !slices.Contains(done, name) {
			names = append(names, name)
		}
	}
	return names, nil
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
		case neo4j.IsRetryable(err), errors.As(err, &e) && slices.Contains([]string{codeConstraintFailed, codeTimedOut, codeTimedOutClient}, e.Code):
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
