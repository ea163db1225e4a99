package resolvers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A page is read forward and backward, counts only when asked, and its cursors are good
// for its own list only.
func TestEntities_Pages(t *testing.T) {
	t.Parallel()
	a, sent := newCountedAPI(t)
	for i := range 7 {
		a.entity(t, fmt.Sprintf("Name %d", i))
	}
	const page = `query($w: String!, $f: Int, $a: String, $l: Int, $b: String){workspace(key: $w){entities(first: $f, after: $a, last: $l, before: $b){
		nodes{name} edges{cursor node{name}} pageInfo{hasNextPage hasPreviousPage startCursor endCursor}}}}`
	names := func(d map[string]any) string {
		var out []string
		for _, n := range at(t, d, "workspace", "entities", "nodes").([]any) {
			out = append(out, strings.TrimPrefix(at(t, n, "name").(string), "Name "))
		}
		return strings.Join(out, "")
	}
	info := func(d map[string]any, field string) any { return at(t, d, "workspace", "entities", "pageInfo", field) }

	sent.take()
	d := a.do(t, page, map[string]any{"f": 3})
	require.NotContains(t, sent.take(), "entity_count", "totalCount is not asked for")
	require.Equal(t, "012", names(d))
	require.Equal(t, true, info(d, "hasNextPage"))
	require.Equal(t, false, info(d, "hasPreviousPage"))
	require.Equal(t, at(t, d, "workspace", "entities", "edges", 0, "cursor"), info(d, "startCursor"))

	end := info(d, "endCursor")
	d = a.do(t, page, map[string]any{"f": 3, "a": end})
	require.Equal(t, "345", names(d))
	require.Equal(t, true, info(d, "hasPreviousPage"))
	start := info(d, "startCursor")
	d = a.do(t, page, map[string]any{"f": 3, "a": info(d, "endCursor")})
	require.Equal(t, "6", names(d))
	require.Equal(t, false, info(d, "hasNextPage"))

	d = a.do(t, page, map[string]any{"l": 2, "b": start})
	require.Equal(t, "12", names(d))
	require.Equal(t, true, info(d, "hasPreviousPage"))
	require.Equal(t, true, info(d, "hasNextPage"))
	d = a.do(t, page, map[string]any{"l": 2})
	require.Equal(t, "56", names(d))
	require.Equal(t, "0123456", names(a.do(t, page, nil)))

	sent.take()
	d = a.do(t, `query($w: String!){workspace(key: $w){entities(first: 1){totalCount}}}`, nil)
	require.InDelta(t, 7, at(t, d, "workspace", "entities", "totalCount"), 0)
	require.Contains(t, sent.take(), "entity_count")

	other := a.workspace(t)
	for name, c := range map[string]struct {
		query     string
		variables map[string]any
		field     string
	}{
		"garbage":                   {page, map[string]any{"f": 1, "a": "x"}, "after"},
		"garbage that decodes":      {page, map[string]any{"f": 1, "a": "WyJhIiwiYiIsImMiXQ"}, "after"},
		"empty":                     {page, map[string]any{"f": 1, "a": ""}, "after"},
		"long":                      {page, map[string]any{"f": 1, "a": strings.Repeat("A", 10_000)}, "after"},
		"before of nothing":         {page, map[string]any{"l": 1, "b": "x"}, "before"},
		"another workspace":         {page, map[string]any{"w": other, "f": 1, "a": end}, "after"},
		"another order":             {`query($w: String!, $a: String){workspace(key: $w){entities(orderBy: {field: CREATED_AT, direction: ASC}, after: $a){nodes{name}}}}`, map[string]any{"a": end}, "after"},
		"another filter":            {`query($w: String!, $a: String){workspace(key: $w){entities(filter: {nameContains: "x"}, after: $a){nodes{name}}}}`, map[string]any{"a": end}, "after"},
		"another list":              {`query($w: String!, $a: String){workspace(key: $w){search(query: "x", after: $a){nodes{name}}}}`, map[string]any{"a": end}, "after"},
		"first and last":            {page, map[string]any{"f": 1, "l": 1}, "last"},
		"after with last":           {page, map[string]any{"l": 1, "a": end}, "after"},
		"before with first":         {page, map[string]any{"f": 1, "b": end}, "before"},
		"first 0":                   {page, map[string]any{"f": 0}, "first"},
		"first negative":            {page, map[string]any{"f": -1}, "first"},
		"first 101":                 {page, map[string]any{"f": 101}, "first"},
		"last 10,000":               {page, map[string]any{"l": 10_000}, "last"},
		"search 51":                 {`query($w: String!){workspace(key: $w){search(query: "x", first: 51){nodes{name}}}}`, nil, "first"},
		"edges 0 of one entity":     {`query($w: String!){workspace(key: $w){entities{nodes{edges(first: 0){nodes{id}}}}}}`, nil, "first"},
		"observations of an entity": {`query($w: String!){workspace(key: $w){entities{nodes{observations(first: 101){nodes{id}}}}}}`, nil, "first"},
	} {
		got := a.try(t, c.query, c.variables)
		require.Equal(t, "INVALID_INPUT", got.code(), "%s: %s", name, got.Body)
		require.Equal(t, c.field, got.field(), "%s: %s", name, got.Body)
		if strings.HasSuffix(name, "1") || strings.HasSuffix(name, "000") {
			require.Regexp(t, "100|50|200", got.Errors[0].Message, name)
		}
	}
}

