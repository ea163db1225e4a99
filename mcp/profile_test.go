package mcp_test

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/mcp"
)

// Over both transports a profile says which tools are listed; calling another one all the
// same is FORBIDDEN, and changes nothing.
func TestF9_J2_Profiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	thing := w.entity(t, "service", "Gateway", "as it was")
	edge := w.edge(t, thing, "uses", w.entity(t, "service", "Other", ""))
	calls := map[string]args{
		"kg_create_entity": {"entity_type": "service", "name": "Unsaid"}, "kg_update_entity": {"entity_id": thing.ID, "description": "x"},
		"kg_delete_entity": {"entity_id": thing.ID}, "kg_create_edge": {"source_entity_id": thing.ID, "target_entity_id": "Other", "edge_type": "owns"},
		"kg_delete_edge": {"edge_id": edge.ID}, "kg_invalidate_edge": {"edge_id": edge.ID}, "kg_add_observation": {"entity_id": thing.ID, "content": "x"},
		"remember": {"text": "x"}, "save_knowledge": {"title": "x", "content": "y"}, "kg_search": {"query": "Gateway"}, "get_entity": {"entity_id": thing.ID},
		"kg_get_neighbors": {"entity_id": thing.ID}, "kg_get_subgraph": {"entity_ids": []string{thing.ID}}, "kg_find_path": {"from": thing.ID, "to": "Other"},
		"recall_knowledge": {"query": "x"}, "ask_knowledge": {"question": "x"}, "get_context": {"prompt": "Gateway"},
		"search_code": {"query": "x"}, "code_neighbors": {"entity": thing.ID},
	}
	both := append(readTools(), writeTools()...)
	for name, c := range map[string]struct {
		of     mcp.Session
		listed []string
	}{
		"F9 execute":   {mcp.Session{Mode: knowledge.CallerExecutes, Channel: knowledge.ChannelPrivate}, both},
		"F9 plan":      {mcp.Session{Mode: knowledge.CallerPlans}, readTools()},
		"F9 analyze":   {mcp.Session{Mode: knowledge.CallerAnalyzes}, readTools()},
		"F9 verify":    {mcp.Session{Mode: knowledge.CallerVerifies}, readTools()},
		"F9 read only": {mcp.Session{ReadOnly: true}, readTools()},
		"F9 group":     {mcp.Session{Channel: knowledge.ChannelGroup}, []string{}},
		"F9 public":    {mcp.Session{Channel: knowledge.ChannelPublic, ReadOnly: true}, []string{}},
	} {
		for _, transport := range []string{"stdio", "http"} {
			t.Run(name+" over "+transport, func(t *testing.T) {
				t.Parallel()
				client := w.over(t, transport, c.of)
				assert.ElementsMatch(t, c.listed, slices.Collect(maps.Keys(client.tools)), "J2")
				for tool, a := range calls {
					if !slices.Contains(c.listed, tool) {
						code, _ := client.refused(t, tool, a)
						assert.Equal(t, "FORBIDDEN", code, tool)
					}
				}
				resources, err := client.ListResources(t.Context(), nil)
				if len(c.listed) > 0 {
					require.NoError(t, err)
					assert.NotEmpty(t, resources.Resources)
					return
				}
				if err == nil {
					assert.Empty(t, resources.Resources)
				}
				_, err = client.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://" + w.ws.Key + "/entity/" + thing.ID})
				require.Error(t, err, "F9 resources are memory too")
			})
		}
	}
	t.Cleanup(func() {
		still, err := w.services.Entities.Find(context.WithoutCancel(t.Context()), w.ws.ID, knowledge.EntityRef{ID: thing.ID})
		if assert.NoError(t, err) {
			assert.Equal(t, "as it was", *still.Description)
		}
	})
}

func TestF9_WrongProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for field, of := range map[string]mcp.Session{"mode": {Mode: "EXECUTE"}, "channel": {Channel: "everybody"}} {
		_, err := w.server.Protocol(of)
		var e *knowledge.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, field, e.Field)
	}
}

// people is a workspace of two contacts, whose secrets are everywhere that a text can be.
type people struct {
	*world
	ann, bob, acme, tool      *knowledge.Entity
	annWorks, bobWorks, knows *knowledge.Edge
	bobTool                   *knowledge.Edge
	bobEntry, sharedEntry     *knowledge.Entry
}

const secret = "zanzibar"

