package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func rankedIDs(ranked []RankedEntry) string {
	ids := make([]string, len(ranked))
	for i, r := range ranked {
		ids[i] = r.ID
	}
	return strings.Join(ids, " ")
}

func relation(from string, kind RelationType, to string, confidence float64) *Relation {
	return &Relation{ID: from + string(kind) + to, Type: kind, FromID: from, ToID: to, Confidence: confidence, Provenance: ProvenanceManual}
}

// walk drives an expansion over relations of which only entries that visible admits are seen.
func walk(x *Expansion, links []Link, visible func(id string) bool) *Expansion {
	for frontier := x.Frontier(); len(frontier) > 0; frontier = x.Frontier() {
		var read []Link
		for _, l := range links {
			if slices.Contains(frontier, l.From) || slices.Contains(frontier, l.To) {
				read = append(read, l)
			}
		}
		verdicts := make(map[string]bool)
		for _, id := range x.Unknown(read) {
			verdicts[id] = visible(id)
		}
		x.Advance(read, verdicts)
	}
	return x
}

func everything(string) bool { return true }

func relationLinks(relations ...*Relation) []Link {
	links := make([]Link, len(relations))
	for i, r := range relations {
		links[i] = RelationLink(r)
	}
	return links
}

// workedExample is the example of SPEC L.
func workedExample() (vector, text []string, links []Link) {
	return []string{"A", "B", "C"}, []string{"B", "D"}, relationLinks(
		relation("E", RelationSupersedes, "A", 1.0), relation("F", RelationSupports, "B", 0.9),
		relation("F", RelationRelatesTo, "G", 0.8), relation("C", RelationContradicts, "D", 1.0))
}

func TestL14_WorkedExample(t *testing.T) {
	t.Parallel()
	vector, text, links := workedExample()
	flat := RankFlat(vector, text, 10)
	x := walk(NewExpansion(Seeds(flat), ExpansionLimits{Hops: 2}), links, everything)
	t.Run("L5 seeds", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, []string{"B", "A", "D", "C"}, Seeds(flat))
	})
	t.Run("L-W1 neighbour scores", func(t *testing.T) {
		t.Parallel()
		got := x.Neighbours()
		require.Len(t, got, 3)
		for i, want := range []Neighbour{{"F", 1, 0.72}, {"E", 1, 0.5}, {"G", 2, 0.2}} {
			require.Equal(t, want.ID, got[i].ID)
			require.Equal(t, want.Hops, got[i].Hops)
			require.InDelta(t, want.Score, got[i].Score, 1e-12)
		}
	})
	t.Run("L-W2 fusion", func(t *testing.T) {
		t.Parallel()
		fused := FuseRRF(vector, text, []string{"F", "E", "G"})
		require.Equal(t, "B A F D E C G", rankedIDs(fused))
		for i, want := range []float64{1.0/62 + 1.0/61, 1.0 / 61, 1.0 / 61, 1.0 / 62, 1.0 / 62, 1.0 / 63, 1.0 / 63} {
			require.InDelta(t, want, fused[i].Score, 1e-15)
		}
		require.Equal(t, "0.032522 0.016393 0.016129 0.015873", fmt.Sprintf("%.6f %.6f %.6f %.6f", fused[0].Score, fused[1].Score, fused[3].Score, fused[5].Score))
	})
	ranked := RankExpanded(vector, text, x, 10)
	t.Run("L-W3, L-W4 bands and order", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "B F D C E G A", rankedIDs(ranked))
	})
	t.Run("L-W5 marks", func(t *testing.T) {
		t.Parallel()
		want := map[string]string{
			"A": "stale E supersedes A", "B": "F supports B", "C": "caveat C contradicts D", "D": "caveat C contradicts D",
			"E": "E supersedes A", "F": "F supports B, F relates_to G", "G": "F relates_to G",
		}
		hops := map[string]int{"E": 1, "F": 1, "G": 2}
		for _, r := range ranked {
			require.Equal(t, want[r.ID], marks(r), r.ID)
			require.Equal(t, hops[r.ID], r.Hops, r.ID)
		}
	})
	t.Run("L-W6 limit 5", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "B F D C E", rankedIDs(RankExpanded(vector, text, x, 5)))
	})
	t.Run("L-W7 scope X, F linked only to Y", func(t *testing.T) {
		t.Parallel()
		x := walk(NewExpansion(Seeds(flat), ExpansionLimits{Hops: 2}), links, func(id string) bool { return id != "F" })
		got := RankExpanded(vector, text, x, 10)
		require.Equal(t, "B D C E A", rankedIDs(got))
		for _, r := range got {
			require.NotContains(t, marks(r), "F")
			require.NotContains(t, marks(r), "G")
		}
	})
	t.Run("L-W8 flag off", func(t *testing.T) {
		t.Parallel()
		require.Equal(t, "B A D C", rankedIDs(flat))
		for _, r := range flat {
			require.Empty(t, marks(r))
		}
	})
}

