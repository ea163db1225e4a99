package knowledge_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
)

func words(s string) int { return len(strings.Fields(s)) }

func TestK3_Chunks(t *testing.T) {
	t.Parallel()
	sentence := strings.Repeat("word ", 19) + "end. "
	chunks := knowledge.Chunks([]knowledge.FileSection{
		{Heading: "One", Place: "page 1", Text: strings.Repeat(sentence, 60)},
		{Heading: "Two", Place: "page 2", Text: "short"},
		{Heading: "Three", Place: "page 3", Text: "  \n "},
		{Heading: "Four", Place: "page 4", Lead: "a | b", Text: strings.Repeat("1 | 2\n", 400)},
	}, words)
	require.Greater(t, len(chunks), 4)
	for _, c := range chunks {
		assert.LessOrEqual(t, words(c.Text), knowledge.ChunkTokens)
		assert.NotEqual(t, "Three", c.Heading)
		if c.Heading == "Four" {
			assert.True(t, strings.HasPrefix(c.Text, "a | b\n1 | 2"))
		}
	}
	assert.Equal(t, 480, words(chunks[0].Text))
	assert.True(t, strings.HasPrefix(chunks[1].Text, strings.TrimSpace(strings.Repeat(sentence, 3))), "an overlap of 60")
	assert.Equal(t, knowledge.FileChunk{Heading: "Two", Place: "page 2", Text: "short"}, chunks[3])
}

func TestK3_ChunksWithoutSentences(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"one word": strings.Repeat("x", 10_000), "ideographs": strings.Repeat("漢字", 2_000), "no full stop": strings.Repeat("word ", 3_000)} {
		chunks := knowledge.Chunks([]knowledge.FileSection{{Text: text}}, knowledge.ApproximateTokens)
		require.Greater(t, len(chunks), 1, name)
		for _, c := range chunks {
			assert.LessOrEqual(t, knowledge.ApproximateTokens(c.Text), knowledge.ChunkTokens, name)
		}
	}
}

func TestK3_ChunksLoseNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.StringMatching(`[a-zäß漢]{1,12}[ .!?。\n]{1,2}`), 0, 900).Draw(t, "words"), "")
		var all strings.Builder
		for _, c := range knowledge.Chunks([]knowledge.FileSection{{Text: text}}, knowledge.ApproximateTokens) {
			if n := knowledge.ApproximateTokens(c.Text); n > knowledge.ChunkTokens {
				t.Fatalf("a chunk of %d tokens", n)
			}
			all.WriteString(" " + c.Text)
		}
		have := map[string]bool{}
		for _, w := range strings.FieldsFunc(all.String(), func(r rune) bool { return strings.ContainsRune(" .!?。\n", r) }) {
			have[w] = true
		}
		for _, w := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" .!?。\n", r) }) {
			if !have[w] {
				t.Fatalf("%q is in no chunk", w)
			}
		}
	})
}
