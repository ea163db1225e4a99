package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"time"

	"mneme/knowledge"
)

//go:embed queries/maintenance_lock.cypher
var maintenanceLock statement

//go:embed queries/maintenance_take.cypher
var maintenanceTake statement

//go:embed queries/maintenance_renew.cypher
var maintenanceRenew statement

//go:embed queries/maintenance_release.cypher
var maintenanceRelease statement

//go:embed queries/maintenance_done.cypher
var maintenanceDone statement

//go:embed queries/maintenance_run_write.cypher
var maintenanceRunWrite statement

//go:embed queries/maintenance_list.cypher
var maintenanceList statement

//go:embed queries/maintenance_prune.cypher
var maintenancePrune statement

//go:embed queries/maintenance_due.cypher
var maintenanceDue statement

// cleanupMarker is the marker of the one-time cleanup (SPEC H1).
const cleanupMarker = "kg_quality_cleanup_v1"

// keptRuns is how many runs of a task are remembered.
const keptRuns = 20

// LockMaintenance reads the state of a task in a workspace, locked until the transaction ends.
func (s *Store) LockMaintenance(ctx context.Context, workspaceID, key string) (knowledge.MaintenanceState, error) {
	rows, err := write(ctx, s, maintenanceLock, map[string]any{"ws": workspaceID, "task": key}, func(r row) knowledge.MaintenanceState {
		m := r.props("m")
		state := knowledge.MaintenanceState{
			Holder: m.text("holder"), Until: m.timePtr("until"), Term: m.int("term"), DoneSlot: m.timePtr("doneSlot"), DoneAt: m.timePtr("doneAt"), Marker: m.timePtr("markedAt"),
		}
		if run := r.props("r"); run != nil {
			state.Open = runOf(run)
		}
		return state
	})
	if err != nil || len(rows) == 0 {
		return knowledge.MaintenanceState{}, err
	}
	return rows[0], nil
}

// TakeLease takes a lease whose state is locked and gives its term; run is the id of the
// run that it is for, empty for none.
func (s *Store) TakeLease(ctx context.Context, l knowledge.Lease, run string) (int, error) {
	terms, err := write(ctx, s, maintenanceTake, map[string]any{"ws": l.WorkspaceID, "task": l.Key, "holder": l.Holder, "until": l.Until, "runId": nullable(run)}, termOf)
	if err != nil || len(terms) == 0 {
		return 0, err
	}
	return terms[0], nil
}

func termOf(r row) int { return r.int("term") }

// RenewLease lengthens a lease; false where its term is over.
func (s *Store) RenewLease(ctx context.Context, l knowledge.Lease) (bool, error) {
	terms, err := write(ctx, s, maintenanceRenew, leaseParams(l, map[string]any{"until": l.Until}), termOf)
	return len(terms) > 0, err
}

// ReleaseLease gives a lease back; not before retryAt is what it was for due again.
func (s *Store) ReleaseLease(ctx context.Context, l knowledge.Lease, retryAt *time.Time) error {
	return exec(ctx, s, maintenanceRelease, leaseParams(l, map[string]any{"retryAt": ptrValue(retryAt)}))
}

// SaveRun stores a run as it is now.
func (s *Store) SaveRun(ctx context.Context, run *knowledge.MaintenanceRun) error {
	return exec(ctx, s, maintenanceRunWrite, map[string]any{"id": run.ID, "props": map[string]any{
		"workspaceId": run.WorkspaceID, "task": string(run.Task), "name": string(run.Task), "outcome": string(run.Outcome), "slot": ptrValue(run.Slot), "startedAt": run.StartedAt,
		"finishedAt": ptrValue(run.FinishedAt), "holder": run.Holder, "counts": countsText(run.Counts), "error": ptrValue(run.Error), "cursor": nullable(run.Cursor),
	}})
}

// FinishRun notes that a run came to its end and gives its lease back; false where the
// lease's term is over. Of older runs only some are kept.
func (s *Store) FinishRun(ctx context.Context, l knowledge.Lease, run *knowledge.MaintenanceRun) (bool, error) {
	held := false
	err := s.Atomically(ctx, func(ctx context.Context) error {
		params := map[string]any{"slot": ptrValue(run.Slot), "doneAt": run.StartedAt, "marker": nil, "markedAt": ptrValue(run.FinishedAt), "counts": countsText(run.Counts)}
		if run.Task == knowledge.TaskCleanup {
			params["marker"] = cleanupMarker
		}
		terms, err := write(ctx, s, maintenanceDone, leaseParams(l, params), termOf)
		if held = len(terms) > 0; err != nil || !held {
			return err
		}
		if err := s.SaveRun(ctx, run); err != nil {
			return err
		}
		return exec(ctx, s, maintenancePrune, map[string]any{"ws": l.WorkspaceID, "task": l.Key, "keep": keptRuns})
	})
	return held, err
}

// MaintenanceRuns are the runs of a workspace's tasks, newest first.
func (s *Store) MaintenanceRuns(ctx context.Context, workspaceID string, limit int) ([]*knowledge.MaintenanceRun, error) {
	return read(ctx, s, maintenanceList, map[string]any{"ws": workspaceID, "limit": limit}, func(r row) *knowledge.MaintenanceRun { return runOf(r.props("r")) })
}

// DueForMaintenance are workspaces in which a task is not done for a moment of its
// schedule and nobody is at it, by key, behind one. A workspace that was made later is
// not due.
func (s *Store) DueForMaintenance(ctx context.Context, task knowledge.MaintenanceTask, slot, now time.Time, after string, limit int) ([]*knowledge.Workspace, error) {
	params := map[string]any{"task": string(task), "slot": slot, "now": now, "rested": nil, "once": task == knowledge.TaskCleanup, "after": after, "limit": limit}
	if task == knowledge.TaskEntityDecay {
		params["rested"] = now.Add(-knowledge.EntityDecayInterval)
	}
	return read(ctx, s, maintenanceDue, params, scanWorkspace)
}

func leaseParams(l knowledge.Lease, more map[string]any) map[string]any {
	more["ws"], more["task"], more["holder"], more["term"] = l.WorkspaceID, l.Key, l.Holder, l.Term
	return more
}

func runOf(p props) *knowledge.MaintenanceRun {
	return &knowledge.MaintenanceRun{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), Task: knowledge.MaintenanceTask(p.text("task")), Outcome: knowledge.MaintenanceOutcome(p.text("outcome")),
		Slot: p.timePtr("slot"), StartedAt: p.time("startedAt"), FinishedAt: p.timePtr("finishedAt"), Holder: p.text("holder"), Counts: countsFrom(p.text("counts")),
		Error: p.textPtr("error"), Cursor: p.text("cursor"),
	}
}

// countsText keeps counts in their order, readable for people.
func countsText(counts []knowledge.Count) string {
	pairs := make([][2]any, len(counts))
	for i, c := range counts {
		pairs[i] = [2]any{c.Key, c.Count}
	}
	b, err := json.Marshal(pairs)
	if err != nil {
		return "[]" // texts and numbers only
	}
	return string(b)
}

func countsFrom(text string) []knowledge.Count {
	var pairs [][2]json.RawMessage
	_ = json.Unmarshal([]byte(text), &pairs) // written by countsText only
	out := make([]knowledge.Count, len(pairs))
	for i, p := range pairs {
		_ = json.Unmarshal(p[0], &out[i].Key)
		_ = json.Unmarshal(p[1], &out[i].Count)
	}
	return out
}