func marks(r RankedEntry) string {
	mark := ""
	if r.Stale {
		mark = "stale "
	}
	if r.Caveat {
		mark += "caveat "
	}
	via := make([]string, len(r.Via))
	for i, rel := range r.Via {
		via[i] = fmt.Sprint(rel.FromID, " ", rel.Type, " ", rel.ToID)
	}
	return mark + strings.Join(via, ", ")
}

func TestL3_LegFetch(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int]int{1: 50, 10: 50, 11: 55, 50: 250, 60: 256} {
		require.Equal(t, want, LegFetch(limit), "L3 limit %d", limit)
	}
}

func TestL10_Expansion(t *testing.T) {
	t.Parallel()
	star := func(n int, kind RelationType) []Link {
		var links []Link
		for i := range n {
			links = append(links, RelationLink(relation("s", kind, fmt.Sprintf("n%03d", i), 1)))
		}
		return links
	}
	t.Run("L10 the first 12 are seeds", func(t *testing.T) {
		t.Parallel()
		ids := strings.Fields("a b c d e f g h i j k l m n")
		require.Equal(t, ids[:12], NewExpansion(ids, ExpansionLimits{}).Frontier())
		require.Equal(t, ids[:12], Seeds(RankFlat(ids, nil, 50)))
	})
	t.Run("L10 budget 16 by default, 32 at most", func(t *testing.T) {
		t.Parallel()
		links := star(40, RelationSupports)
		for budget, want := range map[int]int{0: 16, 5: 5, 32: 32, 99: 32, -1: 1} {
			x := walk(NewExpansion([]string{"s"}, ExpansionLimits{Budget: budget}), links, everything)
			require.Len(t, x.Neighbours(), want)
			require.Len(t, x.Relations(), want, "what the budget refuses leaves no relation")
		}
	})
	t.Run("L10 32 relations a node and direction", func(t *testing.T) {
		t.Parallel()
		var links []Link
		for i := range 40 {
			links = append(links, RelationLink(relation("s", RelationSupports, fmt.Sprintf("t%02d", i), 1)), RelationLink(relation(fmt.Sprintf("t%02d", i), RelationBlocks, "s", 1)))
		}
		x := walk(NewExpansion([]string{"s"}, ExpansionLimits{Budget: 32}), links, everything)
		require.Len(t, x.Relations(), 64)
	})
	t.Run("L10 512 relations in all", func(t *testing.T) {
		t.Parallel()
		ids := strings.Fields("a b c d e f g h i j k l")
		var links []Link
		for _, kind := range []RelationType{RelationSupports, RelationBlocks, RelationCauses, RelationRelatesTo, RelationContradicts} {
			for _, from := range ids {
				for _, to := range ids {
					links = append(links, RelationLink(relation(from, kind, to, 1)))
				}
			}
		}
		x := walk(NewExpansion(ids, ExpansionLimits{}), links, everything)
		require.LessOrEqual(t, len(x.Relations()), MaxRecallLinks)
	})
	t.Run("L10 one hop by default, two at most", func(t *testing.T) {
		t.Parallel()
		links := relationLinks(relation("s", RelationSupports, "a", 1), relation("a", RelationSupports, "b", 1), relation("b", RelationSupports, "c", 1))
		for hops, want := range map[int]int{0: 1, 1: 1, 2: 2, 9: 2} {
			require.Len(t, walk(NewExpansion([]string{"s"}, ExpansionLimits{Hops: hops}), links, everything).Neighbours(), want)
		}
	})
	t.Run("L11 upgrade to the heavier relation and the earlier seed", func(t *testing.T) {
		t.Parallel()
		links := relationLinks(relation("s1", RelationRelatesTo, "n", 0.5), relation("s2", RelationSupersedes, "n", 0.9))
		x := walk(NewExpansion([]string{"s1", "s2"}, ExpansionLimits{}), links, everything)
		require.InDelta(t, 0.9, x.Neighbours()[0].Score, 1e-12)
		require.Len(t, x.Relations(), 2)
	})
	t.Run("L14 of several scores the largest", func(t *testing.T) {
		t.Parallel()
		links := relationLinks(relation("s1", RelationSupports, "n", 0.1), relation("n", RelationRelatesTo, "s1", 1))
		x := walk(NewExpansion([]string{"s1"}, ExpansionLimits{}), links, everything)
		require.InDelta(t, 0.5, x.Neighbours()[0].Score, 1e-12)
	})
	t.Run("L12 what is not visible takes no place", func(t *testing.T) {
		t.Parallel()
		links := append(star(80, RelationSupersedes), RelationLink(relation("s", RelationRelatesTo, "shown", 0.1)))
		x := walk(NewExpansion([]string{"s"}, ExpansionLimits{}), links, func(id string) bool { return id == "shown" })
		require.Len(t, x.Neighbours(), 1)
	})
	t.Run("L12 a second hop cannot pass through what is not visible", func(t *testing.T) {
		t.Parallel()
		links := relationLinks(relation("s", RelationSupports, "secret", 1), relation("secret", RelationSupports, "far", 1))
		x := walk(NewExpansion([]string{"s"}, ExpansionLimits{Hops: 2}), links, func(id string) bool { return id != "secret" })
		require.Empty(t, x.Neighbours())
		require.Empty(t, x.Relations())
		require.Equal(t, RankFlat([]string{"s"}, nil, 10), RankExpanded([]string{"s"}, nil, x, 10), "L19")
	})
}

