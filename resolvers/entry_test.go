package resolvers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a caller leaves out takes the defaults of the contract.
func TestEntry_Defaults(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	d := a.do(t, `mutation($w: String!){createEntry(workspace: $w, input: {title: "Plan", content: "Ready.", embedding: [], expiresInDays: 2}){
		created merged entry{type source confidence confidenceBand current tags contacts{id} mentions{id} expiresAt validTo supersededBy{id} embedding{model} workspace{key} relations{totalCount}}}}`, nil)
	require.Equal(t, true, at(t, d, "createEntry", "created"))
	e := at(t, d, "createEntry", "entry").(map[string]any)
	require.NotNil(t, e["expiresAt"])
	delete(e, "expiresAt")
	require.Equal(t, map[string]any{
		"type": "FACT", "source": "MANUAL", "confidence": 0.8, "confidenceBand": "GREEN", "current": true, "tags": []any{}, "contacts": []any{}, "mentions": []any{},
		"validTo": nil, "supersededBy": nil, "embedding": nil, "workspace": map[string]any{"key": a.key}, "relations": map[string]any{"totalCount": 0.0},
	}, e)
}

// An end that is given as null is taken away; one that is left out stays.
func TestEntry_ExpiryIsTakenAwayByNull(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	d := a.do(t, `mutation($w: String!){createEntry(workspace: $w, input: {title: "Plan", content: "Ready.", expiresAt: "2099-01-01T00:00:00Z"}){entry{id}}}`, nil)
	id := at(t, d, "createEntry", "entry", "id")
	const update = `mutation($w: String!, $i: UpdateEntryInput!){updateEntry(workspace: $w, input: $i){entry{title expiresAt}}}`
	d = a.do(t, update, map[string]any{"i": map[string]any{"id": id, "title": "Other", "content": nil}})
	require.Equal(t, map[string]any{"title": "Other", "expiresAt": "2099-01-01T00:00:00Z"}, at(t, d, "updateEntry", "entry"))
	d = a.do(t, update, map[string]any{"i": map[string]any{"id": id, "expiresAt": nil}})
	require.Equal(t, map[string]any{"title": "Other", "expiresAt": nil}, at(t, d, "updateEntry", "entry"))
}

// K12, T22: relations are read from either end, and what replaces an entry is shown at it.
func TestEntry_Relations(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	ada := a.entity(t, "Ada")
	old, plan := a.entry(t, "Old plan", ada), a.entry(t, "New plan", ada)
	a.relation(t, plan, old, "SUPERSEDES")
	d := a.do(t, `query($w: String!, $old: ID!, $new: ID!){workspace(key: $w){
		old: entry(id: $old){supersededBy{title} in: relations(direction: INCOMING){totalCount nodes{type from{title} to{title}}} out: relations(direction: OUTGOING){totalCount nodes{type}}}
		new: entry(id: $new){supersededBy{title} out: relations(direction: OUTGOING, types: [SUPERSEDES]){totalCount} other: relations(types: [CAUSES]){totalCount}}
		none: entry(id: "ery_nothing"){id}}}`, map[string]any{"old": old, "new": plan})
	require.Equal(t, map[string]any{
		"old": map[string]any{
			"supersededBy": map[string]any{"title": "New plan"},
			"in": map[string]any{"totalCount": 1.0, "nodes": []any{map[string]any{
				"type": "SUPERSEDES", "from": map[string]any{"title": "New plan"}, "to": map[string]any{"title": "Old plan"},
			}}},
			"out": map[string]any{"totalCount": 0.0, "nodes": []any{}},
		},
		"new":  map[string]any{"supersededBy": nil, "out": map[string]any{"totalCount": 1.0}, "other": map[string]any{"totalCount": 0.0}},
		"none": nil,
	}, d["workspace"])
}

// L19: without an embedder recall works on text alone, and says so.
func TestRecall_SaysWhatWasLeftOut(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	ada := a.entity(t, "Ada")
	a.entry(t, "Invoice INV-30931", ada)
	d := a.do(t, `query($w: String!){workspace(key: $w){recall(input: {query: "INV-30931", scope: {contact: {name: "ada"}}, explain: true}){
		mode tookMs degraded{leg reason} hits{item{__typename ... on Entry{title}} entry{title} score similarity vectorRank textRank hops via{id} viaMentions{id} hints stale caveat explanation{name value}}}}}`, nil)
	require.Equal(t, "VECTOR", at(t, d, "workspace", "recall", "degraded", 0, "leg"))
	hit := at(t, d, "workspace", "recall", "hits", 0).(map[string]any)
	require.Equal(t, map[string]any{"__typename": "Entry", "title": "Invoice INV-30931"}, hit["item"])
	require.Equal(t, map[string]any{"title": "Invoice INV-30931"}, hit["entry"])
	require.InDelta(t, 1, hit["textRank"], 0)
	require.Nil(t, hit["vectorRank"])
	require.NotEmpty(t, hit["explanation"])
}

