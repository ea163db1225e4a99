package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/codegraph"
	"mneme/knowledge"
	"mneme/service"
)

// codeIndex is one `mneme code index`.
type codeIndex struct {
	*program
	app        *App
	ws         *knowledge.Workspace
	folder     string // absolute
	repository string
	asJSON     bool
}

func (p *program) codeIndexCommand() *cobra.Command {
	var workspace, repository string
	var watch, asJSON bool
	cmd := &cobra.Command{
		Use:   "index PATH",
		Short: "Store the code graph of a folder, or bring it up to date",
		Long: "Reads the source below PATH and makes the stored graph of the repository equal to it. What has not\n" +
			"changed since the last time is neither parsed nor written. What cannot be read is named and counted and\n" +
			"does not stop the rest (exit status 3). With --watch it goes on after every change, until Ctrl-C.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(cmd.Context(), func(a *App) error {
				c, err := p.newCodeIndex(cmd.Context(), a, workspace, args[0], repository)
				if err != nil {
					return err
				}
				c.asJSON = asJSON
				if watch {
					return c.watch(cmd.Context())
				}
				return c.once(cmd.Context())
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&repository, "repository", "", "`NAME` of the repository; the folder's if none is given")
	cmd.Flags().BoolVar(&watch, "watch", false, "index again after every change, until Ctrl-C")
	return cmd
}

func (p *program) newCodeIndex(ctx context.Context, a *App, workspace, path, repository string) (*codeIndex, error) {
	folder, err := filepath.Abs(path)
	if err != nil {
		return nil, knowledge.Invalid("PATH", "%s is no path", path)
	}
	if repository, err = service.RepositoryName(repository, folder); err != nil {
		return nil, knowledge.InField("--repository", err)
	}
	if err := p.ensureWorkspace(ctx, a, workspace); err != nil {
		return nil, err
	}
	ws, err := a.Workspaces.Get(ctx, workspace)
	if err != nil {
		return nil, err
	}
	if _, err := a.Code.Of(ws); err != nil {
		return nil, err
	}
	return &codeIndex{program: p, app: a, ws: ws, folder: folder, repository: repository}, nil
}

// codeIndexReport is the result of an index.
type codeIndexReport struct {
	Workspace  string         `json:"workspace"`
	Repository string         `json:"repository"`
	Job        string         `json:"job"`
	Files      int            `json:"files"`
	Symbols    int            `json:"symbols"`
	Packages   int            `json:"packages"`
	Edges      map[string]int `json:"edges"`
	Skipped    map[string]int `json:"skipped"`
	LeftOut    map[string]int `json:"leftOut"`
	ParseError int            `json:"parseErrors"`
	Fresh      int            `json:"fresh"`
	Changed    int            `json:"changed"`
	Removed    int            `json:"removed"`
	Kept       int            `json:"kept"`
	Errors     int            `json:"errors"`
	Seconds    float64        `json:"seconds"`
}

// once indexes as a job and prints what it did.
func (c *codeIndex) once(ctx context.Context) error {
	start := time.Now()
	job, err := c.job(ctx)
	if err != nil {
		return err
	}
	if job.State != knowledge.JobSucceeded {
		return knowledge.Invalid("PATH", "%s: %s", c.folder, reasonOf(job))
	}
	r := c.reportOf(job, time.Since(start))
	if err := c.print(r); err != nil {
		return err
	}
	if r.Errors > 0 || r.LeftOut[codegraph.LeftTooMany] > 0 {
		return errPartly
	}
	return nil
}

// job makes the job, works on it and shows how it goes on.
func (c *codeIndex) job(ctx context.Context) (*knowledge.Job, error) {
	to := service.Target{Workspace: c.ws.Key, Caller: caller()}
	job, err := c.app.Jobs.Create(ctx, to, service.JobRequest{
		Kind: knowledge.JobCodeIndex, Local: true, Input: map[string]any{service.InputPath: c.folder, service.InputRepository: c.repository},
	})
	if err != nil {
		return nil, err
	}
	events, err := c.app.Jobs.Watch(ctx, c.ws.ID, job.ID)
	if err != nil {
		return nil, err
	}
	worked := make(chan error, 1)
	j := &jobImport{program: c.program, app: c.app}
	go func() { worked <- j.work(ctx, c.ws.ID, job.ID) }()
	m := c.newMeter("indexing "+c.repository, 0)
	for err, done := error(nil), false; !done; {
		select {
		case err = <-worked:
			m.finish()
			if err != nil {
				return nil, err
			}
			done = true
		case now, open := <-events:
			if !open {
				events = nil
				continue
			}
			if now.Total != nil {
				m.set(int64(now.Scanned), fmt.Sprintf("%d of %d", now.Scanned, *now.Total))
			}
		}
	}
	if err := j.failures(ctx, job.ID); err != nil {
		return nil, err
	}
	return c.app.Jobs.Get(ctx, c.ws.ID, job.ID)
}

