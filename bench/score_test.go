package bench

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestScore(t *testing.T) {
	t.Parallel()
	got := score([]answered{
		{category: "a", evidence: []string{"1"}, found: []string{"1", "2"}, took: 10 * time.Millisecond},
		{category: "a", evidence: []string{"1", "2"}, found: []string{"9", "8", "1", "7", "6", "5", "4", "3", "0", "2", "11"}, took: 30 * time.Millisecond},
		{category: "b", evidence: []string{"1"}, found: nil, took: 20 * time.Millisecond},
		{category: "b", evidence: nil, found: []string{"1"}, took: time.Hour},
	})
	assert.InDelta(t, 1.0/3, got.At2, 1e-9)
	assert.InDelta(t, 1.5/3, got.At5, 1e-9)
	assert.InDelta(t, 2.0/3, got.At10, 1e-9)
	assert.Equal(t, 3, got.Questions, "a question without evidence does not count")
	assert.Equal(t, Recalls{At2: 0.5, At5: 0.75, At10: 1, Questions: 2}, got.ByCategory["a"])
	assert.Equal(t, 20*time.Millisecond, got.P50)
	assert.Equal(t, 30*time.Millisecond, got.P95)
	assert.Equal(t, Retrieval{ByCategory: map[string]Recalls{}}, score(nil))
}

func TestRetrievalJSON(t *testing.T) {
	t.Parallel()
	got, err := json.Marshal(Retrieval{
		Recalls: Recalls{At2: 0.5, At5: 0.6, At10: 0.7, Questions: 3}, ByCategory: map[string]Recalls{"1": {At10: 1, Questions: 2}},
		P50: 1500 * time.Microsecond, P95: 2 * time.Millisecond, Entries: 4,
	})
	require.NoError(t, err)
	assert.JSONEq(t, `{"recall@2": 0.5, "recall@5": 0.6, "recall@10": 0.7, "questions": 3, "entries": 4, "p50Ms": 1.5, "p95Ms": 2,
		"byCategory": {"1": {"recall@2": 0, "recall@5": 0, "recall@10": 1, "questions": 2}}}`, string(got))
}

func TestPercentile(t *testing.T) {
	t.Parallel()
	var values []time.Duration
	for n := range 100 {
		values = append(values, time.Duration(100-n))
	}
	assert.Equal(t, time.Duration(50), percentile(values, 50))
	assert.Equal(t, time.Duration(95), percentile(values, 95))
	assert.Equal(t, time.Duration(7), percentile([]time.Duration{7}, 95))
	assert.Zero(t, percentile(nil, 50))
}
