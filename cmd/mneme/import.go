package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"time"

	"github.com/spf13/cobra"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// shownErrors is how many wrong lines are printed one by one; the rest is counted.
const shownErrors = 100

// importFormat is a kind of file that can be imported.
type importFormat struct {
	name      string
	short     string
	one, many string // what a line is
	// decoder makes the reader of one file's lines.
	decoder func() func(line []byte) (service.ImportItem, error)
	options service.ImportOptions
	vectors bool // what is imported is embedded
}

func importFormats() []importFormat {
	return []importFormat{
		{
			name: "entries", one: "entry", many: "entries", vectors: true,
			short: "Import entries: one createEntry input a line",
			decoder: func() func([]byte) (service.ImportItem, error) {
				return func(line []byte) (service.ImportItem, error) {
					draft, err := ingest.DecodeEntry(line)
					return service.ImportItem{Entry: &draft}, err
				}
			},
		},
		{
			name: "chat", one: "turn", many: "turns", vectors: true,
			short: "Import chat turns: {conversation, session, id, speaker, sentAt, text, caption} a line",
			decoder: func() func([]byte) (service.ImportItem, error) {
				chat := ingest.NewChat()
				return func(line []byte) (service.ImportItem, error) {
					draft, err := chat.Decode(line)
					return service.ImportItem{Entry: &draft}, err
				}
			},
			options: service.ImportOptions{CreateMentions: true},
		},
		{
			name: "graph", one: "item", many: "items",
			short: "Import a graph: an export in JSON, or one upsertEntity or createEdge input a line",
			decoder: func() func([]byte) (service.ImportItem, error) {
				return func(line []byte) (service.ImportItem, error) {
					item, err := ingest.DecodeGraph(line)
					return service.ImportItem{Entity: item.Entity, Edge: item.Edge}, err
				}
			},
		},
	}
}

func (p *program) importCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "import",
		Short: "Import mail, documents, and files of JSON lines",
		Long: "Imports mail, documents, and files of JSON lines. A workspace that does not exist is created. A wrong line is\n" +
			"reported by its number and does not stop the others (exit status 3). Importing a file\n" +
			"again imports nothing, so an import that was cut off is run again, with --resume from\n" +
			"where it was cut off. - reads standard input.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, f := range importFormats() {
		cmd.AddCommand(p.importFormatCommand(f))
	}
	for _, f := range jobFormats() {
		cmd.AddCommand(p.importJobCommand(f))
	}
	return cmd
}

