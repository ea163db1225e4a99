package main

import (
	"context"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/bench"
	"mneme/knowledge"
)

// whatRecall is what `bench throughput` measures.
const whatRecall = "recall"

func (p *program) benchThroughputCommand() *cobra.Command {
	var what string
	var entries, workspaces, samples int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "throughput --what recall",
		Short: "Measure recall where many workspaces of very different sizes share a database",
		Long: "Writes entries with made-up texts and vectors into workspaces of very different sizes, and\n" +
			"asks in the smallest, a middle and the largest: how long recall takes beside its two searches\n" +
			"sent straight through the driver, and how much of the true nearest it finds. What was written\n" +
			"is removed afterwards.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if what != whatRecall {
				return knowledge.Invalid("--what", "%q is not recall", what)
			}
			if workspaces < 3 || entries < workspaces {
				return knowledge.Invalid("--workspaces", "measure at least 3 workspaces, with at least an entry each")
			}
			if samples < 1 {
				return knowledge.Invalid("--samples", "measure at least once")
			}
			return p.benchThroughput(cmd.Context(), &bench.Throughput{Entries: entries, Workspaces: workspaces, Samples: samples}, asJSON)
		},
	}
	cmd.Flags().StringVar(&what, "what", whatRecall, "recall")
	cmd.Flags().IntVar(&entries, "entries", 100_000, "how many entries in all")
	cmd.Flags().IntVar(&workspaces, "workspaces", 100, "how many workspaces")
	cmd.Flags().IntVar(&samples, "samples", bench.DefaultSamples, "how often recall is asked in each of the three")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) benchThroughput(ctx context.Context, m *bench.Throughput, asJSON bool) error {
	return p.withBareApp(ctx, func(a *App, recorder *bench.Recorder, bare bench.Bare) error {
		a.startWork(ctx) // which makes the vector index
		m.Services, m.Caller, m.Recorder, m.Bare, m.Progress = a.Services, caller(), recorder, bare, p.stages()
		result, err := m.Run(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(result)
		}
		p.stdout.printf("%d entries in %d workspaces\n\n", result.Entries, result.Workspaces)
		var rows []table.Row
		for _, t := range result.Tenants {
			rows = append(rows, table.Row{t.Name, t.Entries, ms(t.P50), ms(t.P95), ms(t.BareP50), ms(t.BareP95), fmt.Sprintf("%.1f / %.1f ×", t.RatioP50, t.RatioP95), fmt.Sprintf("%.3f", t.TopTen), t.Short})
		}
		p.printTable(table.Row{"workspace", "entries", "p50 ms", "p95 ms", "searches p50", "searches p95", "ratio", "of the true 10", "short"}, rows)
		return nil
	})
}
