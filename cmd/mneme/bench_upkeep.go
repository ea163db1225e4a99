package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/bench"
	"mneme/knowledge"
	"mneme/llm"
)

func (p *program) benchUpkeepCommand() *cobra.Command {
	var entries, samples int
	var indexed, asJSON bool
	cmd := &cobra.Command{
		Use:   "upkeep",
		Short: "Measure maintenance on a workspace of many entries, and what recall feels of it",
		Long: "Writes entries with made-up vectors, lets them age by moving the clock, and runs expiry,\n" +
			"decay and deduplication while recall is asked; first at a tenth of the size, then at the\n" +
			"whole. What was written is removed afterwards.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if entries < 1_000 {
				return knowledge.Invalid("--entries", "measure at least 1,000 entries")
			}
			if samples < 1 {
				return knowledge.Invalid("--samples", "measure at least once")
			}
			return p.benchUpkeep(cmd.Context(), &bench.Upkeep{Entries: entries, Samples: samples, Indexed: indexed}, asJSON)
		},
	}
	cmd.Flags().IntVar(&entries, "entries", 200_000, "how many entries")
	cmd.Flags().IntVar(&samples, "samples", 200, "how often recall is asked at rest")
	cmd.Flags().BoolVar(&indexed, "indexed", false, "index the vectors and ask for all entries, not for those of one contact at a time")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) benchUpkeep(ctx context.Context, u *bench.Upkeep, asJSON bool) error {
	return p.withApp(ctx, func(a *App) error {
		// Models of its own: nothing that is there has vectors of them.
		u.Model = knowledge.EmbeddingModel{Name: "bench", Hash: fmt.Sprint("indexed ", u.Indexed), Dimensions: llm.LocalModel().Dimensions}
		u.Store, u.Progress = a.Store, p.stages()
		result, err := u.Run(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(result)
		}
		for _, size := range result.Sizes {
			p.stdout.printf("%d entries, written at %.0f a second; recall at rest, p95: %.0f ms\n\n", size.Entries, size.ImportASec, size.RestP95)
			rows := make([]table.Row, 0, len(size.Maintenance))
			for _, task := range size.Maintenance {
				rows = append(rows, table.Row{
					task.Task, fmt.Sprintf("%.1f s", task.Seconds), fmt.Sprintf("%.0f µs", task.PerEntry), fmt.Sprintf("%.0f MB", task.PeakHeap), fmt.Sprintf("%.0f ms", task.RecallP95),
					fmt.Sprint(task.Counts),
				})
			}
			p.printTable(table.Row{"task", "took", "an entry", "heap at most", "recall p95", "counts"}, rows)
			p.stdout.printf("\n")
		}
		for task, growth := range result.Growth {
			p.stdout.printf("%s: an entry costs %.2f × what it costs at a tenth of the size\n", task, growth)
		}
		return nil
	})
}
