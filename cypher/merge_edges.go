package cypher

import (
	"context"
	_ "embed"
	"maps"
	"slices"

	"mneme/knowledge"
)

//go:embed queries/merge_edges_by_ids.cypher
var mergeEdgesByIDs statement

//go:embed queries/merge_edges_whole.cypher
var mergeEdgesWhole statement

//go:embed queries/merge_edges_out.cypher
var mergeEdgesOut statement

//go:embed queries/merge_edges_in.cypher
var mergeEdgesIn statement

//go:embed queries/merge_edges_facts.cypher
var mergeEdgesFacts statement

//go:embed queries/merge_observations_whole.cypher
var mergeObservationsWhole statement

//go:embed queries/merge_observations_move.cypher
var mergeObservationsMove statement

// edges drops, changes and moves edges, in this order, so that no two current ones ever
// stand for the same thing.
func (m *mergeRun) edges(ctx context.Context) error {
	plan := m.plan.Edges
	ids := make([]string, 0, len(plan.Moved)+len(plan.Changed))
	for _, list := range [][]*knowledge.Edge{plan.Moved, plan.Changed} {
		for _, e := range list {
			ids = append(ids, e.ID)
		}
	}
	before, err := m.edgeProps(ctx, ids)
	if err != nil {
		return err
	}
	if err := m.dropEdges(ctx); err != nil {
		return err
	}
	if err := m.changeEdges(ctx); err != nil {
		return err
	}
	if err := m.moveEdges(ctx, before); err != nil {
		return err
	}
	return m.keepChanges(ctx, before)
}

// keepChanges archives what edges that stayed where they are were before.
func (m *mergeRun) keepChanges(ctx context.Context, before map[string]props) error {
	ids := make([]string, 0, len(m.plan.Edges.Changed))
	for _, e := range m.plan.Edges.Changed {
		ids = append(ids, e.ID)
	}
	after, err := m.edgeProps(ctx, ids)
	if err != nil {
		return err
	}
	for _, id := range ids {
		line, err := edgeLine(after[id], m.keep)
		if err != nil {
			return err
		}
		m.archive.Changed = append(m.archive.Changed, archivedChange{ID: id, Before: differing(before[id], after[id]), Hash: line.Hash})
	}
	return nil
}

func (m *mergeRun) edgeProps(ctx context.Context, ids []string) (map[string]props, error) {
	list, err := read(ctx, m.Store, mergeEdgesByIDs, map[string]any{"ws": m.plan.WorkspaceID, "ids": ids}, func(r row) props { return r.props("f") })
	return byID(list), err
}

func (m *mergeRun) dropEdges(ctx context.Context) error {
	ids, into, wanted := make([]string, 0, len(m.plan.Edges.Dropped)), map[string]string{}, map[string]any{}
	for _, d := range m.plan.Edges.Dropped {
		ids = append(ids, d.Edge.ID)
		into[d.Edge.ID], wanted[d.Edge.ID] = d.Into, true
	}
	if len(ids) == 0 {
		return nil
	}
	params := map[string]any{"entities": append([]string{m.keep}, m.merged...), "wanted": wanted}
	whole, err := read(ctx, m.Store, mergeEdgesWhole, params, func(r row) archivedEdge {
		return archivedEdge{
			Fact: archivedNode{Labels: r.texts("labels"), Props: rawProps(r.props("fact")), Supports: basesOf(r)},
			Type: r.text("type"), Rel: rawProps(r.props("rel")),
		}
	})
	if err != nil {
		return err
	}
	m.archive.Dropped = whole
	if n, err := m.DeleteEdges(ctx, m.plan.WorkspaceID, ids); err != nil || n != len(ids) || len(whole) != len(ids) {
		return orGone(err)
	}
	facts := make([]archivedNode, 0, len(whole))
	for _, e := range whole {
		facts = append(facts, e.Fact)
	}
	return m.handOver(ctx, knowledge.SupportedFact, facts, into)
}

// orGone is the error, or that something was deleted meanwhile.
func orGone(err error) error {
	if err != nil {
		return err
	}
	return errGone
}

func (m *mergeRun) changeEdges(ctx context.Context) error {
	if len(m.plan.Edges.Changed) == 0 {
		return nil
	}
	rows := make([]any, 0, len(m.plan.Edges.Changed))
	for _, e := range m.plan.Edges.Changed {
		rows = append(rows, map[string]any{"id": e.ID, "set": stateProps(e)})
	}
	return exec(ctx, m.Store, edgeChange, map[string]any{"ws": m.plan.WorkspaceID, "rows": rows})
}

