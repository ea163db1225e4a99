package bench

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func day(n int) time.Time { return time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n) }

func dayPtr(n int) *time.Time { t := day(n); return &t }

// The right answers are worked out by hand here: they are what the product is judged by.
func TestHistory(t *testing.T) {
	t.Parallel()
	h := &history{single: map[string]bool{"lives_in": true}}
	paris, rome := factKey{"a", "Paris", "lives_in"}, factKey{"a", "Rome", "lives_in"}
	chess := factKey{"a", "chess", "plays"}
	h.tell(chess, day(10), dayPtr(20), "d", day(100))
	h.tell(chess, day(30), nil, "d", day(101))
	h.of(chess)[1].stop(day(40), day(105))
	h.tell(paris, day(10), nil, "d", day(102))
	h.tell(rome, day(50), nil, "d", day(103)) // ends Paris
	h.tell(factKey{"a", "Oslo", "lives_in"}, day(5), nil, "d", day(104))

	for name, tc := range map[string]struct {
		asOf, known int
		want        []factKey
	}{
		"before anything":               {1, 200, nil},
		"half-open: the start is in":    {30, 200, []factKey{chess, paris}},
		"half-open: the end is not":     {20, 200, []factKey{paris}},
		"between two intervals":         {25, 200, []factKey{paris}},
		"the end was told late":         {45, 104, []factKey{chess, paris}},
		"and is known then":             {45, 105, []factKey{paris}},
		"superseded":                    {50, 200, []factKey{rome}},
		"not yet told of the successor": {50, 102, []factKey{chess, paris}},
		"told late, ended by the next":  {9, 200, []factKey{{"a", "Oslo", "lives_in"}}},
		"not told at all":               {15, 99, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := map[factKey]bool{}
			for _, k := range tc.want {
				want[k] = true
			}
			assert.Equal(t, want, h.truths("a", day(tc.asOf), day(tc.known)))
		})
	}
	assert.Contains(t, h.moments("a"), day(50).Add(-time.Microsecond))
	assert.Empty(t, h.moments("b"))
}

func TestTruthCompare(t *testing.T) {
	t.Parallel()
	a, b, c := factKey{"s", "a", "k"}, factKey{"s", "b", "k"}, factKey{"s", "c", "k"}
	out := &TruthResult{}
	r := &truthRun{}
	r.compare(map[factKey]bool{a: true, b: true}, map[factKey]bool{b: true, c: true}, false, out)
	r.compare(map[factKey]bool{a: true, b: true}, map[factKey]bool{c: true}, true, out)
	r.compare(map[factKey]bool{a: true}, map[factKey]bool{a: true}, true, out)
	assert.Equal(t, TruthResult{WronglyEnded: 1, WronglyCurrent: 1, KnownAtWrong: 1, Cases: 3}, *out)
}
