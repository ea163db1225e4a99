package knowledge

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes of query expansion (SPEC O9, O10, O14).
const (
	MaxQuerySlugs          = 16
	minSlugWord            = 3 // characters
	gatheredTerms          = 40
	usedTerms              = 18
	MaxExpansionSymbols    = 8
	DefaultExpansionTerms  = usedTerms + MaxExpansionSymbols
	maxConnectivityNames   = 8
	maxConnectivityTerms   = 24
	maxConnectivitySymbols = 12
	affinityDirect         = 1.0
	affinityOneHop         = 0.6
	affinityPerHint        = 0.1
	hintDirect             = "direct:"
	hintOneHop             = "one-hop:"
)

// NamedEntity is an entity by its name; Type is empty where nobody asks for it.
type NamedEntity struct{ ID, Name, Type string }

// NamedEdge is an edge by the names of its ends.
type NamedEdge struct {
	From, To NamedEntity
	Type     string
}

// phrase is an edge as words: "From label To".
func (e NamedEdge) phrase() string { return e.From.Name + " " + spacedLabel(e.Type) + " " + e.To.Name }

func (e NamedEdge) hint() string { return hintOneHop + e.From.Name + "-[" + e.Type + "]->" + e.To.Name }

func spacedLabel(label string) string { return strings.ReplaceAll(label, "_", " ") }

// QueryExpansion is a query with what the graph knows around its words.
type QueryExpansion struct {
	Original    string
	Expanded    string
	Triplets    []string
	Neighbors   []string
	CodeSymbols []string
	Hints       []string
	Truncated   bool
}

// QuerySlugs are the slugs by which entities are looked for in a query: its words of more
// than two characters, then neighbouring pairs of them, at most 16 (SPEC O9).
func QuerySlugs(query string) []string {
	var words []string
	for _, word := range strings.Split(joinRuns(NormalizeName(query), ' '), " ") {
		if utf8.RuneCountInString(word) >= minSlugWord {
			words = append(words, word)
		}
	}
	slugs := slices.Clone(words)
	for i := 1; i < len(words); i++ {
		slugs = append(slugs, words[i-1]+"-"+words[i])
	}
	slugs = distinct(slugs)
	return slugs[:min(len(slugs), MaxQuerySlugs)]
}

// QueryGraph is what the graph knows around a query: the entities that it names, the
// edges that touch them, the oldest first, and symbols of code.
type QueryGraph struct {
	Entities []NamedEntity
	Edges    []NamedEdge
	Symbols  []string
}

// Expand is the query with the terms of its graph, at most limit of them (SPEC O10, O11).
func (g QueryGraph) Expand(query string, limit int) QueryExpansion {
	x := QueryExpansion{Original: query, Expanded: query, Triplets: []string{}, Neighbors: []string{}, CodeSymbols: []string{}, Hints: g.Hints()}
	terms := g.terms(query)
	x.Triplets, x.Neighbors = append(x.Triplets, terms.triplets...), append(x.Neighbors, terms.neighbours...)
	used := terms.list[:min(len(terms.list), usedTerms)]
	x.Truncated = terms.full || len(used) < len(terms.list)
	for _, symbol := range g.Symbols[:min(len(g.Symbols), MaxExpansionSymbols)] {
		x.CodeSymbols = append(x.CodeSymbols, symbol)
		used = append(slices.Clone(used), symbol)
	}
	if len(used) > limit {
		used, x.Truncated = used[:limit], true
	}
	if len(used) > 0 {
		x.Expanded = query + " " + strings.Join(used, " ")
	}
	return x
}

// terms are the terms of the graph for a query, in their order (SPEC O10).
func (g QueryGraph) terms(query string) *termList {
	inQuery := QuerySlugs(query)
	terms := &termList{seen: map[string]bool{}}
	for _, e := range g.Edges {
		if terms.add(e.phrase()) {
			terms.triplets = append(terms.triplets, e.phrase())
		}
		terms.add(e.Type)
		terms.add(spacedLabel(e.Type))
	}
	for _, n := range g.neighbours() {
		if !slices.Contains(inQuery, Slug(n.Name)) && terms.add(n.Name) {
			terms.neighbours = append(terms.neighbours, n.Name)
		}
	}
	return terms
}