func newPeople(t *testing.T) *people {
	t.Helper()
	p := &people{world: newWorld(t)}
	p.ann = p.entity(t, "person", "Ann", "Buyer at Northwind")
	p.bob = p.entity(t, "person", "Bob", "Bob's secret is "+secret)
	p.acme = p.entity(t, "organization", "Acme", "Everybody works here")
	p.tool = p.entity(t, "tool", "Ledger", "")
	p.annWorks, p.bobWorks = p.edge(t, p.ann, "works_at", p.acme), p.edge(t, p.bob, "works_at", p.acme)
	p.knows = p.edge(t, p.ann, "knows", p.bob)
	p.bobTool = p.edge(t, p.bob, "uses", p.tool)
	for _, e := range []*knowledge.Entity{p.ann, p.bob, p.acme} {
		text := "works on invoices"
		if e == p.bob {
			text += " in " + secret
		}
		_, err := p.services.Observations.Add(t.Context(), p.by, knowledge.ObservationDraft{Entity: knowledge.EntityRef{ID: e.ID}, Text: text})
		require.NoError(t, err)
	}
	p.entry(t, "Ann's invoices", "Ann wants invoices as PDF.", p.ann)
	p.bobEntry = p.entry(t, "Bob's invoices", "Bob wants invoices sent to "+secret+".", p.bob)
	p.entry(t, "Invoices", "Invoices go out on Friday.")
	p.sharedEntry = p.entry(t, "Shared invoices", "Ann and Bob share invoices.", p.ann, p.bob)
	_, err := p.services.Entries.Relate(t.Context(), p.by, knowledge.RelationDraft{
		From: knowledge.EntryRef{ID: p.bobEntry.ID}, To: knowledge.EntryRef{ID: p.sharedEntry.ID}, Type: knowledge.RelationContradicts, Confidence: 1,
	})
	require.NoError(t, err)
	return p
}

// Nothing that a session for Ann can read says anything of Bob but his name, where Ann's
// own edge leads to him.
func TestL22_ContactSeesNothingOfOthers(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	c := p.session(t, mcp.Session{Contact: "Ann"})
	hidden := func(t *testing.T, answer any, ids ...string) {
		t.Helper()
		text, err := json.Marshal(answer)
		require.NoError(t, err)
		assert.NotContains(t, string(text), secret, "L22")
		for _, id := range ids {
			assert.NotContains(t, string(text), id, "L22")
		}
	}
	bobs := []string{p.bob.ID, p.bobWorks.ID, p.bobTool.ID, p.bobEntry.ID}

	for _, query := range []string{"Bob", secret, "invoices", "works", "b", "o"} {
		items, _ := c.all(t, "kg_search", args{"query": query, "limit": 50}, "results")
		hidden(t, items, bobs...)
		hidden(t, c.call(t, "kg_search", args{"query": query, "entity_type": "person"}), bobs...)
		hidden(t, c.call(t, "get_context", args{"prompt": query, "include_history": true}), p.bobWorks.ID, p.bobTool.ID, p.bobEntry.ID)
		hidden(t, c.call(t, "recall_knowledge", args{"query": query, "limit": 50}), bobs...)
	}
	found := c.call(t, "kg_search", args{"query": "Bob"})
	assert.Equal(t, []any{0.0, 0.0}, []any{found["count"], found["total"]}, "T13 nor is it counted")

	near := c.call(t, "kg_get_neighbors", args{"entity_id": "Ann", "depth": 3, "include_history": true})
	hidden(t, near, p.bobWorks.ID, p.bobTool.ID, p.tool.ID)
	items, _ := c.all(t, "kg_get_neighbors", args{"entity_id": "Ann"}, "neighbors")
	assert.Equal(t, map[string]bool{p.acme.ID: true, p.bob.ID: true}, idsOf(items, "entity"), "T23 the edge belongs to Ann too")
	for _, n := range items {
		if e := n["entity"].(map[string]any); e["id"] == p.bob.ID {
			assert.NotContains(t, e, "description", "L22 by name alone")
		}
	}
	for _, root := range []string{"Bob", p.bob.ID, p.tool.ID} {
		got := c.call(t, "kg_get_neighbors", args{"entity_id": root, "depth": 3})
		assert.Empty(t, got["neighbors"], "L22 %s", root)
	}
	items, _ = c.all(t, "kg_get_neighbors", args{"entity_id": p.acme.ID}, "neighbors")
	assert.Equal(t, map[string]bool{p.ann.ID: true}, idsOf(items, "entity"), "L12 no second hop through what is hidden")

	sub := c.call(t, "kg_get_subgraph", args{"entity_ids": []string{p.ann.ID, p.bob.ID, p.acme.ID, p.tool.ID, "Bob"}, "include_history": true})
	hidden(t, at(t, sub, "edges"), bobs...)
	assert.Equal(t, []any{3.0, []any{p.bob.ID, "Bob"}}, []any{sub["entityCount"], sub["missing"]})

	assert.Equal(t, false, c.call(t, "kg_find_path", args{"from": "Ann", "to": "Ledger"})["found"], "L12 no way through Bob")
	for _, a := range []args{{"from": "Ann", "to": "Bob"}, {"from": p.bob.ID, "to": "Ann"}} {
		code, _ := c.refused(t, "kg_find_path", a)
		assert.Equal(t, "NOT_FOUND", code)
	}
	for tool, a := range map[string]args{
		"get_entity": {"entity_id": p.bob.ID}, "recall_knowledge": {"query": "invoices", "contact": "Bob"}, "ask_knowledge": {"question": "invoices?", "contact": p.bob.ID},
	} {
		there, field := c.refused(t, tool, a)
		nowhere := args{}
		for name, value := range a {
			if nowhere[name] = value; value == "Bob" || value == p.bob.ID {
				nowhere[name] = "Nobody"
			}
		}
		missing, missingField := c.refused(t, tool, nowhere)
		assert.Contains(t, []string{"NOT_FOUND", "INVALID_INPUT"}, there, tool)
		assert.Equal(t, []string{missing, missingField}, []string{there, field}, "R1 a hidden one and none answer alike: %s", tool)
	}
	got := c.call(t, "get_entity", args{"entity_id": "Acme"})
	assert.Equal(t, []any{1.0, 1.0}, []any{got["totalEdges"], got["totalObservations"]}, "counts are of what is seen")
	for _, uri := range []string{"/summary", "/entity/" + p.bob.ID, "/entity/Bob"} {
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://" + p.ws.Key + uri})
		require.Error(t, err, uri)
	}
	recalled := c.call(t, "recall_knowledge", args{"query": "invoices", "limit": 50})
	assert.InDelta(t, 3, recalled["count"], 0, "L7 Ann's, the shared one and the general one")
}

