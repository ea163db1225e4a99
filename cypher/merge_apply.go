package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

//go:embed queries/merge_nodes.cypher
var mergeNodes statement

//go:embed queries/merge_nodes_delete.cypher
var mergeNodesDelete statement

//go:embed queries/merge_identities.cypher
var mergeIdentities statement

//go:embed queries/merge_redirects_of.cypher
var mergeRedirectsOf statement

//go:embed queries/merge_redirects_put.cypher
var mergeRedirectsPut statement

//go:embed queries/merge_entries_about.cypher
var mergeEntriesAbout statement

//go:embed queries/merge_record.cypher
var mergeRecord statement

// mergeRun carries a merge out and keeps what is needed to take it back.
type mergeRun struct {
	*Store
	plan    *knowledge.MergePlan
	keep    string
	merged  []string
	archive mergeArchive
}

// ApplyMerge carries out a merge that was decided, in the transaction in which it was
// locked, and records it. What was hung on a merged entity meanwhile makes the
// transaction decide anew.
func (s *Store) ApplyMerge(ctx context.Context, plan *knowledge.MergePlan) error {
	m := &mergeRun{Store: s, plan: plan, keep: plan.Keep.ID}
	for _, e := range plan.Merged {
		m.merged = append(m.merged, e.ID)
	}
	for _, step := range []func(context.Context) error{
		m.keepNodes, m.edges, m.observations, m.entries, m.links, m.names, m.redirects, m.record,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (m *mergeRun) keepNodes(ctx context.Context) error {
	nodes, err := m.wholeNodes(ctx, m.plan.WorkspaceID, append([]string{m.keep}, m.merged...))
	if err != nil {
		return err
	}
	for _, n := range nodes {
		if n.id() == m.keep {
			m.archive.Keep = n.archivedNode
			continue
		}
		m.archive.Merged = append(m.archive.Merged, n.archivedNode)
		for _, i := range n.identities {
			m.archive.Identities = append(m.archive.Identities, archivedIdentity{Entity: n.id(), Kind: i.text("kind"), Value: i.text("value")})
		}
	}
	return nil
}

// wholeNode is an entity as it is stored, with its identities.
type wholeNode struct {
	archivedNode
	identities []props
}

func (s *Store) wholeNodes(ctx context.Context, workspaceID string, ids []string) ([]wholeNode, error) {
	return read(ctx, s, mergeNodes, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) wholeNode {
		return wholeNode{archivedNode{Labels: r.texts("labels"), Props: rawProps(r.props("props"))}, r.list("identities")}
	})
}

// names gives the merged entities' names and identities to the one that stays, and
// removes them. Their last links went before, or the removal fails.
func (m *mergeRun) names(ctx context.Context) error {
	var unalias []any
	for _, e := range m.plan.Merged {
		unalias = append(unalias, added(e.ID, aliasRows(e.Aliases), nil)...)
	}
	identities := make([]any, 0, len(m.archive.Identities))
	for _, i := range m.archive.Identities {
		identities = append(identities, map[string]any{"kind": i.Kind, "value": i.Value, "to": m.keep})
	}
	for _, step := range []struct {
		st   statement
		rows []any
	}{{entityUnalias, unalias}, {mergeIdentities, identities}} {
		if len(step.rows) == 0 {
			continue
		}
		if err := exec(ctx, m.Store, step.st, map[string]any{"ws": m.plan.WorkspaceID, "rows": step.rows}); err != nil {
			return err
		}
	}
	if err := exec(ctx, m.Store, mergeNodesDelete, map[string]any{"ws": m.plan.WorkspaceID, "ids": m.merged}); err != nil {
		return err
	}
	before := *m.plan.Keep
	before.Identities = m.plan.After.Identities // they were given already
	if err := m.WriteEntities(ctx, m.plan.WorkspaceID, []knowledge.EntityWrite{{Before: &before, After: m.plan.After}}); err != nil {
		return err
	}
	return m.word(ctx)
}

// word notes that the entity that stays rests on its writer's own word, where one of
// them does: that no task wrote first, or that was written without one since. Else it
// would go with the task that wrote another of them (SPEC R2).
func (m *mergeRun) word(ctx context.Context) error {
	if m.plan.After.TaskID == nil {
		return nil
	}
	var first map[string]any
	for _, n := range append([]archivedNode{m.archive.Keep}, m.archive.Merged...) {
		at, source := n.Props["directAt"], n.Props["directSource"]
		if n.Props["taskId"] == nil {
			at, source = n.Props["createdAt"], n.Props["source"]
		}
		told, ok := at.(time.Time)
		if ok && (first == nil || told.Before(first["at"].(time.Time))) {
			first = map[string]any{"id": m.keep, "at": told, "source": source}
		}
	}
	if first == nil {
		return nil
	}
	return m.labelled(ctx, mergeSupportDirect, string(knowledge.SupportedEntity), "", map[string]any{"rows": []any{first}})
}

// redirects lets the merged ids, and what led to them, lead to the entity that stays.
func (m *mergeRun) redirects(ctx context.Context) error {
	flattened, err := read(ctx, m.Store, mergeRedirectsOf, map[string]any{"ws": m.plan.WorkspaceID, "ids": m.merged}, func(r row) archivedRedirect {
		return archivedRedirect{ID: r.text("id"), To: r.text("to")}
	})
	if err != nil {
		return err
	}
	m.archive.Redirects = flattened
	rows := make([]any, 0, len(flattened)+len(m.merged))
	for _, r := range flattened {
		rows = append(rows, map[string]any{"id": r.ID, "to": m.keep})
	}
	for _, id := range m.merged {
		rows = append(rows, map[string]any{"id": id, "to": m.keep})
	}
	return exec(ctx, m.Store, mergeRedirectsPut, map[string]any{"ws": m.plan.WorkspaceID, "rows": rows, "merge": m.plan.ID})
}

// record stores the merge with its archive and the state that it left.
func (m *mergeRun) record(ctx context.Context) error {
	var err error
	if m.archive.Record, m.archive.After, err = m.stateOf(ctx, m.plan.WorkspaceID, m.keep); err != nil {
		return err
	}
	archive, err := json.Marshal(m.archive)
	if err != nil {
		return err
	}
	names := make([]string, 0, len(m.merged))
	for _, e := range m.plan.Merged {
		names = append(names, e.Name)
	}
	return exec(ctx, m.Store, mergeRecord, map[string]any{"props": map[string]any{
		"id": m.plan.ID, "workspaceId": m.plan.WorkspaceID, "name": knowledge.Caption(strings.Join(names, ", ") + " → " + m.plan.After.Name),
		"at": m.plan.At, "actor": string(m.plan.Actor), "keepId": m.keep, "entityIds": append([]string{m.keep}, m.merged...),
		"edgesMoved": len(m.plan.Edges.Moved), "edgesDropped": len(m.plan.Edges.Dropped),
		"observationsMoved": len(m.archive.Observations), "observationsDropped": len(m.plan.Equal), "archive": string(archive),
	}})
}

// stateOf is an entity and what hangs on it, as it counts for whether it was edited.
func (s *Store) stateOf(ctx context.Context, workspaceID, id string) (archivedRecord, []stateLine, error) {
	nodes, err := s.wholeNodes(ctx, workspaceID, []string{id})
	if err != nil {
		return archivedRecord{}, nil, err
	}
	if len(nodes) == 0 {
		return archivedRecord{}, nil, nil
	}
	record, err := recordOf(props(nodes[0].Props), nodes[0].identities)
	if err != nil {
		return record, nil, err
	}
	params := map[string]any{"ws": workspaceID, "ids": []string{id}}
	edges, err := read(ctx, s, mergeEdgesOf, map[string]any{"ids": []string{id}}, func(r row) props { return r.props("f") })
	if err != nil {
		return record, nil, err
	}
	observations, err := read(ctx, s, mergeObservationsOf, params, func(r row) props { return r.props("o") })
	if err != nil {
		return record, nil, err
	}
	entries, err := read(ctx, s, mergeEntriesAbout, map[string]any{"ws": workspaceID, "id": id}, func(r row) string { return r.text("id") })
	if err != nil {
		return record, nil, err
	}
	lines := make([]stateLine, 0, len(edges)+len(observations)+len(entries))
	for _, p := range edges {
		line, err := edgeLine(p, id)
		if err != nil {
			return record, nil, err
		}
		lines = append(lines, line)
	}
	for _, p := range observations {
		line, err := observationLine(p)
		if err != nil {
			return record, nil, err
		}
		lines = append(lines, line)
	}
	for _, id := range entries {
		lines = append(lines, stateLine{Kind: stateEntry, ID: id})
	}
	return record, lines, nil
}

// byID are maps of properties by their id.
func byID(list []props) map[string]props {
	out := make(map[string]props, len(list))
	for _, p := range list {
		out[p.text("id")] = p
	}
	return out
}

// grouped puts rows that go together beside each other, in a stable order.
func grouped[K comparable, V any](groups map[K][]V, compare func(a, b K) int) []K {
	return slices.SortedFunc(maps.Keys(groups), compare)
}
