package codegraph

import (
	"cmp"
	"reflect"

	"mneme/knowledge"
)

// Changes are what happened to one kind of thing: each list sorted by key. What is changed is given as it is
// now; its key is as it was.
type Changes[T any] struct {
	Added, Changed, Removed []T
}

// Empty tells whether nothing happened.
func (c Changes[T]) Empty() bool { return len(c.Added)+len(c.Changed)+len(c.Removed) == 0 }

// Difference is what has to be done to a store that holds one index to make it hold another. Nodes that are
// removed take their edges with them; those edges are listed all the same.
type Difference struct {
	Files    Changes[knowledge.CodeFile]
	Symbols  Changes[knowledge.CodeSymbol]
	Packages Changes[knowledge.CodePackage]
	Edges    Changes[knowledge.CodeEdge]
}

// Empty tells whether both indexes are the same graph.
func (d Difference) Empty() bool {
	return d.Files.Empty() && d.Symbols.Empty() && d.Packages.Empty() && d.Edges.Empty()
}

// Diff compares two indexes of one repository. A nil old index is an empty one.
func Diff(old, now *Index) Difference {
	if old == nil {
		old = &Index{}
	}
	return Difference{
		Files:    changes(old.Files, now.Files, compareFiles),
		Symbols:  changes(old.Symbols, now.Symbols, compareSymbols),
		Packages: changes(old.Packages, now.Packages, comparePackages),
		Edges:    changes(old.Edges, now.Edges, compareEdgeKeys),
	}
}

// Apply makes of an old index what it has become. A nil old index is an empty one.
func (d Difference) Apply(old *Index) *Index {
	if old == nil {
		old = &Index{}
	}
	return &Index{
		Repository: old.Repository,
		Files:      apply(old.Files, d.Files, compareFiles),
		Symbols:    apply(old.Symbols, d.Symbols, compareSymbols),
		Packages:   apply(old.Packages, d.Packages, comparePackages),
		Edges:      apply(old.Edges, d.Edges, compareEdgeKeys),
	}
}

func compareFiles(a, b knowledge.CodeFile) int { return cmp.Compare(a.Path, b.Path) }

func compareSymbols(a, b knowledge.CodeSymbol) int {
	return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.QualifiedName, b.QualifiedName), cmp.Compare(a.Kind, b.Kind))
}

func comparePackages(a, b knowledge.CodePackage) int { return cmp.Compare(a.ImportPath, b.ImportPath) }

// changes walks two sorted lists side by side.
func changes[T any](old, now []T, compare func(a, b T) int) Changes[T] {
	var c Changes[T]
	i, j := 0, 0
	for i < len(old) || j < len(now) {
		order := 0
		switch {
		case i == len(old):
			order = 1
		case j == len(now):
			order = -1
		default:
			order = compare(old[i], now[j])
		}
		switch {
		case order < 0:
			c.Removed = append(c.Removed, old[i])
			i++
		case order > 0:
			c.Added = append(c.Added, now[j])
			j++
		default:
			if !reflect.DeepEqual(old[i], now[j]) {
				c.Changed = append(c.Changed, now[j])
			}
			i++
			j++
		}
	}
	return c
}

func apply[T any](old []T, c Changes[T], compare func(a, b T) int) []T {
	var out []T
	next := func(list []T, item T) ([]T, bool) {
		if len(list) > 0 && compare(list[0], item) == 0 {
			return list[1:], true
		}
		return list, false
	}
	added, changed, removed := c.Added, c.Changed, c.Removed
	for _, item := range old {
		for len(added) > 0 && compare(added[0], item) < 0 {
			out, added = append(out, added[0]), added[1:]
		}
		var hit bool
		if removed, hit = next(removed, item); hit {
			continue
		}
		if rest, isChanged := next(changed, item); isChanged {
			item, changed = changed[0], rest
		}
		out = append(out, item)
	}
	return append(out, added...)
}
