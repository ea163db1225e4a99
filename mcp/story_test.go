package mcp_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/mcp"
)

func readTools() []string {
	return []string{"get_context", "recall_knowledge", "ask_knowledge", "kg_search", "get_entity", "kg_get_neighbors", "kg_get_subgraph", "kg_find_path", "search_code", "code_neighbors"}
}

func writeTools() []string {
	return []string{
		"remember", "save_knowledge", "kg_create_entity", "kg_update_entity", "kg_delete_entity", "kg_create_edge", "kg_invalidate_edge", "kg_delete_edge",
		"kg_add_observation",
	}
}

// The whole life of a memory, over both transports: things are created, connected and
// observed, found, ended, and asked for as they were before.
func TestJ1_Story(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"stdio", "http"} {
		t.Run("J1 over "+transport, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			s := &story{client: w.over(t, transport, mcp.Session{})}
			s.create(t)
			s.connect(t)
			s.find(t)
			s.change(t)
			s.knowledge(t)
			s.resources(t, w.ws.Key)
			s.remove(t)
		})
	}
}

type story struct {
	*client
	checkout, redis, valkey string // ids
	edge                    string
}

func (s *story) create(t *testing.T) {
	t.Helper()
	got := s.call(t, "kg_create_entity", args{"entity_type": "Service", "name": "Checkout", "description": "Takes payments", "properties": args{"port": 8080}, "task_id": "task-1"})
	assert.Equal(t, true, got["success"])
	assert.Equal(t, true, got["created"])
	s.checkout = at(t, got, "entity", "id").(string)
	assert.Equal(t, "service", at(t, got, "entity", "type"))
	assert.InDelta(t, 1.0, at(t, got, "entity", "confidence"), 1e-9, "J1 the writer is an agent (A15)")
	again := s.call(t, "kg_create_entity", args{"entity_type": "service", "name": " checkout "})
	assert.Equal(t, s.checkout, at(t, again, "entity", "id"), "J3 an upsert")
	assert.Equal(t, false, again["created"])
	s.redis = at(t, s.call(t, "kg_create_entity", args{"entity_type": "technology", "name": "Redis"}), "entity", "id").(string)
	s.valkey = at(t, s.call(t, "kg_create_entity", args{"entity_type": "technology", "name": "Valkey"}), "entity", "id").(string)

	got = s.call(t, "kg_update_entity", args{"entity_id": s.checkout, "description": "Takes card payments", "confidence": 0.9, "properties": args{"port": nil, "owner": "Ann"}})
	assert.Equal(t, "Takes card payments", at(t, got, "entity", "description"))
	assert.InDelta(t, 0.9, at(t, got, "entity", "confidence"), 1e-9, "J4")
	whole := s.call(t, "get_entity", args{"entity_id": "checkout"})
	assert.Equal(t, map[string]any{"owner": "Ann"}, at(t, whole, "entity", "properties"), "A25")
	assert.Equal(t, "agent", at(t, whole, "entity", "source"), "J1")
}

func (s *story) connect(t *testing.T) {
	t.Helper()
	got := s.call(t, "kg_create_edge", args{"source_entity_id": s.checkout, "target_entity_id": s.redis, "edge_type": "Uses", "valid_from": "2026-01-01T00:00:00Z", "task_id": "task-1"})
	s.edge = at(t, got, "edge", "id").(string)
	assert.Equal(t, []any{"uses", s.checkout, s.redis, "2026-01-01T00:00:00Z"}, []any{at(t, got, "edge", "type"), at(t, got, "edge", "source"), at(t, got, "edge", "target"), at(t, got, "edge", "validFrom")}, "J6")
	assert.NotContains(t, at(t, got, "edge"), "validTo")
	code, field := s.refused(t, "kg_create_edge", args{"source_entity_id": s.checkout, "target_entity_id": s.redis, "edge_type": "uses", "valid_from": "2025-01-01T00:00:00Z"})
	assert.Equal(t, "OVERLAPPING_INTERVAL", code, "B13 %s", field)
	code, field = s.refused(t, "kg_create_edge", args{"source_entity_id": s.checkout, "target_entity_id": "nobody", "edge_type": "uses"})
	assert.Equal(t, []string{"NOT_FOUND", "target_entity_id"}, []string{code, field}, "B7")

	seen := s.call(t, "kg_add_observation", args{"entity_id": s.checkout, "content": "p99 doubled after the release"})
	assert.Equal(t, []any{s.checkout, "p99 doubled after the release"}, []any{at(t, seen, "observation", "entityId"), at(t, seen, "observation", "content")}, "J9")
	again := s.call(t, "kg_add_observation", args{"entity_id": s.checkout, "content": "P99  doubled after the release"})
	assert.Equal(t, at(t, seen, "observation", "id"), at(t, again, "observation", "id"), "C3")
}

