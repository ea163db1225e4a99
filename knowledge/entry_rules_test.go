package knowledge

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestK17_FoldRelation(t *testing.T) {
	t.Parallel()
	half, more := 0.5, 0.95
	kept := Relation{ID: "kept", Confidence: 0.4, ConfidenceTag: TagAmbiguous, Provenance: ProvenanceLLM, Weight: &half, Rationale: ptrTo("r1"), CreatedAt: noon}
	other := Relation{ID: "other", Confidence: 0.95, ConfidenceTag: TagExtracted, Provenance: ProvenanceManual, Weight: &more, Rationale: ptrTo("r2")}
	later := noon.Add(time.Hour)
	got := FoldRelation(kept, other, later)
	require.Equal(t, Relation{
		ID: "kept", Confidence: 0.95, ConfidenceTag: TagExtracted, Provenance: ProvenanceManual, Weight: &more, Rationale: kept.Rationale, CreatedAt: noon, UpdatedAt: later,
	}, got)
	got = FoldRelation(other, kept, later)
	require.Equal(t, TagExtracted, got.ConfidenceTag, "the weaker evidence takes nothing away")
	require.Equal(t, ProvenanceManual, got.Provenance)
	require.InDelta(t, 0.95, got.Confidence, 0)
	require.Nil(t, FoldRelation(Relation{}, Relation{}, later).Weight, "unset if neither has one")
	require.Equal(t, &half, FoldRelation(Relation{}, Relation{Weight: &half}, later).Weight)
	require.True(t, SameEvidence(FoldRelation(other, kept, later), other))
	require.False(t, SameEvidence(FoldRelation(kept, other, later), kept))
}

func ptrTo[T any](v T) *T { return &v }

func TestK18_TagOfGuess(t *testing.T) {
	t.Parallel()
	require.Equal(t, TagInferred, TagOfGuess(0.75))
	require.Equal(t, TagAmbiguous, TagOfGuess(0.749))
}

func TestK24_MayLink(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b []string
		want bool
	}{
		{nil, nil, true},
		{nil, []string{"x"}, true},
		{[]string{"x"}, nil, true},
		{[]string{"x"}, []string{"y"}, false},
		{[]string{"x", "y"}, []string{"z", "y"}, true},
	} {
		require.Equal(t, c.want, MayLink(c.a, c.b), "%v %v", c.a, c.b)
	}
}

func TestL7_Permits(t *testing.T) {
	t.Parallel()
	wide, general, x := Scope{OrgWide: true}, Scope{OrgGeneralOnly: true}, Scope{ContactID: "x"}
	for _, c := range []struct {
		scope    Scope
		contacts []string
		want     bool
	}{
		{wide, nil, true},
		{wide, []string{"x"}, true},
		{general, nil, true},
		{general, []string{"x"}, false},
		{x, nil, true},
		{x, []string{"x"}, true},
		{x, []string{"y"}, false},
		{x, []string{"y", "x"}, true},
		{Scope{}, nil, false},
		{Scope{}, []string{"x"}, false},
	} {
		require.Equal(t, c.want, c.scope.Permits(c.contacts), "%+v %v", c.scope, c.contacts)
	}
	require.Nil(t, wide.Keys())
	require.Equal(t, []string{"general"}, general.Keys())
	require.Equal(t, []string{"x", "general"}, x.Keys())
	require.Equal(t, []string{"general"}, ScopeKeys(nil))
}

// The index's words permit exactly what the rule does.
func TestL7_KeysSayWhatPermitsSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		contacts := rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID[string]).Draw(t, "contacts")
		scope := rapid.SampledFrom([]Scope{{OrgWide: true}, {OrgGeneralOnly: true}, {ContactID: "a"}, {ContactID: "z"}}).Draw(t, "scope")
		byKeys := scope.Keys() == nil
		for _, key := range scope.Keys() {
			for _, has := range ScopeKeys(contacts) {
				byKeys = byKeys || key == has
			}
		}
		if byKeys != scope.Permits(contacts) {
			t.Fatalf("%+v %v: keys say %v", scope, contacts, byKeys)
		}
	})
}

