package knowledge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const golden = 1e-6

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func daysAgo(d float64) time.Time { return noon.Add(-time.Duration(d * float64(day))) }

func stale(confidence float64) *Entity {
	return &Entity{Source: ActorAuto, Confidence: confidence, LastSeenAt: daysAgo(31)}
}

func TestG3_EntityDecay(t *testing.T) {
	t.Parallel()
	half := EntityDecayPolicy{Factor: 0.5, Floor: 0.3, Grace: 30 * day}
	cases := []struct {
		name    string
		entity  Entity
		policy  EntityDecayPolicy
		want    float64
		changed bool
	}{
		{"G3 stale auto", *stale(0.85), DefaultEntityDecay(), 0.8075, true},
		{"G3 created long ago, never seen", Entity{Source: ActorAuto, Confidence: 0.85, CreatedAt: daysAgo(31)}, DefaultEntityDecay(), 0.8075, true},
		{"G5 agent", Entity{Source: ActorAgent, Confidence: 0.85, LastSeenAt: daysAgo(99)}, DefaultEntityDecay(), 0.85, false},
		{"G5 manual", Entity{Source: ActorManual, Confidence: 1, LastSeenAt: daysAgo(99)}, DefaultEntityDecay(), 1, false},
		{"G5 unknown source counts as manual", Entity{Confidence: 1, LastSeenAt: daysAgo(99)}, DefaultEntityDecay(), 1, false},
		{"G7 rate 0.5", *stale(0.85), half, 0.425, true},
		{"G7 seen yesterday", Entity{Source: ActorAuto, Confidence: 0.85, LastSeenAt: daysAgo(1)}, half, 0.85, false},
		{"G8 exactly 30 days", Entity{Source: ActorAuto, Confidence: 0.85, LastSeenAt: daysAgo(30)}, DefaultEntityDecay(), 0.85, false},
		{"G8 a moment earlier", Entity{Source: ActorAuto, Confidence: 0.85, LastSeenAt: daysAgo(30).Add(-1)}, DefaultEntityDecay(), 0.8075, true},
		{"G9 below the floor", *stale(0.2), DefaultEntityDecay(), 0.2, false},
		{"G9 at the floor", *stale(0.3), DefaultEntityDecay(), 0.3, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got, changed := EntityDecay(&c.entity, c.policy, noon)
			require.InDelta(t, c.want, got, golden)
			require.Equal(t, c.changed, changed)
		})
	}
}

func TestG6_EntityDecayRuns(t *testing.T) {
	t.Parallel()
	want := map[int]float64{1: 0.8075, 2: 0.767125, 3: 0.728769, 4: 0.692330, 5: 0.657714, 20: 0.304713, 21: 0.3, 22: 0.3}
	e := stale(0.85)
	for run := 1; run <= 22; run++ {
		e.Confidence, _ = EntityDecay(e, DefaultEntityDecay(), noon)
		if w, ok := want[run]; ok {
			require.InDelta(t, w, e.Confidence, golden, "G6 run %d", run)
		}
	}
	for start, runs := range map[float64]int{0.68: 16, 0.72: 18, 0.82: 20, 0.85: 21, 1.0: 24} {
		e, n := stale(start), 0
		for changed := true; changed; n++ {
			e.Confidence, changed = EntityDecay(e, DefaultEntityDecay(), noon)
		}
		require.Equal(t, runs, n-1, "G6 runs to the floor from %v", start)
		require.InDelta(t, 0.3, e.Confidence, golden)
	}
}

func TestG4_EntityDecayDue(t *testing.T) {
	t.Parallel()
	require.True(t, EntityDecayDue(nil, noon))
	for hours, due := range map[float64]bool{0: false, 23.9: false, 24: true, 50: true} {
		last := noon.Add(-time.Duration(hours * float64(time.Hour)))
		require.Equal(t, due, EntityDecayDue(&last, noon), "G4 after %v hours", hours)
	}
}

func TestG13_EntryDecay(t *testing.T) {
	t.Parallel()
	never := -1.0
	cases := []struct {
		name             string
		kind             EntryType
		confidence, days float64
		accessed         float64 // days ago
		want             float64
		changed          bool
	}{
		{"G-E1", EntryFact, 0.8, 10, never, 0.760888, true},
		{"G-E2", EntryFact, 0.8, 10, 0, 0.8, false},
		{"G-E3", EntryFact, 0.8, 90, never, 0.509527, true},
		{"G-E4", EntryDecision, 0.8, 30, never, 0.753366, true},
		{"G-E5", EntryPreference, 0.8, 30, never, 0.508366, true},
		{"G-E7", EntryGoal, 0.9, 10, 14, 0.663682, true},
		{"G-E8", EntryGoal, 0.9, 10, 60, 0.597314, true},
		{"G-E9", EntryRelationship, 0.8, 30, never, 0.591760, true},
		{"G-E10", EntryActionItem, 0.8, 5, never, 0.619025, true},
		{"G-E11", EntryActionItem, 0.5, 100, never, 0.1, true},
		{"G-E12", EntryEvent, 0.9, 400, never, 0.9, false},
		{"G-E13", EntryFact, 0.8, 0.5, never, 0.8, false},
		{"G11 a day exactly", EntryActionItem, 0.8, 1, never, 0.76, true},
		{"G12 seven days exactly", EntryGoal, 0.9, 10, 7, 0.9 * 0.737424127 * 1.1, true},
		{"G12 thirty days exactly", EntryGoal, 0.9, 10, 30, 0.9 * 0.737424127, true},
		{"G13 small changes are not written", EntryDecision, 0.2, 2, never, 0.2, false},
		{"G14 what is below the floor is not raised", EntryFact, 0.05, 90, never, 0.05, false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			e := &Entry{Type: c.kind, Confidence: c.confidence, BaseConfidence: c.confidence, LastValidatedAt: daysAgo(c.days)}
			if c.accessed != never {
				at := daysAgo(c.accessed)
				e.LastAccessedAt = &at
			}
			got, changed := EntryDecay(e, noon)
			require.InDelta(t, c.want, got, golden)
			require.Equal(t, c.changed, changed)
		})
	}
}