// T21: one call keeps turns, makes whom they are about, and finds them again.
func TestT21_Remember(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	const mutation = `mutation($w: String!, $i: RememberInput!){remember(workspace: $w, input: $i){
		entries{created merged entry{type title content threadId contacts{name} mentions{name}}} entities{created entity{name type{key}}} relations{relation{type}} superseded{id} job{id} skipped}}`
	input := map[string]any{
		"about": []any{map[string]any{"name": "Dana"}}, "threadId": "th-1", "occurredAt": "2024-05-01T10:00:00Z",
		"turns": []any{
			map[string]any{"id": "t1", "speaker": "Dana", "text": "We moved the cache to Redis."},
			map[string]any{"id": "t2", "speaker": "Ben", "text": "Good, I will tell the others."},
		},
	}
	d := a.do(t, mutation, map[string]any{"i": input})
	require.Len(t, at(t, d, "remember", "entries"), 2)
	require.Equal(t, true, at(t, d, "remember", "entries", 0, "created"))
	require.Equal(t, "th-1", at(t, d, "remember", "entries", 0, "entry", "threadId"))
	require.Equal(t, "Dana", at(t, d, "remember", "entries", 1, "entry", "contacts", 0, "name"))
	require.Contains(t, fmt.Sprint(at(t, d, "remember", "entities")), "Redis")
	require.Equal(t, []any{}, at(t, d, "remember", "superseded"))
	require.Nil(t, at(t, d, "remember", "skipped"))
	d = a.do(t, mutation, map[string]any{"i": input})
	require.Equal(t, false, at(t, d, "remember", "entries", 0, "created"), "K20 the same turn is found")

	for field, i := range map[string]map[string]any{
		"text": {}, "about.0": {"text": "x", "about": []any{map[string]any{"name": "Nobody"}}, "createMissing": false}, "turns.0.text": {"turns": []any{map[string]any{"speaker": "A", "text": " "}}},
	} {
		got := a.try(t, mutation, map[string]any{"i": i})
		require.Len(t, got.Errors, 1, field)
		require.Equal(t, field, got.Errors[0].Extensions["field"])
	}
}

// O12: the worked example through the API.
func TestO12_ExpandQuery(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.do(t, `mutation($w: String!){a: upsertEntity(workspace: $w, input: {type: "concept", name: "Alpha Node", aliases: ["alpha"]}){created}
		b: upsertEntity(workspace: $w, input: {type: "concept", name: "Beta Node"}){created}
		e: createEdge(workspace: $w, input: {from: {name: "Alpha Node"}, to: {name: "Beta Node"}, type: "feeds_into"}){created}}`, nil)
	d := a.do(t, `query($w: String!){workspace(key: $w){expandQuery(text: "alpha"){original expanded triplets neighbors codeSymbols hints truncated} nothing: expandQuery(text: "go db"){expanded hints}}}`, nil)
	require.Equal(t, "alpha Alpha Node feeds into Beta Node feeds_into feeds into Beta Node", at(t, d, "workspace", "expandQuery", "expanded"))
	require.Equal(t, []any{"Alpha Node feeds into Beta Node"}, at(t, d, "workspace", "expandQuery", "triplets"))
	require.Contains(t, at(t, d, "workspace", "expandQuery", "hints"), "direct:Alpha Node")
	require.Equal(t, map[string]any{"expanded": "go db", "hints": []any{}}, at(t, d, "workspace", "nothing"), "O11")
	got := a.try(t, `query($w: String!){workspace(key: $w){expandQuery(text: "alpha", maxTerms: 27){expanded}}}`, nil)
	require.Equal(t, "maxTerms", got.Errors[0].Extensions["field"])
}

