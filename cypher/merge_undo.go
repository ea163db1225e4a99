package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"

	"mneme/knowledge"
)

//go:embed queries/merge_lock.cypher
var mergeLock statement

//go:embed queries/merge_ends.cypher
var mergeEnds statement

//go:embed queries/merge_namesakes.cypher
var mergeNamesakes statement

//go:embed queries/merge_entries_by_ids.cypher
var mergeEntriesByIDs statement

// mergeBack takes a merge back.
type mergeBack struct {
	*Store
	undo    knowledge.MergeUndo
	keep    string
	archive mergeArchive
	ends    map[string]string // ids that still name an entity; the merge that took it where it was merged since
}

// UndoMerge makes a merge as if it had not been, and gives the ids of the entities that
// it was of, the one that stayed first. NOT_FOUND (mergeId) where there is no such merge;
// CONFLICT, naming what, where it was taken back before, or where the entity that stayed
// or what hangs on it was edited since.
func (s *Store) UndoMerge(ctx context.Context, undo knowledge.MergeUndo) ([]string, error) {
	merges, err := write(ctx, s, mergeLock, map[string]any{"ws": undo.WorkspaceID, "id": undo.ID}, func(r row) props { return r.props("m") })
	if err != nil {
		return nil, err
	}
	if len(merges) == 0 {
		return nil, knowledge.NotFound("mergeId", "there is no merge %q", undo.ID)
	}
	if at := merges[0].timePtr("undoneAt"); at != nil {
		return nil, undoConflict("the merge was taken back already")
	}
	m := &mergeBack{Store: s, undo: undo, keep: merges[0].text("keepId")}
	if err := json.Unmarshal([]byte(merges[0].text("archive")), &m.archive); err != nil {
		return nil, err
	}
	for _, step := range []func(context.Context) error{m.lock, m.unedited, m.nodes, m.edges, m.observations, m.links, m.supports, m.entries, m.mark} {
		if err := step(ctx); err != nil {
			return nil, err
		}
	}
	return merges[0].texts("entityIds"), nil
}

func undoConflict(format string, args ...any) error {
	err := knowledge.Errorf(knowledge.CodeConflict, format, args...)
	err.Field = "mergeId"
	return err
}

// lock locks the entity that stayed and those at the other ends of what is given back,
// in the order of their ids, and notes which ends are still there.
func (m *mergeBack) lock(ctx context.Context) error {
	moved := map[string]bool{}
	for _, e := range m.archive.Moved {
		moved[e.ID] = true
	}
	back, all := []string{m.keep}, []string{m.keep}
	for _, line := range m.archive.After {
		if line.Kind != stateEdge {
			continue
		}
		all = append(all, line.Far)
		if moved[line.ID] {
			back = append(back, line.Far)
		}
	}
	for _, e := range m.archive.Dropped {
		back = append(back, textOf(e.Fact.Props["src"]), textOf(e.Fact.Props["dst"]))
	}
	if err := m.lockEntities(ctx, slices.Clone(back)); err != nil {
		return err
	}
	all = append(all, back...)
	slices.Sort(all)
	params := map[string]any{"ws": m.undo.WorkspaceID, "ids": slices.Compact(all)}
	found, err := read(ctx, m.Store, mergeEnds, params, func(r row) [2]string { return [2]string{r.text("id"), r.text("merge")} })
	m.ends = make(map[string]string, len(found))
	for _, end := range found {
		m.ends[end[0]] = end[1]
	}
	return err
}

// unedited checks that the entity that stayed, and all that hung on it right after the
// merge, are as they were then, and that nothing was hung on it since (SPEC T6).
func (m *mergeBack) unedited(ctx context.Context) error {
	if later, ok := m.ends[m.keep]; !ok {
		return undoConflict("entity %s, into which was merged, was deleted since", m.keep)
	} else if later != "" {
		return undoConflict("merge %s came later; take that back first", later)
	}
	record, lines, err := m.stateOf(ctx, m.undo.WorkspaceID, m.keep)
	if err != nil {
		return err
	}
	after := m.archive.Record
	faded := after.Fades && record.Confidence < after.Confidence
	if record.Hash != after.Hash || record.Confidence != after.Confidence && !faded {
		return undoConflict("entity %s was edited since", m.keep)
	}
	now := make(map[string]stateLine, len(lines))
	for _, line := range lines {
		now[line.ID] = line
	}
	for _, line := range m.archive.After {
		found, ok := now[line.ID]
		delete(now, line.ID)
		if err := m.compare(ctx, line, found, ok); err != nil {
			return err
		}
	}
	for _, line := range lines {
		if _, fresh := now[line.ID]; fresh {
			return undoConflict("%s %s was added to entity %s since", line.Kind, line.ID, m.keep)
		}
	}
	return m.namesFree(ctx)
}

// compare checks one thing that hung on the entity. An edge whose other end was deleted,
// and an entry that is gone, were not edited: they are simply not given back.
func (m *mergeBack) compare(ctx context.Context, was, is stateLine, there bool) error {
	if later := m.ends[was.Far]; was.Far != "" && later != "" {
		return undoConflict("merge %s came later; take that back first", later)
	}
	switch {
	case there && is.Hash == was.Hash:
		return nil
	case there:
		return undoConflict("%s %s was edited since", was.Kind, was.ID)
	case was.Kind == stateEdge:
		if _, ok := m.ends[was.Far]; !ok {
			return nil
		}
	case was.Kind == stateEntry:
		left, err := m.entryLists(ctx, []string{was.ID})
		if err != nil || len(left) == 0 {
			return err
		}
	}
	return undoConflict("%s %s was taken from entity %s since", was.Kind, was.ID, m.keep)
}

// namesFree checks that nobody took the place of what was merged.
func (m *mergeBack) namesFree(ctx context.Context) error {
	rows := make([]any, 0, len(m.archive.Merged))
	for _, n := range m.archive.Merged {
		rows = append(rows, map[string]any{"type": n.Props["type"], "key": n.Props["normalizedName"], "discriminator": n.Props["discriminator"]})
	}
	taken, err := read(ctx, m.Store, mergeNamesakes, map[string]any{"ws": m.undo.WorkspaceID, "rows": rows}, func(r row) string { return r.text("id") })
	if err != nil {
		return err
	}
	if taken = slices.DeleteFunc(taken, func(id string) bool { return id == m.keep }); len(taken) > 0 {
		return undoConflict("entity %s has the name of one that was merged by now", taken[0])
	}
	return nil
}

func (m *mergeBack) entryLists(ctx context.Context, ids []string) (map[string][]string, error) {
	type list struct {
		id       string
		contacts []string
	}
	found, err := write(ctx, m.Store, mergeEntriesByIDs, map[string]any{"ws": m.undo.WorkspaceID, "ids": ids}, func(r row) list {
		return list{r.text("id"), r.texts("contactIds")}
	})
	out := make(map[string][]string, len(found))
	for _, l := range found {
		out[l.id] = l.contacts
	}
	return out, err
}
