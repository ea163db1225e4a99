package resolvers

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/internal/llmtest"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/service"
)

// modelAPI is the API with a language model that gives these replies.
func modelAPI(t *testing.T, replies ...llmtest.Reply) *api {
	t.Helper()
	server := llmtest.New(t, replies...)
	models := map[knowledge.ModelRole]string{knowledge.ModelExtract: "extractor", knowledge.ModelLink: "linker", knowledge.ModelAsk: "answerer"}
	chat, err := llm.OpenChat(llm.ChatConfig{APIKey: "k", BaseURL: server.URL, Models: models, FirstPause: llmtest.Quick, MaxPause: llmtest.Quick})
	require.NoError(t, err)
	documents := ingest.NewDocuments()
	t.Cleanup(func() {
		assert.NoError(t, chat.Close())
		assert.NoError(t, documents.Close())
	})
	store := neo4jtest.Open(t)
	handler, err := NewHandler(Config{Resolver: NewResolver(service.New(service.Config{
		Store: store, Clock: now, NewID: newID, Model: chat, Documents: documents, Mail: noMail{}, ResolvePath: func(path string) (string, error) { return path, nil },
		Features: func(ws *knowledge.Workspace) []knowledge.Feature {
			if ws == nil {
				return knowledge.EffectiveFeatures(knowledge.Deployment{ModelConfigured: true}, nil)
			}
			return knowledge.EffectiveFeatures(knowledge.Deployment{ModelConfigured: true}, ws.Switches)
		},
	}), describe, now), Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	a := &api{store: store, handler: handler}
	a.key = a.workspace(t)
	return a
}

func saying(v any) llmtest.Reply {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return llmtest.Say(string(raw))
}

const fileText = "Northwind is on the Team plan. The Payments API depends on Postgres."

func (a *api) extractFile(t *testing.T) map[string]any {
	t.Helper()
	return a.do(t, `mutation($w: String!, $i: FileInput!){extractFromFile(workspace: $w, input: $i){skipped alreadyExtracted entries{created entry{title source sourceId}} entities{name} edges{type supports{docId}}}}`,
		map[string]any{"i": map[string]any{"fileId": "f1", "name": "plan.txt", "data": base64.StdEncoding.EncodeToString([]byte(fileText))}})
}

func TestM6_ExtractFromFile(t *testing.T) {
	t.Parallel()
	a := modelAPI(t,
		saying(map[string]any{"entries": []any{map[string]any{"type": "fact", "title": "Plan", "content": "Northwind is on the Team plan.", "confidence": 0.9, "tags": []string{}}}}),
		saying(map[string]any{
			"entities": []any{map[string]any{"name": "Payments API", "type": "system", "description": ""}, map[string]any{"name": "Postgres", "type": "tool", "description": ""}},
			"edges":    []any{map[string]any{"from": "Payments API", "to": "Postgres", "label": "depends_on"}},
		}))
	d := a.extractFile(t)
	assert.Equal(t, "f1", at(t, d, "extractFromFile", "entries", 0, "entry", "sourceId"))
	assert.Equal(t, "depends_on", at(t, d, "extractFromFile", "edges", 0, "type"))
	assert.Equal(t, "f1", at(t, d, "extractFromFile", "edges", 0, "supports", 0, "docId"))
	assert.Equal(t, true, at(t, a.extractFile(t), "extractFromFile", "alreadyExtracted"))
}

func TestM24_AskStream(t *testing.T) {
	t.Parallel()
	a := modelAPI(t, llmtest.Say("They are on the Team plan [1]. They own a castle [99]."))
	a.do(t, `mutation($w: String!){createEntry(workspace: $w, input: {title: "Northwind plan", content: "Northwind is on the Team plan."}){entry{id}}}`, nil)
	server := httptest.NewServer(a.handler)
	t.Cleanup(server.Close)
	const stream = `subscription($w: String!, $q: String!){askStream(workspace: $w, input: {question: $q, scope: {orgWide: true}}){delta answer{text grounded citations{number entry{title} file{name}}}}}`
	types, data := eventsOf(t, server.URL, stream, map[string]any{"w": a.key, "q": "Which plan is Northwind on?"})
	require.Greater(t, len(data), 2)
	assert.Equal(t, "complete", types[len(types)-1])
	last := data[len(data)-1]
	assert.Contains(t, last, `"text":"They are on the Team plan [1]. They own a castle."`)
	assert.Contains(t, last, `"grounded":false`)
	assert.Contains(t, last, `"entry":{"title":"Northwind plan"}`)
	for _, earlier := range data[:len(data)-1] {
		assert.Contains(t, earlier, `"answer":null`)
	}

	_, data = eventsOf(t, server.URL, stream, map[string]any{"w": newID("t"), "q": "Which plan?"})
	assert.Contains(t, data[0], "NOT_FOUND")
}

func TestM15_StartBackfillAndAudit(t *testing.T) {
	t.Parallel()
	a := modelAPI(t)
	const start = `mutation($w: String!){startBackfill(workspace: $w, input: {}){job{id kind state}}}`
	assert.Equal(t, "FEATURE_DISABLED", a.try(t, start, nil).code(), "M18: ai_agent is off")
	a.do(t, `mutation($w: String!){updateWorkspace(workspace: $w, input: {features: [{name: AI_AGENT, enabled: true}]}){workspace{id}}}`, nil)
	d := a.do(t, start, nil)
	assert.Equal(t, "BACKFILL", at(t, d, "startBackfill", "job", "kind"))
	d = a.do(t, `query($w: String!){workspace(key: $w){audit(first: 2){totalCount pageInfo{hasNextPage endCursor} nodes{at actor action detail}}}}`, nil)
	assert.Equal(t, "agent.backfill_started", at(t, d, "workspace", "audit", "nodes", 0, "action"), "newest first")
	assert.NotEmpty(t, at(t, d, "workspace", "audit", "nodes", 0, "actor"))
	assert.Equal(t, true, at(t, d, "workspace", "audit", "pageInfo", "hasNextPage"), "Q5: the switch and the workspace's making are there too")
	after := at(t, d, "workspace", "audit", "pageInfo", "endCursor")
	d = a.do(t, `query($w: String!, $after: String){workspace(key: $w){audit(first: 10, after: $after){nodes{action}}}}`, map[string]any{"after": after})
	all, _ := json.Marshal(d)
	assert.Contains(t, string(all), "workspace.created")
	assert.Contains(t, string(all), "workspace.updated")
}

func TestU_AFileMayBeLarger(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	send := func(query string, size int) answer {
		body, err := json.Marshal(map[string]any{"query": query, "variables": map[string]any{"w": a.key, "d": strings.Repeat("A", size)}})
		require.NoError(t, err)
		r := httptest.NewRequest(http.MethodPost, "/graphql", bytes.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		a.handler.ServeHTTP(w, r)
		return answer{Status: w.Code, Body: w.Body.String()}
	}
	file := `mutation($w: String!, $d: String!){extractFromFile(workspace: $w, input: {fileId: "f", name: "a.txt", data: $d}){skipped}}`
	assert.Contains(t, send(file, 20<<20).Body, "FEATURE_DISABLED", "20 MiB of a file are read")
	assert.Equal(t, http.StatusRequestEntityTooLarge, send(file, 40<<20).Status)
	assert.Equal(t, http.StatusRequestEntityTooLarge, send(`query($w: String!, $d: String!){workspace(key: $w){search(query: $d){totalCount}}}`, 5<<20).Status)
}