func TestL13_RelationWeight(t *testing.T) {
	t.Parallel()
	half, most, wrong := 0.125, 7.0, -1.0
	cases := []struct {
		name     string
		relation Relation
		want     float64
	}{
		{"L13 supersedes", Relation{Type: RelationSupersedes}, 1},
		{"L13 supports", Relation{Type: RelationSupports}, 0.8},
		{"L13 causes", Relation{Type: RelationCauses}, 0.7},
		{"L13 blocks", Relation{Type: RelationBlocks}, 0.6},
		{"L13 relates_to", Relation{Type: RelationRelatesTo}, 0.5},
		{"L13 contradicts", Relation{Type: RelationContradicts}, 0.4},
		{"L14 deterministic relates_to", Relation{Type: RelationRelatesTo, Provenance: ProvenanceDeterministic, Weight: &half}, 0.125},
		{"L14 deterministic without weight", Relation{Type: RelationRelatesTo, Provenance: ProvenanceDeterministic}, 0.5},
		{"L14 clamped above", Relation{Type: RelationRelatesTo, Provenance: ProvenanceDeterministic, Weight: &most}, 1},
		{"L14 clamped below", Relation{Type: RelationRelatesTo, Provenance: ProvenanceDeterministic, Weight: &wrong}, 0},
		{"L14 manual weight does not count", Relation{Type: RelationRelatesTo, Provenance: ProvenanceManual, Weight: &half}, 0.5},
		{"L14 another type keeps its weight", Relation{Type: RelationSupports, Provenance: ProvenanceDeterministic, Weight: &half}, 0.8},
		{"unknown type", Relation{Type: "likes"}, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.InDelta(t, c.want, RelationWeight(&c.relation), 1e-12)
		})
	}
}

func TestL16_Rerank(t *testing.T) {
	t.Parallel()
	expand := func(seeds string, relations ...*Relation) string {
		ids := strings.Fields(seeds)
		x := walk(NewExpansion(ids, ExpansionLimits{}), relationLinks(relations...), everything)
		return rankedIDs(RankExpanded(ids, nil, x, 50))
	}
	require.Equal(t, "b a", expand("a b", relation("b", RelationSupersedes, "a", 1)), "L19 relations among seeds re-rank")
	require.Equal(t, "a b", expand("a b", relation("b", RelationContradicts, "a", 1)), "L18 contradicts moves nothing")
	require.Equal(t, "a b n", expand("a b", relation("n", RelationSupersedes, "c", 1), relation("a", RelationSupports, "n", 1)), "L16 one relation ranks behind hits")
	require.Equal(t, "a n b", expand("a b", relation("a", RelationSupports, "n", 1), relation("n", RelationSupports, "b", 1)), "L16 two relations rank as a hit")
	many := strings.Fields("a b c d e f g h i j k l m n")
	x := walk(NewExpansion(many, ExpansionLimits{}), relationLinks(relation("a", RelationSupports, "n", 1)), everything)
	got := RankExpanded(many, nil, x, 50)
	at := slices.IndexFunc(got, func(r RankedEntry) bool { return r.ID == "n" })
	require.Less(t, at, len(got)-1, "L17 a hit beyond the seeds is no neighbour")
	require.Zero(t, got[at].Hops)
}

func TestL18_SixRelationsThatTellMost(t *testing.T) {
	t.Parallel()
	relations := []*Relation{relation("zz", RelationSupersedes, "a", 0.1), relation("zy", RelationContradicts, "a", 0.1)}
	for i := range 8 {
		relations = append(relations, relation("a", RelationSupports, fmt.Sprint("n", i), 1))
	}
	x := walk(NewExpansion([]string{"a"}, ExpansionLimits{}), relationLinks(relations...), everything)
	for _, r := range RankExpanded([]string{"a"}, nil, x, 50) {
		if r.ID == "a" {
			require.Len(t, r.Via, MaxVia)
			require.Contains(t, marks(r), "stale caveat ")
			require.Contains(t, marks(r), "zz supersedes a")
			require.Contains(t, marks(r), "zy contradicts a")
		}
	}
}