func TestG14_TenDailyRunsAreOne(t *testing.T) {
	t.Parallel()
	e := &Entry{Type: EntryFact, Confidence: 0.8, BaseConfidence: 0.8, LastValidatedAt: noon}
	for d := 1; d <= 10; d++ {
		e.Confidence, _ = EntryDecay(e, noon.Add(time.Duration(d)*day))
	}
	require.InDelta(t, 0.760888, e.Confidence, golden)
}

func TestG14_EntryDecayProperties(t *testing.T) {
	t.Parallel()
	kinds := []EntryType{EntryFact, EntryDecision, EntryEvent, EntryPreference, EntryGoal, EntryRelationship, EntryActionItem}
	rapid.Check(t, func(t *rapid.T) {
		confidence := rapid.Float64Range(0, 1).Draw(t, "confidence")
		e := Entry{
			Type:           rapid.SampledFrom(kinds).Draw(t, "type"),
			Confidence:     confidence,
			BaseConfidence: rapid.Float64Range(confidence, 1).Draw(t, "base"),
		}
		e.LastValidatedAt = daysAgo(rapid.Float64Range(-2, 1000).Draw(t, "validated"))
		if rapid.Bool().Draw(t, "accessed") {
			at := daysAgo(rapid.Float64Range(0, 1000).Draw(t, "days ago"))
			e.LastAccessedAt = &at
		}
		once, _ := EntryDecay(&e, noon)
		if once > e.Confidence {
			t.Fatalf("raised from %v to %v", e.Confidence, once)
		}
		if once < min(entryDecayFloor, e.Confidence) {
			t.Fatalf("below the floor: %v", once)
		}
		again := e
		again.Confidence = once
		if twice, changed := EntryDecay(&again, noon); twice != once || changed {
			t.Fatalf("a second run turned %v into %v", once, twice)
		}
		if later, _ := EntryDecay(&again, noon.Add(day)); later > once {
			t.Fatalf("rose from %v to %v over a day", once, later)
		}
	})
}

func TestG3_EntityDecayProperties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		e := Entity{Source: ActorAuto, Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"), LastSeenAt: daysAgo(rapid.Float64Range(0, 90).Draw(t, "seen"))}
		got, changed := EntityDecay(&e, DefaultEntityDecay(), noon)
		if got > e.Confidence || got < min(e.Confidence, 0.3) || changed != (got != e.Confidence) {
			t.Fatalf("%v became %v (changed %v)", e.Confidence, got, changed)
		}
	})
}

func TestG16_ValidateEntry(t *testing.T) {
	t.Parallel()
	e := Entry{Type: EntryFact, Confidence: 0.5, BaseConfidence: 0.9, LastValidatedAt: daysAgo(90)}
	v := ValidateEntry(e, noon)
	require.InDelta(t, 0.6, v.Confidence, golden)
	require.InDelta(t, 0.6, v.BaseConfidence, golden)
	require.Equal(t, noon, v.LastValidatedAt)
	require.Equal(t, noon, v.UpdatedAt)
	require.InDelta(t, 0.5, e.Confidence, golden, "the argument is left as it was")
	require.InDelta(t, 1, ValidateEntry(Entry{Confidence: 1}, noon).Confidence, golden)
}

func TestG17_HalfLife(t *testing.T) {
	t.Parallel()
	for kind, want := range map[EntryType]float64{
		EntryFact: 138.3, EntryDecision: 346.2, EntryPreference: 45.9, EntryGoal: 22.8, EntryRelationship: 69.0, EntryActionItem: 13.5,
	} {
		got, fades := HalfLife(kind)
		require.True(t, fades)
		require.InDelta(t, want, got, 0.05, "G17 %s", kind)
	}
	_, fades := HalfLife(EntryEvent)
	require.False(t, fades)
}

func TestG20_Band(t *testing.T) {
	t.Parallel()
	for confidence, want := range map[float64]ConfidenceBand{1: BandGreen, 0.7: BandGreen, 0.699: BandAmber, 0.4: BandAmber, 0.399: BandRed, 0: BandRed} {
		require.Equal(t, want, Band(confidence), "G20 %v", confidence)
	}
}
