package knowledge

import (
	"cmp"
	"slices"
)

// CodeListing is an index as it is given away: sorted, without what depends on when or how it was made.
type CodeListing struct {
	Files   []ListedCodeFile   `json:"files"`
	Symbols []ListedCodeSymbol `json:"symbols"`
	Edges   []ListedCodeEdge   `json:"edges"`
}

// ListedCodeFile is one file.
type ListedCodeFile struct {
	Path        string `json:"path"`
	Language    string `json:"language"`
	ContentHash string `json:"contentHash"`
	Size        int64  `json:"size"`
	Encoding    string `json:"encoding"`
	BuildTag    string `json:"buildTag,omitempty"`
	Skipped     string `json:"skipped,omitempty"`
	ParseErrors bool   `json:"parseErrors"`
}

// ListedCodeSymbol is one symbol.
type ListedCodeSymbol struct {
	Path          string   `json:"path"`
	QualifiedName string   `json:"qualifiedName"`
	Kind          CodeKind `json:"kind"`
	Exported      bool     `json:"exported"`
	Line          int      `json:"line"`
}

// ListedCodeEdge is one edge. From and To are a path, path#qualifiedName, or a package's import path.
type ListedCodeEdge struct {
	Type       CodeEdgeType `json:"type"`
	From       string       `json:"from"`
	To         string       `json:"to"`
	Name       string       `json:"name,omitempty"`
	TypeOnly   bool         `json:"typeOnly"`
	Resolution string       `json:"resolution"`
}

// Listing makes the listing of an index.
func (x *CodeIndex) Listing() CodeListing {
	e := CodeListing{Files: []ListedCodeFile{}, Symbols: []ListedCodeSymbol{}, Edges: []ListedCodeEdge{}}
	for _, f := range x.Files {
		e.Files = append(e.Files, ListedCodeFile{
			Path: f.Path, Language: f.Language, ContentHash: f.ContentHash, Size: f.Size, Encoding: f.Encoding,
			BuildTag: f.BuildTag, Skipped: f.Skipped, ParseErrors: f.ParseErrors,
		})
	}
	for _, s := range x.Symbols {
		e.Symbols = append(e.Symbols, ListedCodeSymbol{s.Path, s.QualifiedName, s.Kind, s.Exported, s.Line})
	}
	for _, d := range x.Edges {
		e.Edges = append(e.Edges, ListedCodeEdge{d.Type, d.From.String(), d.To.String(), d.Name, d.TypeOnly, d.Resolution})
	}
	slices.SortFunc(e.Edges, compareListed)
	e.Edges = slices.Compact(e.Edges)
	return e
}

func compareListed(a, b ListedCodeEdge) int {
	return cmp.Or(
		cmp.Compare(a.Type, b.Type), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Name, b.Name),
		compareTruth(a.TypeOnly, b.TypeOnly), cmp.Compare(a.Resolution, b.Resolution),
	)
}

// compareTruth puts false before true.
func compareTruth(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}
