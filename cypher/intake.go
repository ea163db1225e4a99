package cypher

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"slices"
	"strings"
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

// ClaimEvents takes mailbox events in: First, where nobody did before; else with what each
// gave then. The events are locked until the transaction ends.
func (s *Store) ClaimEvents(ctx context.Context, workspaceID string, keys []string, at time.Time) ([]knowledge.EventClaim, error) {
	rows := make([]map[string]any, len(keys))
	for i, key := range keys {
		rows[i] = map[string]any{"key": eventKey(key), "at": i}
	}
	inOrder(rows, "key")
	out := make([]knowledge.EventClaim, len(keys))
	_, err := write(ctx, s, eventClaim, map[string]any{"ws": workspaceID, "events": rows, "claim": rand.Text(), "at": at}, func(r row) struct{} {
		out[r.int("place")] = knowledge.EventClaim{
			First: r.bool("first"), PersonID: r.text("person"), OrganizationID: r.text("organization"), ProjectID: r.text("project"), ObservationIDs: r.texts("observations"),
		}
		return struct{}{}
	})
	return out, err
}

// inOrder sorts rows by a text of theirs: transactions that lock in one order do not wait
// for each other in a circle.
func inOrder(rows []map[string]any, key string) {
	slices.SortStableFunc(rows, func(x, y map[string]any) int { return strings.Compare(x[key].(string), y[key].(string)) })
}

// FinishEvents notes what claimed events gave, by their keys.
func (s *Store) FinishEvents(ctx context.Context, workspaceID string, claims map[string]knowledge.EventClaim) error {
	rows := make([]map[string]any, 0, len(claims))
	for key, claim := range claims {
		rows = append(rows, map[string]any{"key": eventKey(key), "props": map[string]any{
			"personId": claim.PersonID, "organizationId": claim.OrganizationID, "projectId": claim.ProjectID, "observationIds": claim.ObservationIDs,
		}})
	}
	inOrder(rows, "key")
	return exec(ctx, s, eventFinish, map[string]any{"ws": workspaceID, "events": rows})
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
