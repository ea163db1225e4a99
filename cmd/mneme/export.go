package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

// exportFlags are the flags of `mneme export`.
type exportFlags struct {
	workspace, format, out string
	at                     timeFlags
	asJSON                 bool
}

// timeFlags are the flags of a moment in both times.
type timeFlags struct {
	asOf, knownAt string
	history       bool
}

func (f *timeFlags) declare(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.asOf, "as-of", "", "what was true at this `time`, as 2026-01-31 or 2026-01-31T09:30:00Z")
	flags.StringVar(&f.knownAt, "known-at", "", "what was known at this `time`")
	flags.BoolVar(&f.history, "history", false, "also what has ended")
}

// point is the moment; INVALID_INPUT names the flag.
func (f *timeFlags) point() (at knowledge.TimePoint, err error) {
	at.IncludeHistory = f.history
	if at.AsOf, err = moment("--as-of", f.asOf); err != nil {
		return at, err
	}
	at.KnownAt, err = moment("--known-at", f.knownAt)
	return at, err
}

func (p *program) exportCommand() *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export",
		Short: "Write a whole graph, as JSON or for graph tools",
		Long: "Writes a whole graph as a stream. json holds everything that is stored with its history,\n" +
			"and `mneme import graph` takes it in again; with --as-of it holds what was true then.\n" +
			"dot (Graphviz), mermaid, graphml (Gephi, yEd, NetworkX) and cypher (Neo4j) show what is\n" +
			"current, with --history also what has ended.",
		Example: "  mneme export --workspace demo --out demo.json\n" +
			"  mneme export --workspace demo --format dot | dot -Tsvg > demo.svg\n" +
			"  mneme export --workspace demo --format graphml --as-of 2026-01-31 --out january.graphml",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.export(cmd.Context(), f) },
	}
	workspaceFlag(cmd, &f.workspace)
	cmd.Flags().StringVar(&f.format, "format", string(knowledge.ExportJSON), "`json`, dot, mermaid, graphml or cypher")
	cmd.Flags().StringVar(&f.out, "out", "", "`FILE` to write; without it standard output")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "with --out: print what was written as JSON")
	f.at.declare(cmd)
	completeFormats(cmd)
	return cmd
}

// completeFormats lets the shell complete --format.
func completeFormats(cmd *cobra.Command) {
	var names []string
	for _, format := range knowledge.ExportFormats() {
		names = append(names, string(format))
	}
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
}

// exportReport is what `mneme export --out` has done.
type exportReport struct {
	Workspace string `json:"workspace"`
	Format    string `json:"format"`
	File      string `json:"file"`
	Bytes     int64  `json:"bytes"`
}

func (p *program) export(ctx context.Context, f exportFlags) error {
	format, err := knowledge.ExportFormatOf(f.format)
	if err != nil {
		return knowledge.InField("--format", withoutField(err))
	}
	at, err := f.at.point()
	if err != nil {
		return err
	}
	return p.withApp(ctx, func(a *App) error {
		req := service.ExportRequest{Format: format, At: at, Caller: caller()}
		if f.out == "" || f.out == "-" {
			return p.exportTo(ctx, a, f.workspace, p.stdout, req)
		}
		size, err := writeWhole(f.out, func(w io.Writer) error { return p.exportTo(ctx, a, f.workspace, w, req) })
		if err != nil {
			return err
		}
		report := exportReport{Workspace: f.workspace, Format: string(format), File: f.out, Bytes: size}
		if f.asJSON {
			return p.printJSON(report)
		}
		p.stdout.printf("%s: %d bytes of %s in %s\n", report.Workspace, report.Bytes, report.Format, report.File)
		return nil
	})
}

// exportTo writes the graph of a workspace.
func (p *program) exportTo(ctx context.Context, a *App, workspace string, w io.Writer, req service.ExportRequest) error {
	ws, err := a.Workspaces.Get(ctx, workspace)
	if err != nil {
		return err
	}
	return a.Exports.Write(ctx, ws, w, req)
}

// withoutField is an error of ours without the field that it names, for one that a flag has another name for.
func withoutField(err error) error {
	var e *knowledge.Error
	if !errors.As(err, &e) {
		return err
	}
	bare := *e
	bare.Field = ""
	return &bare
}

// writeWhole writes a file that is there whole or, where writing fails, as it was before.
func writeWhole(path string, write func(io.Writer) error) (size int64, err error) {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return 0, knowledge.Invalid("--out", "%s cannot be written: %v", path, errors.Unwrap(err))
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close(), os.Remove(file.Name()))
		}
	}()
	if err := write(file); err != nil {
		return 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	if err := file.Close(); err != nil {
		return 0, fmt.Errorf("write %s: %w", path, err)
	}
	return info.Size(), os.Rename(file.Name(), path)
}