func (p *program) importFormatCommand(f importFormat) *cobra.Command {
	var workspace string
	var resume, asJSON bool
	cmd := &cobra.Command{
		Use:   f.name + " FILE…",
		Short: f.short,
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(cmd.Context(), func(a *App) error {
				own := *p // its standard input may be looked into
				job := &importJob{program: &own, app: a, format: f, workspace: workspace, resume: resume}
				if err := job.chooseWorkspace(args, cmd.Flags().Changed("workspace")); err != nil {
					return err
				}
				return job.run(cmd.Context(), args, asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&resume, "resume", false, "pass over the lines that an import of the same file, cut off, has done")
	return cmd
}

// workspaceFlag declares --workspace, which every command has that works in one.
func workspaceFlag(cmd *cobra.Command, workspace *string) {
	cmd.Flags().StringVar(workspace, "workspace", knowledge.DefaultWorkspace, "`key` of the workspace")
}

// importJob is one `mneme import` of some files.
type importJob struct {
	*program
	app       *App
	format    importFormat
	workspace string
	resume    bool
	exported  map[string]bool // which of the paths are exports
	failed    int
}

// importReport is the result of an import.
type importReport struct {
	Workspace string `json:"workspace"`
	service.ImportCounts
	Skipped   int     `json:"skipped"` // lines passed over by --resume
	Seconds   float64 `json:"seconds"`
	PerSecond float64 `json:"perSecond"`
}

func (j *importJob) run(ctx context.Context, paths []string, asJSON bool) error {
	for _, path := range paths {
		if err := checkImportFile(path); err != nil {
			return err
		}
	}
	if err := j.ensureWorkspace(ctx, j.app, j.workspace); err != nil {
		return err
	}
	if j.format.vectors {
		if err := j.app.Embed.Wait(ctx); err != nil && ctx.Err() == nil {
			j.warnNoVectors(err)
		}
	}
	j.app.startWork(ctx)
	report := importReport{Workspace: j.workspace}
	start := time.Now()
	var failure error
	for _, path := range paths {
		if failure = j.importPath(ctx, path, &report); failure != nil {
			break
		}
	}
	if j.format.vectors && failure == nil && j.app.Embed.Err() == nil {
		_, failure = j.app.Embeddings.Fill(ctx) // what was too slow to be made at once
	}
	report.Seconds = time.Since(start).Seconds()
	report.PerSecond = float64(report.Read) / report.Seconds
	if err := j.print(report, asJSON); err != nil {
		return err
	}
	return j.outcome(report, failure)
}

// outcome says what the exit status is to be.
func (j *importJob) outcome(r importReport, failure error) error {
	switch {
	case failure != nil && r.Created+r.Matched > 0:
		j.stderr.printf("mneme: the import was cut off: %s\nRun the same command again, with --resume to begin where it stopped.\n", describe(failure))
		return errPartly
	case failure != nil:
		return failure
	case r.Failed > 0 && r.Created+r.Matched > 0:
		return errPartly
	case r.Failed > 0:
		return knowledge.Invalid("FILE", "no line could be imported")
	}
	return nil
}

func (j *importJob) print(r importReport, asJSON bool) error {
	if hidden := r.Failed - shownErrors; hidden > 0 {
		j.stderr.printf("and %d more wrong lines\n", hidden)
	}
	if asJSON {
		return j.printJSON(r)
	}
	j.stdout.printf("%s: %d read, %d imported, %d there already, %d wrong, in %.1f s (%.0f a second)\n",
		r.Workspace, r.Read, r.Created, r.Matched, r.Failed, r.Seconds, r.PerSecond)
	return nil
}

func checkImportFile(path string) error {
	if path == "-" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return knowledge.Invalid("FILE", "%s does not exist", path)
	case err != nil:
		return knowledge.Invalid("FILE", "%s cannot be read: %v", path, errors.Unwrap(err))
	case info.IsDir():
		return knowledge.Invalid("FILE", "%s is a folder; name a file of JSON lines", path)
	}
	return nil
}

// ensureWorkspace creates a workspace that is missing, and says so.
func (p *program) ensureWorkspace(ctx context.Context, a *App, key string) error {
	_, err := a.Workspaces.Get(ctx, key)
	if !knowledge.IsNotFound(err) {
		return err
	}
	if _, err := a.Workspaces.Create(ctx, caller(), key, ""); err != nil && knowledge.CodeOf(err) != knowledge.CodeConflict {
		return knowledge.InField("--workspace", err)
	}
	p.stderr.printf("created the workspace %s\n", key)
	return nil
}

func (j *importJob) importPath(ctx context.Context, path string, report *importReport) error {
	if j.exported[path] {
		return j.export(ctx, path, report)
	}
	return j.file(ctx, path, report)
}

// file imports one file and adds its counts to the report.
func (j *importJob) file(ctx context.Context, path string, report *importReport) error {
	in, size, err := j.open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	mark := j.mark(path, size)
	after := 0
	if j.resume {
		after = mark.load()
	}
	if after > 0 {
		j.stderr.printf("%s: going on after line %d\n", path, after)
	}
	lines := ingest.NewLines(in)
	m := j.newMeter("importing "+path, size)
	before, start := *report, time.Now()
	o := j.format.options
	o.OnItemError = func(line int, err error) {
		if j.failed++; j.failed <= shownErrors {
			m.println(fmt.Sprintf("%s, line %d: %s", path, line, describe(err)))
		}
	}
	o.OnBatch = func(c service.ImportCounts, last service.ImportItem) {
		mark.save(last.Line)
		m.set(last.Offset, fmt.Sprintf("%s, %.0f/s", counted(c.Read, j.format.one, j.format.many), float64(c.Read)/time.Since(start).Seconds()))
	}
	to := service.Target{Workspace: j.workspace, Caller: caller()}
	counts, err := j.app.Imports.Run(ctx, to, j.items(lines, after, &report.Skipped), o)
	m.finish()
	report.Read, report.Created = before.Read+counts.Read, before.Created+counts.Created
	report.Matched, report.Failed = before.Matched+counts.Matched, before.Failed+counts.Failed
	if err == nil {
		err = lines.Err()
	}
	if err == nil {
		mark.remove()
	}
	return err
}

func (j *importJob) open(path string) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(j.stdin), 0, nil
	}
	file, err := os.Open(path) //nolint:gosec // the file that the user names
	if err != nil {
		return nil, 0, knowledge.Invalid("FILE", "%s cannot be read: %v", path, errors.Unwrap(err))
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

// items decodes the lines after a given one. Those before are decoded too: what a line
// means may depend on the ones before it.
func (j *importJob) items(lines *ingest.Lines, after int, skipped *int) iter.Seq[service.ImportItem] {
	decode := j.format.decoder()
	return func(yield func(service.ImportItem) bool) {
		for lines.Next() {
			line, err := lines.Data()
			var item service.ImportItem
			if err == nil {
				item, err = decode(line)
			}
			if err != nil {
				item = service.ImportItem{Err: err}
			}
			item.Line, item.Offset = lines.Number(), lines.Offset()
			if item.Line <= after {
				*skipped++
				continue
			}
			if !yield(item) {
				return
			}
		}
	}
}
