package cypher

import (
	"context"
	_ "embed"
	"slices"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/withdraw_edges.cypher
var withdrawEdges statement

//go:embed queries/withdraw_observations.cypher
var withdrawObservations statement

//go:embed queries/withdraw_entries.cypher
var withdrawEntries statement

//go:embed queries/withdraw_supports.cypher
var withdrawSupports statement

// restingItem is something that rests on supporters.
type restingItem struct {
	id    string
	ends  []string // the entities that writers of it lock
	alone bool     // it rests on nothing else
}

// restingItems are what rests on supporters, by kind.
type restingItems struct{ edges, observations, entries []restingItem }

// withdraw takes the support of supporters of one label away, and removes the edges,
// observations and entries that rested on nothing else (SPEC T5). Deleted tells whether
// anything rested on them.
func (s *Store) withdraw(ctx context.Context, workspaceID, label string, by []string) (knowledge.DeleteCounts, error) {
	var counts knowledge.DeleteCounts
	items, err := s.lockResting(ctx, workspaceID, label, by)
	if err != nil {
		return counts, err
	}
	if counts.Edges, err = s.DeleteEdges(ctx, workspaceID, alone(items.edges)); err != nil {
		return counts, err
	}
	if counts.Observations, err = s.DeleteObservations(ctx, workspaceID, alone(items.observations)); err != nil {
		return counts, err
	}
	for _, id := range alone(items.entries) {
		relations, err := s.DeleteEntry(ctx, id)
		counts.Relations += relations
		if err != nil {
			return counts, err
		}
		counts.Entries++
	}
	params := map[string]any{"ws": workspaceID, "by": by}
	left, err := runText(ctx, s, withdrawSupports, withLabels(withdrawSupports, "", label), params, func(r row) int { return r.int("supports") }, neo4j.AccessModeWrite)
	if err == nil {
		err = s.dropParts(ctx, workspaceID, kept(items.entries))
	}
	counts.Deleted = counts.Edges+counts.Observations+counts.Entries > 0 || len(left) > 0 && left[0] > 0
	return counts, err
}

// lockResting reads what rests on supporters under the locks that writers of it take
// too, so that nobody adds a support to what is about to be removed.
func (s *Store) lockResting(ctx context.Context, workspaceID, label string, by []string) (*restingItems, error) {
	locked := map[string]bool{}
	for range maxLockRounds {
		items, err := s.resting(ctx, workspaceID, label, by)
		if err != nil {
			return nil, err
		}
		var ids, entries []string
		for _, list := range [][]restingItem{items.edges, items.observations} {
			for _, item := range list {
				ids = append(ids, item.ends...)
			}
		}
		for _, item := range items.entries {
			entries = append(entries, item.id)
		}
		ids = slices.DeleteFunc(ids, func(id string) bool { return locked[id] })
		entries = slices.DeleteFunc(entries, func(id string) bool { return locked[id] })
		if len(ids)+len(entries) == 0 {
			return items, nil
		}
		if err := s.lockWriters(ctx, workspaceID, ids, entries); err != nil {
			return nil, err
		}
		for _, id := range append(ids, entries...) {
			locked[id] = true
		}
	}
	return nil, errGone
}

// lockWriters takes the locks that writers of edges, observations and entries take.
func (s *Store) lockWriters(ctx context.Context, workspaceID string, ids, entries []string) error {
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

func (s *Store) resting(ctx context.Context, workspaceID, label string, by []string) (*restingItems, error) {
	items := &restingItems{}
	for _, step := range []struct {
		st   statement
		into *[]restingItem
		ends []string
	}{{withdrawEdges, &items.edges, []string{"src", "dst"}}, {withdrawObservations, &items.observations, []string{"entityId"}}, {withdrawEntries, &items.entries, nil}} {
		params := map[string]any{"ws": workspaceID, "by": by}
		found, err := runText(ctx, s, step.st, withLabels(step.st, "", label), params, func(r row) restingItem {
			item := restingItem{id: r.text("id"), alone: r.bool("alone")}
			for _, end := range step.ends {
				item.ends = append(item.ends, r.text(end))
			}
			return item
		}, neo4j.AccessModeRead)
		if err != nil {
			return nil, err
		}
		*step.into = found
	}
	return items, nil
}

func alone(items []restingItem) []string { return withAlone(items, true) }

// kept are those that rest on something else too.
func kept(items []restingItem) []string { return withAlone(items, false) }

func withAlone(items []restingItem, alone bool) []string {
	out := make([]string, 0, len(items))
	for _, item := range items {
		if item.alone == alone {
			out = append(out, item.id)
		}
	}
	return out
}
