package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/llmtest"
)

func TestAskAndBriefCommands(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	out := runMneme(t, env, "", "workspace", "create", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	lines := fileOf(t, `{"title":"Plan","content":"Northwind is on the Team plan."}`)
	out = runMneme(t, env, "", "import", "entries", lines, "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)

	out = runMneme(t, env, "", "ask", "Which plan is Northwind on?", "--org-wide", "--workspace", key)
	assert.NotEqual(t, exitDone, out.status)
	assert.Contains(t, out.stderr, "FEATURE_DISABLED", "Q3: no model is configured")

	model := llmtest.New(t, llmtest.Say("The Team plan [1]. A castle [7]."))
	env["OPENAI_BASE_URL"], env["MNEME_MODEL_ASK"] = model.URL, "m"
	out = runMneme(t, env, "", "ask", "Which plan is Northwind on?", "--org-wide", "--workspace", key, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	answer := fromJSON[answerOutput](t, out.stdout)
	assert.Equal(t, "The Team plan [1]. A castle.", answer.Text)
	assert.False(t, answer.Grounded)
	require.Len(t, answer.Citations, 1)
	assert.Equal(t, "Plan", answer.Citations[0].Title)

	out = runMneme(t, env, "Which plan is Northwind on at the moment?", "brief", "--general", "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "[KNOWLEDGE]\n- fact (0.80) Plan: Northwind is on the Team plan.")
	assert.Contains(t, out.stdout, "[CURRENT MESSAGE]\nWhich plan")
	out = runMneme(t, env, "x", "brief", "--workspace", key)
	assert.Equal(t, exitInput, out.status, "the scope is required")
}
