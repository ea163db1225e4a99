package mcp_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/mcp"
)

const (
	hubObservations = 2_000
	hubEdges        = 5_000
)

// hub makes an entity with many observations and edges, in several scripts.
func (w *world) hub(t *testing.T) *knowledge.Entity {
	t.Helper()
	hub := w.entity(t, "service", "gateway", strings.Repeat("Routes every request. ", 200))
	numbers := make([]int, hubEdges)
	for i := range numbers {
		numbers[i] = i
	}
	for chunk := range slices.Chunk(numbers, 500) {
		var entities []knowledge.EntityDraft
		var edges []knowledge.EdgeDraft
		for _, i := range chunk {
			text := strings.Repeat("takes what the gateway sends ", 20)
			if i%3 == 0 {
				text = strings.Repeat("網關發送的請求由後端處理", 20)
			}
			name := fmt.Sprintf("backend number %d with a rather long name", i)
			entities = append(entities, knowledge.EntityDraft{Type: "service", Name: name, Description: &text})
			edges = append(edges, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: hub.ID}, To: knowledge.EntityRef{Name: name}, Type: "connects_to"})
		}
		made, err := w.services.Entities.UpsertMany(t.Context(), w.by, entities, true)
		require.NoError(t, err)
		for i, m := range made {
			require.NoError(t, m.Err)
			edges[i].To = knowledge.EntityRef{ID: m.Value.Entity.ID}
		}
		connected, err := w.services.Edges.AssertMany(t.Context(), w.by, edges, true)
		require.NoError(t, err)
		require.NoError(t, connected[0].Err)
	}
	for chunk := range slices.Chunk(numbers[:hubObservations], 500) {
		var remarks []knowledge.ObservationDraft
		for _, i := range chunk {
			remarks = append(remarks, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: hub.ID}, Text: fmt.Sprintf("observation %d of the gateway: %s", i, strings.Repeat("text ", 60))})
		}
		seen, err := w.services.Observations.AddMany(t.Context(), w.by, remarks, true)
		require.NoError(t, err)
		require.NoError(t, seen[0].Err)
	}
	return hub
}

