package mcp

import (
	"context"
	"slices"
	"strings"

	"mneme/knowledge"
	"mneme/service"
)

// The code graph (SPEC P15, P16).

const defaultCodeLimit = 20 // SPEC P16

type searchCodeIn struct {
	Query  string   `json:"query" jsonschema:"words to look for in names, paths, signatures and documentation of code; parts of names count"`
	Kinds  list     `json:"kinds,omitempty" jsonschema:"only these kinds: file, function, method, class, interface, type, enum, variable, constant, module"`
	Limit  *integer `json:"limit,omitempty" jsonschema:"how many, 1 to 100; 20 without it"`
	Cursor string   `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type codeCard struct {
	ID         string  `json:"id"`
	Kind       string  `json:"kind"`
	Name       string  `json:"name" jsonschema:"of a symbol with what encloses it, of a file its path"`
	Repository string  `json:"repository"`
	Path       string  `json:"path"`
	Line       int     `json:"line,omitempty"`
	EndLine    int     `json:"endLine,omitempty"`
	Signature  string  `json:"signature,omitempty"`
	Exported   bool    `json:"exported,omitempty"`
	Score      float64 `json:"score" jsonschema:"how well it fits; comparable within one answer"`
}

type searchCodeOut struct {
	Results []codeCard `json:"results"`
	Count   int        `json:"count" jsonschema:"how many are in this answer"`
	Total   int        `json:"total" jsonschema:"how many the call has in all"`
	Cursor  string     `json:"cursor,omitempty" jsonschema:"set where this answer could not hold them all: repeat the call with it"`
}

func searchCode(ctx context.Context, c *call, in *searchCodeIn) (*searchCodeOut, error) {
	kinds, err := codeKinds(in.Kinds)
	if err != nil {
		return nil, err
	}
	found, err := c.view.SearchCode(ctx, service.CodeSearch{Query: in.Query, Kinds: kinds, First: in.Limit.clamped(defaultCodeLimit, knowledge.MaxPage)})
	if err != nil {
		return nil, err
	}
	items := make([]codeCard, len(found))
	for i, h := range found {
		items[i] = c.code(h.Node, h.Score)
	}
	out := &searchCodeOut{Total: len(items)}
	if out.Results, out.Cursor, err = page(c, out, items, func(r codeCard) string { return r.ID }); err != nil {
		return nil, err
	}
	out.Count = len(out.Results)
	return out, nil
}

// codeKinds are kinds as callers write them.
func codeKinds(names []string) ([]knowledge.CodeKind, error) {
	all := []knowledge.CodeKind{
		knowledge.CodeKindFile, knowledge.CodeKindFunction, knowledge.CodeKindMethod, knowledge.CodeKindClass, knowledge.CodeKindInterface,
		knowledge.CodeKindType, knowledge.CodeKindEnum, knowledge.CodeKindVariable, knowledge.CodeKindConstant, knowledge.CodeKindModule,
	}
	var kinds []knowledge.CodeKind
	for _, name := range names {
		kind := knowledge.CodeKind(strings.ToUpper(strings.TrimSpace(name)))
		if !slices.Contains(all, kind) {
			return nil, knowledge.Invalid("kinds", "%q is not a kind of code", knowledge.Ellipsis(name, knowledge.MaxTagLength))
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

func (c *call) code(node knowledge.CodeNode, score float64) codeCard {
	short := c.budget.short()
	switch n := node.(type) {
	case *knowledge.CodeFile:
		return codeCard{ID: n.ID(), Kind: strings.ToLower(string(knowledge.CodeKindFile)), Name: cut(n.Path, short), Repository: cut(n.Repository, short), Path: cut(n.Path, short), Score: score}
	case *knowledge.CodeSymbol:
		return codeCard{
			ID: n.ID(), Kind: strings.ToLower(string(n.Kind)), Name: cut(n.QualifiedName, short), Repository: cut(n.Repository, short), Path: cut(n.Path, short),
			Line: n.Line, EndLine: n.EndLine, Signature: cut(n.Signature, short), Exported: n.Exported, Score: score,
		}
	default:
		return codeCard{}
	}
}

type codeNeighborsIn struct {
	Entity reference `json:"entity" jsonschema:"an entity that is called as something in the code: its id, or its name where that is unambiguous"`
	Depth  *integer  `json:"depth,omitempty" jsonschema:"how many steps to go, 1 to 3; 1 without it"`
	Limit  *integer  `json:"limit,omitempty" jsonschema:"how many files, 1 to 100; 10 without it"`
	Cursor string    `json:"cursor,omitempty" jsonschema:"the cursor of the answer before, to go on"`
}

type nearFile struct {
	ID         string   `json:"id"`
	Repository string   `json:"repository"`
	Path       string   `json:"path"`
	Language   string   `json:"language"`
	Symbols    []string `json:"symbols" jsonschema:"what it exports, the first of it"`
	Depth      int      `json:"depth"`
}

type codeNeighborsOut struct {
	Bridges   []codeCard `json:"bridges" jsonschema:"the symbols that the entity is called as"`
	Files     []nearFile `json:"files" jsonschema:"the files near them, nearest first"`
	Count     int        `json:"count" jsonschema:"how many files are in this answer"`
	Total     int        `json:"total" jsonschema:"how many files the call has in all"`
	Truncated bool       `json:"truncated" jsonschema:"whether there are more files than asked for, or more symbols of that name"`
	Cursor    string     `json:"cursor,omitempty" jsonschema:"set where this answer could not hold them all: repeat the call with it"`
}

const (
	mostBridges     = 5  // symbols that an answer names as the entity's own
	mostFileSymbols = 10 // exports of a file that an answer names
)

func codeNeighbors(ctx context.Context, c *call, in *codeNeighborsIn) (*codeNeighborsOut, error) {
	found, err := c.view.CodeNeighbors(ctx, in.Entity.EntityRef, in.Depth.clamped(1, knowledge.MaxHops), in.Limit.clamped(knowledge.DefaultCodeNeighbors, knowledge.MaxPage))
	if err != nil {
		return nil, renamed(err, map[string]string{"id": "entity"})
	}
	out := &codeNeighborsOut{Bridges: []codeCard{}, Total: len(found.Nodes), Truncated: found.Truncated}
	for _, b := range found.Bridges[:min(len(found.Bridges), mostBridges)] {
		out.Bridges = append(out.Bridges, c.code(b.Symbol, b.Confidence))
	}
	items := make([]nearFile, len(found.Nodes))
	for i, n := range found.Nodes {
		items[i] = nearFile{ID: n.File.ID(), Repository: cut(n.File.Repository, c.budget.short()), Path: cut(n.File.Path, c.budget.short()), Language: n.File.Language, Symbols: []string{}, Depth: n.Hops}
		for _, s := range n.Symbols[:min(len(n.Symbols), mostFileSymbols)] {
			items[i].Symbols = append(items[i].Symbols, cut(s.Name, c.budget.short()/4))
		}
	}
	if out.Files, out.Cursor, err = page(c, out, items, func(f nearFile) string { return f.ID }); err != nil {
		return nil, err
	}
	out.Count = len(out.Files)
	return out, nil
}