func (s *story) find(t *testing.T) {
	t.Helper()
	got := s.call(t, "kg_search", args{"query": "card paym"})
	assert.InDelta(t, 1, got["count"], 0)
	assert.Equal(t, s.checkout, at(t, got, "results", 0, "id"), "J10 prefixes match")
	assert.Positive(t, at(t, got, "results", 0, "score"))
	assert.InDelta(t, 0, s.call(t, "kg_search", args{"query": "card", "entity_type": "technology"})["count"], 0, "J14")
	assert.InDelta(t, 0, s.call(t, "kg_search", args{"query": " "})["count"], 0, "J15 blank")
	assert.Equal(t, s.checkout, at(t, s.call(t, "kg_search", args{"query": "doubled"}), "results", 0, "id"), "J16")

	got = s.call(t, "kg_get_neighbors", args{"entity_id": s.checkout})
	assert.Equal(t, []any{s.redis, "outgoing", 1.0}, []any{at(t, got, "neighbors", 0, "entity", "id"), at(t, got, "neighbors", 0, "edge", "direction"), at(t, got, "neighbors", 0, "depth")}, "J11")
	got = s.call(t, "kg_get_neighbors", args{"entity_id": "Redis", "edge_types": []string{"USES"}, "depth": 99})
	assert.Equal(t, "incoming", at(t, got, "neighbors", 0, "edge", "direction"), "J11 depth is clamped")
	assert.Empty(t, s.call(t, "kg_get_neighbors", args{"entity_id": "nobody"})["neighbors"], "J11 an unknown id has none")

	got = s.call(t, "kg_get_subgraph", args{"entity_ids": []string{s.checkout, s.redis, s.valkey, "nobody", s.redis}})
	assert.Equal(t, []any{3.0, 1.0, []any{"nobody"}}, []any{got["entityCount"], got["edgeCount"], got["missing"]}, "J12 B23")
	assert.InDelta(t, 0, s.call(t, "kg_get_subgraph", args{"entity_ids": "not a list"})["entityCount"], 0, "J12")

	got = s.call(t, "kg_find_path", args{"from": "Valkey", "to": s.checkout})
	assert.Equal(t, false, got["found"], "O15 none")
	got = s.call(t, "kg_find_path", args{"from": "redis", "to": s.checkout, "max_hops": 1.0})
	assert.Equal(t, []any{true, 1.0, "Redis <-uses- Checkout"}, []any{got["found"], got["hops"], got["summary"]}, "O15")
}

