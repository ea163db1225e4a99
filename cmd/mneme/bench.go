package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/bench"
	"mneme/knowledge"
)

func (p *program) benchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure how well and how fast Mneme works",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.benchRetrievalCommand(), p.benchScaleCommand(), p.benchThroughputCommand(), p.benchUpkeepCommand(), p.benchTruthCommand(), p.benchCodeCommand(), p.benchExtractionCommand())
	return cmd
}

// retrievalFlags are the flags of `bench retrieval`.
type retrievalFlags struct {
	dataset, turns, passages, questions string
	ranking, expand                     string
	reuse, asJSON                       bool
}

// Data sets of `bench retrieval`.
const (
	datasetLoCoMo = "locomo"
	dataset2Wiki  = "2wiki"
)

func (p *program) benchRetrievalCommand() *cobra.Command {
	var f retrievalFlags
	cmd := &cobra.Command{
		Use:   "retrieval --dataset locomo --turns FILE --questions FILE | --dataset 2wiki --passages FILE --questions FILE",
		Short: "Measure how much of the evidence for questions recall finds",
		Long: "Imports a data set, asks its questions and compares what recall answers with the known\n" +
			"evidence. locomo: chat turns as `import chat` takes them, each conversation in a workspace\n" +
			"of its own. 2wiki: passages {id, title, text}. Questions are {question, evidence: [id]} with\n" +
			"a category or type. What was imported is removed afterwards, unless --reuse.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.benchRetrieval(cmd.Context(), f) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.dataset, "dataset", "", "locomo or 2wiki")
	flags.StringVar(&f.turns, "turns", "", "`FILE` of the chat turns")
	flags.StringVar(&f.passages, "passages", "", "`FILE` of the passages")
	flags.StringVar(&f.questions, "questions", "", "`FILE` of the questions")
	flags.StringVar(&f.ranking, "ranking", string(knowledge.RankingBest), "best, or rrf for plain reciprocal rank fusion")
	flags.StringVar(&f.expand, "expand", "", "true or false: walk from hits to what they are related to")
	flags.BoolVar(&f.reuse, "reuse", false, "keep what was imported, and use what an earlier run kept")
	jsonFlag(cmd, &f.asJSON)
	return cmd
}

func (p *program) benchRetrieval(ctx context.Context, f retrievalFlags) error {
	source, flag := f.turns, "--turns"
	if f.dataset == dataset2Wiki {
		source, flag = f.passages, "--passages"
	}
	if f.dataset != datasetLoCoMo && f.dataset != dataset2Wiki {
		return knowledge.Invalid("--dataset", "%q is neither locomo nor 2wiki", f.dataset)
	}
	ranking, err := rankingOf(f.ranking)
	if err != nil {
		return err
	}
	expand, err := switchOf("--expand", f.expand)
	if err != nil {
		return err
	}
	texts, err := openFlag(flag, source)
	if err != nil {
		return err
	}
	defer func() { _ = texts.Close() }() // only read
	questions, err := openFlag("--questions", f.questions)
	if err != nil {
		return err
	}
	defer func() { _ = questions.Close() }() // only read
	return p.withApp(ctx, func(a *App) error {
		a.startWork(ctx)
		if err := a.Embed.Wait(ctx); err != nil {
			p.warnNoVectors(err)
		}
		r := &bench.Retriever{
			Workspaces: a.Workspaces, Imports: a.Imports, Recall: a.Recall, Caller: caller(),
			Reuse: f.reuse, Ranking: ranking, Expand: expand, Progress: p.stages(),
		}
		measure := r.LoCoMo
		if f.dataset == dataset2Wiki {
			measure = r.TwoWiki
		}
		result, err := measure(ctx, texts, questions)
		if err != nil {
			return err
		}
		if f.asJSON {
			return p.printJSON(result)
		}
		p.printRetrieval(f.dataset, result)
		return nil
	})
}

// openFlag opens the file that a flag names.
func openFlag(flag, path string) (*os.File, error) {
	if path == "" {
		return nil, knowledge.Invalid(flag, "name a file")
	}
	file, err := os.Open(path) //nolint:gosec // the file that the user names
	if err != nil {
		return nil, knowledge.Invalid(flag, "%s cannot be read: %v", path, errors.Unwrap(err))
	}
	return file, nil
}

// stages shows the stages of a measurement, one meter each.
func (p *program) stages() func(stage string, done, total int) {
	var m *meter
	var last int
	current := ""
	return func(stage string, done, total int) {
		if stage != current || done < last {
			if m != nil {
				m.finish()
			}
			m, current = p.newMeter(stage, int64(total)), stage
		}
		last = done
		m.set(int64(done), fmt.Sprintf("%d of %d", done, total))
		if done == total {
			m.finish()
		}
	}
}

func (p *program) printRetrieval(dataset string, r *bench.Retrieval) {
	percent := func(share float64) string { return strconv.FormatFloat(share*100, 'f', 1, 64) }
	row := func(name string, c bench.Recalls) table.Row {
		return table.Row{name, c.Questions, percent(c.At2), percent(c.At5), percent(c.At10)}
	}
	var rows []table.Row
	for _, category := range slices.Sorted(maps.Keys(r.ByCategory)) {
		rows = append(rows, row(category, r.ByCategory[category]))
	}
	rows = append(rows, row("all", r.Recalls))
	p.printTable(table.Row{"category", "questions", "recall@2", "recall@5", "recall@10"}, rows)
	p.stdout.printf("%d entries; a recall takes %s (p50), %s (p95)\n%s\n", r.Entries, r.P50.Round(100*time.Microsecond), r.P95.Round(100*time.Microsecond), knownMarks(dataset))
}

// knownMarks are what others reach on the same work, from their papers and from running them.
func knownMarks(dataset string) string {
	marks := []string{"recall@10 of others: BM25 57.2", "bge-small alone 54.2", "plain RRF of both 65.9", "DRAGON 66.2"}
	if dataset == dataset2Wiki {
		marks = []string{"recall@5 of others: BM25 65.3", "GTR 67.9", "NV-Embed-v2 (7B) 76.5", "HippoRAG 2 with a language model 90.4"}
	}
	return strings.Join(marks, ", ")
}