func TestT22_EndedEntry(t *testing.T) {
	t.Parallel()
	start := noon.Add(-time.Hour)
	open := &Entry{CreatedAt: start, ValidFrom: &start}
	ended, err := EndedEntry(open, noon, noon)
	require.NoError(t, err)
	require.Equal(t, noon, *ended.ValidTo)
	require.Equal(t, noon, *ended.InvalidatedAt)
	require.Nil(t, open.ValidTo, "the stored value is not changed")

	again, err := EndedEntry(ended, noon, noon.Add(time.Minute))
	require.NoError(t, err)
	require.Same(t, ended, again, "B16 already ended exactly then")
	_, err = EndedEntry(ended, noon.Add(time.Second), noon.Add(time.Minute))
	require.Equal(t, CodeConflict, CodeOf(err), "B16 ended at another moment")
	_, err = EndedEntry(open, start, noon)
	require.Equal(t, CodeInvalidInput, CodeOf(err), "B16 not later than the start")

	future := noon.Add(48 * time.Hour)
	planned, err := EndedEntry(open, future, noon)
	require.NoError(t, err)
	sooner, err := EndedEntry(planned, noon.Add(time.Hour), noon.Add(time.Minute))
	require.NoError(t, err, "B16 an end in the future may come sooner")
	require.Equal(t, []PriorEnd{{At: &future, ToldAt: noon}}, sooner.PriorEnds)
	_, err = EndedEntry(planned, future.Add(time.Hour), noon.Add(time.Minute))
	require.Equal(t, CodeConflict, CodeOf(err), "but not later")

	know := func(at time.Time) TimePoint {
		asOf := noon.Add(24 * time.Hour)
		return TimePoint{AsOf: &asOf, KnownAt: &at}
	}
	require.True(t, sooner.VisibleAt(know(noon.Add(30*time.Second)), noon), "what was believed before the new end was told")
	require.False(t, sooner.VisibleAt(know(noon.Add(2*time.Minute)), noon))
	require.False(t, sooner.VisibleAt(know(start.Add(-time.Second)), noon), "it had not been told at all")
}

func TestK21_MatchEntry(t *testing.T) {
	t.Parallel()
	base := Entry{ID: "b", Source: SourceManual, Title: "T", ContentHash: "h", ContactIDs: []string{"x", "y"}, ValidFrom: &noon}
	past := noon.Add(-time.Hour)
	for name, c := range map[string]struct {
		stored func(*Entry)
		in     func(*Entry)
		want   bool
	}{
		"K21 the same":                       {func(*Entry) {}, func(*Entry) {}, true},
		"K21 contacts in another order":      {func(*Entry) {}, func(e *Entry) { e.ContactIDs = []string{"y", "x"} }, true},
		"K21 another scope":                  {func(*Entry) {}, func(e *Entry) { e.ContactIDs = []string{"x"} }, false},
		"K21 another text":                   {func(*Entry) {}, func(e *Entry) { e.ContentHash = "other" }, false},
		"K21 one that has expired":           {func(e *Entry) { e.ExpiresAt = &past }, func(*Entry) {}, false},
		"K21 one that has ended":             {func(e *Entry) { e.ValidFrom, e.ValidTo = &past, &noon }, func(*Entry) {}, false},
		"K21 the same stretch of the past":   {func(e *Entry) { e.ValidFrom, e.ValidTo = &past, &noon }, func(e *Entry) { e.ValidFrom, e.ValidTo = &past, &noon }, true},
		"K20 the same source and title":      {func(e *Entry) { e.SourceID = ptrTo("s"); e.ContentHash = "old" }, func(e *Entry) { e.SourceID = ptrTo("s") }, true},
		"K20 the same source, another title": {func(e *Entry) { e.SourceID = ptrTo("s"); e.ContentHash = "old" }, func(e *Entry) { e.SourceID = ptrTo("s"); e.Title = "U" }, false},
		"K20 another kind of source":         {func(e *Entry) { e.SourceID = ptrTo("s"); e.ContentHash = "old" }, func(e *Entry) { e.SourceID = ptrTo("s"); e.Source = SourceChat }, false},
	} {
		t.Run(name, func(t *testing.T) {
			stored, incoming := base, base
			incoming.ID = "z"
			c.stored(&stored)
			c.in(&incoming)
			younger := stored
			younger.ID = "c"
			match := MatchEntry([]*Entry{&younger, &stored}, &incoming, noon)
			require.Equal(t, c.want, match != nil)
			if match != nil {
				require.Equal(t, "b", match.ID, "of several the oldest")
			}
		})
	}
}

