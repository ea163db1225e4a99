package bench_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/bench"
)

// D5, D21, D22, E9, E11: both at least 0.99 on the rules' own tables, and on as many further cases.
func TestD5_E9_ExtractionIsPrecise(t *testing.T) {
	t.Parallel()
	scores, err := bench.Extraction()
	require.NoError(t, err)
	require.Len(t, scores, 10)
	for _, s := range scores {
		assert.GreaterOrEqual(t, s.Precision, 0.99, "%s, %s: %v", s.What, s.Set, s.Wrong)
		assert.GreaterOrEqual(t, s.Recall, 0.99, "%s, %s: %v", s.What, s.Set, s.Wrong)
		assert.GreaterOrEqual(t, s.Cases, 9, "%s, %s", s.What, s.Set)
	}
}
