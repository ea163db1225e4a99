package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/bench"
	"mneme/codegraph"
	"mneme/knowledge"
)

func (p *program) codeCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "code",
		Short: "The code graph: files, symbols, and what imports, extends and calls what",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.codeIndexCommand(), p.codeSearchCommand(), p.codeNeighborsCommand(), p.codeExportCommand())
	return cmd
}

func (p *program) codeExportCommand() *cobra.Command {
	var workspace, repository string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "export [PATH]",
		Short: "Print a code graph: a stored one, or that of a folder",
		Long: "Prints the stored graph of a repository; with PATH, the graph of the source below it, for which nothing\n" +
			"is stored and no database is needed. The same source gives the same bytes either way.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				return p.codeExport(cmd.Context(), args[0], repository, asJSON)
			}
			index, err := p.storedCode(cmd.Context(), workspace, repository)
			if err != nil {
				return err
			}
			return p.printCode(index, asJSON)
		},
	}
	workspaceFlag(cmd, &workspace)
	cmd.Flags().StringVar(&repository, "repository", "", "`NAME` of the repository; with PATH the folder's if none is given, else the only one that is stored")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) codeExport(ctx context.Context, folder, repository string, asJSON bool) error {
	show := p.stages()
	index, err := codegraph.Build(ctx, folder, codegraph.Options{
		Repository: repository,
		Progress:   func(r codegraph.Progress) { show(r.Stage, r.Done, r.Total) },
	})
	if errors.Is(err, codegraph.ErrNotAFolder) {
		return knowledge.Invalid("path", "%s is not a folder that can be read", folder)
	}
	if err != nil {
		return err
	}
	if err := p.printCode(index, asJSON); err != nil {
		return err
	}
	return p.codeProblems(index.Report)
}

func (p *program) printCode(index *codegraph.Index, asJSON bool) error {
	if asJSON {
		return p.printJSON(index.Listing())
	}
	p.printCodeReport(index)
	return nil
}

func (p *program) printCodeReport(index *codegraph.Index) {
	r := index.Report
	rows := []table.Row{{"files", r.Files}, {"symbols", r.Symbols}, {"packages", r.Packages}}
	for _, kind := range slices.Sorted(maps.Keys(r.Edges)) {
		rows = append(rows, table.Row{string(kind), r.Edges[kind]})
	}
	for _, why := range slices.Sorted(maps.Keys(r.Skipped)) {
		rows = append(rows, table.Row{"without contents: " + why, r.Skipped[why]})
	}
	for _, why := range slices.Sorted(maps.Keys(r.Left)) {
		rows = append(rows, table.Row{"left out: " + why, r.Left[why]})
	}
	rows = append(rows, table.Row{"with parse errors", r.ParseErrors})
	p.printTable(table.Row{index.Repository, "count"}, rows)
}

// codeProblems names what could not be read; the rest of the graph is complete.
func (p *program) codeProblems(r codegraph.Report) error {
	for _, problem := range r.Problems {
		p.stderr.printf("%s: %s\n", problem.Path, problem.Message)
	}
	if r.Truncated {
		p.stderr.printf("%d files beyond the first %d were left out\n", r.Left[codegraph.LeftTooMany], r.Files)
	}
	if len(r.Problems) > 0 || r.Truncated {
		return errPartly
	}
	return nil
}

func (p *program) benchCodeCommand() *cobra.Command {
	var repository, oracle string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "code --repo DIR --oracle FILE",
		Short: "Compare the code graph of a repository with what its compiler says",
		Long: "Computes the code graph of DIR and scores it against FILE, the output of a compiler: of\n" +
			"TypeScript {edges, heritage, exports}, of Go {importPkg, uses, embeds, implementsVisible,\n" +
			"symbols}. Files in folders that are never indexed are not scored, and named.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.benchCode(cmd.Context(), repository, oracle, asJSON)
		},
	}
	cmd.Flags().StringVar(&repository, "repo", "", "`DIR` of the repository")
	cmd.Flags().StringVar(&oracle, "oracle", "", "`FILE` that the compiler's oracle wrote")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) benchCode(ctx context.Context, repository, oracle string, asJSON bool) error {
	if repository == "" {
		return knowledge.Invalid("--repo", "name a folder")
	}
	file, err := openFlag("--oracle", oracle)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }() // only read
	score, err := bench.Code(ctx, repository, file)
	switch {
	case errors.Is(err, codegraph.ErrNotAFolder):
		return knowledge.Invalid("--repo", "%s is not a folder that can be read", repository)
	case errors.Is(err, bench.ErrNoOracle):
		return knowledge.Invalid("--oracle", "%s is not what an oracle writes", oracle)
	case err != nil:
		return err
	case asJSON:
		return p.printJSON(score)
	}
	p.printCodeScore(score)
	return nil
}

func (p *program) printCodeScore(s *bench.CodeScore) {
	var rows []table.Row
	for _, kind := range slices.Sorted(maps.Keys(s.F1)) {
		rows = append(rows, table.Row{kind, fmt.Sprintf("%.4f", s.F1[kind]), s.Oracle[kind], len(s.Missing[kind]), len(s.Extra[kind])})
	}
	p.printTable(table.Row{"kind", "F1", "oracle", "missing", "extra"}, rows)
	p.stdout.printf("%d files in %s; not scored: %s\n", s.Files, s.Took, leftOut(s.LeftOut))
}

func leftOut(files []string) string {
	const shown = 5
	switch {
	case len(files) == 0:
		return "none"
	case len(files) > shown:
		return fmt.Sprintf("%s and %d more", strings.Join(files[:shown], ", "), len(files)-shown)
	default:
		return strings.Join(files, ", ")
	}
}