func TestQ2_EffectiveFeatures(t *testing.T) {
	t.Parallel()
	state := func(d Deployment, ws FeatureSwitches) map[FeatureName]bool {
		out := map[FeatureName]bool{}
		for _, f := range EffectiveFeatures(d, ws) {
			require.Equal(t, f.Enabled, f.Reason == nil, "what is off says why")
			out[f.Name] = f.Enabled
		}
		return out
	}
	plain := state(Deployment{}, nil)
	require.Equal(t, map[FeatureName]bool{
		FeatureGraph: true, FeatureCodeGraph: true, FeatureAI: false, FeatureAIAgent: false, FeatureAIKnowledge: true, FeatureGraphRetrieval: true, FeatureAutoLink: false,
	}, plain, "Q1 defaults, without a model")
	require.True(t, state(Deployment{ModelConfigured: true}, nil)[FeatureAI])
	off := FeatureSwitches{FeatureAIKnowledge: false, FeatureAutoLink: true}
	got := state(Deployment{ModelConfigured: true}, off)
	require.False(t, got[FeatureGraphRetrieval], "Q2 off with its parent")
	require.False(t, got[FeatureAutoLink])
	off[FeatureAIKnowledge] = true
	got = state(Deployment{ModelConfigured: true}, off)
	require.True(t, got[FeatureGraphRetrieval] && got[FeatureAutoLink], "Q2 the stored value shows again")
	deployed := Deployment{ModelConfigured: true, Switches: FeatureSwitches{FeatureGraph: false, FeatureAIAgent: true}}
	got = state(deployed, FeatureSwitches{FeatureGraph: true})
	require.False(t, got[FeatureGraph], "what is off for the deployment is off in every workspace")
	require.True(t, got[FeatureAIAgent], "what is on for it is a workspace's default")
	require.False(t, state(deployed, FeatureSwitches{FeatureAIAgent: false})[FeatureAIAgent])
	require.True(t, FeatureName("graph").Valid())
	require.False(t, FeatureName("").Valid())
}

func TestEmbeddingText_WithoutDates(t *testing.T) {
	t.Parallel()
	for title, want := range map[string]string{
		"Plan":                                "Plan: c",
		"Caroline, 8 May 2023 13:56":          "Caroline: c",
		"Caroline, 8 May 2023 13:56 (0/D1:3)": "Caroline, (0/D1:3): c",
		"Meeting 2024-03-01T09:00:00Z":        "Meeting: c",
		"March 3rd, 2024: retreat":            "retreat: c",
		"12:30 pm lunch":                      "lunch: c",
		"01/02/2024":                          "c",
		"Budget 2024":                         "Budget 2024: c",
		"Version 1.2.3":                       "Version 1.2.3: c",
		"May we meet":                         "May we meet: c",
	} {
		require.Equal(t, want, EmbeddingText(title, "c"), title)
	}
}

func TestT18_ModelKeys(t *testing.T) {
	t.Parallel()
	a := EmbeddingModel{Name: "bge-small-en-v1.5-int8", Hash: "6c9c6101a956d62d", Dimensions: 384}
	require.Regexp(t, `^bge_small_en_v1_5_int8_384_[0-9a-f]{8}$`, a.Key())
	other := a
	other.Hash = "6c9c6101a956d62e"
	require.NotEqual(t, a.Key(), other.Key())
	b := EmbeddingModel{Name: "text-embedding-3-small", Hash: "text-embedding-3-small@1536", Dimensions: 1536}
	c := b
	c.Hash, c.Dimensions = "text-embedding-3-small@512", 512
	require.NotEqual(t, b.Key(), c.Key(), "the same model with other dimensions is another one")
}
