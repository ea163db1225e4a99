package knowledge

import (
	"cmp"
	"slices"
	"strings"
)

// CompareCodeSymbols orders symbols by their keys.
func CompareCodeSymbols(a, b CodeSymbol) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.QualifiedName, b.QualifiedName), cmp.Compare(a.Kind, b.Kind))
}

// CompareCodePackages orders packages by their import paths.
func CompareCodePackages(a, b CodePackage) int { return cmp.Compare(a.ImportPath, b.ImportPath) }

// SortCodeEdges sorts by key. Edges are large, so pointers are moved first.
func SortCodeEdges(edges []CodeEdge) {
	order := make([]*CodeEdge, len(edges))
	for i := range edges {
		order[i] = &edges[i]
	}
	slices.SortFunc(order, compareCodeEdges)
	sorted := make([]CodeEdge, len(edges))
	for i, e := range order {
		sorted[i] = *e
	}
	copy(edges, sorted)
}

// compareCodeEdges and compareCodeRefs return at the first difference: most of the time of a run in which nothing
// changed goes into sorting.
func compareCodeEdges(a, b *CodeEdge) int {
	if c := strings.Compare(string(a.Type), string(b.Type)); c != 0 {
		return c
	}
	if c := compareCodeRefs(&a.From, &b.From); c != 0 {
		return c
	}
	if c := compareCodeRefs(&a.To, &b.To); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

func compareCodeRefs(a, b *CodeRef) int {
	if c := strings.Compare(a.Package, b.Package); c != 0 {
		return c
	}
	if c := strings.Compare(a.Path, b.Path); c != 0 {
		return c
	}
	if c := strings.Compare(a.Symbol, b.Symbol); c != 0 {
		return c
	}
	return strings.Compare(string(a.Kind), string(b.Kind))
}