// Nor can it write about others, or find out by writing whether they are there.
func TestL22_ContactWritesNothingOfOthers(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	c := p.session(t, mcp.Session{Contact: p.ann.ID})
	for _, call := range []struct {
		tool string
		a    args
		code string
	}{
		{"kg_create_entity", args{"entity_type": "person", "name": "Bob"}, "FORBIDDEN"},
		{"kg_create_entity", args{"entity_type": " PERSON ", "name": "Somebody new"}, "FORBIDDEN"},
		{"kg_update_entity", args{"entity_id": p.bob.ID, "description": "x"}, "NOT_FOUND"},
		{"kg_create_edge", args{"source_entity_id": p.bob.ID, "target_entity_id": p.acme.ID, "edge_type": "owns"}, "NOT_FOUND"},
		{"kg_create_edge", args{"source_entity_id": p.ann.ID, "target_entity_id": "Bob", "edge_type": "owns"}, "NOT_FOUND"},
		{"kg_invalidate_edge", args{"edge_id": p.bobWorks.ID}, "NOT_FOUND"},
		{"kg_add_observation", args{"entity_id": p.bob.ID, "content": "x"}, "NOT_FOUND"},
		{"save_knowledge", args{"title": "x", "content": "y", "contact": "Bob"}, "FORBIDDEN"},
		{"save_knowledge", args{"title": "x", "content": "y", "contact": "Nobody"}, "FORBIDDEN"},
		{"save_knowledge", args{"title": "x", "content": "y", "contact": "Acme"}, "FORBIDDEN"},
		{"remember", args{"text": "x", "about": []string{"Bob"}}, "FORBIDDEN"},
		{"remember", args{"text": "x", "about": []string{"Nobody"}}, "FORBIDDEN"},
		{"remember", args{"text": "x", "about": []string{p.bob.ID}}, "NOT_FOUND"},
		{"remember", args{"text": "x", "about": []string{"Bob"}, "create_missing": false}, "NOT_FOUND"},
	} {
		code, _ := c.refused(t, call.tool, call.a)
		assert.Equal(t, call.code, code, "%s %v", call.tool, call.a)
	}
	assert.Equal(t, false, c.call(t, "kg_delete_entity", args{"entity_id": p.bob.ID})["success"])
	assert.Equal(t, false, c.call(t, "kg_delete_edge", args{"edge_id": p.bobWorks.ID})["success"])
	bob, err := p.services.Entities.Find(t.Context(), p.ws.ID, knowledge.EntityRef{ID: p.bob.ID})
	require.NoError(t, err)
	assert.Equal(t, p.bob.UpdatedAt, bob.UpdatedAt, "nothing of Bob has changed")

	// Its own contact and things it may write about; what it saves is the contact's.
	c.call(t, "kg_create_entity", args{"entity_type": "person", "name": "ann", "description": "Buyer"})
	c.call(t, "kg_create_entity", args{"entity_type": "tool", "name": "Printer"})
	c.call(t, "kg_create_edge", args{"source_entity_id": "Ann", "target_entity_id": "Printer", "edge_type": "uses"})
	c.call(t, "kg_invalidate_edge", args{"edge_id": p.annWorks.ID})
	c.call(t, "kg_add_observation", args{"entity_id": "Ann", "content": "called"})
	saved := c.call(t, "save_knowledge", args{"title": "Printer", "content": "Ann prints invoices."})
	kept := c.call(t, "remember", args{"text": "Ann prints labels too.", "about": []any{"Printer", args{"name": "Scanner", "type": "tool"}}})
	for _, id := range []string{at(t, saved, "entry", "id").(string), at(t, kept, "entries", 0, "id").(string)} {
		found, err := p.services.Entries.ByIDs(t.Context(), p.ws.ID, []string{id})
		require.NoError(t, err)
		assert.Equal(t, []string{p.ann.ID}, found[id].ContactIDs, "R6 never general")
	}
}