// stateProps are the properties of an edge that a merge may change.
func stateProps(e *knowledge.Edge) map[string]any {
	p := endProps(e)
	p["confidence"] = e.Confidence
	return p
}

// edgeMoves are the edges of one entity and direction that are given to others.
type edgeMoves struct {
	entity   string
	outgoing bool
}

func compareMoves(a, b edgeMoves) int {
	return slices.Compare([]string{a.entity, map[bool]string{true: "out"}[a.outgoing]}, []string{b.entity, map[bool]string{true: "out"}[b.outgoing]})
}

func (m *mergeRun) moveEdges(ctx context.Context, before map[string]props) error {
	moves, facts := map[edgeMoves][]edgeMove{}, make([]any, 0, len(m.plan.Edges.Moved))
	for _, e := range m.plan.Edges.Moved {
		from := edgeMoves{entity: before[e.ID].text("src"), outgoing: true}
		if from.entity == e.FromID {
			from = edgeMoves{entity: before[e.ID].text("dst")}
		}
		set := stateProps(e)
		moves[from] = append(moves[from], edgeMove{id: e.ID, end: m.keep, set: set})
		fact := maps.Clone(set)
		fact["src"], fact["dst"], fact["currentKey"], fact["endedKey"] = e.FromID, e.ToID, nil, nil
		first, second := knowledge.EdgePair(e.FromID, e.ToID, m.plan.Rules[e.Type].Symmetric)
		fact[map[bool]string{true: "currentKey", false: "endedKey"}[e.ValidTo == nil]] = edgeKey(first, e.Type, second)
		facts = append(facts, map[string]any{"id": e.ID, "set": fact})
		after := maps.Clone(before[e.ID])
		maps.Copy(after, fact)
		m.archive.Moved = append(m.archive.Moved, archivedMove{ID: e.ID, Entity: from.entity, Outgoing: from.outgoing, Before: differing(before[e.ID], after)})
	}
	return m.giveEdges(ctx, moves, facts)
}

// edgeMove is an edge that gets another end, and other properties with it.
type edgeMove struct {
	id  string
	end string
	set map[string]any
}

// giveEdges stores moves, as relationships and as Facts.
func (s *Store) giveEdges(ctx context.Context, moves map[edgeMoves][]edgeMove, facts []any) error {
	for _, from := range grouped(moves, compareMoves) {
		st, rows := mergeEdgesIn, make(map[string]any, len(moves[from]))
		if from.outgoing {
			st = mergeEdgesOut
		}
		for _, move := range moves[from] {
			rows[move.id] = map[string]any{"end": move.end, "set": move.set}
		}
		moved, err := write(ctx, s, st, map[string]any{"entity": from.entity, "moves": rows}, func(r row) int { return r.int("moved") })
		if err != nil || len(moved) != 1 || moved[0] != len(rows) {
			return orGone(err)
		}
	}
	if len(facts) == 0 {
		return nil
	}
	return exec(ctx, s, mergeEdgesFacts, map[string]any{"rows": facts})
}

// observations drops those for which an equal one stands, and moves the others.
func (m *mergeRun) observations(ctx context.Context) error {
	into := map[string]string{}
	for _, d := range m.plan.Equal {
		into[d.ID] = d.Into
	}
	if len(into) > 0 {
		ids := slices.Sorted(maps.Keys(into))
		whole, err := read(ctx, m.Store, mergeObservationsWhole, map[string]any{"ws": m.plan.WorkspaceID, "ids": ids}, func(r row) archivedNode {
			return archivedNode{Labels: r.texts("labels"), Props: rawProps(r.props("props")), Supports: basesOf(r)}
		})
		if err != nil {
			return err
		}
		m.archive.Remarks = whole
		if n, err := m.DeleteObservations(ctx, m.plan.WorkspaceID, ids); err != nil || n != len(ids) || len(whole) != len(ids) {
			return orGone(err)
		}
		if err := m.handOver(ctx, knowledge.SupportedObservation, whole, into); err != nil {
			return err
		}
	}
	var rows []any
	for _, o := range m.plan.Observations {
		if into[o.ID] != "" {
			continue
		}
		m.archive.Observations = append(m.archive.Observations, archivedMove{ID: o.ID, Entity: o.EntityID})
		rows = append(rows, map[string]any{"id": o.ID, "to": m.keep})
	}
	if len(rows) == 0 {
		return nil
	}
	return exec(ctx, m.Store, mergeObservationsMove, map[string]any{"rows": rows})
}
