package knowledge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestO9_QuerySlugs(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"How does config.json relate to kb graph?": {"how", "does", "config", "json", "relate", "graph", "how-does", "does-config", "config-json", "json-relate", "relate-graph"},
		"go db":                nil,
		"":                     nil,
		"Zoë's 王小明 und Straße": {"zoë", "王小明", "und", "straße", "zoë-王小明", "王小明-und", "und-straße"},
		"the the the":          {"the", "the-the"},
	} {
		require.Equal(t, want, nilIfEmpty(QuerySlugs(query)), query)
	}
	require.Len(t, QuerySlugs(strings.Repeat("alpha beta gamma delta epsilon zeta eta theta iota kappa ", 3)), MaxQuerySlugs)
}

func nilIfEmpty(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	return list
}

func alphaGraph() QueryGraph {
	alpha, beta := NamedEntity{ID: "1", Name: "Alpha Node"}, NamedEntity{ID: "2", Name: "Beta Node"}
	return QueryGraph{Entities: []NamedEntity{alpha}, Edges: []NamedEdge{{alpha, beta, "feeds_into"}}}
}

func TestO12_WorkedExpansion(t *testing.T) {
	t.Parallel()
	x := alphaGraph().Expand("alpha", DefaultExpansionTerms)
	require.Equal(t, "alpha Alpha Node feeds into Beta Node feeds_into feeds into Beta Node", x.Expanded)
	require.Equal(t, []string{"Alpha Node feeds into Beta Node"}, x.Triplets)
	require.Equal(t, []string{"Beta Node"}, x.Neighbors)
	require.Equal(t, []string{"direct:Alpha Node", "one-hop:Alpha Node-[feeds_into]->Beta Node"}, x.Hints, "O13")
	require.False(t, x.Truncated)
}

func TestO10_Expand(t *testing.T) {
	t.Parallel()
	require.Equal(t, "nothing known", QueryGraph{}.Expand("nothing known", 26).Expanded, "O11")
	x := alphaGraph().Expand("alpha beta-node", DefaultExpansionTerms)
	require.Empty(t, x.Neighbors, "O10 what the query names is no neighbour")
	one := NamedEntity{ID: "1", Name: "Hub"}
	g := QueryGraph{Entities: []NamedEntity{one}, Symbols: []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"}}
	for i := range 30 {
		g.Edges = append(g.Edges, NamedEdge{one, NamedEntity{ID: fmt.Sprint(i + 2), Name: fmt.Sprintf("Leaf%d", i)}, "uses"})
	}
	x = g.Expand("hub", DefaultExpansionTerms)
	require.True(t, x.Truncated)
	require.Len(t, x.CodeSymbols, MaxExpansionSymbols)
	require.True(t, strings.HasSuffix(x.Expanded, " a b c d e f g h"))
	require.NotContains(t, x.Expanded, "Leaf25", "O10 the first 18 are used")
	require.Equal(t, "hub Hub uses Leaf0 uses", g.Expand("hub", 2).Expanded)
}

func TestO13_Affinity(t *testing.T) {
	t.Parallel()
	g := alphaGraph()
	for text, want := range map[string]float64{
		"the Alpha Node is up":           1,
		"the beta-node is down":          0.6,
		"alpha node and Beta node":       1,
		"nothing, only an alphabet node": 0,
	} {
		got, _ := g.Affinity(text)
		require.InDelta(t, want, got, 1e-9, text)
	}
	gamma := NamedEntity{ID: "3", Name: "Gamma"}
	g.Edges = append(g.Edges, NamedEdge{gamma, g.Entities[0], "uses"})
	got, hints := g.Affinity("Gamma and Beta Node")
	require.InDelta(t, 0.7, got, 1e-9, "each further hint adds 0.1")
	require.Equal(t, []string{"one-hop:Alpha Node-[feeds_into]->Beta Node", "one-hop:Gamma-[uses]->Alpha Node"}, hints)
}

func TestO14_Rerank(t *testing.T) {
	t.Parallel()
	g := alphaGraph()
	same := func(s string) string { return s }
	require.Equal(t, []string{"Alpha Node feeds into Beta Node", "Alpha Node", "other", "more"},
		RerankByConnectivity(g, []string{"other", "Alpha Node", "more", "Alpha Node feeds into Beta Node"}, same))
	require.Equal(t, []string{"a", "Alpha Node"}, RerankByConnectivity(QueryGraph{}, []string{"a", "Alpha Node"}, same), "no entities, no change")
}
