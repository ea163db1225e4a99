package knowledge

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var testNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func actorPtr(a Actor) *Actor { return &a }

func textPtr(s string) *string { return &s }

func TestA21_DescriptionPrecedence(t *testing.T) {
	t.Parallel()
	none := Actor("")
	for _, c := range []struct {
		stored, writer Actor
		taken          bool
	}{
		{none, ActorAuto, true},
		{none, ActorAgent, true},
		{none, ActorManual, true},
		{ActorAuto, ActorAuto, true},
		{ActorAuto, ActorAgent, true},
		{ActorAuto, ActorManual, true},
		{ActorAgent, ActorAuto, false},
		{ActorAgent, ActorAgent, true},
		{ActorAgent, ActorManual, true},
		{ActorManual, ActorAuto, false},
		{ActorManual, ActorAgent, false},
		{ActorManual, ActorManual, true},
	} {
		t.Run(fmt.Sprintf("A21 %s then %s", c.stored, c.writer), func(t *testing.T) {
			t.Parallel()
			current := &Entity{Source: ActorAuto, Confidence: 0.5}
			if c.stored != none {
				current.Description, current.DescriptionSource = textPtr("old"), actorPtr(c.stored)
			}
			merged, kept := MergeEntity(current, EntityDraft{Source: c.writer, Description: textPtr("new")}, testNow)
			require.Equal(t, !c.taken, kept)
			if c.taken {
				require.Equal(t, "new", *merged.Description)
				require.Equal(t, c.writer, *merged.DescriptionSource)
			} else {
				require.Equal(t, "old", *merged.Description)
				require.Equal(t, c.stored, *merged.DescriptionSource)
			}
			patched, kept := PatchEntity(current, EntityPatch{Source: c.writer, Description: textPtr("")}, testNow)
			require.Equal(t, !c.taken, kept, "A24 an empty text clears by the same rule")
			require.Equal(t, c.taken, patched.Description == nil)
		})
	}
}

func TestA17_DescriptionFallsBackToTheEntitysSource(t *testing.T) {
	t.Parallel()
	current := &Entity{Source: ActorManual, Description: textPtr("old")}
	merged, kept := MergeEntity(current, EntityDraft{Source: ActorAgent, Description: textPtr("new")}, testNow)
	require.True(t, kept)
	require.Equal(t, "old", *merged.Description)
	_, kept = MergeEntity(current, EntityDraft{Source: ActorAgent, Description: textPtr("old")}, testNow)
	require.False(t, kept, "the same text was not refused")
	_, kept = MergeEntity(current, EntityDraft{Source: ActorAgent, Description: textPtr("")}, testNow)
	require.False(t, kept)
}

func TestA20_UnknownSourceCountsAsManual(t *testing.T) {
	t.Parallel()
	require.Equal(t, ActorManual.Rank(), Actor("importer").Rank())
	require.Equal(t, ActorManual.Rank(), Actor("").Rank())
	require.Less(t, ActorAuto.Rank(), ActorAgent.Rank())
}

func TestA22_PropertyConflicts(t *testing.T) {
	t.Parallel()
	incoming := map[Actor][]Actor{ // stored source: writers that win
		ActorAuto: {ActorAuto, ActorAgent, ActorManual}, ActorAgent: {ActorAgent, ActorManual}, ActorManual: {ActorManual},
	}
	for stored, winners := range incoming {
		for _, writer := range []Actor{ActorAuto, ActorAgent, ActorManual} {
			t.Run(fmt.Sprintf("A22 %s then %s", stored, writer), func(t *testing.T) {
				t.Parallel()
				current := &Entity{Source: stored, Properties: map[string]any{"k": "stored", "only": 1.0}}
				merged, _ := MergeEntity(current, EntityDraft{Source: writer, Properties: map[string]any{"k": "incoming", "new": 2.0}}, testNow)
				want := "stored"
				for _, w := range winners {
					if w == writer {
						want = "incoming"
					}
				}
				require.Equal(t, map[string]any{"k": want, "only": 1.0, "new": 2.0}, merged.Properties)
				require.Equal(t, Stronger(stored, writer), merged.Source, "A23")
				require.Equal(t, map[string]any{"k": "stored", "only": 1.0}, current.Properties, "the stored value is not changed")
			})
		}
	}
}

func TestA25_PatchPropertiesWinAndNullRemoves(t *testing.T) {
	t.Parallel()
	current := &Entity{Source: ActorManual, Properties: map[string]any{"a": 1.0, "b": 2.0}}
	patched, _ := PatchEntity(current, EntityPatch{Source: ActorAuto, Properties: map[string]any{"a": 9.0, "b": nil}}, testNow)
	require.Equal(t, map[string]any{"a": 9.0}, patched.Properties)
}

