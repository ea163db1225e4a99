package resolvers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// deep asks for everything that hangs on a list of entities.
const deep = `query($w: String!){workspace(key: $w){entityTypes{count} edgeTypes{count} entities(first: 50){totalCount nodes{
	workspace{key} type{label count}
	edges(first: 10){totalCount nodes{current from{name type{key}} to{name workspace{name}} supports{docId entry{id}}}}
	observations(first: 5){totalCount nodes{text entity{name type{key}} supports{docId entry{id}}}}
	entries(first: 5){totalCount nodes{title workspace{key} contacts{name} mentions{name} supersededBy{title} supports{docId}
		relations(first: 5){totalCount nodes{from{title} to{title contacts{name}}}}}}
}}}}`

// A list costs a statement a field, however long it is.
func TestLoaders_StatementsDoNotGrowWithTheList(t *testing.T) {
	t.Parallel()
	a, sent := newCountedAPI(t)
	hub := a.entity(t, "Hub")
	grow := func(from, to int) {
		for i := from; i < to; i++ {
			leaf := a.entity(t, fmt.Sprintf("Leaf %d", i))
			a.edge(t, hub, leaf, "knows")
			a.observation(t, leaf, fmt.Sprintf("remark %d", i))
			older, newer := a.entry(t, fmt.Sprintf("Plan %d", i), leaf), a.entry(t, fmt.Sprintf("New plan %d", i), leaf)
			a.relation(t, newer, older, "SUPERSEDES")
		}
	}
	edges := 0.0
	count := func() []string {
		edges = 0
		sent.take()
		d := a.do(t, deep, nil)
		require.NotEmpty(t, at(t, d, "workspace", "entities", "nodes", 0, "edges", "nodes"))
		for _, typ := range at(t, d, "workspace", "edgeTypes").([]any) {
			edges += at(t, typ, "count").(float64)
		}
		return sent.take()
	}
	for _, n := range []int{2, 20} {
		grow(int(edges), n)
		names := count()
		require.InDelta(t, n, edges, 0)
		require.LessOrEqual(t, len(names), 32, "%v", names)
		seen := map[string]int{}
		for _, name := range names {
			seen[name]++
			require.LessOrEqual(t, seen[name], 3, "%s in %v", name, names)
		}
	}
}

// What a walk has read is not read again by the fields below it.
func TestLoaders_WalksKnowTheirEntities(t *testing.T) {
	t.Parallel()
	a, sent := newCountedAPI(t)
	hub, leaf := a.entity(t, "Hub"), a.entity(t, "Leaf")
	a.edge(t, hub, leaf, "knows")
	for name, query := range map[string]string{
		"neighbors":    `query($w: String!, $id: ID!){workspace(key: $w){entity(ref: {id: $id}){neighbors{nodes{entity{name} path{to{name}}}}}}}`,
		"subgraph":     `query($w: String!, $id: ID!){workspace(key: $w){subgraph(refs: [{id: $id}], hops: 1){entities{name} edges{from{name} to{name}}}}}`,
		"shortestPath": `query($w: String!, $id: ID!, $to: ID!){workspace(key: $w){shortestPath(from: {id: $id}, to: {id: $to}){entities{name} edges{from{name} to{name}}}}}`,
	} {
		variables := map[string]any{"id": hub}
		if name == "shortestPath" {
			variables["to"] = leaf
		}
		sent.take()
		a.do(t, query, variables)
		names := sent.take()
		loads := 0
		for _, statement := range names {
			if statement == "entity_by_ids" {
				loads++
			}
		}
		require.LessOrEqual(t, loads, 1, "%s: %v", name, names)
	}
}

// A mutation's answer shows what it did, also where an earlier one of the same document read the same.
func TestLoaders_MutationsReadAfresh(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	from, to := a.entity(t, "Old name"), a.entity(t, "Other")
	edge := a.edge(t, from, to, "knows")
	d := a.do(t, `mutation($w: String!, $from: ID!, $to: ID!){
		first: createEdge(workspace: $w, input: {from: {id: $from}, to: {id: $to}, type: "knows"}){edge{id from{name}}}
		rename: updateEntity(workspace: $w, input: {id: $from, name: "New name"}){entity{name}}
		second: createEdge(workspace: $w, input: {from: {id: $from}, to: {id: $to}, type: "knows"}){edge{id from{name}}}
	}`, map[string]any{"from": from, "to": to})
	require.Equal(t, edge, at(t, d, "first", "edge", "id"))
	require.Equal(t, "Old name", at(t, d, "first", "edge", "from", "name"))
	require.Equal(t, "New name", at(t, d, "second", "edge", "from", "name"))
}
