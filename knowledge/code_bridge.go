package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// Sizes of the bridge between entities and symbols (SPEC P14, P15).
const (
	BridgeConfidence     = 0.8
	MaxBridges           = 20 // symbols of an entity
	minBridgeName        = 4  // characters
	DefaultCodeNeighbors = 10
)

// commonNames are names that code uses for everything and that say nothing of an entity.
const commonNames = "index main new config configs settings default init setup test tests util utils helper helpers common " +
	"type types data item items list value values name names option options args params props state error errors " +
	"result results string number object module exports constructor"

// Bridge says that an entity is called as a symbol is.
type Bridge struct {
	WorkspaceID string
	EntityID    string
	Symbol      CodeNode
	Confidence  float64
}

// BridgeSlug is by what a symbol is joined to the entities of that name: the slug of its own name. It is empty
// for names that are too short or too common (SPEC P14).
func BridgeSlug(name string) string {
	slug := Slug(name)
	if utf8.RuneCountInString(name) < minBridgeName || utf8.RuneCountInString(slug) < minBridgeName {
		return ""
	}
	if slices.Contains(strings.Fields(commonNames), slug) {
		return ""
	}
	return slug
}

// BridgeSlugs are the slugs of an entity's name and aliases by which symbols are found.
func BridgeSlugs(e *Entity) []string {
	var slugs []string
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		if slug := BridgeSlug(name); slug != "" && !slices.Contains(slugs, slug) {
			slugs = append(slugs, slug)
		}
	}
	return slugs
}

// BridgeOrder sorts the symbols of one name: exported ones first, then what stands at the top of its file, then
// by path. A text, so that an index can sort by it.
func (s CodeSymbol) BridgeOrder() string {
	rank := func(first bool) string {
		if first {
			return "0"
		}
		return "1"
	}
	return strings.Join([]string{rank(s.Exported) + rank(s.Name == s.QualifiedName), s.Path, s.QualifiedName, string(s.Kind), s.Repository}, "\x00")
}

// CutBridges are an entity's bridges to the symbols of its names, at most 20, and whether there are more.
func CutBridges(e *Entity, symbols []*CodeSymbol) (bridges []*Bridge, cut bool) {
	sorted := slices.Clone(symbols)
	slices.SortFunc(sorted, func(a, b *CodeSymbol) int {
		return cmp.Or(strings.Compare(a.BridgeOrder(), b.BridgeOrder()), strings.Compare(a.ID(), b.ID()))
	})
	for _, s := range sorted[:min(len(sorted), MaxBridges)] {
		bridges = append(bridges, &Bridge{WorkspaceID: e.WorkspaceID, EntityID: e.ID, Symbol: s, Confidence: BridgeConfidence})
	}
	return bridges, len(sorted) > MaxBridges
}

// CodeNeighbor is a file near the symbols of an entity.
type CodeNeighbor struct {
	File    *CodeFile
	Symbols []*CodeSymbol // what it exports, by line
	Via     *Bridge
	Hops    int
}

// CodeNeighborhood are the files near the symbols of an entity, the nearest first.
type CodeNeighborhood struct {
	Bridges   []*Bridge
	Nodes     []*CodeNeighbor
	Truncated bool
}

// ExportedSymbols are those of a file's symbols that it exports at its top level.
func ExportedSymbols(symbols []*CodeSymbol) []*CodeSymbol {
	out := []*CodeSymbol{}
	for _, s := range symbols {
		if s.Exported && s.Name == s.QualifiedName {
			out = append(out, s)
		}
	}
	return out
}

// NamesakeKeys are the normalised names under which an entity of a symbol's name may be stored as an alias.
func NamesakeKeys(name string) []string {
	slug := Slug(name)
	keys := []string{slug, strings.ReplaceAll(slug, "-", " "), strings.ReplaceAll(slug, "-", "_"), NormalizeName(name)}
	slices.Sort(keys)
	return slices.Compact(keys)
}
