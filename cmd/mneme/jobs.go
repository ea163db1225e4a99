package main

import (
	"context"
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

func (p *program) jobsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "jobs",
		Short: "List, watch and cancel long work",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.jobsListCommand(), p.jobsWatchCommand(), p.jobsCancelCommand())
	return cmd
}

// jobRow is a job as it is printed.
type jobRow struct {
	ID         string         `json:"id"`
	Kind       string         `json:"kind"`
	State      string         `json:"state"`
	Total      *int           `json:"total"`
	Scanned    int            `json:"scanned"`
	Extracted  int            `json:"extracted"`
	Skipped    int            `json:"skipped"`
	Errors     int            `json:"errors"`
	LastError  *string        `json:"lastError"`
	Counts     map[string]int `json:"counts"`
	CreatedAt  time.Time      `json:"createdAt"`
	FinishedAt *time.Time     `json:"finishedAt"`
}

func rowOfJob(j *knowledge.Job) jobRow {
	r := jobRow{
		ID: j.ID, Kind: string(j.Kind), State: string(j.State), Total: j.Total, Scanned: j.Scanned, Extracted: j.Extracted, Skipped: j.Skipped, Errors: j.Errors,
		LastError: j.LastError, Counts: map[string]int{}, CreatedAt: j.CreatedAt, FinishedAt: j.FinishedAt,
	}
	for _, c := range j.Counts {
		r.Counts[c.Key] = c.Count
	}
	return r
}

func (r jobRow) progress() string {
	if r.Total == nil {
		return fmt.Sprint(r.Scanned)
	}
	return fmt.Sprintf("%d of %d", r.Scanned, *r.Total)
}

// cost is what a job asked of language models; empty where it asked nothing.
func (r jobRow) cost() string {
	calls := r.Counts["modelCalls"]
	if calls == 0 {
		return ""
	}
	return fmt.Sprintf("%s, %d tokens", counted(calls, "call", "calls"), r.Counts["modelPromptTokens"]+r.Counts["modelCompletionTokens"])
}

// inWorkspace runs a command that reads one workspace.
func (p *program) inWorkspace(ctx context.Context, key string, use func(*App, *knowledge.Workspace) error) error {
	return p.withApp(ctx, func(a *App) error {
		ws, err := a.Workspaces.Get(ctx, key)
		if err != nil {
			return knowledge.InField("--workspace", err)
		}
		return use(a, ws)
	})
}

func (p *program) jobsListCommand() *cobra.Command {
	var workspace string
	var limit int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List jobs, newest first",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.inWorkspace(cmd.Context(), workspace, func(a *App, ws *knowledge.Workspace) error {
				page, err := a.Jobs.List(cmd.Context(), ws.ID, "", knowledge.PageRequest{First: limit})
				if err != nil {
					return knowledge.InField("--limit", err)
				}
				return p.printJobs(page.Items, asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	cmd.Flags().IntVar(&limit, "limit", 20, "how many")
	return cmd
}

func (p *program) printJobs(jobs []*knowledge.Job, asJSON bool) error {
	rows := make([]jobRow, 0, len(jobs))
	cells := make([]table.Row, 0, len(jobs))
	for _, j := range jobs {
		r := rowOfJob(j)
		rows = append(rows, r)
		cells = append(cells, table.Row{r.ID, r.Kind, r.State, r.progress(), r.Errors, r.cost(), r.CreatedAt.Local().Format(time.DateTime)})
	}
	if asJSON {
		return p.printJSON(map[string]any{"jobs": rows})
	}
	p.printTable(table.Row{"job", "kind", "state", "items", "errors", "model", "created"}, cells)
	return nil
}

func (p *program) jobsWatchCommand() *cobra.Command {
	var workspace string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "watch ID",
		Short: "Show how a job goes on, until it ends",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.inWorkspace(cmd.Context(), workspace, func(a *App, ws *knowledge.Workspace) error {
				return p.watchJob(cmd.Context(), a, ws, args[0], asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) watchJob(ctx context.Context, a *App, ws *knowledge.Workspace, id string, asJSON bool) error {
	events, err := a.Jobs.Watch(ctx, ws.ID, id)
	if err != nil {
		return knowledge.InField("ID", err)
	}
	var last *knowledge.Job
	var m *meter
	for last = range events {
		if m == nil && last.Total != nil {
			m = p.newMeter(string(last.Kind), int64(*last.Total))
		}
		if m != nil {
			m.set(int64(last.Scanned), fmt.Sprintf("%d of %d", last.Scanned, *last.Total))
		}
	}
	if m != nil {
		m.finish()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if asJSON {
		return p.printJSON(rowOfJob(last))
	}
	return p.printJobs([]*knowledge.Job{last}, false)
}

func (p *program) jobsCancelCommand() *cobra.Command {
	var workspace string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "cancel ID",
		Short: "End a job that is queued or running",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(cmd.Context(), func(a *App) error {
				j, err := a.Jobs.Cancel(cmd.Context(), service.Target{Workspace: workspace, Caller: caller()}, args[0])
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(rowOfJob(j))
				}
				return p.printJobs([]*knowledge.Job{j}, false)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	return cmd
}
