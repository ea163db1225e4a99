package cypher

import (
	"context"
	_ "embed"
	"slices"

	"mneme/knowledge"
)

//go:embed queries/task_lock.cypher
var taskLock statement

//go:embed queries/task_edges.cypher
var taskEdges statement

//go:embed queries/task_observations.cypher
var taskObservations statement

//go:embed queries/task_entries.cypher
var taskEntries statement

//go:embed queries/task_unsupport.cypher
var taskUnsupport statement

//go:embed queries/task_entities.cypher
var taskEntities statement

//go:embed queries/task_orphans_delete.cypher
var taskOrphansDelete statement

//go:embed queries/task_forget.cypher
var taskForget statement

// taskItem is something that rests on a task.
type taskItem struct {
	id    string
	ends  []string // the entities that writers of it lock
	alone bool     // it rests on nothing else
}

// taskItems are what rests on a task, by kind.
type taskItems struct{ edges, observations, entries []taskItem }

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
		items, err := s.lockTaskItems(ctx, workspaceID, params)
		if err != nil {
			return counts, err
		}
		if err := s.deleteTaskItems(ctx, workspaceID, items, &counts); err != nil {
			return counts, err
		}
		left, err := write(ctx, s, taskUnsupport, params, func(r row) int { return r.int("supports") })
		if err != nil {
			return counts, err
		}
		counts.Deleted = counts.Deleted || len(left) > 0 && left[0] > 0
	}
	return counts, s.deleteOrphans(ctx, workspaceID, params, &counts)
}

// lockTaskItems reads what rests on a task under the locks that writers of it take too,
// so that nobody adds a support to what is about to be removed.
func (s *Store) lockTaskItems(ctx context.Context, workspaceID string, params map[string]any) (*taskItems, error) {
	locked := map[string]bool{}
	for range maxLockRounds {
		items, err := s.taskItems(ctx, params)
		if err != nil {
			return nil, err
		}
		var ids []string
		for _, list := range [][]taskItem{items.edges, items.observations} {
			for _, item := range list {
				ids = append(ids, item.ends...)
			}
		}
		var entries []string
		for _, item := range items.entries {
			if !locked[item.id] {
				entries = append(entries, item.id)
			}
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return locked[id] })
		if len(ids)+len(entries) == 0 {
			return items, nil
		}
		if err := s.lockTaskEnds(ctx, workspaceID, ids, entries); err != nil {
			return nil, err
		}
		for _, id := range append(ids, entries...) {
			locked[id] = true
		}
	}
	return nil, errGone
}

func (s *Store) lockTaskEnds(ctx context.Context, workspaceID string, ids, entries []string) error {
	if err := s.lockEntities(ctx, slices.Clone(ids)); err != nil {
		return err
	}
	found, err := s.LockEntries(ctx, workspaceID, entries)
	if err != nil {
		return err
	}
	var keys []string
	for _, e := range found {
		keys = append(keys, knowledge.KeyOfEntry(e).Locks(workspaceID)...)
	}
	slices.Sort(keys)
	return s.LockKeys(ctx, slices.Compact(keys))
}

func (s *Store) taskItems(ctx context.Context, params map[string]any) (*taskItems, error) {
	items := &taskItems{}
	for _, step := range []struct {
		st   statement
		into *[]taskItem
		ends []string
	}{{taskEdges, &items.edges, []string{"src", "dst"}}, {taskObservations, &items.observations, []string{"entityId"}}, {taskEntries, &items.entries, nil}} {
		found, err := read(ctx, s, step.st, params, func(r row) taskItem {
			item := taskItem{id: r.text("id"), alone: r.bool("alone")}
			for _, end := range step.ends {
				item.ends = append(item.ends, r.text(end))
			}
			return item
		})
		if err != nil {
			return nil, err
		}
		*step.into = found
	}
	return items, nil
}

func alone(items []taskItem) []string {
	ids := make([]string, 0, len(items))
	for _, item := range items {
		if item.alone {
			ids = append(ids, item.id)
		}
	}
	return ids
}

func (s *Store) deleteTaskItems(ctx context.Context, workspaceID string, items *taskItems, counts *knowledge.DeleteCounts) error {
	var err error
	if counts.Edges, err = s.DeleteEdges(ctx, workspaceID, alone(items.edges)); err != nil {
		return err
	}
	if counts.Observations, err = s.DeleteObservations(ctx, workspaceID, alone(items.observations)); err != nil {
		return err
	}
	for _, id := range alone(items.entries) {
		relations, err := s.DeleteEntry(ctx, id)
		counts.Relations += relations
		if err != nil {
			return err
		}
		counts.Entries++
	}
	counts.Deleted = counts.Edges+counts.Observations+counts.Entries > 0
	return nil
}

func (s *Store) deleteOrphans(ctx context.Context, workspaceID string, params map[string]any, counts *knowledge.DeleteCounts) error {
	found, err := write(ctx, s, taskEntities, params, func(r row) taskItem { return taskItem{id: r.text("id"), alone: r.bool("orphan")} })
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