// change ends what holds, says what holds instead, and asks what was true before.
func (s *story) change(t *testing.T) {
	t.Helper()
	got := s.call(t, "kg_invalidate_edge", args{"edge_id": s.edge, "valid_to": "2026-06-01T00:00:00Z"})
	assert.Equal(t, "2026-06-01T00:00:00Z", at(t, got, "edge", "validTo"), "J8")
	code, _ := s.refused(t, "kg_invalidate_edge", args{"edge_id": s.edge, "valid_to": "2026-05-01T00:00:00Z"})
	assert.Equal(t, "CONFLICT", code, "B16")
	s.call(t, "kg_create_edge", args{"source_entity_id": s.checkout, "target_entity_id": s.valkey, "edge_type": "uses", "valid_from": "2026-06-01T00:00:00Z"})
	names := func(a args) []string {
		a["entity_id"] = s.checkout
		items, _ := s.all(t, "kg_get_neighbors", a, "neighbors")
		var out []string
		for _, n := range items {
			out = append(out, n["entity"].(map[string]any)["name"].(string))
		}
		slices.Sort(out)
		return out
	}
	assert.Equal(t, []string{"Valkey"}, names(args{}), "B22 now")
	assert.Equal(t, []string{"Redis"}, names(args{"as_of": "2026-03-01T00:00:00Z"}), "T1 before")
	assert.Empty(t, names(args{"as_of": "2025-03-01T00:00:00Z"}), "T1 before that")
	assert.Equal(t, []string{"Redis", "Valkey"}, names(args{"include_history": true}), "B22 history")
	assert.Empty(t, names(args{"known_at": "2020-01-01T00:00:00Z"}), "T1 nothing was known then")
	got = s.call(t, "kg_get_subgraph", args{"entity_ids": []string{s.checkout, s.redis}, "as_of": "2026-03-01T00:00:00Z"})
	assert.Equal(t, s.edge, at(t, got, "edges", 0, "id"), "J12 as_of")
	assert.Equal(t, true, s.call(t, "kg_find_path", args{"from": s.checkout, "to": s.redis, "as_of": "2026-03-01T00:00:00Z"})["found"], "T1")
	assert.Contains(t, s.call(t, "get_context", args{"prompt": "what does the checkout use?"})["text"], "->uses Valkey", "I4")
	assert.Contains(t, s.call(t, "get_context", args{"prompt": "checkout", "as_of": "2026-03-01T00:00:00Z"})["text"], "->uses Redis", "I2")
}

func (s *story) knowledge(t *testing.T) {
	t.Helper()
	got := s.call(t, "remember", args{"text": "Ann of Northwind prefers invoices as PDF.", "about": []any{"ann@northwind.example", args{"name": "Northwind", "type": "organization"}}, "type": "preference", "task_id": "task-1"})
	assert.Equal(t, []any{true, 1.0, 2.0}, []any{got["success"], got["entryCount"], got["entityCount"]}, "T21")
	again := s.call(t, "remember", args{"text": "Ann of Northwind prefers invoices as PDF.", "about": []any{"ann@northwind.example", "Northwind"}, "type": "preference"})
	assert.Equal(t, at(t, got, "entries", 0, "id"), at(t, again, "entries", 0, "id"), "K21")
	assert.Equal(t, false, at(t, again, "entries", 0, "created"))
	turns := s.call(t, "remember", args{"turns": []any{args{"speaker": "Bo", "text": "We ship on Friday.", "at": "2026-03-02T10:00:00Z"}, args{"speaker": "user", "text": "Fine."}}, "thread_id": "thread-1"})
	assert.InDelta(t, 2, turns["entryCount"], 0)
	assert.InDelta(t, 1, turns["relationCount"], 0, "M9")

	saved := s.call(t, "save_knowledge", args{"type": "DECISION", "title": "Cache", "content": "The checkout moves from Redis to Valkey.", "confidence": 0.7, "expires_in_days": 30})
	assert.Equal(t, []any{"decision", true}, []any{at(t, saved, "entry", "type"), saved["created"]}, "L28")
	assert.InDelta(t, 0.7, at(t, saved, "entry", "confidence"), 1e-9)
	again = s.call(t, "save_knowledge", args{"type": "decision", "title": " cache", "content": "the checkout moves from  Redis to Valkey."})
	assert.Equal(t, at(t, saved, "entry", "id"), at(t, again, "entry", "id"), "K21")
	code, field := s.refused(t, "save_knowledge", args{"title": "x", "content": "y", "contact": "Zed"})
	assert.Equal(t, []string{"NOT_FOUND", "contact"}, []string{code, field})

	got = s.call(t, "recall_knowledge", args{"query": "How does Ann want invoices?", "contact": "ann@northwind.example"})
	assert.Equal(t, "Ann of Northwind prefers invoices as PDF.", at(t, got, "results", 0, "content"), "L28")
	assert.Equal(t, []any{"ann@northwind.example", "Northwind"}, at(t, got, "results", 0, "about"))
	assert.Equal(t, "vector", at(t, got, "degraded", 0, "leg"), "L28 a leg that failed is named")
	assert.Empty(t, s.call(t, "recall_knowledge", args{"query": "invoices", "type": "goal"})["results"])
	code, _ = s.refused(t, "ask_knowledge", args{"question": "How does Ann want invoices?"})
	assert.Equal(t, "FEATURE_DISABLED", code, "Q3 no model is configured")
	assert.Empty(t, s.call(t, "search_code", args{"query": "checkout"})["results"], "P16 nothing is indexed")
	assert.Empty(t, s.call(t, "code_neighbors", args{"entity": "checkout"})["files"], "P15")
}

