package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
	"mneme/service"
)

func (p *program) backfillCommand() *cobra.Command {
	var workspace string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "backfill [PATH]",
		Short: "Let the language model read messages that are there already",
		Long: "Extracts knowledge from the stored messages, or, with a PATH, from mail or JSON lines of messages\n" +
			"(one extractFromMessage input a line). What was read before is passed over, so a backfill that\n" +
			"was cut off is run again. It needs a language model and the feature AI_AGENT.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.inWorkspace(cmd.Context(), workspace, func(a *App, ws *knowledge.Workspace) error {
				j := &jobImport{program: p, app: a, workspace: workspace, format: jobFormat{unit: "message", units: "messages", kind: knowledge.JobBackfill, vectors: true}}
				return j.backfill(cmd.Context(), ws, args, asJSON)
			})
		},
	}
	workspaceFlag(cmd, &workspace)
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (j *jobImport) backfill(ctx context.Context, ws *knowledge.Workspace, paths []string, asJSON bool) error {
	input, what := map[string]any{}, "reading the stored messages"
	for _, path := range paths {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return knowledge.Invalid("PATH", "%s is no path", path)
		}
		input[service.InputPath], what = absolute, "reading "+path
	}
	job, err := j.app.Backfill.StartRead(ctx, service.Target{Workspace: ws.Key, Caller: caller()}, input, true)
	if err != nil {
		return err
	}
	if err := j.app.Embed.Wait(ctx); err != nil && ctx.Err() == nil {
		j.stderr.printf("the embedding model is not there (%s): what is extracted is found by its words, and by meaning later\n", describe(err))
	}
	j.app.startWork(ctx)
	start := time.Now()
	g, working := errgroup.WithContext(ctx)
	g.Go(func() error { return j.work(working, ws.ID, job.ID) })
	g.Go(func() error { return j.show(working, ws.ID, job.ID, what) })
	if err := g.Wait(); err != nil {
		return err
	}
	if err := j.failures(ctx, job.ID); err != nil {
		return err
	}
	if job, err = j.app.Jobs.Get(ctx, ws.ID, job.ID); err != nil {
		return err
	}
	return j.tell(job, time.Since(start), asJSON)
}

// tell prints what became of a backfill, and what its calls cost.
func (j *jobImport) tell(job *knowledge.Job, took time.Duration, asJSON bool) error {
	if job.State != knowledge.JobSucceeded {
		return knowledge.Errorf(knowledge.CodeUnavailable, "%s", reasonOf(job))
	}
	row := rowOfJob(job)
	if asJSON {
		if err := j.printJSON(row); err != nil {
			return err
		}
	} else {
		j.stdout.printf("%s: %s, %d gave knowledge, %d passed over, %d failed, in %.1f s; %d calls, %d tokens\n", j.workspace, counted(job.Scanned, j.format.unit, j.format.units),
			job.Extracted, job.Skipped, job.Errors, took.Seconds(), row.Counts["modelCalls"], row.Counts["modelPromptTokens"]+row.Counts["modelCompletionTokens"])
	}
	if job.Errors > 0 {
		return errPartly
	}
	return nil
}