// A session stays with the contact that it began with, and in its workspace.
func TestL22_ContactIsFixed(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	c := p.session(t, mcp.Session{Contact: "Ann"})
	c.call(t, "kg_search", args{"query": "x"})
	_, err := p.services.Entities.Update(t.Context(), p.by, knowledge.EntityPatch{ID: p.ann.ID, Name: ptr("Anna"), Aliases: &[]string{}})
	require.NoError(t, err)
	_, err = p.services.Entities.Update(t.Context(), p.by, knowledge.EntityPatch{ID: p.bob.ID, Aliases: &[]string{"Ann"}})
	require.NoError(t, err)
	code, _ := c.refused(t, "get_entity", args{"entity_id": p.bob.ID})
	assert.Equal(t, "NOT_FOUND", code)
	assert.Equal(t, "Anna", at(t, c.call(t, "get_entity", args{"entity_id": p.ann.ID}), "entity", "name"))

	nobody := p.session(t, mcp.Session{Contact: "Zed"})
	for _, tool := range []string{"kg_search", "recall_knowledge"} {
		code, field := nobody.refused(t, tool, args{"query": "invoices"})
		assert.Equal(t, []string{"NOT_FOUND", "contact"}, []string{code, field}, "without its contact a session sees nothing")
	}
	other := newWorld(t)
	elsewhere := other.session(t, mcp.Session{})
	code, _ = elsewhere.refused(t, "get_entity", args{"entity_id": p.ann.ID})
	assert.Equal(t, "NOT_FOUND", code, "R1")
	_, err = elsewhere.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "mneme://" + p.ws.Key + "/summary"})
	require.Error(t, err, "R1")
	missing := other.session(t, mcp.Session{Workspace: "no-such-workspace"})
	code, field := missing.refused(t, "kg_search", args{"query": "x"})
	assert.Equal(t, []string{"NOT_FOUND", "workspace"}, []string{code, field})
}

// Candidates of an ambiguous name are those that may be seen.
func TestL22_AmbiguousNames(t *testing.T) {
	t.Parallel()
	p := newPeople(t)
	twin := p.entity(t, "tool", "Bob", "a tool of that name")
	c := p.session(t, mcp.Session{Contact: "Ann"})
	assert.Equal(t, twin.ID, at(t, c.call(t, "get_entity", args{"entity_id": "Bob"}), "entity", "id"))
	p.entity(t, "project", "Bob", "")
	got, failed := c.try(t, "get_entity", args{"entity_id": "Bob"})
	require.True(t, failed)
	assert.Equal(t, "AMBIGUOUS", got["code"], "T7")
	assert.Len(t, got["candidates"], 2, "T7")
	whole := p.session(t, mcp.Session{})
	got, failed = whole.try(t, "get_entity", args{"entity_id": "Bob"})
	require.True(t, failed)
	assert.Len(t, got["candidates"], 3)
}

func ptr[T any](v T) *T { return &v }
