package service_test

import (
	"context"
	"encoding/json"
	"hash/fnv"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/internal/llmtest"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/service"
)

// modelBundle is a bundle with a language model that says what the test wrote.
type modelBundle struct {
	*entryBundle
	server *llmtest.Server
}

// wordEmbedder embeds a text as its words, so that texts of the same words are near.
type wordEmbedder struct{}

const wordDimensions = 64

func (wordEmbedder) Model() knowledge.EmbeddingModel {
	return knowledge.EmbeddingModel{Name: "words", Hash: "test", Dimensions: wordDimensions}
}

func (wordEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, text := range texts {
		v := make([]float64, wordDimensions)
		for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') && (r < '0' || r > '9') }) {
			h := fnv.New32a()
			_, _ = h.Write([]byte(word))
			v[h.Sum32()%wordDimensions]++
		}
		sum := 0.0
		for _, x := range v {
			sum += x * x
		}
		if sum == 0 {
			continue
		}
		out[i] = make([]float32, wordDimensions)
		for j, x := range v {
			out[i][j] = float32(x / math.Sqrt(sum))
		}
	}
	return out, nil
}

// withModel is everything, with a language model that gives these replies.
func withModel(t *testing.T, replies ...llmtest.Reply) *modelBundle {
	t.Helper()
	server := llmtest.New(t, replies...)
	models := map[knowledge.ModelRole]string{knowledge.ModelExtract: "extractor", knowledge.ModelLink: "linker", knowledge.ModelAsk: "answerer"}
	b := withChat(t, llm.ChatConfig{APIKey: "k", BaseURL: server.URL, Models: models, FirstPause: llmtest.Quick, MaxPause: 5 * llmtest.Quick})
	b.server = server
	return b
}

// withChat is everything, with a language model.
func withChat(t *testing.T, c llm.ChatConfig) *modelBundle {
	t.Helper()
	chat, err := llm.OpenChat(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, chat.Close()) })
	b := &bundle{store: neo4jtest.Open(t), clock: &clock{now: time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)}}
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{ModelConfigured: true}, nil)
	b.all = service.New(service.Config{
		Store: b.store, Embeddings: service.EmbeddingsConfig{Embedder: wordEmbedder{}}, Model: chat,
		Features: func(ws *knowledge.Workspace) []knowledge.Feature {
			if b.features == nil {
				return knowledge.EffectiveFeatures(knowledge.Deployment{ModelConfigured: true}, ws.Switches)
			}
			return b.features
		},
		Clock: b.clock.Now, NewID: newID, BackfillPause: llmtest.Quick,
		Mail: ingest.Mails{}, Documents: readDocuments(t), Lines: ingest.LineFiles{}, ResolvePath: func(path string) (string, error) { return path, nil },
	})
	b.workspaces, b.types, b.entities, b.edges = b.all.Workspaces, b.all.Types, b.all.Entities, b.all.Edges
	b.notes, b.navigation, b.memory, b.intake = b.all.Observations, b.all.Navigation, b.all.Memory, b.all.Intake
	b.ws = b.workspace(t)
	b.to = service.Target{Workspace: b.ws.Key, Caller: knowledge.Caller{Name: "test", Actor: knowledge.ActorManual}}
	b.agent, b.auto = b.to, b.to
	b.agent.Caller.Actor, b.auto.Caller.Actor = knowledge.ActorAgent, knowledge.ActorAuto
	e := &entryBundle{bundle: b, entries: b.all.Entries, recall: b.all.Recall, embeddings: b.all.Embeddings, marks: b.all.Marks}
	return &modelBundle{entryBundle: e}
}

func readDocuments(t *testing.T) *ingest.Documents {
	t.Helper()
	d := ingest.NewDocuments()
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// switches sets the effective features.
func (b *modelBundle) switches(on map[knowledge.FeatureName]bool) {
	b.features = knowledge.EffectiveFeatures(knowledge.Deployment{ModelConfigured: true}, on)
}

// turn switches features as a caller does; they count from then on as each workspace has them.
func (b *modelBundle) turn(t *testing.T, on map[knowledge.FeatureName]bool) {
	t.Helper()
	b.features = nil
	_, err := b.workspaces.Update(t.Context(), b.to, service.WorkspacePatch{Features: on})
	require.NoError(t, err)
}

// saysEntries is a reply with entries, each "type|title|content".
func saysEntries(entries ...string) llmtest.Reply {
	items := []map[string]any{}
	for _, e := range entries {
		parts := strings.SplitN(e, "|", 3)
		items = append(items, map[string]any{"type": parts[0], "title": parts[1], "content": parts[2], "confidence": 0.9, "tags": []string{}})
	}
	return saysJSON(map[string]any{"entries": items})
}

// link is a relation that a model proposes.
type link struct {
	From       int     `json:"from"`
	To         int     `json:"to"`
	Type       string  `json:"type"`
	Confidence float64 `json:"confidence"`
	Rationale  string  `json:"rationale"`
}

func saysLinks(links ...link) llmtest.Reply {
	if links == nil {
		links = []link{}
	}
	return saysJSON(map[string]any{"relations": links})
}

func saysJSON(v any) llmtest.Reply {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return llmtest.Say(string(raw))
}

// message is a message that is worth reading; edit changes it.
func message(id string, edit ...func(*knowledge.MessageExtraction)) knowledge.MessageExtraction {
	sent := time.Date(2026, 3, 3, 9, 30, 0, 0, time.UTC)
	m := knowledge.MessageExtraction{
		MessageID: id, ThreadID: "t1", Subject: "Plan", From: "Kim <kim@northwind.example>", SentAt: &sent,
		Body: "Northwind confirmed last week that they are on the Team plan. Please send the quote by Friday.",
	}
	for _, e := range edit {
		e(&m)
	}
	return m
}

func (b *modelBundle) extract(t *testing.T, m knowledge.MessageExtraction) *knowledge.Extracted {
	t.Helper()
	out, err := b.all.Extraction.FromMessage(t.Context(), b.to, m)
	require.NoError(t, err)
	return out
}