func TestL10_MentionsLeadToEntries(t *testing.T) {
	t.Parallel()
	links := []Link{{From: "s", To: "n", Weight: 0.5, Confidence: 1, EntityID: "ent_1"}, {From: "n", To: "s", Weight: 0.5, Confidence: 1, EntityID: "ent_1"}}
	x := walk(NewExpansion([]string{"s"}, ExpansionLimits{}), links, everything)
	got := RankExpanded([]string{"s"}, nil, x, 10)
	require.Equal(t, "s n", rankedIDs(got))
	require.Equal(t, []string{"ent_1"}, got[1].ViaMentionIDs)
	require.Empty(t, got[0].ViaMentionIDs, "a hit was found by itself")
	require.Equal(t, 1, got[1].Hops)
}

func drawLinks(t *rapid.T) []Link {
	id := rapid.SampledFrom(strings.Fields("a b c d e f g h i"))
	kind := rapid.SampledFrom([]RelationType{RelationSupports, RelationContradicts, RelationSupersedes, RelationRelatesTo, RelationCauses, RelationBlocks})
	var links []Link
	seen := make(map[string]bool)
	for range rapid.IntRange(0, 20).Draw(t, "links") {
		r := relation(id.Draw(t, "from"), kind.Draw(t, "type"), id.Draw(t, "to"), rapid.Float64Range(0, 1).Draw(t, "confidence"))
		if !seen[r.ID] {
			seen[r.ID] = true
			links = append(links, RelationLink(r))
		}
	}
	return links
}

func TestL12_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		links := drawLinks(t)
		hidden := rapid.SampledFrom(strings.Fields("d e f g")).Draw(t, "hidden")
		visible := func(id string) bool { return id != hidden }
		vector, text := []string{"a", "b"}, []string{"b", "c"}
		limits := ExpansionLimits{Hops: rapid.IntRange(1, 2).Draw(t, "hops"), Budget: rapid.IntRange(1, 4).Draw(t, "budget")}
		run := func(links []Link) []RankedEntry {
			return RankExpanded(vector, text, walk(NewExpansion([]string{"a", "b", "c"}, limits), links, visible), 50)
		}
		got := run(links)
		for _, r := range got {
			sum := 0.0
			for _, p := range r.Parts {
				sum += p.Value
			}
			if tieScore(sum) != tieScore(r.Score) {
				t.Fatalf("T13 parts of %s sum to %v, not %v", r.ID, sum, r.Score)
			}
			if r.ID == hidden || strings.Contains(marks(r), hidden) && slices.ContainsFunc(r.Via, func(v *Relation) bool { return v.FromID == hidden || v.ToID == hidden }) {
				t.Fatalf("L12 %s shows in %v", hidden, r)
			}
		}
		if len(got) > 3+limits.Budget {
			t.Fatalf("L10 %d entries with a budget of %d", len(got), limits.Budget)
		}
		without := slices.DeleteFunc(slices.Clone(links), func(l Link) bool { return l.From == hidden || l.To == hidden })
		if want := run(without); !equalRanking(got, want) {
			t.Fatalf("L12 what is hidden changes the answer: %s and %s", rankedIDs(got), rankedIDs(want))
		}
		if shuffled := run(rapid.Permutation(links).Draw(t, "order")); !equalRanking(got, shuffled) {
			t.Fatalf("the order of links changes the answer: %s and %s", rankedIDs(got), rankedIDs(shuffled))
		}
	})
}

func equalRanking(a, b []RankedEntry) bool {
	return slices.EqualFunc(a, b, func(x, y RankedEntry) bool {
		return x.ID == y.ID && x.Score == y.Score && x.Hops == y.Hops && marks(x) == marks(y)
	})
}

func TestL5_FuseRRFProperties(t *testing.T) {
	t.Parallel()
	ids := rapid.Permutation(strings.Fields("a b c d e f"))
	rapid.Check(t, func(t *rapid.T) {
		vector, text := ids.Draw(t, "vector"), ids.Draw(t, "text")
		fused := FuseRRF(vector, text, nil)
		for i, r := range fused {
			want := 1/float64(60+1+slices.Index(vector, r.ID)) + 1/float64(60+1+slices.Index(text, r.ID))
			if r.Score != want {
				t.Fatalf("L5 %s has %v, not %v", r.ID, r.Score, want)
			}
			if i > 0 && (fused[i-1].Score < r.Score || fused[i-1].Score == r.Score && slices.Index(vector, fused[i-1].ID) > slices.Index(vector, r.ID)) {
				t.Fatalf("L5 order: %v", fused)
			}
		}
	})
}
