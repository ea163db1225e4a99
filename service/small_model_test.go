//go:build smallmodel

package service_test

import (
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/llm"
)

// TestSmallModel puts the ten messages through a real small model: what it says is poor, but
// each message ends as it must, with knowledge, with nothing, or with a failure that keeps
// what the model said; and a question gets an answer. `make small-model` serves one and
// names it in MNEME_SMALL_MODEL; MNEME_SMALL_MODEL_MESSAGES takes fewer messages.
func TestSmallModel(t *testing.T) {
	address := os.Getenv("MNEME_SMALL_MODEL")
	require.NotEmpty(t, address, "MNEME_SMALL_MODEL is the address of an OpenAI-compatible server, up to /v1")
	b := withChat(t, llm.ChatConfig{
		BaseURL: address, Models: map[knowledge.ModelRole]string{knowledge.ModelExtract: "small"}, Timeout: 20 * time.Minute, MaxRetries: -1, MaxRequests: 4, MaxTokens: 300, Parallel: 1,
	})
	messages := readJSON[knowledge.MessageExtraction](t, "messages.json")
	if n, err := strconv.Atoi(os.Getenv("MNEME_SMALL_MODEL_MESSAGES")); err == nil {
		messages = messages[:min(n, len(messages))]
	}
	known := 0
	for _, m := range messages {
		out, err := b.all.Extraction.FromMessage(t.Context(), b.to, m)
		switch {
		case err != nil:
			assert.Equal(t, knowledge.CodeUnavailable, knowledge.CodeOf(err), "a reply that cannot be used is a failure, no empty success: %v", err)
			assert.Positive(t, out.Usage.Calls)
		case out.Skipped != nil:
			t.Logf("%s was skipped: %s", m.MessageID, *out.Skipped)
			continue
		default:
			known += len(out.Entries)
			for _, e := range out.Entries {
				assert.NotEmpty(t, e.Entry.Title)
				assert.NotEmpty(t, e.Entry.Content)
			}
		}
		assert.Positive(t, out.Usage.Tokens(), "cost is visible")
		t.Logf("%s: %d entries, %d calls, %d tokens, %v", m.MessageID, len(out.Entries), out.Usage.Calls, out.Usage.Tokens(), err)
	}
	t.Logf("%d entries in all", known)
	b.entry(t, "Northwind plan", "Northwind is on the Team plan.")
	a := b.ask(t, question("Which plan is Northwind on?"))
	assert.NotEmpty(t, a.Text)
	assert.NotEmpty(t, a.Sources)
	assert.Positive(t, a.Usage.Calls)
	t.Logf("answer: %s", a.Text)
}