func (s *story) resources(t *testing.T, workspace string) {
	t.Helper()
	read := func(uri string) map[string]any {
		got, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		require.NoError(t, err)
		require.Len(t, got.Contents, 1)
		assert.Equal(t, "application/json", got.Contents[0].MIMEType)
		var out map[string]any
		require.NoError(t, json.Unmarshal([]byte(got.Contents[0].Text), &out))
		return out
	}
	listed, err := s.ListResources(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, listed.Resources, 1)
	assert.Equal(t, "mneme://"+workspace+"/summary", listed.Resources[0].URI)
	sum := read(listed.Resources[0].URI)
	assert.Equal(t, []any{workspace, 2.0, 1.0}, []any{sum["workspace"], sum["edges"], sum["currentEdges"]})
	one := read("mneme://" + workspace + "/entity/" + s.checkout)
	assert.Equal(t, "Checkout", at(t, one, "entity", "name"))
	assert.InDelta(t, 1, one["totalObservations"], 0)
	for _, uri := range []string{"mneme://" + workspace + "/entity/ent_nobody", "mneme://default-of-others/summary", "mneme://" + workspace + "/nothing"} {
		_, err := s.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		require.Error(t, err, uri)
	}
}

func (s *story) remove(t *testing.T) {
	t.Helper()
	got := s.call(t, "kg_delete_edge", args{"edge_id": s.edge, "task_id": "task-1"})
	assert.Equal(t, true, got["success"], "J7")
	assert.Equal(t, false, s.call(t, "kg_delete_edge", args{"edge_id": s.edge})["success"], "J7")
	assert.Equal(t, true, s.call(t, "kg_delete_entity", args{"entity_id": s.redis})["success"], "J5")
	assert.Equal(t, false, s.call(t, "kg_delete_entity", args{"entity_id": s.redis})["success"], "J5 false when missing")
	code, field := s.refused(t, "kg_update_entity", args{"entity_id": s.redis, "description": "x"})
	assert.Equal(t, []string{"NOT_FOUND", "entity_id"}, []string{code, field}, "J4")
	code, field = s.refused(t, "kg_invalidate_edge", args{"edge_id": s.edge})
	assert.Equal(t, []string{"NOT_FOUND", "edge_id"}, []string{code, field}, "J8")
}

func TestJ2_ListedTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	var want []string
	want = append(append(want, readTools()...), writeTools()...)
	for _, name := range want {
		tool := c.tools[name]
		if !assert.NotNil(t, tool, name) {
			continue
		}
		assert.NotEmpty(t, tool.Description)
		require.NotNil(t, tool.Annotations)
		assert.Equal(t, slices.Contains(readTools(), name), tool.Annotations.ReadOnlyHint, "J2 %s", name)
		require.NotNil(t, tool.Annotations.DestructiveHint)
		assert.Equal(t, slices.Contains([]string{"kg_update_entity", "kg_delete_entity", "kg_invalidate_edge", "kg_delete_edge"}, name), *tool.Annotations.DestructiveHint, name)
		input, ok := tool.InputSchema.(map[string]any)
		require.True(t, ok)
		for argument, property := range input["properties"].(map[string]any) {
			assert.NotEmpty(t, property.(map[string]any)["description"], "%s.%s says what it is", name, argument)
		}
		assert.Equal(t, false, input["additionalProperties"], name)
		assert.NotNil(t, tool.OutputSchema, name)
		if slices.Contains(writeTools(), name) {
			assert.Contains(t, input["properties"], "task_id", "every write tool takes it: %s", name)
		}
	}
	assert.Len(t, c.tools, len(want))
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "kg_nonsense"})
	require.ErrorContains(t, err, "unknown tool", "J13 a protocol error")
}