// Every answer about a hub stays under the budget (the client checks each one), and its
// cursor completes it.
func TestT14_HubDoesNotFlood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	hub := w.hub(t)
	other := w.entity(t, "service", "another", "is written to, while the hub is read")
	c := w.session(t, mcp.Session{})

	t.Run("T14 get_entity", func(t *testing.T) {
		t.Parallel()
		first := c.call(t, "get_entity", args{"entity_id": "gateway"})
		assert.InDelta(t, hubObservations, first["totalObservations"], 0)
		assert.InDelta(t, hubEdges, first["totalEdges"], 0)
		assert.NotEmpty(t, first["observations"], "some of both")
		assert.NotEmpty(t, first["edges"])
		seen := map[string]map[string]bool{"observations": {}, "edges": {}}
		next, pages := args{"entity_id": "gateway"}, 0
		for more := true; more; pages++ {
			require.Less(t, pages, 1_000)
			got := c.call(t, "get_entity", next)
			for list, ids := range seen {
				for _, item := range got[list].([]any) {
					id := item.(map[string]any)["id"].(string)
					require.False(t, ids[id], "%s twice", id)
					ids[id] = true
				}
			}
			next["cursor"], more = got["cursor"]
		}
		assert.Len(t, seen["observations"], hubObservations)
		assert.Len(t, seen["edges"], hubEdges)
	})
	t.Run("T14 kg_get_neighbors", func(t *testing.T) {
		t.Parallel()
		first := c.call(t, "kg_get_neighbors", args{"entity_id": hub.ID})
		assert.Equal(t, []any{true, 200.0}, []any{first["truncated"], first["total"]}, "J11")
		assert.Less(t, first["count"], first["total"])
		items, pages := c.all(t, "kg_get_neighbors", args{"entity_id": hub.ID}, "neighbors")
		assert.Len(t, items, 200)
		assert.Len(t, idsOf(items, "entity"), 200, "each once")
		assert.Greater(t, pages, 1)
		c.call(t, "kg_get_neighbors", args{"entity_id": hub.ID, "depth": 3})
	})
	t.Run("T14 kg_search", func(t *testing.T) {
		t.Parallel()
		items, pages := c.all(t, "kg_search", args{"query": "backend gateway", "limit": 1_000}, "results")
		assert.Len(t, idsOf(items), 50)
		assert.Greater(t, pages, 1)
		assert.InDelta(t, 1, c.call(t, "kg_search", args{"query": "backend", "limit": -5})["count"], 0, "J10 clamped")
		assert.InDelta(t, 10, c.call(t, "kg_search", args{"query": "backend"})["total"], 0, "J10 ten without a limit")
		assert.Equal(t, true, c.call(t, "kg_search", args{"query": "backend"})["truncated"])
	})
	t.Run("T14 kg_get_subgraph", func(t *testing.T) {
		t.Parallel()
		near, _ := c.all(t, "kg_get_neighbors", args{"entity_id": hub.ID}, "neighbors")
		ids := []any{hub.ID}
		for id := range idsOf(near, "entity") {
			ids = append(ids, id)
		}
		a := args{"entity_ids": ids}
		first := c.call(t, "kg_get_subgraph", a)
		assert.Equal(t, []any{100.0, 99.0, true}, []any{first["totalEntities"], first["totalEdges"], first["truncated"]}, "B20 the first 100, and it says so")
		assert.Len(t, first["missing"], 20)
		entities, _ := c.all(t, "kg_get_subgraph", a, "entities")
		edges, _ := c.all(t, "kg_get_subgraph", a, "edges")
		assert.Len(t, idsOf(entities), 100)
		assert.Len(t, idsOf(edges), 99)
	})
	t.Run("T14 others", func(t *testing.T) {
		t.Parallel()
		got := c.call(t, "get_context", args{"prompt": "tell me about the gateway"})
		assert.LessOrEqual(t, len([]rune(got["text"].(string))), 1_500, "I5")
		c.call(t, "kg_find_path", args{"from": "backend number 1 with a rather long name", "to": "backend number 3 with a rather long name"})
		c.call(t, "kg_update_entity", args{"entity_id": other.ID, "description": strings.Repeat("漢", 90_000)})
		c.call(t, "kg_add_observation", args{"entity_id": other.ID, "content": strings.Repeat("\"\\ ", 30_000)})
	})
	t.Run("T14 the resource", func(t *testing.T) {
		t.Parallel()
		edges := map[string]bool{}
		uri := "mneme://" + w.ws.Key + "/entity/" + hub.ID
		for range 3 {
			require.NotEmpty(t, uri)
			got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
			require.NoError(t, err)
			require.LessOrEqual(t, len(got.Contents[0].Text)/4, mcp.DefaultMaxTokens)
			var one struct {
				Edges []struct{ ID string }
				Next  string
			}
			require.NoError(t, json.Unmarshal([]byte(got.Contents[0].Text), &one))
			require.NotEmpty(t, one.Edges)
			for _, e := range one.Edges {
				require.False(t, edges[e.ID], "%s twice", e.ID)
				edges[e.ID] = true
			}
			uri = one.Next
		}
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://" + w.ws.Key + "/summary"})
		require.NoError(t, err)
	})
}

