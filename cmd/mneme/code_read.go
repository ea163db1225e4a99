package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

// codeNode is a file or a symbol as it is printed.
type codeNode struct {
	ID            string `json:"id"`
	Kind          string `json:"kind"`
	Repository    string `json:"repository"`
	Path          string `json:"path"`
	Name          string `json:"name,omitempty"`
	QualifiedName string `json:"qualifiedName,omitempty"`
	Line          int    `json:"line,omitempty"`
	Exported      bool   `json:"exported,omitempty"`
	Signature     string `json:"signature,omitempty"`
}

func rowOfCode(n knowledge.CodeNode) codeNode {
	switch n := n.(type) {
	case *knowledge.CodeSymbol:
		return codeNode{
			ID: n.ID(), Kind: string(n.Kind), Repository: n.Repository, Path: n.Path, Name: n.Name, QualifiedName: n.QualifiedName,
			Line: n.Line, Exported: n.Exported, Signature: n.Signature,
		}
	case *knowledge.CodeFile:
		return codeNode{ID: n.ID(), Kind: string(knowledge.CodeKindFile), Repository: n.Repository, Path: n.Path}
	default:
		return codeNode{}
	}
}

// place is where a node stands, as editors know it.
func (n codeNode) place() string {
	if n.Line == 0 {
		return n.Path
	}
	return fmt.Sprintf("%s:%d", n.Path, n.Line)
}

func codeKinds(names []string) ([]knowledge.CodeKind, error) {
	known := []knowledge.CodeKind{
		knowledge.CodeKindFile, knowledge.CodeKindFunction, knowledge.CodeKindMethod, knowledge.CodeKindClass, knowledge.CodeKindInterface,
		knowledge.CodeKindType, knowledge.CodeKindEnum, knowledge.CodeKindVariable, knowledge.CodeKindConstant, knowledge.CodeKindModule,
	}
	var out []knowledge.CodeKind
	for _, name := range names {
		kind := knowledge.CodeKind(strings.ToUpper(name))
		if !slices.Contains(known, kind) {
			return nil, knowledge.Invalid("--kind", "%q is not one of %s", name, strings.ToLower(fmt.Sprint(known)))
		}
		out = append(out, kind)
	}
	return out, nil
}

func (p *program) codeSearchCommand() *cobra.Command {
	var workspace string
	var kinds []string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "search QUERY",
		Short: "Find files and symbols by name, path, signature and documentation",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			wanted, err := codeKinds(kinds)
			if err != nil {
				return err
			}
			return p.inWorkspace(cmd.Context(), workspace, func(a *App, ws *knowledge.Workspace) error {
				hits, err := a.Code.Search(cmd.Context(), ws, service.CodeSearch{Query: strings.Join(args, " "), Kinds: wanted, First: limit})
				if err != nil {
					return err
				}
				return p.printCodeHits(hits, asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringSliceVar(&kinds, "kind", nil, "only nodes of this `KIND`: file, function, method, class, interface, type, enum, variable, constant, module")
	cmd.Flags().IntVar(&limit, "limit", knowledge.DefaultCodeSearch, "how many")
	return cmd
}

func (p *program) printCodeHits(hits []*knowledge.CodeSearchHit, asJSON bool) error {
	type hit struct {
		codeNode
		Score float64 `json:"score"`
	}
	rows := make([]hit, len(hits))
	for i, h := range hits {
		rows[i] = hit{rowOfCode(h.Node), h.Score}
	}
	if asJSON {
		return p.printJSON(rows)
	}
	cells := make([]table.Row, len(rows))
	for i, h := range rows {
		name := h.QualifiedName
		if name == "" {
			name = h.Path
		}
		cells[i] = table.Row{name, strings.ToLower(h.Kind), h.place(), fmt.Sprintf("%.2f", h.Score)}
	}
	p.printTable(table.Row{"name", "kind", "place", "score"}, cells)
	return nil
}

func (p *program) codeNeighborsCommand() *cobra.Command {
	var workspace string
	var hops, limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "neighbors ENTITY",
		Short: "The files near the symbols that an entity is called as",
		Long: "ENTITY is an id, a name or a mail address. From the symbols of its name, the files are listed that\n" +
			"import their files, are imported by them, or extend, implement or embed what they declare.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.inWorkspace(cmd.Context(), workspace, func(a *App, ws *knowledge.Workspace) error {
				e, err := a.Entities.Find(cmd.Context(), ws.ID, knowledge.RefOf(args[0]))
				if err != nil {
					return knowledge.InField("ENTITY", err)
				}
				found, err := a.Code.Neighbors(cmd.Context(), ws, service.CodeNeighborQuery{EntityID: e.ID, Hops: hops, First: limit})
				if err != nil {
					return err
				}
				return p.printCodeNeighbors(e, found, asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().IntVar(&hops, "hops", 1, "through how many links")
	cmd.Flags().IntVar(&limit, "limit", knowledge.DefaultCodeNeighbors, "how many files")
	return cmd
}

// codeNeighbor is a file near an entity as it is printed.
type codeNeighbor struct {
	Repository string     `json:"repository"`
	Path       string     `json:"path"`
	Symbols    []codeNode `json:"symbols"`
	Via        codeNode   `json:"via"`
	Hops       int        `json:"hops"`
}

func (p *program) printCodeNeighbors(e *knowledge.Entity, found *knowledge.CodeNeighborhood, asJSON bool) error {
	nodes, bridges := make([]codeNeighbor, len(found.Nodes)), make([]codeNode, len(found.Bridges))
	for i, b := range found.Bridges {
		bridges[i] = rowOfCode(b.Symbol)
	}
	for i, n := range found.Nodes {
		nodes[i] = codeNeighbor{Repository: n.File.Repository, Path: n.File.Path, Symbols: []codeNode{}, Via: rowOfCode(n.Via.Symbol), Hops: n.Hops}
		for _, s := range n.Symbols {
			nodes[i].Symbols = append(nodes[i].Symbols, rowOfCode(s))
		}
	}
	if asJSON {
		return p.printJSON(map[string]any{"entity": e.ID, "bridges": bridges, "nodes": nodes, "truncated": found.Truncated})
	}
	if len(bridges) == 0 {
		p.stdout.printf("no symbol is called %s\n", e.Name)
		return nil
	}
	cells := make([]table.Row, len(nodes))
	for i, n := range nodes {
		names := make([]string, len(n.Symbols))
		for j, s := range n.Symbols {
			names[j] = s.Name
		}
		cells[i] = table.Row{n.Path, strings.Join(names, ", "), n.Via.QualifiedName + " in " + n.Via.place(), n.Hops}
	}
	p.printTable(table.Row{"file", "exports", "from", "hops"}, cells)
	if found.Truncated {
		p.stdout.printf("and more\n")
	}
	return nil
}

// storedCode is a repository as it is stored.
func (p *program) storedCode(ctx context.Context, workspace, repository string) (index *knowledge.CodeIndex, err error) {
	err = p.inWorkspace(ctx, workspace, func(a *App, ws *knowledge.Workspace) error {
		var err error
		index, err = a.Code.Stored(ctx, ws, repository)
		return knowledge.InField("--repository", err)
	})
	return index, err
}