// termList gathers terms, each once whatever its case, up to a number.
type termList struct {
	list, triplets, neighbours []string
	seen                       map[string]bool
	full                       bool
}

func (l *termList) add(term string) bool {
	key := NormalizeName(term)
	if term == "" || l.seen[key] {
		return false
	}
	if len(l.list) >= gatheredTerms {
		l.full = true
		return false
	}
	l.seen[key] = true
	l.list = append(l.list, term)
	return true
}

// neighbours are the other ends of the edges, each once, that the query does not name.
func (g QueryGraph) neighbours() []NamedEntity {
	known := make(map[string]bool)
	for _, e := range g.Entities {
		known[e.ID] = true
	}
	var out []NamedEntity
	for _, edge := range g.Edges {
		for _, end := range []NamedEntity{edge.From, edge.To} {
			if !known[end.ID] {
				known[end.ID] = true
				out = append(out, end)
			}
		}
	}
	return out
}

// Hints say what of the graph bears on the query (SPEC O13).
func (g QueryGraph) Hints() []string {
	hints := make([]string, 0, len(g.Entities)+len(g.Edges))
	for _, e := range g.Entities {
		hints = append(hints, hintDirect+e.Name)
	}
	for _, e := range g.Edges {
		hints = append(hints, e.hint())
	}
	return distinct(hints)
}

// Affinity is how near a text is to the query: 1.0 where an entity of the query stands in
// it, 0.6 where one that is one hop away does, and 0.1 more for each further hint, at
// most 1.0. The hints are those that the text bears out (SPEC O13).
func (g QueryGraph) Affinity(text string) (float64, []string) {
	if len(g.Entities) == 0 {
		return 0, nil
	}
	searched := " " + joinRuns(NormalizeName(text), ' ') + " "
	stands := func(name string) bool {
		words := joinRuns(NormalizeName(name), ' ')
		return words != "" && strings.Contains(searched, " "+words+" ")
	}
	own := make(map[string]bool)
	var hints []string
	affinity := 0.0
	for _, e := range g.Entities {
		own[e.ID] = true
		if stands(e.Name) {
			hints = append(hints, hintDirect+e.Name)
			affinity = affinityDirect
		}
	}
	for _, e := range g.Edges {
		far := e.To
		if own[far.ID] {
			far = e.From
		}
		if !own[far.ID] && stands(far.Name) {
			hints = append(hints, e.hint())
			affinity = max(affinity, affinityOneHop)
		}
	}
	hints = distinct(hints)
	if len(hints) > 1 {
		affinity = min(1, affinity+affinityPerHint*float64(len(hints)-1))
	}
	return affinity, hints
}

// Connectivity is how many terms of the query's graph stand in a text or its hints (SPEC O14).
func (g QueryGraph) Connectivity(text string, hints []string) int {
	var terms []string
	for _, e := range g.Entities[:min(len(g.Entities), maxConnectivityNames)] {
		terms = append(terms, e.Name)
	}
	graph := g.terms("").list
	terms = append(terms, graph[:min(len(graph), maxConnectivityTerms)]...)
	terms = append(terms, g.Symbols[:min(len(g.Symbols), maxConnectivitySymbols)]...)
	searched := NormalizeName(text + " " + strings.Join(hints, " "))
	n := 0
	seen := map[string]bool{}
	for _, term := range terms {
		key := NormalizeName(term)
		if utf8.RuneCountInString(key) < minSlugWord || seen[key] {
			continue
		}
		seen[key] = true
		if strings.Contains(searched, key) {
			n++
		}
	}
	return n
}

// RerankByConnectivity orders results by how connected they are to the query's graph, the
// most first, else as they were. Fewer than two results, or a query that names nothing,
// stay as they are (SPEC O14). text gives what of a result is looked at.
func RerankByConnectivity[T any](g QueryGraph, results []T, text func(T) string) []T {
	if len(results) < 2 || len(g.Entities) == 0 {
		return results
	}
	type scored struct {
		result T
		score  int
	}
	all := make([]scored, len(results))
	for i, r := range results {
		_, hints := g.Affinity(text(r))
		all[i] = scored{r, g.Connectivity(text(r), hints)}
	}
	slices.SortStableFunc(all, func(a, b scored) int { return b.score - a.score })
	out := make([]T, len(all))
	for i, s := range all {
		out[i] = s.result
	}
	return out
}
