package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
	"mneme/service"
)

// jobFormat is a kind of source that is imported by a job.
type jobFormat struct {
	name, short, long, unit, units string
	kind                           knowledge.JobKind
	contact                        bool // what is imported can be about a contact
	vectors                        bool // what is imported is embedded
}

func jobFormats() []jobFormat {
	return []jobFormat{
		{
			name: "mail", unit: "mail", units: "mails", kind: knowledge.JobMailImport, short: "Import mail: .eml files, mailbox files, Maildir folders",
			long: "Imports mail as messages, contacts, organisations and remarks on them. A mail that was\nimported before, or that carries <no-memory>, is passed over.",
		},
		{
			name: "files", unit: "file", units: "files", kind: knowledge.JobFileImport, contact: true, vectors: true, short: "Import documents: pdf, docx, xlsx, pptx, html, md, txt, csv",
			long: "Imports documents as entries, a chunk each. Importing a folder again reads what has changed\nand removes what came from files that are gone.",
		},
	}
}

func (p *program) importJobCommand(f jobFormat) *cobra.Command {
	var workspace, contact string
	var resume, asJSON bool
	cmd := &cobra.Command{
		Use:   f.name + " PATH…",
		Short: f.short,
		Long:  f.long + "\nWhat cannot be read is counted and named and does not stop the rest (exit status 3). An import\nthat was cut off goes on with --resume.",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(cmd.Context(), func(a *App) error {
				j := &jobImport{program: p, app: a, format: f, workspace: workspace, contact: contact, resume: resume}
				return j.run(cmd.Context(), args, asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&resume, "resume", false, "go on with the import of the same path that was cut off")
	if f.contact {
		cmd.Flags().StringVar(&contact, "contact", "", "id, name or mail address (`REF`) of whom the documents are about; unset, they are general")
	}
	return cmd
}

// jobImport is one `mneme import` that is done as jobs, one a path.
type jobImport struct {
	*program
	app       *App
	format    jobFormat
	workspace string
	contact   string
	resume    bool
}

// jobReport is the result of an import.
type jobReport struct {
	Workspace string         `json:"workspace"`
	Jobs      []string       `json:"jobs"`
	Scanned   int            `json:"scanned"`
	Imported  int            `json:"imported"`
	Skipped   int            `json:"skipped"`
	Failed    int            `json:"failed"`
	Counts    map[string]int `json:"counts"`
	Seconds   float64        `json:"seconds"`
	PerSecond float64        `json:"perSecond"`
}

func (j *jobImport) run(ctx context.Context, paths []string, asJSON bool) error {
	if err := j.ensureWorkspace(ctx, j.app, j.workspace); err != nil {
		return err
	}
	ws, err := j.app.Workspaces.Get(ctx, j.workspace)
	if err != nil {
		return err
	}
	if j.format.vectors {
		if err := j.app.Embed.Wait(ctx); err != nil && ctx.Err() == nil {
			j.stderr.printf("the embedding model is not there (%s): what is imported is found by its words, and by meaning later\n", describe(err))
		}
	}
	j.app.startWork(ctx)
	report := jobReport{Workspace: j.workspace, Counts: map[string]int{}}
	start := time.Now()
	for _, path := range paths {
		job, err := j.one(ctx, ws, path)
		if err != nil {
			return err
		}
		report.Jobs = append(report.Jobs, job.ID)
		report.Scanned, report.Imported = report.Scanned+job.Scanned, report.Imported+job.Extracted
		report.Skipped, report.Failed = report.Skipped+job.Skipped, report.Failed+job.Errors
		for _, c := range job.Counts {
			report.Counts[c.Key] += c.Count
		}
		if job.State != knowledge.JobSucceeded {
			return knowledge.Invalid("PATH", "%s: %s", path, reasonOf(job))
		}
	}
	report.Seconds = time.Since(start).Seconds()
	report.PerSecond = float64(report.Scanned) / report.Seconds
	if err := j.print(report, asJSON); err != nil {
		return err
	}
	if report.Failed > 0 {
		return errPartly
	}
	return nil
}

func reasonOf(job *knowledge.Job) string {
	if job.LastError != nil {
		return *job.LastError
	}
	return "the import was " + string(job.State)
}

func (j *jobImport) print(r jobReport, asJSON bool) error {
	if asJSON {
		return j.printJSON(r)
	}
	j.stdout.printf("%s: %s, %d imported, %d passed over, %d could not be read, in %.1f s (%.0f a second)\n",
		r.Workspace, counted(r.Scanned, j.format.unit, j.format.units), r.Imported, r.Skipped, r.Failed, r.Seconds, r.PerSecond)
	return nil
}

// one imports a path as a job of its own and shows how it goes on.
func (j *jobImport) one(ctx context.Context, ws *knowledge.Workspace, path string) (*knowledge.Job, error) {
	job, err := j.job(ctx, ws, path)
	if err != nil {
		return nil, err
	}
	g, working := errgroup.WithContext(ctx)
	g.Go(func() error { return j.work(working, ws.ID, job.ID) })
	g.Go(func() error { return j.show(working, ws.ID, job.ID, "importing "+path) })
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := j.failures(ctx, job.ID); err != nil {
		return nil, err
	}
	if err := j.following(ctx, ws.ID, job.ID); err != nil {
		return nil, err
	}
	return j.app.Jobs.Get(ctx, ws.ID, job.ID)
}

// following says that a language model is going to read what was imported.
func (j *jobImport) following(ctx context.Context, workspaceID, id string) error {
	next, err := j.app.Backfill.Following(ctx, workspaceID, id)
	if err == nil && next != nil && !next.State.Final() {
		j.stderr.printf("the language model reads them as job %s, which a server (mneme serve) works on\n", next.ID)
	}
	return err
}

// job is the job of a path: the one that was cut off, where it is to go on, else a new one.
func (j *jobImport) job(ctx context.Context, ws *knowledge.Workspace, path string) (*knowledge.Job, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, knowledge.Invalid("PATH", "%s is no path", path)
	}
	if j.resume {
		found, err := j.app.Jobs.List(ctx, ws.ID, j.format.kind, knowledge.PageRequest{First: knowledge.MaxPage})
		if err != nil {
			return nil, err
		}
		for _, job := range found.Items {
			if !job.State.Final() && job.Local && job.Text(service.InputPath) == absolute {
				return job, nil
			}
		}
	}
	input := map[string]any{service.InputPath: absolute, service.InputFormat: j.format.name}
	if j.contact != "" {
		contact, err := j.app.Entities.Find(ctx, ws.ID, knowledge.RefOf(j.contact))
		if err != nil {
			return nil, knowledge.InField("--contact", err)
		}
		input[service.InputContacts] = []any{contact.ID}
	}
	to := service.Target{Workspace: ws.Key, Caller: caller()}
	return j.app.Jobs.Create(ctx, to, service.JobRequest{Kind: j.format.kind, Input: input, Local: true})
}

// takeOver is how often it is tried to take a job that a process which was killed still has.
const takeOver = 2 * time.Second

func (j *jobImport) work(ctx context.Context, workspaceID, id string) error {
	for {
		worked, err := j.app.Jobs.WorkOn(ctx, id)
		if err != nil || worked {
			return err
		}
		job, err := j.app.Jobs.Get(ctx, workspaceID, id)
		if err != nil || job.State.Final() {
			return err
		}
		timer := time.NewTimer(takeOver)
		select {
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		case <-timer.C:
		}
	}
}

func (j *jobImport) show(ctx context.Context, workspaceID, id, what string) error {
	events, err := j.app.Jobs.Watch(ctx, workspaceID, id)
	if err != nil {
		return err
	}
	var m *meter
	start := time.Now()
	for job := range events {
		if m == nil && job.Total != nil {
			m = j.newMeter(what, int64(*job.Total))
		}
		if m != nil {
			m.set(int64(job.Scanned), fmt.Sprintf("%s, %.0f/s", counted(job.Scanned, j.format.unit, j.format.units), float64(job.Scanned)/time.Since(start).Seconds()))
		}
	}
	if m != nil {
		m.finish()
	}
	return nil
}

// failures names what could not be read.
func (j *jobImport) failures(ctx context.Context, id string) error {
	page, err := j.app.Jobs.Items(ctx, id, knowledge.ItemFailed, knowledge.PageRequest{First: shownErrors})
	if err != nil {
		return err
	}
	for _, item := range page.Items {
		reason := ""
		if item.Outcome != nil {
			reason = *item.Outcome
		}
		j.stderr.printf("%s: %s\n", item.Key, reason)
	}
	if page.HasNextPage {
		j.stderr.printf("and more; mneme jobs list says how many\n")
	}
	return nil
}
