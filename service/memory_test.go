package service_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// settings gives the workspace the settings of a column of the table in SPEC F.
func (b *bundle) settings(t *testing.T, column string) {
	t.Helper()
	var patch service.MemoryPatch
	switch column {
	case "strict":
		patch.PrivacyMode = ptr(knowledge.PrivacyStrict)
	case "disabled":
		patch.PrivacyMode = ptr(knowledge.PrivacyDisabled)
	case "off":
		patch.Enabled = ptr(false)
	case "no capture":
		patch.AutoCapture = ptr(false)
	case "unreadable":
		b.ws.Memory.PrivacyMode = "?"
		require.NoError(t, b.store.UpdateWorkspace(t.Context(), b.ws))
		return
	}
	_, err := b.workspaces.Update(t.Context(), b.to, service.WorkspacePatch{Memory: patch})
	require.NoError(t, err)
}

// explicit are the explicit writes of a caller, each with a text of the test's.
func (b *entryBundle) explicit(t *testing.T, to service.Target, text, taskID string) map[string]error {
	t.Helper()
	target, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "concept", Name: "Target"})
	require.NoError(t, err)
	other, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "concept", Name: "Other"})
	require.NoError(t, err)
	ref, otherRef := knowledge.EntityRef{ID: target.Entity.ID}, knowledge.EntityRef{ID: other.Entity.ID}
	out := map[string]error{}
	_, out["entity"] = b.entities.Upsert(t.Context(), to, knowledge.EntityDraft{Type: "concept", Name: "New", Description: &text, TaskID: taskID})
	_, out["entity properties"] = b.entities.Upsert(t.Context(), to, knowledge.EntityDraft{Type: "concept", Name: "New", Properties: map[string]any{"a": []any{text}}, TaskID: taskID})
	_, out["update"] = b.entities.Update(t.Context(), to, knowledge.EntityPatch{ID: target.Entity.ID, Description: &text, TaskID: taskID})
	_, out["edge"] = b.edges.Assert(t.Context(), to, knowledge.EdgeDraft{From: ref, To: otherRef, Type: "uses", Fact: "it uses " + text, TaskID: taskID})
	_, out["observation"] = b.notes.Add(t.Context(), to, knowledge.ObservationDraft{Entity: ref, Text: "note " + text, TaskID: taskID})
	_, out["entry"] = b.entries.Create(t.Context(), to, b.draft("Title", "content "+text, func(d *knowledge.EntryDraft) { d.TaskID = taskID }))
	return out
}

func TestF5_ExplicitWrites(t *testing.T) {
	t.Parallel()
	for _, column := range []string{"normal", "strict", "disabled", "off", "no capture", "unreadable"} {
		t.Run(column, func(t *testing.T) {
			t.Parallel()
			b := withEntries(t)
			b.settings(t, column)
			for _, to := range []service.Target{b.to, b.agent} {
				for what, err := range b.explicit(t, to, "plain", "") {
					require.NoError(t, err, what)
				}
				for what, err := range b.explicit(t, to, "<no-memory>", "") {
					assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(err), "F6 %s", what)
				}
			}
			want := knowledge.CodeMemoryDisabled
			if column == "normal" || column == "strict" {
				want = knowledge.CodeNoMemory
			}
			for what, err := range b.explicit(t, b.auto, "<no-memory>", "") {
				assert.Equal(t, want, knowledge.CodeOf(err), "a write that counts as auto: %s", what)
			}
			for what, err := range b.explicit(t, b.auto, "plain", "") {
				if want == knowledge.CodeMemoryDisabled {
					assert.Equal(t, want, knowledge.CodeOf(err), what)
				} else {
					require.NoError(t, err, what)
				}
			}
		})
	}
}

func TestF4_TaskPrompt(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	begun, err := b.memory.Begin(t.Context(), b.to, "task-1", "Do it. <no-memory/>")
	require.NoError(t, err)
	assert.True(t, begun.NoMemory)
	begun, err = b.memory.Begin(t.Context(), b.to, "task-1", "Do it.")
	require.NoError(t, err)
	assert.True(t, begun.NoMemory, "an opt-out stands")
	begun, err = b.memory.Begin(t.Context(), b.to, "task-2", "Do it.")
	require.NoError(t, err)
	assert.False(t, begun.NoMemory)
	for what, err := range b.explicit(t, b.agent, "plain", "task-1") {
		assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(err), what)
	}
	for what, err := range b.explicit(t, b.agent, "plain", "task-2") {
		require.NoError(t, err, what)
	}
	for what, err := range b.explicit(t, b.agent, "plain", "task-3") {
		require.NoError(t, err, "F7 %s", what)
	}
	_, err = b.memory.Begin(t.Context(), b.to, " ", "Do it.")
	assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
}

// failingTasks is a store that cannot look tasks up.
type failingTasks struct{ service.Store }

func (failingTasks) TasksWithoutMemory(context.Context, string, []string) (map[string]bool, error) {
	return nil, knowledge.Errorf(knowledge.CodeUnavailable, "away")
}

func TestF7_TasksThatCannotBeLookedUp(t *testing.T) {
	t.Parallel()
	b := setup(t)
	entities := service.New(service.Config{
		Store: failingTasks{b.store}, Embeddings: service.EmbeddingsConfig{Model: plane()}, Clock: b.clock.Now, NewID: newID,
	}).Entities
	draft := knowledge.EntityDraft{Type: "concept", Name: "New", TaskID: "task-1"}
	_, err := entities.Upsert(t.Context(), b.agent, draft)
	require.NoError(t, err)
	_, err = entities.Upsert(t.Context(), b.auto, draft)
	assert.Equal(t, knowledge.CodeMemoryDisabled, knowledge.CodeOf(err), "F2 fail closed")
}

func TestF5_ManyWritesAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	drafts := []knowledge.EntityDraft{{Type: "concept", Name: "One"}, {Type: "concept", Name: "Two <no-memory>"}, {Type: "concept", Name: "Three"}}
	out, err := b.entities.UpsertMany(t.Context(), b.to, drafts, true)
	require.NoError(t, err)
	assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(out[1].Err))
	assert.Equal(t, [3]int{}, b.counted(t), "atomic")
	out, err = b.entities.UpsertMany(t.Context(), b.to, drafts, false)
	require.NoError(t, err)
	assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(out[1].Err))
	assert.Equal(t, "Three", out[2].Value.Entity.Name)
	assert.Equal(t, [3]int{2, 0, 0}, b.counted(t))
}
