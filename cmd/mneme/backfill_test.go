package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/llmtest"
)

func TestM15_BackfillCommand(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	require.Equal(t, exitDone, runMneme(t, env, "", "workspace", "create", key).status)
	out := runMneme(t, env, "", "backfill", "--workspace", key)
	assert.Equal(t, exitInput, out.status)
	assert.Contains(t, out.stderr, "FEATURE_DISABLED", "without a model")

	server := llmtest.New(t, llmtest.Say(`{"entries": [{"type": "fact", "title": "Plan", "content": "Northwind is on the Team plan.", "confidence": 0.9, "tags": []}]}`), llmtest.Say(`{"relations": []}`))
	env["OPENAI_BASE_URL"], env["OPENAI_API_KEY"], env["MNEME_MODEL_EXTRACT"], env["MNEME_FEATURES"] = server.URL, "k", "m", "ai_agent=on"
	path := fileOf(t, `{"messageId": "m1", "body": "Northwind confirmed that they are on the Team plan."}`, `nonsense`)
	out = runMneme(t, env, "", "backfill", path, "--workspace", key)
	assert.Equal(t, exitPartly, out.status, out.stderr)
	assert.Contains(t, out.stdout, "2 messages, 1 gave knowledge, 0 passed over, 1 failed")
	assert.Contains(t, out.stdout, "1 calls, 20 tokens")
	assert.Contains(t, out.stderr, "line 000000002: ")
	out = runMneme(t, env, "", "jobs", "list", "--workspace", key)
	assert.Contains(t, out.stdout, "1 call, 20 tokens", "cost is visible")
	out = runMneme(t, env, "", "recall", "Which plan is Northwind on?", "--workspace", key, "--general")
	assert.Contains(t, out.stdout, "Team plan")
	out = runMneme(t, env, "", "backfill", filepath.Join(t.TempDir(), "none"), "--workspace", key)
	assert.NotEqual(t, exitDone, out.status)
}
