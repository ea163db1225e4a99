package bench

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestScaleGraph(t *testing.T) {
	t.Parallel()
	links := newScaleGraph(2_000, 20_000, 1).links()
	assert.Len(t, links, 20_000)
	assert.Equal(t, links, newScaleGraph(2_000, 20_000, 1).links(), "the same seed gives the same graph")
	seen, degrees := map[link]bool{}, map[int]int{}
	for _, l := range links {
		assert.NotEqual(t, l.from, l.to)
		assert.False(t, seen[l])
		seen[l] = true
		degrees[l.to]++
	}
	assert.Greater(t, degrees[0], 20_000/50, "the first is a hub: 2 % of all edges and more")
}

func TestScaleNames(t *testing.T) {
	t.Parallel()
	g := newScaleGraph(100_000, 1, 1)
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.IntRange(0, 99_999).Draw(t, "a"), rapid.IntRange(0, 99_999).Draw(t, "b")
		assert.Equal(t, a == b, g.name(a) == g.name(b))
	})
}

func TestRecorder(t *testing.T) {
	t.Parallel()
	r := &Recorder{}
	r.Note("before", "", nil)
	got, err := r.during(func() error { r.Note("a", "A", map[string]any{"x": 1}); r.Note("b", "B", nil); return nil }, "a")
	require.NoError(t, err)
	assert.Equal(t, []sent{{"a", "A", map[string]any{"x": 1}}}, got)
	got, _ = r.during(func() error { r.Note("a", "", nil); r.Note("b", "", nil); return assert.AnError })
	assert.Len(t, got, 2)
}
