package cypher

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"time"

	"mneme/knowledge"
)

//go:embed queries/event_claim.cypher
var eventClaim statement

//go:embed queries/event_finish.cypher
var eventFinish statement

//go:embed queries/task_begin.cypher
var taskBegin statement

//go:embed queries/task_marked.cypher
var taskMarked statement

// ClaimEvent takes a mailbox event in: First, where nobody did before; else with what it
// gave then. The event is locked until the transaction ends.
func (s *Store) ClaimEvent(ctx context.Context, workspaceID, key string, at time.Time) (knowledge.EventClaim, error) {
	params := map[string]any{"ws": workspaceID, "key": eventKey(key), "claim": rand.Text(), "at": at}
	rows, err := write(ctx, s, eventClaim, params, func(r row) knowledge.EventClaim {
		return knowledge.EventClaim{
			First: r.bool("first"), PersonID: r.text("person"), OrganizationID: r.text("organization"), ProjectID: r.text("project"), ObservationIDs: r.texts("observations"),
		}
	})
	if err != nil {
		return knowledge.EventClaim{}, err
	}
	return rows[0], nil
}

// FinishEvent notes what a claimed event gave.
func (s *Store) FinishEvent(ctx context.Context, workspaceID, key string, claim knowledge.EventClaim) error {
	return exec(ctx, s, eventFinish, map[string]any{"ws": workspaceID, "key": eventKey(key), "props": map[string]any{
		"personId": claim.PersonID, "organizationId": claim.OrganizationID, "projectId": claim.ProjectID, "observationIds": claim.ObservationIDs,
	}})
}

// eventKey is how an event is known: a hash, because a claim may say who wrote.
func eventKey(claim string) string {
	sum := sha256.Sum256([]byte(claim))
	return hex.EncodeToString(sum[:])
}

// BeginTask notes a task and says whether any of its prompts carries the opt-out marker.
func (s *Store) BeginTask(ctx context.Context, workspaceID, taskID string, noMemory bool, at time.Time) (bool, error) {
	rows, err := write(ctx, s, taskBegin, map[string]any{"ws": workspaceID, "id": taskID, "noMemory": noMemory, "at": at}, func(r row) bool { return r.bool("noMemory") })
	if err != nil {
		return false, err
	}
	return rows[0], nil
}

// TasksWithoutMemory are those of the tasks whose prompts carry the opt-out marker.
func (s *Store) TasksWithoutMemory(ctx context.Context, workspaceID string, taskIDs []string) (map[string]bool, error) {
	rows, err := read(ctx, s, taskMarked, map[string]any{"ws": workspaceID, "ids": taskIDs}, func(r row) string { return r.text("id") })
	out := make(map[string]bool, len(rows))
	for _, id := range rows {
		out[id] = true
	}
	return out, err
}
