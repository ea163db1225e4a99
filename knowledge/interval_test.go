package knowledge_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// hour is a moment that is easy to name; hour(-1) is none.
func hour(n int) *time.Time {
	if n < 0 {
		return nil
	}
	t := time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * time.Hour)
	return &t
}

func span(from, to int) knowledge.Interval { return knowledge.Interval{From: hour(from), To: hour(to)} }

func TestB13_Overlaps(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name string
		a, b knowledge.Interval
		want bool
	}{ // Allen's thirteen positions, where b is [4, 8)
		{"before", span(1, 3), span(4, 8), false},
		{"meets", span(1, 4), span(4, 8), false},
		{"overlaps", span(2, 5), span(4, 8), true},
		{"finished by", span(2, 8), span(4, 8), true},
		{"contains", span(2, 9), span(4, 8), true},
		{"starts", span(4, 6), span(4, 8), true},
		{"equals", span(4, 8), span(4, 8), true},
		{"started by", span(4, 9), span(4, 8), true},
		{"during", span(5, 6), span(4, 8), true},
		{"finishes", span(6, 8), span(4, 8), true},
		{"overlapped by", span(6, 9), span(4, 8), true},
		{"met by", span(8, 9), span(4, 8), false},
		{"after", span(9, 11), span(4, 8), false},
		{"open, from inside", span(5, -1), span(4, 8), true},
		{"open, from its end", span(8, -1), span(4, 8), false},
		{"both open", span(5, -1), span(9, -1), true},
		{"of old, until its start", span(-1, 4), span(4, 8), false},
		{"of old, until inside", span(-1, 5), span(4, 8), true},
		{"empty", span(5, 5), span(4, 8), false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, c.a.Overlaps(c.b))
			require.Equal(t, c.want, c.b.Overlaps(c.a), "the other way round")
		})
	}
}

func TestB5_HalfOpen(t *testing.T) {
	t.Parallel()
	for at, want := range map[int]bool{3: false, 4: true, 7: true, 8: false} {
		require.Equal(t, want, span(4, 8).Contains(*hour(at)), at)
	}
	require.True(t, span(-1, 8).Contains(*hour(0)), "an empty start is always")
	require.True(t, span(4, -1).Contains(*hour(100)), "an empty end is open")
	require.False(t, span(4, 4).Contains(*hour(4)))
}

func TestB6_MissingStart(t *testing.T) {
	t.Parallel()
	old := &knowledge.Edge{ID: "old", CreatedAt: *hour(5)}
	require.Equal(t, span(5, -1), old.Interval(), "for overlap it starts when it was told")
	require.True(t, knowledge.VisibleAt(old, knowledge.TimePoint{AsOf: hour(1)}, *hour(9)), "for reading it has always held")
}

func TestT1_KnownAt(t *testing.T) {
	t.Parallel()
	// Told at 2 to hold from 1 to 20; at 4 to end at 10 already; at 6 to have ended at 5.
	e := &knowledge.Edge{ID: "e", ValidFrom: hour(1), ValidTo: hour(20), CreatedAt: *hour(2), Weight: 1}
	var err error
	for _, end := range []struct{ told, at int }{{4, 10}, {6, 5}} {
		e, _, err = knowledge.EndEdge(e, *hour(end.at), *hour(end.told))
		require.NoError(t, err)
	}
	for _, c := range []struct {
		known, end, told int
	}{{2, 20, -1}, {3, 20, -1}, {4, 10, 4}, {5, 10, 4}, {6, 5, 6}, {30, 5, 6}} {
		known := e.KnownAt(*hour(c.known))
		require.Equal(t, hour(c.end), known.ValidTo, "known at %d", c.known)
		require.Equal(t, hour(c.told), known.InvalidatedAt, "known at %d", c.known)
	}
	require.Nil(t, e.KnownAt(*hour(1)), "before it was told")
	now := *hour(30)
	see := func(asOf, known int) bool {
		return knowledge.VisibleAt(e, knowledge.TimePoint{AsOf: hour(asOf), KnownAt: hour(known)}, now)
	}
	require.True(t, see(15, 3))
	require.False(t, see(15, 4))
	require.True(t, see(9, 5))
	require.False(t, see(9, 6))
	require.True(t, see(4, 6))
	require.False(t, see(4, 1))
	require.True(t, knowledge.VisibleAt(e, knowledge.TimePoint{KnownAt: hour(2), IncludeHistory: true}, now))
	require.False(t, knowledge.VisibleAt(e, knowledge.TimePoint{KnownAt: hour(1), IncludeHistory: true}, now), "history too has only what was told")

	open := &knowledge.Edge{ID: "o", ValidFrom: hour(1), CreatedAt: *hour(2)}
	open, _, err = knowledge.EndEdge(open, *hour(3), *hour(5))
	require.NoError(t, err)
	require.Nil(t, open.KnownAt(*hour(4)).ValidTo, "an end that was told later reads as open")
	require.Empty(t, open.PriorEnds)
}
