package main

import (
	"context"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/bench"
)

func (p *program) benchTruthCommand() *cobra.Command {
	var seed uint64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "truth",
		Short: "Tell a generated history and count wrong answers about what is true and was known",
		Long: "Generates a history from the seed: facts that hold, end, return, are told late or\n" +
			"withdrawn, with one value at a time or many, from several sources. Tells it through the\n" +
			"API and asks at every moment what held, as known now and as known at earlier moments.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchTruth(cmd.Context(), seed, asJSON) },
	}
	cmd.Flags().Uint64Var(&seed, "seed", 1, "the history to generate")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) benchTruth(ctx context.Context, seed uint64, asJSON bool) error {
	return p.withApp(ctx, func(a *App) error {
		handler, err := a.handler()
		if err != nil {
			return err
		}
		t := &bench.Truth{
			API: bench.API{Handler: handler}, Workspaces: a.Workspaces, Caller: caller(), Clock: now, Seed: seed, Progress: p.stages(),
		}
		result, err := t.Run(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(result)
		}
		p.printTable(table.Row{"cases", "wrongly ended", "wrongly current", "known at wrong", "hits", "stale unmarked", "wrongly stale"},
			[]table.Row{{result.Cases, result.WronglyEnded, result.WronglyCurrent, result.KnownAtWrong, result.Hits, result.StaleUnmarked, result.WronglyStale}})
		return nil
	})
}
