package bench

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestThroughputSizes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ entries, workspaces int }{{100_000, 100}, {300, 100}, {50, 3}} {
		sizes := (&Throughput{Entries: c.entries, Workspaces: c.workspaces}).sizes()
		sum := 0
		for i, n := range sizes {
			assert.Positive(t, n)
			assert.True(t, i == 0 || n <= sizes[i-1], "the largest first")
			sum += n
		}
		assert.Equal(t, c.entries, sum)
	}
	assert.NotEqual(t, word(1), word(2))
}
