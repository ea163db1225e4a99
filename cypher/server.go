package cypher

import (
	"context"
	_ "embed"
	"time"

	"mneme/knowledge"
)

//go:embed queries/server_version.cypher
var serverVersion statement

//go:embed queries/server_gauges.cypher
var serverGauges statement

// Gauges are what is open in the whole database.
func (s *Store) Gauges(ctx context.Context) (*knowledge.Gauges, error) {
	rows, err := read(ctx, s, serverGauges, nil, func(r row) *knowledge.Gauges {
		g := &knowledge.Gauges{AwaitingVector: map[knowledge.RecallKind]int{}, Jobs: map[knowledge.JobState]int{}}
		awaiting := r.props("awaiting")
		for _, kind := range []knowledge.RecallKind{knowledge.RecallEntry, knowledge.RecallEdge, knowledge.RecallObservation} {
			g.AwaitingVector[kind] = awaiting.int(string(kind))
		}
		for _, state := range []knowledge.JobState{knowledge.JobQueued, knowledge.JobRunning} {
			g.Jobs[state] = 0
		}
		for _, j := range r.list("jobs") {
			g.Jobs[knowledge.JobState(j.text("state"))] = j.int("count")
		}
		for _, t := range r.list("tasks") {
			g.TasksDone = append(g.TasksDone, knowledge.TaskDone{Task: t.text("task"), At: t.time("doneAt")})
		}
		return g
	})
	if err != nil || len(rows) == 0 {
		return &knowledge.Gauges{}, err
	}
	return rows[0], nil
}

//go:embed queries/server_lock_timeout.cypher
var serverLockTimeout statement

// LockTimeout is how long the database lets a writer wait for others before it gives up;
// 0 is for ever. The transaction's own timeout bounds that too.
func (s *Store) LockTimeout(ctx context.Context) (time.Duration, error) {
	rows, err := read(ctx, s, serverLockTimeout, nil, func(r row) string { return r.text("value") })
	if err != nil || len(rows) != 1 {
		return 0, err
	}
	d, err := time.ParseDuration(rows[0])
	if err != nil {
		return 0, nil //nolint:nilerr // a form that is not known says nothing
	}
	return d, nil
}
