package service_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func (b *bundle) extract(t *testing.T, req knowledge.TextExtraction) *knowledge.TextExtracted {
	t.Helper()
	out, err := b.intake.ExtractFromText(t.Context(), b.to, req)
	require.NoError(t, err)
	return out
}

func extracted(out *knowledge.TextExtracted) []string {
	names := []string{}
	for _, e := range out.Entities {
		names = append(names, e.Entity.Name)
	}
	return names
}

func TestD1_PromptAndResult(t *testing.T) {
	t.Parallel()
	b := setup(t)
	out := b.extract(t, knowledge.TextExtraction{Prompt: "using Go", Text: "Wired src/a.ts to GET /x with Redis", TaskID: "task-1"})
	assert.Equal(t, []string{"Redis", "Go", "src/a.ts", "GET /x"}, extracted(out))
	e := b.find(t, "technology", "Redis")
	assert.Equal(t, knowledge.ActorAuto, e.Source, "D3")
	assert.InDelta(t, 0.85, e.Confidence, 1e-9, "D3")
	assert.Equal(t, "task-1", *e.TaskID, "D3")
	assert.Equal(t, "Technology Redis", *e.Description, "D3")
	assert.Equal(t, map[string]any{"method": "GET", "path": "/x"}, b.find(t, "api_endpoint", "GET /x").Properties, "D23")

	assert.Empty(t, b.extract(t, knowledge.TextExtraction{Prompt: "using Go", Text: "  "}).Entities, "an empty result")
	again := b.extract(t, knowledge.TextExtraction{Text: "Redis"})
	assert.False(t, again.Entities[0].Created)
	assert.InDelta(t, 0.95, again.Entities[0].Entity.Confidence, 1e-9, "A16")
}

func TestD1_OneFailureStopsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, id := range []string{"a", "b"} {
		_, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "technology", Name: "Redis", Identities: []knowledge.ContactIdentity{{Kind: "site", Value: id}}})
		require.NoError(t, err)
	}
	assert.Equal(t, []string{"Docker"}, extracted(b.extract(t, knowledge.TextExtraction{Text: "Docker and Redis"})), "two are called Redis")
}

func TestF2_ExtractionObeysSettings(t *testing.T) {
	t.Parallel()
	for column, want := range map[string]string{"normal": "", "strict": "", "disabled": "MEMORY_DISABLED", "off": "MEMORY_DISABLED", "no capture": "MEMORY_DISABLED", "unreadable": "MEMORY_DISABLED"} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.settings(t, column)
			out := b.extract(t, knowledge.TextExtraction{Text: "Redis"})
			mail := b.deliver(t, knowledge.MailboxEvent{SenderName: "Kim"})
			if want == "" {
				assert.Nil(t, out.Skipped)
				assert.Len(t, out.Entities, 1)
				assert.Nil(t, mail.Skipped)
				return
			}
			assert.Equal(t, want, *out.Skipped)
			assert.Equal(t, want, *mail.Skipped, "E-S17")
			assert.Equal(t, [3]int{}, b.counted(t))
		})
	}
}

func TestF4_MarkersOfExtraction(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, req := range []knowledge.TextExtraction{{Text: "Redis <no-memory>"}, {Text: "Redis", Prompt: "do it < NO-MEMORY />"}} {
		assert.Equal(t, "NO_MEMORY", *b.extract(t, req).Skipped)
	}
	_, err := b.memory.Begin(t.Context(), b.to, "task-1", "quietly <no-memory>")
	require.NoError(t, err)
	assert.Equal(t, "NO_MEMORY", *b.extract(t, knowledge.TextExtraction{Text: "Redis", TaskID: "task-1"}).Skipped)
	assert.Nil(t, b.extract(t, knowledge.TextExtraction{Text: "Redis </no-memory>", TaskID: "task-2"}).Skipped)
}