// A task whose prompt opts out of memory writes nothing, by whichever tool.
func TestF5_F6_NoMemory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	thing := w.entity(t, "service", "Gateway", "")
	_, err := w.services.Memory.Begin(t.Context(), w.by, "quiet", "fix it <no-memory>")
	require.NoError(t, err)
	for name, a := range map[string]args{
		"kg_create_entity":   {"entity_type": "service", "name": "Unsaid"},
		"kg_update_entity":   {"entity_id": thing.ID, "description": "x"},
		"kg_create_edge":     {"source_entity_id": thing.ID, "target_entity_id": w.entity(t, "service", "Other", "").ID, "edge_type": "uses"},
		"kg_add_observation": {"entity_id": thing.ID, "content": "x"},
		"save_knowledge":     {"title": "x", "content": "y"},
		"remember":           {"text": "x"},
	} {
		a["task_id"] = "quiet"
		code, _ := c.refused(t, name, a)
		assert.Equal(t, "NO_MEMORY", code, "F5 the task's prompt: %s", name)
		delete(a, "task_id")
		for _, text := range []string{"description", "content", "text", "edge_type"} {
			if _, has := a[text]; has || text == "description" && name == "kg_create_entity" {
				a[text] = "x < NO-MEMORY /> y"
				code, _ = c.refused(t, name, a)
				assert.Equal(t, "NO_MEMORY", code, "F4 the call's own texts: %s", name)
				break
			}
		}
	}
	assert.Empty(t, c.call(t, "kg_search", args{"query": "Unsaid"})["results"], "F6 nothing was saved")
	assert.Equal(t, true, c.call(t, "kg_delete_entity", args{"entity_id": thing.ID, "task_id": "quiet"})["success"], "F5 deletions are never blocked")
}

// What tasks wrote through the tools is theirs.
func TestJ1_TaskIsRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	id := at(t, c.call(t, "kg_create_entity", args{"entity_type": "service", "name": "Gateway", "task_id": "task-7"}), "entity", "id").(string)
	c.call(t, "kg_add_observation", args{"entity_id": id, "content": "seen", "task_id": "task-7"})
	c.call(t, "remember", args{"text": "The gateway is new.", "task_id": "task-7"})
	c.call(t, "save_knowledge", args{"title": "Gateway", "content": "It is behind the load balancer.", "task_id": "task-7"})
	counts, err := w.services.Curation.DeleteTask(t.Context(), w.by, "task-7", false)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1, 2}, []int{counts.Entities, counts.Observations, counts.Entries}, "R2")
}

func TestT1_TimesAreRFC3339(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := w.session(t, mcp.Session{})
	thing := w.entity(t, "service", "Gateway", "")
	for _, wrong := range []any{"2026-03-01", "yesterday", 1767225600000, "", "2026-13-01T00:00:00Z", []any{}} {
		code, field := c.refused(t, "kg_get_neighbors", args{"entity_id": thing.ID, "as_of": wrong})
		assert.Equal(t, []string{"INVALID_INPUT", "as_of"}, []string{code, field}, "%v", wrong)
	}
	c.call(t, "kg_get_neighbors", args{"entity_id": thing.ID, "as_of": now().Format(time.RFC3339Nano), "known_at": "2026-03-01T09:30:00+02:00"})
}