func TestA15_StartValues(t *testing.T) {
	t.Parallel()
	for actor, want := range map[Actor]float64{ActorAuto: 0.85, ActorAgent: 1, ActorManual: 1} {
		e := NewEntity(EntityDraft{Type: "tool", Name: "X y", Source: actor, TaskID: "t"}, "ent_1", "ws_1", "", testNow)
		require.InDelta(t, want, e.Confidence, 1e-12, "G1")
		require.Nil(t, e.DescriptionSource)
		require.Equal(t, "x-y", e.Slug)
		require.Equal(t, "t", *e.TaskID)
	}
	given := 0.3
	require.InDelta(t, 0.3, NewEntity(EntityDraft{Name: "x", Source: ActorAuto, Confidence: &given}, "e", "w", "", testNow).Confidence, 1e-12)
}

func TestA16_BoostIsCappedAndIgnoresWhatIsGiven(t *testing.T) {
	t.Parallel()
	given := 0.1
	for before, want := range map[float64]float64{0: 0.6, 0.85: 0.95, 0.95: 1, 1: 1} {
		merged, _ := MergeEntity(&Entity{Confidence: before, Source: ActorAuto}, EntityDraft{Source: ActorAuto, Confidence: &given}, testNow)
		require.InDelta(t, want, merged.Confidence, 1e-9)
	}
}

func TestA14_ConfidenceStaysWithinBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := Boosted(rapid.Float64Range(-1, 2).Draw(t, "confidence"))
		if c < 0 || c > 1 {
			t.Fatalf("%f is out of bounds", c)
		}
	})
	for _, c := range []float64{-0.01, 1.01} {
		require.Equal(t, CodeInvalidInput, CodeOf(CheckConfidence("confidence", c)))
	}
}

func TestA11_MatchEntity(t *testing.T) {
	t.Parallel()
	mail := func(v string) []ContactIdentity { return []ContactIdentity{{Kind: "email", Value: v}} }
	ann := &Entity{ID: "1", TypeKey: "person", Name: "Ann", NormalizedName: "ann", Identities: mail("ann@a")}
	ann2 := &Entity{ID: "2", TypeKey: "person", Name: "Ann", NormalizedName: "ann", Discriminator: "email:ann@b", Identities: mail("ann@b")}
	org := &Entity{ID: "3", TypeKey: "organization", Name: "Acme", NormalizedName: "acme", Identities: mail("hi@acme"), Aliases: []string{"ACME Corp"}}
	all := []*Entity{ann, ann2, org}
	match := func(d EntityDraft) (string, string, Code) {
		m, err := MatchEntity(all, d)
		if err != nil {
			return "", "", CodeOf(err)
		}
		if m.Entity == nil {
			return "", m.Discriminator, ""
		}
		return m.Entity.ID, m.Discriminator, ""
	}
	for name, c := range map[string]struct {
		draft    EntityDraft
		id, disc string
		code     Code
	}{
		"by identity, whatever the name":           {EntityDraft{Type: "person", Name: "A.", Identities: mail("ann@b")}, "2", "", ""},
		"a namesake of another identity":           {EntityDraft{Type: "person", Name: "Ann", Identities: mail("ann@c")}, "", "email:ann@c", ""},
		"a name that two have":                     {EntityDraft{Type: "person", Name: "ANN"}, "", "", CodeAmbiguous},
		"the same name of another type":            {EntityDraft{Type: "project", Name: "Ann"}, "", "", ""},
		"by alias":                                 {EntityDraft{Type: "organization", Name: "acme corp"}, "3", "", ""},
		"an identity of another type":              {EntityDraft{Type: "person", Name: "Hi", Identities: mail("hi@acme")}, "", "", CodeConflict},
		"identities of two":                        {EntityDraft{Type: "person", Name: "x", Identities: append(mail("ann@a"), mail("ann@b")...)}, "", "", CodeConflict},
		"another kind of identity is no objection": {EntityDraft{Type: "organization", Name: "Acme", Identities: []ContactIdentity{{Kind: "domain", Value: "acme.com"}}}, "3", "", ""},
	} {
		id, disc, code := match(c.draft)
		require.Equal(t, c.id, id, name)
		require.Equal(t, c.disc, disc, name)
		require.Equal(t, c.code, code, name)
	}
}

func TestA5_Labels(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{"api_endpoint": "ApiEndpoint", "task": "TaskType", "entry": "EntryType", "fact": "FactType", "person": "Person", "데이터": "데이터"} {
		require.Equal(t, want, EntityLabel(key), "T20")
	}
}
