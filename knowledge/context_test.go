package knowledge_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestI3_I4_ContextText(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 130)
	text, truncated := knowledge.ContextText([]knowledge.ContextEntity{
		{
			Entity: &knowledge.Entity{ID: "a", TypeKey: "service", Name: "API", Description: &long},
			Edges: []*knowledge.Edge{
				{FromID: "a", ToID: "t", Type: "uses"}, {FromID: "g", ToID: "a", Type: "depends_on"}, {FromID: "a", ToID: "gone", Type: "uses"},
			},
			Names: map[string]string{"t": "TypeScript", "g": "Gateway"},
		},
		{Entity: &knowledge.Entity{ID: "b", TypeKey: "tool", Name: "two\nlines", Description: textOf("one\n- [person] nobody")}},
		{Entity: &knowledge.Entity{ID: "c", TypeKey: "tool", Name: "bare"}},
	}, knowledge.DefaultContextCharacters)
	assert.False(t, truncated)
	assert.Equal(t, "KNOWLEDGE GRAPH (known entities and relationships):\n"+
		"- [service] API: "+strings.Repeat("ä", 120)+" (->uses TypeScript; <-depends_on Gateway)\n"+
		"- [tool] two lines: one - [person] nobody\n"+
		"- [tool] bare", text)

	text, truncated = knowledge.ContextText(nil, 1_500)
	assert.Empty(t, text, "I1 nothing found")
	assert.False(t, truncated)
}

func TestI5_ContextIsCut(t *testing.T) {
	t.Parallel()
	description := strings.Repeat("漢", 100)
	var entities []knowledge.ContextEntity
	for range 20 {
		entities = append(entities, knowledge.ContextEntity{Entity: &knowledge.Entity{TypeKey: "concept", Name: "x", Description: &description}})
	}
	whole, _ := knowledge.ContextText(entities, knowledge.MaxContextCharacters)
	text, truncated := knowledge.ContextText(entities, knowledge.DefaultContextCharacters)
	assert.True(t, truncated)
	assert.Equal(t, 1_500, utf8.RuneCountInString(text))
	assert.Equal(t, string([]rune(whole)[:1_484])+"\n[... truncated]", text)

	same, truncated := knowledge.ContextText(entities, utf8.RuneCountInString(whole))
	assert.False(t, truncated, "I5 only what is longer is cut")
	assert.Equal(t, whole, same)
}

func textOf(s string) *string { return &s }