// Every member of Node says what it is.
func TestNode_EveryMemberHasATypename(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	from, to := a.entity(t, "Ada"), a.entity(t, "Ben")
	d := a.do(t, `query($w: String!){workspace(key: $w){id entityTypes{id}}}`, nil)
	ids := map[string]string{
		"Workspace":   at(t, d, "workspace", "id").(string),
		"EntityType":  at(t, d, "workspace", "entityTypes", 0, "id").(string),
		"Entity":      from,
		"Edge":        a.edge(t, from, to, "knows"),
		"Observation": a.observation(t, from, "likes tea"),
		"Entry":       a.entry(t, "Plan", from),
	}
	sources := a.fill(t)
	ids["Message"], ids["SourceFile"], ids["Job"] = sources.ids["message"], sources.ids["file"], sources.ids["job"]
	ids["CodeFile"], ids["CodeSymbol"], ids["CodePackage"] = sources.ids["code file"], sources.ids["code symbol"], sources.ids["code package"]
	ids["Relation"] = a.relation(t, ids["Entry"], a.entry(t, "Other plan", from), "SUPPORTS")
	for member := range own(served()) {
		def := served().Types[member]
		if slices.Contains(def.Interfaces, "Node") {
			require.NotEmpty(t, ids[member], "%s is a Node too", member)
		}
	}
	for typename, id := range ids {
		d := a.do(t, `query($id: ID!){node(id: $id){__typename id}}`, map[string]any{"id": id})
		require.Equal(t, map[string]any{"__typename": typename, "id": id}, d["node"])
	}
	d = a.do(t, `query($ids: [ID!]!){nodes(ids: $ids){__typename}}`, map[string]any{"ids": []any{to, "ent_nothing", "nonsense", "", from}})
	entity := map[string]any{"__typename": "Entity"}
	require.Equal(t, []any{entity, nil, nil, nil, entity}, d["nodes"])
	d = a.do(t, `{node(id: "ent_nothing"){id}}`, nil)
	require.Nil(t, d["node"])
	got := a.try(t, `query($ids: [ID!]!){nodes(ids: $ids){id}}`, map[string]any{"ids": make101(from)})
	require.Equal(t, "LIMIT_EXCEEDED", got.code(), got.Body)
	require.Equal(t, "ids", got.field())
}

func make101(id string) []any {
	ids := make([]any, 101)
	for i := range ids {
		ids[i] = id
	}
	return ids
}
