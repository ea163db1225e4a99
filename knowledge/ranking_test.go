package knowledge

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func inOrder(ranked []RankedEntry) string {
	out := ""
	for _, r := range ranked {
		out += r.ID
	}
	return out
}

func partsSum(t *testing.T, ranked []RankedEntry) {
	t.Helper()
	for _, r := range ranked {
		sum := 0.0
		for _, p := range r.Parts {
			sum += p.Value
		}
		require.InDelta(t, r.Score, sum, 1e-12, "T13 the parts of %s sum to its score", r.ID)
	}
}

func TestBestRanking_MeaningAndWords(t *testing.T) {
	t.Parallel()
	vector := []EntryVectorHit{{ID: "a", Similarity: 0.8}, {ID: "b", Similarity: 0.7}, {ID: "c", Similarity: 0.6}}
	for name, c := range map[string]struct {
		text  []LexicalHit
		ideal float64
		want  string
	}{
		"by meaning alone": {nil, 0, "abc"},
		"T10 what has every word goes before the nearest": {[]LexicalHit{{"z", 10}, {"a", 1}}, 10, "zabc"},
		"both beat one": {[]LexicalHit{{"z", 4}, {"b", 4}}, 10, "bzac"},
	} {
		t.Run(name, func(t *testing.T) {
			ranked := NewBestRanking(vector, c.text, c.ideal).Ranked(nil)
			require.Equal(t, c.want, inOrder(ranked))
			partsSum(t, ranked)
		})
	}
	require.Empty(t, NewBestRanking(nil, nil, 0).Ranked(nil))
	require.Equal(t, "a", inOrder(NewBestRanking(vector[:1], nil, 0).Ranked(nil)))
}

func TestBestRanking_Threads(t *testing.T) {
	t.Parallel()
	vector := []EntryVectorHit{{ID: "q", Similarity: 0.9}, {ID: "x", Similarity: 0.5}, {ID: "y", Similarity: 0.4}}
	r := NewBestRanking(vector, nil, 0)
	r.AddThreads(map[string]string{"q": "t"}, []Beside{{"q", "answer", 1, "t"}, {"q", "later", 2, "t"}})
	ranked := r.Ranked(nil)
	require.Equal(t, "qanswerxlatery", inOrder(ranked))
	require.Equal(t, 0, ranked[1].VectorRank)
	partsSum(t, ranked)

	alone := NewBestRanking(vector, nil, 0)
	alone.AddThreads(map[string]string{"q": "", "x": ""}, nil)
	require.Equal(t, NewBestRanking(vector, nil, 0).Ranked(nil), alone.Ranked(nil), "without threads nothing changes")
}

func TestBestRanking_Mentions(t *testing.T) {
	t.Parallel()
	vector := []EntryVectorHit{{ID: "film", Similarity: 0.9}, {ID: "x", Similarity: 0.6}, {ID: "y", Similarity: 0.5}}
	r := NewBestRanking(vector, nil, 0)
	r.AddAnchors([]AboutEntity{{EntityID: "hub", Entries: []string{"y", "a", "b", "c"}}})
	require.Equal(t, "filmxy", inOrder(r.Ranked(nil)), "what many entries are about leads nowhere")
	reached := r.AddMentioned([]AboutEntity{
		{From: "film", EntityID: "director", Entries: []string{"born"}},
		{From: "x", EntityID: "other", Entries: []string{"born", "elsewhere"}},
		{From: "film", EntityID: "hub", Entries: []string{"p", "q", "r", "s"}},
		{From: "film", EntityID: "film", Entries: []string{"film"}},
	}, 1, 1)
	require.Equal(t, []string{"born"}, reached, "the budget is spent on the best")
	ranked := r.Ranked(nil)
	require.Equal(t, "filmbornxy", inOrder(ranked))
	require.Equal(t, 1, ranked[1].Hops)
	require.Equal(t, []string{"director", "other"}, ranked[1].ViaMentionIDs)
	partsSum(t, ranked)

	r = NewBestRanking(vector, nil, 0)
	r.AddAnchors([]AboutEntity{{EntityID: "named", Entries: []string{"z"}}})
	require.Equal(t, []string{"named"}, r.Ranked(nil)[1].ViaMentionIDs)
}

func TestL16_BestRankingPutsTheSupersededLast(t *testing.T) {
	t.Parallel()
	vector := []EntryVectorHit{{ID: "old", Similarity: 0.9}, {ID: "b", Similarity: 0.6}, {ID: "c", Similarity: 0.5}}
	r := NewBestRanking(vector, nil, 0)
	x := NewExpansion(r.Top(MaxSeeds), ExpansionLimits{Hops: 2})
	relations := []*Relation{
		{ID: "1", Type: RelationSupersedes, FromID: "new", ToID: "old", Confidence: 1},
		{ID: "2", Type: RelationContradicts, FromID: "b", ToID: "c", Confidence: 1},
		{ID: "3", Type: RelationSupports, FromID: "new", ToID: "far", Confidence: 0.5},
	}
	for frontier := x.Frontier(); len(frontier) > 0; frontier = x.Frontier() {
		var links []Link
		visible := map[string]bool{"new": true, "far": true}
		for _, relation := range relations {
			links = append(links, RelationLink(relation))
		}
		x.Advance(links, visible)
	}
	r.AddRelations(x)
	ranked := r.Ranked(x.Relations())
	require.Equal(t, "newbfarcold", inOrder(ranked))
	partsSum(t, ranked)
	require.True(t, ranked[4].Stale)
	require.True(t, ranked[1].Caveat && ranked[3].Caveat, "L18")
	require.Equal(t, 1, ranked[0].Hops)
	require.Equal(t, 2, ranked[2].Hops)
}
