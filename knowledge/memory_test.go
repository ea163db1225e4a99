package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// settings are those of a column of the table in SPEC F; nil could not be read.
func settings(column string) *knowledge.MemorySettings {
	m := knowledge.DefaultMemory()
	switch column {
	case "unreadable":
		return nil
	case "strict":
		m.PrivacyMode = knowledge.PrivacyStrict
	case "disabled":
		m.PrivacyMode = knowledge.PrivacyDisabled
	case "off":
		m.Enabled = false
	case "no capture":
		m.AutoCapture = false
	}
	return &m
}

func TestF2_Matrix(t *testing.T) {
	t.Parallel()
	const allow, skip, refuse = knowledge.Allow, knowledge.Skip, knowledge.Refuse
	columns := []string{"normal", "strict", "disabled", "off", "unreadable", "no capture"}
	for kind, row := range map[knowledge.WriteKind]struct {
		unmarked []knowledge.Decision
		marked   knowledge.Decision // where the settings would allow it
	}{
		knowledge.WriteAutomatic: {[]knowledge.Decision{allow, allow, skip, skip, skip, skip}, skip},
		knowledge.WriteImport:    {[]knowledge.Decision{allow, allow, skip, skip, skip, allow}, skip},
		knowledge.WriteAgent:     {[]knowledge.Decision{allow, allow, allow, allow, allow, allow}, refuse},
		knowledge.WriteManual:    {[]knowledge.Decision{allow, allow, allow, allow, allow, allow}, refuse},
		knowledge.WriteRemoval:   {[]knowledge.Decision{allow, allow, allow, allow, allow, allow}, allow},
	} {
		for i, column := range columns {
			got := knowledge.JudgeMemory(kind, settings(column), false)
			assert.Equal(t, row.unmarked[i], got.Decision, "%s, %s", kind, column)
			marked := knowledge.JudgeMemory(kind, settings(column), true)
			want := row.marked
			if row.unmarked[i] == skip {
				want = skip
			}
			assert.Equal(t, want, marked.Decision, "%s, %s, marked", kind, column)
		}
	}
}

func TestF6_Errors(t *testing.T) {
	t.Parallel()
	require.NoError(t, knowledge.JudgeMemory(knowledge.WriteAgent, settings("off"), false).Err())
	err := knowledge.JudgeMemory(knowledge.WriteAgent, settings("normal"), true).Err()
	assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(err))
	assert.Contains(t, err.Error(), "nothing was saved")
	assert.Equal(t, knowledge.CodeMemoryDisabled, knowledge.CodeOf(knowledge.JudgeMemory(knowledge.WriteAutomatic, settings("off"), true).Err()))
	assert.Equal(t, knowledge.CodeNoMemory, knowledge.CodeOf(knowledge.JudgeMemory(knowledge.WriteAutomatic, settings("normal"), true).Err()))
}

func TestF3_Marker(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"<no-memory>": true, "< NO-MEMORY />": true, "a <No-Memory/> b": true, "<\tno-memory\n>": true, "<no-memory / >": true, "<\u00a0no-memory>": true,
		"</no-memory>": false, "no-memory": false, "<nomemory>": false, "<no memory>": false, "<no-memory": false, "<no-memory x>": false, "": false,
	} {
		assert.Equal(t, want, knowledge.HasNoMemory(text), text)
	}
	assert.True(t, knowledge.HasNoMemory("a", "b <no-memory>"))
	assert.True(t, knowledge.PropertiesHaveNoMemory(map[string]any{"a": map[string]any{"b": []any{1.0, "<no-memory>"}}}))
	assert.True(t, knowledge.PropertiesHaveNoMemory(map[string]any{"<no-memory>": true}))
	assert.False(t, knowledge.PropertiesHaveNoMemory(map[string]any{"a": []any{"b", nil, 1.0, true}}))
}

func TestF1_WriteKinds(t *testing.T) {
	t.Parallel()
	assert.Equal(t, knowledge.WriteAutomatic, knowledge.WriteKindOf(knowledge.ActorAuto))
	assert.Equal(t, knowledge.WriteAgent, knowledge.WriteKindOf(knowledge.ActorAgent))
	assert.Equal(t, knowledge.WriteManual, knowledge.WriteKindOf(knowledge.ActorManual))
	assert.False(t, settings("strict").KeepsText())
	assert.True(t, settings("normal").KeepsText())
}
