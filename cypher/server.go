package cypher

import (
	"context"
	_ "embed"

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
