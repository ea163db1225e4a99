package cypher

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

// statement is the text of one query of the corpus: a file under queries/, whose
// first line is a comment that begins with the file's name and a colon.
type statement string

func (st statement) name() string {
	name, _, _ := strings.Cut(strings.TrimPrefix(string(st), "// "), ":")
	return name
}

// txKey is the context key of the transaction that a call takes part in.
type txKey struct{}

func txOf(ctx context.Context) neo4j.ManagedTransaction {
	tx, _ := ctx.Value(txKey{}).(neo4j.ManagedTransaction)
	return tx
}

// attempts bounds how often a write is decided anew after it lost a race.
const attempts = 8

// Atomically runs f in one write transaction: every call of the store that is made
// with the context f is given takes part. It commits when f returns nil.
//
// f is run again after a transient failure, and when it lost a race for a unique
// key or for a node that somebody deleted, so that it decides on what is there now.
// Inside another transaction f simply takes part in that one.
func (s *Store) Atomically(ctx context.Context, f func(ctx context.Context) error) error {
	if txOf(ctx) != nil {
		return f(ctx)
	}
	var err error
	for n := range attempts {
		if err = s.once(ctx, f); err == nil || !lostRace(err) {
			break
		}
		if wait(ctx, time.Duration(n+1)*(5*time.Millisecond)+rand.N(20*time.Millisecond)) != nil { //nolint:gosec // a pause needs no secret
			break
		}
	}
	return s.translate("write", ended(ctx, err))
}

func (s *Store) once(ctx context.Context, f func(ctx context.Context) error) error {
	session := s.session(ctx, neo4j.AccessModeWrite)
	defer func() { _ = session.Close(ctx) }() // the transaction's own error says more
	_, err := session.ExecuteWrite(ctx, func(tx neo4j.ManagedTransaction) (any, error) {
		return nil, bare(f(context.WithValue(ctx, txKey{}, tx)))
	}, neo4j.WithTxTimeout(s.cfg.Timeout))
	return err
}

// bare takes the wrapping off a connectivity error: the driver knows it, and runs the
// transaction again, only as it is.
func bare(err error) error {
	var lost *neo4j.ConnectivityError
	if errors.As(err, &lost) {
		return lost
	}
	return err
}

func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func (s *Store) session(ctx context.Context, mode neo4j.AccessMode) neo4j.SessionWithContext {
	return s.driver.NewSession(ctx, neo4j.SessionConfig{AccessMode: mode, DatabaseName: s.cfg.Database, BookmarkManager: s.bookmarks})
}

// read runs a statement that writes nothing and maps its rows: in the transaction of
// the context where there is one, else by itself, again after a transient failure.
func read[T any](ctx context.Context, s *Store, st statement, params map[string]any, scan func(row) T) ([]T, error) {
	return runText(ctx, s, st, string(st), params, scan, neo4j.AccessModeRead)
}

// write runs a statement that writes and maps its rows.
func write[T any](ctx context.Context, s *Store, st statement, params map[string]any, scan func(row) T) ([]T, error) {
	return runText(ctx, s, st, string(st), params, scan, neo4j.AccessModeWrite)
}

// exec runs a statement that writes and gives back nothing of interest.
func exec(ctx context.Context, s *Store, st statement, params map[string]any) error {
	_, err := write(ctx, s, st, params, func(row) struct{} { return struct{}{} })
	return err
}

func runText[T any](ctx context.Context, s *Store, st statement, text string, params map[string]any, scan func(row) T, mode neo4j.AccessMode) ([]T, error) {
	if s.cfg.OnStatement != nil {
		s.cfg.OnStatement(st.name())
	}
	if s.cfg.Trace != nil {
		s.cfg.Trace(st.name(), text, params)
	}
	if tx := txOf(ctx); tx != nil {
		result, err := tx.Run(ctx, text, params)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", st.name(), err) // translated where the transaction ends
		}
		rows, err := collect(ctx, result, scan)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", st.name(), err)
		}
		return rows, nil
	}
	if mode == neo4j.AccessModeWrite {
		var rows []T
		err := s.Atomically(ctx, func(ctx context.Context) error {
			var err error
			rows, err = runText(ctx, s, st, text, params, scan, mode)
			return err
		})
		return rows, err
	}
	// Auto-commit is the quickest way to read (COMPONENTS of the design: 2,750 reads a
	// second beside 1,650 managed ones); reads are repeatable, so they are retried here.
	rows, err := backoff.Retry(ctx, func() ([]T, error) {
		rows, err := s.autoCommit(ctx, text, params, mode, func(result neo4j.ResultWithContext) (any, error) { return collect(ctx, result, scan) })
		if err != nil {
			if neo4j.IsRetryable(err) {
				return nil, err
			}
			return nil, backoff.Permanent(err)
		}
		return rows.([]T), nil
	}, backoff.WithMaxTries(4), backoff.WithMaxElapsedTime(s.cfg.Timeout))
	if err != nil {
		return nil, s.translate(st.name(), ended(ctx, err))
	}
	return rows, nil
}

func (s *Store) autoCommit(ctx context.Context, text string, params map[string]any, mode neo4j.AccessMode, use func(neo4j.ResultWithContext) (any, error)) (any, error) {
	session := s.session(ctx, mode)
	defer func() { _ = session.Close(ctx) }() // the statement's own error says more
	result, err := session.Run(ctx, text, params, neo4j.WithTxTimeout(s.cfg.Timeout))
	if err != nil {
		return nil, err
	}
	return use(result)
}

func collect[T any](ctx context.Context, result neo4j.ResultWithContext, scan func(row) T) ([]T, error) {
	out := []T{}
	for result.Next(ctx) {
		out = append(out, scan(row{result.Record()}))
	}
	if err := result.Err(); err != nil {
		return nil, err
	}
	return out, nil
}

// ended puts the end of a caller's context before an error that it brought about: not
// every error of the driver says so itself.
func ended(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	return errors.Join(ctx.Err(), err)
}

// outside is the context without its transaction: what is called with it runs by itself.
func outside(ctx context.Context) context.Context { return context.WithValue(ctx, txKey{}, nil) }

// errGone says that a node that was read a moment ago is not there any more.
var errGone error = knowledge.Errorf(knowledge.CodeConflict, "what the write is about was deleted meanwhile; try once more")

// lostRace tells whether a write failed only because another one came first.
func lostRace(err error) bool {
	if errors.Is(err, errGone) {
		return true
	}
	var e *neo4j.Neo4jError
	if !errors.As(err, &e) {
		return false
	}
	return e.Code == codeConstraint || e.Code == codeEntityNotFound
}
