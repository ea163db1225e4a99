package cypher

import (
	"context"
	_ "embed"
	"maps"
	"slices"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/merge_nodes_restore.cypher
var mergeNodesRestore statement

//go:embed queries/merge_node_set.cypher
var mergeNodeSet statement

//go:embed queries/merge_edges_restore.cypher
var mergeEdgesRestore statement

//go:embed queries/merge_observations_restore.cypher
var mergeObservationsRestore statement

//go:embed queries/merge_links_drop.cypher
var mergeLinksDrop statement

//go:embed queries/merge_support_drop.cypher
var mergeSupportDrop statement

//go:embed queries/merge_support_indirect.cypher
var mergeSupportIndirect statement

//go:embed queries/merge_redirects_drop.cypher
var mergeRedirectsDrop statement

//go:embed queries/merge_undone.cypher
var mergeUndone statement

// nodes gives back the entities with their names and identities, and the old ids that
// led to them.
func (m *mergeBack) nodes(ctx context.Context) error {
	ws := m.undo.WorkspaceID
	var restore, alias, unalias, identities, redirects []any
	var merged []string
	kept := map[string]bool{}
	for _, row := range aliasRows(textsOf(m.archive.Keep.Props["aliases"])) {
		kept[row["key"].(string)] = true
	}
	for _, n := range m.archive.Merged {
		merged = append(merged, n.id())
		restore = append(restore, map[string]any{"labels": n.Labels, "props": map[string]any(n.Props)})
		alias = append(alias, added(n.id(), aliasRows(textsOf(n.Props["aliases"])), nil)...)
	}
	now, err := m.wholeNodes(ctx, ws, []string{m.keep})
	if err != nil || len(now) != 1 {
		return orGone(err)
	}
	for _, row := range added(m.keep, aliasRows(textsOf(now[0].Props["aliases"])), nil) {
		if !kept[row.(map[string]any)["key"].(string)] {
			unalias = append(unalias, row)
		}
	}
	for _, i := range m.archive.Identities {
		identities = append(identities, map[string]any{"kind": i.Kind, "value": i.Value, "to": i.Entity})
	}
	for _, r := range m.archive.Redirects {
		redirects = append(redirects, map[string]any{"id": r.ID, "to": r.To})
	}
	if err := exec(ctx, m.Store, mergeNodeSet, map[string]any{"id": m.keep, "props": map[string]any(m.archive.Keep.Props)}); err != nil {
		return err
	}
	if err := exec(ctx, m.Store, mergeRedirectsDrop, map[string]any{"ws": ws, "ids": merged}); err != nil {
		return err
	}
	for _, step := range []struct {
		st   statement
		rows []any
	}{{mergeNodesRestore, restore}, {mergeIdentities, identities}, {entityAlias, alias}, {entityUnalias, unalias}, {mergeRedirectsPut, redirects}} {
		if len(step.rows) == 0 {
			continue
		}
		if err := exec(ctx, m.Store, step.st, map[string]any{"ws": ws, "rows": step.rows, "merge": ""}); err != nil {
			return err
		}
	}
	return nil
}

// edges gives moved edges back, then changed and dropped ones.
func (m *mergeBack) edges(ctx context.Context) error {
	list, err := read(ctx, m.Store, mergeEdgesByIDs, map[string]any{"ws": m.undo.WorkspaceID, "ids": m.edgeIDs()}, func(r row) props { return r.props("f") })
	if err != nil {
		return err
	}
	there := byID(list)
	moves, facts := map[edgeMoves][]edgeMove{}, []any{}
	for _, e := range m.archive.Moved {
		if there[e.ID] == nil {
			continue // its other end was deleted
		}
		set := maps.Clone(map[string]any(e.Before))
		for _, key := range []string{"src", "dst", "currentKey", "endedKey"} { // of the Fact alone
			delete(set, key)
		}
		from := edgeMoves{entity: m.keep, outgoing: e.Outgoing}
		moves[from] = append(moves[from], edgeMove{id: e.ID, end: e.Entity, set: set})
		facts = append(facts, map[string]any{"id": e.ID, "set": map[string]any(e.Before)})
	}
	if err := m.giveEdges(ctx, moves, facts); err != nil {
		return err
	}
	if err := m.unchangeEdges(ctx, there); err != nil {
		return err
	}
	return m.restoreEdges(ctx)
}

func (m *mergeBack) edgeIDs() []string {
	var ids []string
	for _, e := range m.archive.Moved {
		ids = append(ids, e.ID)
	}
	for _, e := range m.archive.Changed {
		ids = append(ids, e.ID)
	}
	return ids
}

// unchangeEdges gives edges that stayed where they were the ends and confidences back.
func (m *mergeBack) unchangeEdges(ctx context.Context, there map[string]props) error {
	var rows []any
	for _, e := range m.archive.Changed {
		if there[e.ID] == nil {
			continue
		}
		line, err := edgeLine(there[e.ID], m.keep)
		if err != nil {
			return err
		}
		if line.Hash != e.Hash {
			return undoConflict("edge %s was edited since", e.ID)
		}
		set := maps.Clone(map[string]any(e.Before))
		delete(set, "currentKey") // the statement sees to the keys
		delete(set, "endedKey")
		rows = append(rows, map[string]any{"id": e.ID, "set": set})
	}
	if len(rows) == 0 {
		return nil
	}
	return exec(ctx, m.Store, edgeChange, map[string]any{"ws": m.undo.WorkspaceID, "rows": rows})
}

// restoreEdges stores dropped edges again, but for those whose ends are not both there.
func (m *mergeBack) restoreEdges(ctx context.Context) error {
	back := map[string]bool{m.keep: true}
	for _, n := range m.archive.Merged {
		back[n.id()] = true
	}
	var rows []any
	var facts []archivedNode
	for _, e := range m.archive.Dropped {
		gone := false
		for _, end := range []string{textOf(e.Fact.Props["src"]), textOf(e.Fact.Props["dst"])} {
			later, ok := m.ends[end]
			if !back[end] && later != "" {
				return undoConflict("merge %s came later; take that back first", later)
			}
			gone = gone || !back[end] && !ok
		}
		if gone {
			continue
		}
		rows = append(rows, map[string]any{"labels": e.Fact.Labels, "fact": map[string]any(e.Fact.Props), "type": e.Type, "rel": map[string]any(e.Rel)})
		facts = append(facts, e.Fact)
	}
	if len(rows) == 0 {
		return nil
	}
	if err := exec(ctx, m.Store, mergeEdgesRestore, map[string]any{"rows": rows}); err != nil {
		return err
	}
	return m.restoreBases(ctx, knowledge.SupportedFact, facts)
}

// restoreBases lets things rest on what they rested on, as far as it is still there.
func (m *mergeBack) restoreBases(ctx context.Context, kind knowledge.Supported, nodes []archivedNode) error {
	rows := map[string][]any{}
	for _, n := range nodes {
		for _, basis := range n.Supports {
			rows[basis.Label] = append(rows[basis.Label], map[string]any{"id": n.id(), "by": basis.ID, "props": map[string]any(basis.Props)})
		}
	}
	for _, label := range slices.Sorted(maps.Keys(rows)) {
		if err := m.labelled(ctx, mergeSupportMove, string(kind), label, map[string]any{"ws": m.undo.WorkspaceID, "rows": rows[label]}); err != nil {
			return err
		}
	}
	return nil
}

func (m *mergeBack) observations(ctx context.Context) error {
	var moves, rows []any
	for _, o := range m.archive.Observations {
		moves = append(moves, map[string]any{"id": o.ID, "to": o.Entity})
	}
	if len(moves) > 0 {
		if err := exec(ctx, m.Store, mergeObservationsMove, map[string]any{"rows": moves}); err != nil {
			return err
		}
	}
	for _, n := range m.archive.Remarks {
		rows = append(rows, map[string]any{"labels": n.Labels, "props": map[string]any(n.Props)})
	}
	if len(rows) == 0 {
		return nil
	}
	if err := exec(ctx, m.Store, mergeObservationsRestore, map[string]any{"rows": rows}); err != nil {
		return err
	}
	return m.restoreBases(ctx, knowledge.SupportedObservation, m.archive.Remarks)
}

// links gives links back to the entities whose they were: not those that were taken
// away since, as by a new text that mentions nobody.
func (m *mergeBack) links(ctx context.Context) error {
	var made, twins []archivedLink
	for _, l := range m.archive.Links {
		if l.Made {
			made = append(made, l)
		}
		if l.Twin != nil {
			twin := l
			twin.Props = l.Twin
			twins = append(twins, twin)
		}
	}
	there := map[linkKey]bool{}
	err := m.onLinks(ctx, mergeLinksDrop, m.undo.WorkspaceID, m.keep, made, func(key linkKey) { there[key] = true })
	if err != nil {
		return err
	}
	if err := m.setLinks(ctx, m.undo.WorkspaceID, m.keep, twins); err != nil {
		return err
	}
	back := slices.DeleteFunc(slices.Clone(m.archive.Links), func(l archivedLink) bool { return l.Made && !there[l.key()] })
	return m.joinLinks(ctx, m.undo.WorkspaceID, back)
}

// supports takes back what things were given to rest on. Where it is not there any more
// it was withdrawn since: what rested on it went with the merge and would come back.
func (m *mergeBack) supports(ctx context.Context) error {
	type group struct {
		kind  knowledge.Supported
		label string
	}
	groups := map[group][]any{}
	for _, s := range m.archive.Supports {
		groups[group{s.Kind, s.Label}] = append(groups[group{s.Kind, s.Label}], map[string]any{"id": s.ID, "by": s.By})
	}
	for g, rows := range groups {
		text := withLabels(mergeSupportDrop, string(g.kind), g.label)
		there, err := runText(ctx, m.Store, mergeSupportDrop, text, map[string]any{"ws": m.undo.WorkspaceID, "rows": rows}, func(r row) string { return r.text("id") }, neo4j.AccessModeWrite)
		if err != nil {
			return err
		}
		if len(there) != len(rows) {
			return undoConflict("a %s withdrew since what it said", g.label)
		}
	}
	for _, d := range m.archive.Direct {
		if err := m.labelled(ctx, mergeSupportIndirect, string(d.Kind), "", map[string]any{"ids": []string{d.ID}}); err != nil {
			return err
		}
	}
	return nil
}

// entries gives entries the contacts back that they had.
func (m *mergeBack) entries(ctx context.Context) error {
	ids := make([]string, 0, len(m.archive.Entries))
	for _, e := range m.archive.Entries {
		ids = append(ids, e.ID)
	}
	now, err := m.entryLists(ctx, ids)
	if err != nil {
		return err
	}
	var back []archivedEntry
	for _, e := range m.archive.Entries {
		contacts, there := now[e.ID]
		if there && !slices.Equal(contacts, e.After) {
			return undoConflict("entry %s was edited since", e.ID)
		}
		if there {
			back = append(back, e)
		}
	}
	return m.setContacts(ctx, back, func(e archivedEntry) []string { return e.Before })
}

func (m *mergeBack) mark(ctx context.Context) error {
	return exec(ctx, m.Store, mergeUndone, map[string]any{"id": m.undo.ID, "at": m.undo.At, "actor": string(m.undo.Actor)})
}
