package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// entryBundle is a bundle with the knowledge layer.
type entryBundle struct {
	*bundle
	entries    *service.Entries
	recall     *service.Recall
	embeddings *service.Embeddings
	marks      *service.AccessMarks
}

// plane is a model of two dimensions: tests bring their own vectors.
func plane() knowledge.EmbeddingModel {
	return knowledge.EmbeddingModel{Name: "plane", Hash: "test", Dimensions: 2}
}

// withEntries is the knowledge layer without an embedder.
func withEntries(t *testing.T) *entryBundle {
	t.Helper()
	return withEmbedder(t, nil)
}

// withEmbedder is the knowledge layer with an embedder; nil is none.
func withEmbedder(t *testing.T, embedder service.Embedder) *entryBundle {
	t.Helper()
	b := &entryBundle{bundle: setupWith(t, embedder)}
	b.entries, b.recall, b.embeddings, b.marks = b.all.Entries, b.all.Recall, b.all.Embeddings, b.all.Marks
	return b
}

// entry saves an entry as a person would; edit changes the draft.
func (b *entryBundle) entry(t *testing.T, title, content string, edit ...func(*knowledge.EntryDraft)) *knowledge.Entry {
	t.Helper()
	save, err := b.entries.Create(t.Context(), b.to, b.draft(title, content, edit...))
	require.NoError(t, err)
	return save.Entry
}

func (b *entryBundle) draft(title, content string, edit ...func(*knowledge.EntryDraft)) knowledge.EntryDraft {
	d := knowledge.EntryDraft{Type: knowledge.EntryFact, Source: knowledge.SourceManual, Title: title, Content: content, Confidence: 0.8}
	for _, e := range edit {
		e(&d)
	}
	return d
}

func about(contacts ...*knowledge.Entity) func(*knowledge.EntryDraft) {
	return func(d *knowledge.EntryDraft) {
		for _, c := range contacts {
			d.Contacts = append(d.Contacts, knowledge.EntityRef{ID: c.ID})
		}
	}
}

func at(vector ...float32) func(*knowledge.EntryDraft) {
	return func(d *knowledge.EntryDraft) { d.Embedding = &vector }
}

func (b *entryBundle) person(t *testing.T, name string) *knowledge.Entity {
	t.Helper()
	up, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "person", Name: name})
	require.NoError(t, err)
	return up.Entity
}

func (b *entryBundle) ask(t *testing.T, q knowledge.RecallQuery) *knowledge.Recall {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	found, err := b.recall.Recall(t.Context(), b.ws, q)
	require.NoError(t, err)
	return found
}

func orgWide() knowledge.ScopeRef { return knowledge.ScopeRef{OrgWide: true} }

func contactScope(e *knowledge.Entity) knowledge.ScopeRef {
	return knowledge.ScopeRef{Contact: &knowledge.EntityRef{ID: e.ID}}
}

func titles(found *knowledge.Recall) []string {
	out := []string{}
	for _, h := range found.Hits {
		out = append(out, h.Entry().Title)
	}
	return out
}

// failing is an embedder that gives what it is told to.
type failing struct {
	model  knowledge.EmbeddingModel
	answer func(context.Context, []string) ([][]float32, error)
}

func (f failing) Model() knowledge.EmbeddingModel { return f.model }

func (f failing) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return f.answer(ctx, texts)
}
