package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/spf13/cobra"

	"mneme/bench"
	"mneme/knowledge"
)

func (p *program) benchScaleCommand() *cobra.Command {
	var entities, edges, samples int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "scale",
		Short: "Measure writing, search and navigation on a large graph, beside the same statements bare",
		Long: "Builds a graph with a few large hubs through the product's bulk path, measures reads and\n" +
			"writes, and sends the same statements straight through the driver for comparison; first\n" +
			"at a tenth of the size, then at the whole. What was written is removed afterwards.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if entities < 100 || edges < 1 {
				return knowledge.Invalid("--entities", "measure at least 100 entities and 1 edge")
			}
			if samples < 1 {
				return knowledge.Invalid("--samples", "measure at least once")
			}
			return p.benchScale(cmd.Context(), &bench.Scale{Entities: entities, Edges: edges, Samples: samples}, asJSON)
		},
	}
	cmd.Flags().IntVar(&entities, "entities", 100_000, "how many entities")
	cmd.Flags().IntVar(&edges, "edges", 1_000_000, "how many edges")
	cmd.Flags().IntVar(&samples, "samples", bench.DefaultSamples, "how often each operation is measured")
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) benchScale(ctx context.Context, s *bench.Scale, asJSON bool) error {
	return p.withBareApp(ctx, func(a *App, recorder *bench.Recorder, bare bench.Bare) error {
		s.Services, s.Caller, s.Recorder, s.Bare, s.Progress = a.Services, caller(), recorder, bare, p.stages()
		result, err := s.Run(ctx)
		if err != nil {
			return err
		}
		if asJSON {
			return p.printJSON(result)
		}
		p.printScale(result)
		return nil
	})
}

// withBareApp builds an App whose statements are recorded, and beside it a driver of its
// own, through which the same can be sent bare.
func (p *program) withBareApp(ctx context.Context, do func(*App, *bench.Recorder, bench.Bare) error) error {
	recorder := &bench.Recorder{}
	return p.withTracedApp(ctx, recorder.Note, func(a *App) (err error) {
		driver, err := neo4j.NewDriverWithContext(a.database.URI, neo4j.BasicAuth(a.database.Username, a.database.Password, ""))
		if err != nil {
			return fmt.Errorf("connect bare: %w", err)
		}
		defer func() { err = errors.Join(err, driver.Close(context.WithoutCancel(ctx))) }()
		return do(a, recorder, bench.Bare{Driver: driver, Database: a.database.Database})
	})
}

func (p *program) printScale(r *bench.ScaleResult) {
	for i, size := range r.Sizes {
		p.stdout.printf("%d entities, %d edges, %d of them at the largest hub\n\n", size.Entities, size.Edges, size.HubDegree)
		var rows []table.Row
		for _, b := range size.Bulk {
			rows = append(rows, table.Row{b.Name, fmt.Sprintf("%.0f", b.PerSecond), fmt.Sprintf("%.0f", b.Bare), fmt.Sprintf("%.0f %%", b.Share*100)})
		}
		p.printTable(table.Row{"bulk import", "a second", "bare CREATE", "share"}, rows)
		p.stdout.printf("\n")
		rows = rows[:0]
		for _, l := range size.Latencies {
			growth := ""
			if i > 0 {
				growth = fmt.Sprintf("%.1f ×", r.Growth[l.Name])
			}
			rows = append(rows, table.Row{l.Name, ms(l.P50), ms(l.P95), ms(l.BareP50), ms(l.BareP95), growth})
		}
		p.printTable(table.Row{"one at a time", "p50 ms", "p95 ms", "bare p50", "bare p95", "growth"}, rows)
		p.stdout.printf("\n")
	}
}

func ms(v float64) string { return fmt.Sprintf("%.1f", v) }
