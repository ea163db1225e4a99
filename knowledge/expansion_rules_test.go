package knowledge_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"mneme/knowledge"
)

// N15: the nearest five at most, never a pair that is related, and nothing more the second time.
func TestN15_ExpansionLinksProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 14).Draw(t, "n")
		entries := make([]knowledge.ExpansionEntry, n)
		for i := range entries {
			entries[i] = knowledge.ExpansionEntry{
				ID: fmt.Sprintf("e%02d", i), MentionIDs: rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), 0, 3, rapid.ID[string]).Draw(t, "mentions"),
				Vector: pointing("", float64(rapid.IntRange(0, 90).Draw(t, "degrees")), 0).Vector,
			}
		}
		var related [][2]string
		if n > 1 {
			related = append(related, [2]string{entries[1].ID, entries[0].ID})
			entries[0].Relations, entries[1].Relations = 1, 1
		}
		links := knowledge.ExpansionLinks(entries, related)
		degree := map[string]int{}
		for _, l := range links {
			if l.From >= l.To {
				t.Fatalf("from the earlier to the later: %v", l)
			}
			if n > 1 && l.From == entries[0].ID && l.To == entries[1].ID {
				t.Fatal("a related pair was joined")
			}
			if l.Shared < 2 && (l.Shared < 1 || l.Similarity < 0.8) {
				t.Fatalf("too little in common: %v", l)
			}
			degree[l.From]++
			degree[l.To]++
			related = append(related, [2]string{l.From, l.To})
		}
		for i := range entries {
			entries[i].Relations += degree[entries[i].ID]
		}
		if again := knowledge.ExpansionLinks(entries, related); len(again) > 0 {
			t.Fatalf("a second run adds %v", again)
		}
	})
}

func TestN15_ExpansionPicksTheNearest(t *testing.T) {
	t.Parallel()
	entries := []knowledge.ExpansionEntry{{ID: "a", MentionIDs: []string{"x", "y"}, Vector: []float32{1, 0}}}
	for i := range 8 {
		entries = append(entries, knowledge.ExpansionEntry{ID: fmt.Sprint("b", i), MentionIDs: []string{"x", "y"}, Relations: 3, Vector: pointing("", float64(80-10*i), 0).Vector})
	}
	var to []string
	for _, l := range knowledge.ExpansionLinks(entries, nil) {
		to = append(to, l.To)
	}
	assert.Equal(t, []string{"b7", "b6", "b5", "b4", "b3"}, to)
}
