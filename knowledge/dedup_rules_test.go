package knowledge_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"mneme/knowledge"
)

// N5: the cosine is 0 where it has no meaning.
func TestN5_Cosine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []float32
		want float64
	}{
		{[]float32{1, 0}, []float32{2, 0}, 1},
		{[]float32{1, 0}, []float32{0, 1}, 0},
		{[]float32{1, 0}, []float32{-1, 0}, -1},
		{[]float32{1, 0}, []float32{1, 0, 0}, 0},
		{nil, nil, 0},
		{[]float32{0, 0}, []float32{1, 0}, 0},
	} {
		assert.InDelta(t, c.want, knowledge.Cosine(c.a, c.b), 1e-9, "%v %v", c.a, c.b)
	}
}

func pointing(id string, degrees, confidence float64) knowledge.DedupEntry {
	a := degrees * math.Pi / 180
	return knowledge.DedupEntry{ID: id, Type: knowledge.EntryFact, Confidence: confidence, Vector: []float32{float32(math.Cos(a)), float32(math.Sin(a))}}
}

func idsOf(clusters [][]knowledge.DedupEntry) string {
	var out []string
	for _, cluster := range clusters {
		var ids []string
		for _, e := range cluster {
			ids = append(ids, e.ID)
		}
		out = append(out, strings.Join(ids, " "))
	}
	return strings.Join(out, " | ")
}

// N5, N6, N10: groups are transitive, of one type; the surest stays, then the smallest id.
func TestN5_Clusters(t *testing.T) {
	t.Parallel()
	// 18° is a cosine of 0.9511, 19° one of 0.9455.
	chain := []knowledge.DedupEntry{pointing("c", 36, 0.9), pointing("a", 0, 0.5), pointing("b", 18, 0.5), pointing("far", 55.1, 1)}
	assert.Equal(t, "c a b", idsOf(knowledge.DedupClusters(chain, nil)), "a~b, b~c; the distant one stays alone")
	assert.Equal(t, "a b", idsOf(knowledge.DedupClusters([]knowledge.DedupEntry{pointing("b", 0, 0.5), pointing("a", 0, 0.5)}, nil)), "N6: the smallest id")
	other := pointing("b", 0, 0.5)
	other.Type = knowledge.EntryGoal
	assert.Empty(t, knowledge.DedupClusters([]knowledge.DedupEntry{pointing("a", 0, 0.5), other}, nil), "N10: another type")
	soon := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	expiring := pointing("b", 0, 0.5)
	expiring.ExpiresAt = &soon
	assert.Empty(t, knowledge.DedupClusters([]knowledge.DedupEntry{pointing("a", 0, 0.5), expiring}, nil), "what expires does not take the other with it")
	three := []knowledge.DedupEntry{pointing("a", 0, 0.9), pointing("b", 0, 0.8), pointing("c", 0, 0.7)}
	assert.Equal(t, "a b", idsOf(knowledge.DedupClusters(three, [][2]string{{"c", "a"}})), "told apart, also through a third")
}

// N5: the groups do not depend on the order in which entries are given.
func TestN5_ClustersProperty(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 12).Draw(t, "n")
		entries := make([]knowledge.DedupEntry, n)
		for i := range entries {
			entries[i] = pointing(fmt.Sprint("e", i), float64(rapid.IntRange(0, 90).Draw(t, "degrees")), float64(rapid.IntRange(0, 3).Draw(t, "confidence"))/3)
		}
		want := idsOf(knowledge.DedupClusters(entries, nil))
		if got := idsOf(knowledge.DedupClusters(rapid.Permutation(entries).Draw(t, "order"), nil)); got != want {
			t.Fatalf("%s and %s", want, got)
		}
	})
}

// N7: content is appended unless it is empty or contained, up to 4,000 characters.
func TestN7_FoldEntries(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	keep := &knowledge.Entry{Title: "home", Content: "lives in Berlin", Tags: []string{"a", "b"}, ContactIDs: []string{"x"}, Confidence: 0.9}
	out, _ := knowledge.FoldEntries(keep, []*knowledge.Entry{
		{Content: "  Berlin-based ", Tags: []string{"b", "c"}, ContactIDs: []string{"y", "x"}, Confidence: 1},
		{Content: " "},
		{Content: "in Berlin"},
	}, now)
	assert.Equal(t, "lives in Berlin\nBerlin-based", out.Content)
	assert.Equal(t, []string{"a", "b", "c"}, out.Tags)
	assert.Equal(t, []string{"x", "y"}, out.ContactIDs)
	assert.InDelta(t, 0.9, out.Confidence, 1e-9)
	assert.Equal(t, knowledge.ContentHash("home", out.Content), out.ContentHash)
	assert.Equal(t, "lives in Berlin", keep.Content, "what was given is not changed")
	long := strings.Repeat("ü", 3_990)
	out, _ = knowledge.FoldEntries(&knowledge.Entry{Content: long}, []*knowledge.Entry{{Content: strings.Repeat("x", 100)}}, now)
	assert.Len(t, []rune(out.Content), 4_000)
	longer := strings.Repeat("ü", 5_000)
	out, _ = knowledge.FoldEntries(&knowledge.Entry{Content: longer}, []*knowledge.Entry{{Content: "more"}}, now)
	assert.Equal(t, longer, out.Content, "what stays is never cut")
}

// T5: a part of joined content goes with what it rested on, unless somebody edited the whole.
func TestT5_JoinedParts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	one, added := knowledge.FoldEntries(&knowledge.Entry{ID: "a", Title: "home", Content: "lives in Berlin"}, []*knowledge.Entry{{ID: "b", Content: " Berlin-based "}, {ID: "c", Content: "Berlin"}}, now)
	assert.Equal(t, []string{"lives in Berlin", "Berlin-based"}, one.Joined.Texts)
	assert.Equal(t, map[string][]string{"b": {"Berlin-based"}}, added, "what was contained added nothing")
	two, added := knowledge.FoldEntries(&knowledge.Entry{ID: "d", Content: "has a flat"}, []*knowledge.Entry{one}, now)
	assert.Equal(t, []string{"has a flat", "lives in Berlin", "Berlin-based"}, two.Joined.Texts)
	assert.Equal(t, []string{"lives in Berlin", "Berlin-based"}, added["a"])

	left, changed := two.WithoutParts([]string{"lives in Berlin", "Berlin-based"}, now)
	assert.True(t, changed)
	assert.Equal(t, "lives in Berlin\nBerlin-based", left.Content)
	assert.Equal(t, "lives in Berlin", left.Title, "the title was of what is gone")
	two.Joined.Direct = []string{"has a flat"}
	left, _ = two.WithoutParts([]string{"Berlin-based"}, now)
	assert.Equal(t, "has a flat\nBerlin-based", left.Content, "a writer's own word stays")
	two.Joined.Direct = nil
	_, changed = two.WithoutParts(nil, now)
	assert.False(t, changed, "never without content")
	two.Content += " and more"
	_, changed = two.WithoutParts([]string{"Berlin-based"}, now)
	assert.False(t, changed, "edited since")
}
