package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/bench"
)

func (p *program) benchExtractionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "extraction",
		Short: "Measure how precise pattern extraction is",
		Long: "Finds technologies, file paths, endpoints, automated senders and organisations in the cases of\n" +
			"the rules and in further ones, and prints precision and recall of each. Needs no database.",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return p.benchExtraction(asJSON) },
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) benchExtraction(asJSON bool) error {
	scores, err := bench.Extraction()
	if err != nil {
		return err
	}
	if asJSON {
		return p.printJSON(map[string]any{"scores": scores})
	}
	rows := make([]table.Row, 0, len(scores))
	for _, s := range scores {
		rows = append(rows, table.Row{s.What, s.Set, s.Cases, fmt.Sprintf("%.3f", s.Precision), fmt.Sprintf("%.3f", s.Recall), strings.Join(s.Wrong, ", ")})
	}
	p.printTable(table.Row{"what", "cases of", "cases", "precision", "recall", "wrong"}, rows)
	return nil
}
