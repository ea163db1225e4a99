package bench

import (
	"encoding/json"
	"slices"
	"time"
)

// Retrieval is how well and how fast evidence was found.
type Retrieval struct {
	Recalls
	ByCategory map[string]Recalls
	P50, P95   time.Duration // of one recall, its query's embedding included
	Entries    int
}

// Recalls are the mean shares of the evidence that is among the first hits.
type Recalls struct {
	At2       float64 `json:"recall@2"` // 0 to 1, as the others
	At5       float64 `json:"recall@5"`
	At10      float64 `json:"recall@10"`
	Questions int     `json:"questions"`
}

// MarshalJSON implements json.Marshaler, with the names that the measure goes by.
func (r Retrieval) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Recalls
		ByCategory map[string]Recalls `json:"byCategory"`
		P50        float64            `json:"p50Ms"`
		P95        float64            `json:"p95Ms"`
		Entries    int                `json:"entries"`
	}{r.Recalls, r.ByCategory, milliseconds(r.P50), milliseconds(r.P95), r.Entries})
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// answered is one question with what came back.
type answered struct {
	category string
	evidence []string
	found    []string // source ids of the hits, in order
	took     time.Duration
}

// score sums up answered questions. Those without evidence do not count.
func score(all []answered) Retrieval {
	sums := map[string]Recalls{}
	var total Recalls
	var times []time.Duration
	for _, a := range all {
		if len(a.evidence) == 0 {
			continue
		}
		one := Recalls{At2: a.share(2), At5: a.share(5), At10: a.share(10), Questions: 1}
		total = total.plus(one)
		sums[a.category] = sums[a.category].plus(one)
		times = append(times, a.took)
	}
	out := Retrieval{Recalls: total.mean(), ByCategory: map[string]Recalls{}, P50: percentile(times, 50), P95: percentile(times, 95)}
	for category, sum := range sums {
		out.ByCategory[category] = sum.mean()
	}
	return out
}

// share is how much of the evidence is among the first k hits.
func (a answered) share(k int) float64 {
	first := a.found[:min(k, len(a.found))]
	hits := 0
	for _, id := range a.evidence {
		if slices.Contains(first, id) {
			hits++
		}
	}
	return float64(hits) / float64(len(a.evidence))
}

func (r Recalls) plus(o Recalls) Recalls {
	return Recalls{r.At2 + o.At2, r.At5 + o.At5, r.At10 + o.At10, r.Questions + o.Questions}
}

func (r Recalls) mean() Recalls {
	if r.Questions == 0 {
		return r
	}
	n := float64(r.Questions)
	return Recalls{r.At2 / n, r.At5 / n, r.At10 / n, r.Questions}
}

// percentile is the value that p in a hundred do not exceed (nearest rank); 0 of none.
func percentile(values []time.Duration, p int) time.Duration {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)*p+99)/100-1]
}