// Whatever texts are stored, an answer fits.
func TestT14_LongTexts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	long := strings.Repeat("漢字", 45_000)
	name := strings.Repeat("長", 990)
	properties := map[string]any{"small": 1}
	for i := range 60 {
		properties[fmt.Sprintf("key %d", i)] = strings.Repeat("ü", 300)
	}
	made := c.call(t, "kg_create_entity", args{"entity_type": "concept", "name": name, "description": long, "properties": properties})
	id := at(t, made, "entity", "id").(string)
	other := at(t, c.call(t, "kg_create_entity", args{"entity_type": "concept", "name": name + "2", "description": long}), "entity", "id").(string)
	c.call(t, "kg_create_edge", args{"source_entity_id": id, "target_entity_id": other, "edge_type": strings.Repeat("long ", 100)})
	for i := range 5 {
		c.call(t, "kg_add_observation", args{"entity_id": id, "content": fmt.Sprint(i) + long})
	}
	got := c.call(t, "get_entity", args{"entity_id": id})
	assert.Equal(t, true, at(t, got, "entity", "propertiesTruncated"))
	assert.True(t, strings.HasSuffix(at(t, got, "entity", "description").(string), "…"), "what is cut says so")
	items, _ := c.all(t, "get_entity", args{"entity_id": id}, "observations")
	assert.Len(t, idsOf(items), 5)
	for _, call := range []struct {
		tool string
		a    args
	}{
		{"kg_get_neighbors", args{"entity_id": id}},
		{"kg_get_subgraph", args{"entity_ids": []string{id, other}}},
		{"kg_find_path", args{"from": id, "to": other}},
		{"kg_search", args{"query": name}},
		{"get_context", args{"prompt": name}},
		{"save_knowledge", args{"title": strings.Repeat("字", 900), "content": long}},
		{"remember", args{"text": long, "about": []string{id, other}}},
		{"recall_knowledge", args{"query": "漢字", "limit": 50}},
	} {
		c.call(t, call.tool, call.a)
	}
	found := c.call(t, "recall_knowledge", args{"query": "漢字"})
	require.NotEmpty(t, found["results"])
	assert.LessOrEqual(t, len([]rune(at(t, found, "results", 0, "content").(string))), 800, "L28")
	_, field := c.refused(t, "kg_create_entity", args{"entity_type": "concept", "name": strings.Repeat("x", 2_000)})
	assert.Equal(t, "name", field)
}

func TestT14_Cursor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var ids []any
	for i := range 60 {
		ids = append(ids, w.entity(t, "service", fmt.Sprintf("backend %d", i), strings.Repeat("long words ", 60)).ID)
	}
	c := w.session(t, mcp.Session{})
	a := args{"entity_ids": ids}
	first := c.call(t, "kg_get_subgraph", a)
	cursor, ok := first["cursor"].(string)
	require.True(t, ok)
	for name, wrong := range map[string]any{"nonsense": "nonsense", "empty": "", "a number": 5, "cut": cursor[:len(cursor)-4], "foreign": "eyJxIjoiYSIsImEiOiJiIn0"} {
		code, field := c.refused(t, "kg_get_subgraph", args{"entity_ids": ids, "cursor": wrong})
		assert.Equal(t, []string{"INVALID_INPUT", "cursor"}, []string{code, field}, name)
	}
	code, field := c.refused(t, "kg_get_subgraph", args{"entity_ids": ids[1:], "cursor": cursor})
	assert.Equal(t, []string{"INVALID_INPUT", "cursor"}, []string{code, field}, "a cursor goes with its call")
	code, _ = c.refused(t, "kg_search", args{"query": "backend", "cursor": cursor})
	assert.Equal(t, "INVALID_INPUT", code)

	// What the cursor stands behind is deleted: the caller is told, nothing is left out silently.
	last := first["entities"].([]any)
	c.call(t, "kg_delete_entity", args{"entity_id": at(t, last, len(last)-1, "id")})
	code, field = c.refused(t, "kg_get_subgraph", args{"entity_ids": ids, "cursor": cursor})
	assert.Equal(t, []string{"INVALID_INPUT", "cursor"}, []string{code, field})
}

// The budget is a setting.
func TestT14_ConfiguredBudget(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.server = mcp.New(mcp.Config{Services: w.ready, MaxTokens: mcp.MinMaxTokens})
	hub := w.entity(t, "service", "gateway", strings.Repeat("漢", 1_000))
	for i := range 30 {
		w.edge(t, hub, "connects_to", w.entity(t, "service", fmt.Sprintf("backend %d %s", i, strings.Repeat("字", 900)), strings.Repeat("漢", 1_000)))
	}
	c := w.session(t, mcp.Session{})
	c.most = mcp.MinMaxTokens
	items, _ := c.all(t, "kg_get_neighbors", args{"entity_id": hub.ID}, "neighbors")
	assert.Len(t, idsOf(items, "entity"), 30)
	items, _ = c.all(t, "get_entity", args{"entity_id": hub.ID}, "edges")
	assert.Len(t, idsOf(items), 30)
	c.call(t, "kg_find_path", args{"from": hub.ID, "to": hub.ID})
}
