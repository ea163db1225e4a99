package codegraph

import (
	"cmp"
	"slices"

	"mneme/knowledge"
)

// Listing is an index as it is given away: sorted, without what depends on when or how it was made.
type Listing struct {
	Files   []ListedFile   `json:"files"`
	Symbols []ListedSymbol `json:"symbols"`
	Edges   []ListedEdge   `json:"edges"`
}

// ListedFile is one file.
type ListedFile struct {
	Path        string `json:"path"`
	Language    string `json:"language"`
	ContentHash string `json:"contentHash"`
	Size        int64  `json:"size"`
	Encoding    string `json:"encoding"`
	BuildTag    string `json:"buildTag,omitempty"`
	Skipped     string `json:"skipped,omitempty"`
	ParseErrors bool   `json:"parseErrors"`
}

// ListedSymbol is one symbol.
type ListedSymbol struct {
	Path          string             `json:"path"`
	QualifiedName string             `json:"qualifiedName"`
	Kind          knowledge.CodeKind `json:"kind"`
	Exported      bool               `json:"exported"`
	Line          int                `json:"line"`
}

// ListedEdge is one edge. From and To are a path, path#qualifiedName, or a package's import path.
type ListedEdge struct {
	Type       knowledge.CodeEdgeType `json:"type"`
	From       string                 `json:"from"`
	To         string                 `json:"to"`
	Name       string                 `json:"name,omitempty"`
	TypeOnly   bool                   `json:"typeOnly"`
	Resolution string                 `json:"resolution"`
}

// Listing makes the listing of an index.
func (x *Index) Listing() Listing {
	e := Listing{Files: []ListedFile{}, Symbols: []ListedSymbol{}, Edges: []ListedEdge{}}
	for _, f := range x.Files {
		e.Files = append(e.Files, ListedFile{
			Path: f.Path, Language: f.Language, ContentHash: f.ContentHash, Size: f.Size, Encoding: f.Encoding,
			BuildTag: f.BuildTag, Skipped: f.Skipped, ParseErrors: f.ParseErrors,
		})
	}
	for _, s := range x.Symbols {
		e.Symbols = append(e.Symbols, ListedSymbol{s.Path, s.QualifiedName, s.Kind, s.Exported, s.Line})
	}
	for _, d := range x.Edges {
		e.Edges = append(e.Edges, ListedEdge{d.Type, d.From.String(), d.To.String(), d.Name, d.TypeOnly, d.Resolution})
	}
	slices.SortFunc(e.Edges, compareListed)
	e.Edges = slices.Compact(e.Edges)
	return e
}

func compareListed(a, b ListedEdge) int {
	return cmp.Or(
		cmp.Compare(a.Type, b.Type), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Name, b.Name),
		compareBools(a.TypeOnly, b.TypeOnly), cmp.Compare(a.Resolution, b.Resolution),
	)
}