// Wrong values that the types let through are named by the use cases.
func TestInvalidInput_IsNamedAsTheCallerWroteIt(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	ada, ben := a.entity(t, "Ada"), a.entity(t, "Ben")
	for _, c := range []struct{ name, query, field, code string }{
		{"A14 confidence 7", `mutation($w: String!){upsertEntity(workspace: $w, input: {type: "person", name: "x", confidence: 7}){created}}`, "confidence", "INVALID_INPUT"},
		{"A5 blank name", `mutation($w: String!){upsertEntity(workspace: $w, input: {type: "person", name: "  "}){created}}`, "name", "INVALID_INPUT"},
		{"K6 confidence 1.2", `mutation($w: String!){createEntry(workspace: $w, input: {title: "t", content: "c", confidence: 1.2}){created}}`, "confidence", "INVALID_INPUT"},
		{"K6 0 days", `mutation($w: String!){createEntry(workspace: $w, input: {title: "t", content: "c", expiresInDays: 0}){created}}`, "expiresInDays", "INVALID_INPUT"},
		{"B8 self-loop", `mutation($w: String!){createEdge(workspace: $w, input: {from: {name: "Ada"}, to: {name: "ada"}, type: "knows"}){created}}`, "to", "INVALID_INPUT"},
		{"B9 reversed", `mutation($w: String!){createEdge(workspace: $w, input: {from: {name: "Ada"}, to: {name: "Ben"}, type: "knows", validFrom: "2024-02-01T00:00:00Z", validTo: "2024-01-01T00:00:00Z"}){created}}`, "validTo", "INVALID_INPUT"},
		{"B7 unknown end", `mutation($w: String!){createEdge(workspace: $w, input: {from: {name: "Ada"}, to: {name: "Nobody"}, type: "knows"}){created}}`, "to", "NOT_FOUND"},
		{"unknown workspace", `mutation{upsertEntity(workspace: "no such", input: {type: "person", name: "x"}){created}}`, "workspace", "NOT_FOUND"},
		{"L1 limit 0", `query($w: String!){workspace(key: $w){recall(input: {query: "x", scope: {orgWide: true}, limit: 0}){mode}}}`, "limit", "INVALID_INPUT"},
		{"L1 neither query nor vector", `query($w: String!){workspace(key: $w){recall(input: {scope: {orgWide: true}}){mode}}}`, "query", "INVALID_INPUT"},
		{"O15 7 hops", `query($w: String!){workspace(key: $w){shortestPath(from: {name: "Ada"}, to: {name: "Ben"}, maxHops: 7){hops}}}`, "maxHops", "INVALID_INPUT"},
		{"O15 unknown end", `query($w: String!){workspace(key: $w){shortestPath(from: {name: "Ada"}, to: {name: "Nobody"}){hops}}}`, "to", "NOT_FOUND"},
		{"B20 4 hops", `query($w: String!){workspace(key: $w){entity(ref: {name: "Ada"}){neighbors(hops: 4){truncated}}}}`, "hops", "INVALID_INPUT"},
		{"B20 201 neighbours", `query($w: String!){workspace(key: $w){entity(ref: {name: "Ada"}){neighbors(first: 201){truncated}}}}`, "first", "INVALID_INPUT"},
	} {
		got := a.try(t, c.query, nil)
		require.Contains(t, []string{c.code, "LIMIT_EXCEEDED"}, got.code(), "%s: %s", c.name, got.Body)
		require.Equal(t, c.field, got.field(), "%s: %s", c.name, got.Body)
	}
	d := a.do(t, `query($w: String!, $a: ID!, $b: ID!){workspace(key: $w){shortestPath(from: {id: $a}, to: {id: $b}){hops}}}`, map[string]any{"a": ada, "b": ben})
	require.Nil(t, at(t, d, "workspace", "shortestPath"))
}

// T7: a name of several entities is AMBIGUOUS and says which.
func TestT7_AmbiguousNamesTheCandidates(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for _, typ := range []string{"person", "place"} {
		a.do(t, `mutation($w: String!, $t: String!){upsertEntity(workspace: $w, input: {type: $t, name: "Paris"}){created}}`, map[string]any{"t": typ})
	}
	got := a.try(t, `query($w: String!){ok: workspace(key: $w){key} workspace(key: $w){entity(ref: {name: "paris"}){id} resolve(name: "paris"){type{key}}}}`, nil)
	require.Equal(t, "AMBIGUOUS", got.code(), got.Body)
	require.Len(t, got.Errors[0].Extensions["candidates"], 2)
	require.Equal(t, []any{"workspace", "entity"}, got.Errors[0].Path)
	require.Len(t, at(t, got.Data, "workspace", "resolve"), 2, "T26: the neighbours are answered")
	require.Equal(t, map[string]any{"key": a.key}, got.Data["ok"])
	d := a.do(t, `query($w: String!){workspace(key: $w){entity(ref: {name: "paris", type: "place"}){type{key}}}}`, nil)
	require.Equal(t, "place", at(t, d, "workspace", "entity", "type", "key"))
}
