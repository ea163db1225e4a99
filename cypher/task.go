package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/task_lock.cypher
var taskLock statement

//go:embed queries/task_entities.cypher
var taskEntities statement

//go:embed queries/task_orphans_delete.cypher
var taskOrphansDelete statement

//go:embed queries/task_forget.cypher
var taskForget statement

// DeleteTask takes a task's support away, and removes what rested on nothing else:
// edges, observations, entries, and then the entities that it wrote first and that
// nothing holds any more; others forget that it wrote them (SPEC R2, R3, T5). The task
// itself stays known, for what its prompt said. It must run in a transaction.
func (s *Store) DeleteTask(ctx context.Context, workspaceID, taskID string) (knowledge.DeleteCounts, error) {
	params := map[string]any{"ws": workspaceID, "task": taskID}
	var counts knowledge.DeleteCounts
	known, err := write(ctx, s, taskLock, params, func(r row) string { return r.text("task") })
	if err != nil {
		return counts, err
	}
	if len(known) > 0 {
		withdrawn, err := s.withdraw(ctx, workspaceID, "Task", known)
		if err != nil {
			return counts, err
		}
		counts = withdrawn
	}
	return counts, s.deleteOrphans(ctx, workspaceID, params, &counts)
}

func (s *Store) deleteOrphans(ctx context.Context, workspaceID string, params map[string]any, counts *knowledge.DeleteCounts) error {
	found, err := write(ctx, s, taskEntities, params, func(r row) restingItem { return restingItem{id: r.text("id"), alone: r.bool("orphan")} })
	if err != nil || len(found) == 0 {
		return err
	}
	orphans := alone(found)
	var survivors []string
	for _, item := range found {
		if !item.alone {
			survivors = append(survivors, item.id)
		}
	}
	if err := exec(ctx, s, taskOrphansDelete, map[string]any{"ws": workspaceID, "ids": orphans}); err != nil {
		return err
	}
	counts.Entities, counts.Deleted = len(orphans), true
	return exec(ctx, s, taskForget, map[string]any{"ws": workspaceID, "ids": orEmpty(survivors)})
}