func (c *codeIndex) reportOf(job *knowledge.Job, took time.Duration) codeIndexReport {
	r := codeIndexReport{
		Workspace: c.ws.Key, Repository: c.repository, Job: job.ID, Errors: job.Errors, Seconds: took.Seconds(),
		Edges: map[string]int{}, Skipped: map[string]int{}, LeftOut: map[string]int{},
	}
	plain := map[string]*int{
		"files": &r.Files, "symbols": &r.Symbols, "packages": &r.Packages, "parseErrors": &r.ParseError,
		"fresh": &r.Fresh, "changed": &r.Changed, "removed": &r.Removed, "kept": &r.Kept,
	}
	for _, count := range job.Counts {
		if to := plain[count.Key]; to != nil {
			*to = count.Count
		}
		for prefix, to := range map[string]map[string]int{"edges.": r.Edges, "skipped: ": r.Skipped, "left out: ": r.LeftOut} {
			if key, ok := strings.CutPrefix(count.Key, prefix); ok {
				to[key] = count.Count
			}
		}
	}
	return r
}

func (c *codeIndex) print(r codeIndexReport) error {
	if c.asJSON {
		return c.printJSON(r)
	}
	rows := []table.Row{{"files", r.Files}, {"symbols", r.Symbols}, {"packages", r.Packages}}
	for _, kind := range slices.Sorted(maps.Keys(r.Edges)) {
		rows = append(rows, table.Row{kind, r.Edges[kind]})
	}
	for _, why := range slices.Sorted(maps.Keys(r.Skipped)) {
		rows = append(rows, table.Row{"without contents: " + why, r.Skipped[why]})
	}
	for _, why := range slices.Sorted(maps.Keys(r.LeftOut)) {
		rows = append(rows, table.Row{"left out: " + why, r.LeftOut[why]})
	}
	rows = append(rows, table.Row{"with parse errors", r.ParseError})
	c.printTable(table.Row{r.Repository, "count"}, rows)
	c.stdout.printf("%s: %d new, %d changed, %d removed, %d as before; %d could not be read; in %.1f s\n",
		c.ws.Key, r.Fresh, r.Changed, r.Removed, r.Kept, r.Errors, r.Seconds)
	return nil
}

// watch indexes once and again after every change. What cannot be stored now is tried again with the next one.
func (c *codeIndex) watch(ctx context.Context) error {
	first := true
	err := codegraph.Watch(ctx, c.folder, codegraph.WatchOptions{}, func(ctx context.Context) error {
		if first {
			first = false
			if err := c.once(ctx); err != nil && !errors.Is(err, errPartly) {
				return err
			}
			c.stderr.printf("watching %s; Ctrl-C ends it\n", c.folder)
			return nil
		}
		return c.again(ctx)
	})
	if errors.Is(err, codegraph.ErrNotAFolder) {
		return knowledge.Invalid("PATH", "%s is not a folder that can be read", c.folder)
	}
	if errors.Is(err, codegraph.ErrWatch) {
		return knowledge.Errorf(knowledge.CodeUnavailable, "%s cannot be watched; on Linux fs.inotify.max_user_watches may be too low", c.folder).Because(err)
	}
	return err
}

// again indexes what has changed and says so in a line.
func (c *codeIndex) again(ctx context.Context) error {
	start := time.Now()
	run, err := c.app.Code.Index(ctx, c.ws, service.CodeIndexRequest{Folder: c.folder, Repository: c.repository})
	switch code := knowledge.CodeOf(err); {
	case err == nil:
	case code == knowledge.CodeUnavailable || code == knowledge.CodeTimeout || code == knowledge.CodeConflict:
		c.stderr.printf("%s: %s\n", time.Now().Format(time.TimeOnly), describe(err))
		return nil
	default:
		return err
	}
	if run.Fresh+run.Changed+run.Removed == 0 {
		return nil
	}
	if c.asJSON {
		return c.printJSON(map[string]any{"repository": c.repository, "fresh": run.Fresh, "changed": run.Changed, "removed": run.Removed, "kept": run.Kept, "seconds": time.Since(start).Seconds()})
	}
	c.stdout.printf("%s: %d new, %d changed, %d removed, in %.1f s\n", time.Now().Format(time.TimeOnly), run.Fresh, run.Changed, run.Removed, time.Since(start).Seconds())
	return nil
}
