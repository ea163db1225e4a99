package main

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/knowledge"
)

// defaultRecallLimit and the others are the API's (RecallInput).
const (
	defaultRecallLimit    = 10
	defaultHops           = 1
	defaultNeighborBudget = 16
)

// recallFlags are the flags of recall as they were given.
type recallFlags struct {
	workspace, contact string
	general, orgWide   bool
	types, kinds       []string
	limit, hops        int
	budget             int
	expand, ranking    string
	asOf, knownAt      string
	history            bool
	explain, asJSON    bool
}

func (p *program) recallCommand() *cobra.Command {
	var f recallFlags
	cmd := &cobra.Command{
		Use:   "recall QUERY (--contact REF | --general | --org-wide)",
		Short: "Find what is known about a question",
		Long: "Finds entries by meaning and by words. The scope is required: what one contact's entries\n" +
			"and general ones say (--contact), general ones only (--general), or everything (--org-wide).",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := f.query(strings.Join(args, " "))
			if err != nil {
				return err
			}
			return p.withApp(cmd.Context(), func(a *App) error { return p.recall(cmd.Context(), a, f, q) })
		},
	}
	workspaceFlag(cmd, &f.workspace)
	flags := cmd.Flags()
	flags.StringVar(&f.contact, "contact", "", "id, name or mail address (`REF`) of the contact whose entries may be seen, with general ones")
	flags.BoolVar(&f.general, "general", false, "only entries that are about no contact")
	flags.BoolVar(&f.orgWide, "org-wide", false, "all entries")
	flags.StringSliceVar(&f.types, "type", nil, "only entries of these `types`: fact, decision, event, preference, goal, relationship, action_item")
	flags.StringSliceVar(&f.kinds, "kinds", []string{"entry"}, "what may be found: entry, edge, observation")
	flags.IntVar(&f.limit, "limit", defaultRecallLimit, "how many hits, 1 to 50")
	flags.StringVar(&f.expand, "expand", "", "true or false: walk from the hits to what they are related to; as the workspace says without it")
	flags.IntVar(&f.hops, "hops", defaultHops, "how far to walk, 1 or 2")
	flags.IntVar(&f.budget, "neighbor-budget", defaultNeighborBudget, "how many neighbours to take up, 1 to 32")
	flags.StringVar(&f.ranking, "ranking", "best", "best, or rrf for plain reciprocal rank fusion")
	flags.StringVar(&f.asOf, "as-of", "", "what was true at this `time`, as 2026-01-31 or 2026-01-31T09:30:00Z")
	flags.StringVar(&f.knownAt, "known-at", "", "what was known at this `time`")
	flags.BoolVar(&f.history, "history", false, "also what has ended")
	flags.BoolVar(&f.explain, "explain", false, "say how each hit came about")
	jsonFlag(cmd, &f.asJSON)
	return cmd
}

// query turns the flags into a query; INVALID_INPUT names the flag.
func (f recallFlags) query(text string) (knowledge.RecallQuery, error) {
	q := knowledge.RecallQuery{Query: text, Limit: f.limit, Hops: f.hops, NeighborBudget: f.budget, Explain: f.explain}
	var err error
	if q.Scope, err = f.scope(); err != nil {
		return q, err
	}
	for _, name := range f.types {
		q.Types = append(q.Types, knowledge.EntryType(strings.ToLower(strings.TrimSpace(name))))
	}
	if q.Kinds, err = f.recallKinds(); err != nil {
		return q, err
	}
	if q.Expand, err = switchOf("--expand", f.expand); err != nil {
		return q, err
	}
	if q.Ranking, err = rankingOf(f.ranking); err != nil {
		return q, err
	}
	q.At.IncludeHistory = f.history
	if q.At.AsOf, err = moment("--as-of", f.asOf); err != nil {
		return q, err
	}
	q.At.KnownAt, err = moment("--known-at", f.knownAt)
	return q, err
}

func (f recallFlags) scope() (knowledge.ScopeRef, error) {
	given := 0
	for _, is := range []bool{f.contact != "", f.general, f.orgWide} {
		if is {
			given++
		}
	}
	if given != 1 {
		return knowledge.ScopeRef{}, knowledge.Invalid("scope", "give exactly one of --contact REF, --general and --org-wide")
	}
	s := knowledge.ScopeRef{OrgGeneralOnly: f.general, OrgWide: f.orgWide}
	if f.contact != "" {
		ref := knowledge.RefOf(f.contact)
		s.Contact = &ref
	}
	return s, nil
}

func (f recallFlags) recallKinds() ([]knowledge.RecallKind, error) {
	known := []knowledge.RecallKind{knowledge.RecallEntry, knowledge.RecallEdge, knowledge.RecallObservation}
	var out []knowledge.RecallKind
	for _, name := range f.kinds {
		kind := knowledge.RecallKind(strings.ToLower(strings.TrimSpace(name)))
		if !slices.Contains(known, kind) {
			return nil, knowledge.Invalid("--kinds", "%q is not one of entry, edge, observation", name)
		}
		out = append(out, kind)
	}
	return out, nil
}

// switchOf reads a flag that is true, false or, where it is not given, neither.
func switchOf(flag, text string) (*bool, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // not given is a value of its own
	}
	on, err := strconv.ParseBool(text)
	if err != nil {
		return nil, knowledge.Invalid(flag, "%q is neither true nor false", text)
	}
	return &on, nil
}

func rankingOf(text string) (knowledge.Ranking, error) {
	r := knowledge.Ranking(strings.ToLower(text))
	if r != knowledge.RankingBest && r != knowledge.RankingRRF {
		return "", knowledge.Invalid("--ranking", "%q is neither best nor rrf", text)
	}
	return r, nil
}

// moment reads a time of the command line: RFC 3339, or a day, which begins in UTC.
func moment(flag, text string) (*time.Time, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // no time is a value of its own
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			t = t.UTC()
			return &t, nil
		}
	}
	return nil, knowledge.Invalid(flag, "%q is not a time like 2026-01-31 or 2026-01-31T09:30:00Z", text)
}

func (p *program) recall(ctx context.Context, a *App, f recallFlags, q knowledge.RecallQuery) error {
	ws, err := a.Workspaces.Get(ctx, f.workspace)
	if err != nil {
		return err
	}
	found, err := a.Recall.Recall(ctx, ws, q)
	if err != nil {
		return err
	}
	out, err := newRecallOutput(ctx, a, ws, found)
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.printJSON(out)
	}
	p.printRecall(out)
	return nil
}

func (p *program) printRecall(out recallOutput) {
	for _, d := range out.Degraded {
		p.stderr.printf("note: without %s: %s\n", strings.ToLower(d.Leg), d.Reason)
	}
	rows := make([]table.Row, 0, len(out.Hits))
	for i, h := range out.Hits {
		rows = append(rows, table.Row{i + 1, fmt.Sprintf("%.3f", h.Score), h.when(), h.text(), h.how()})
	}
	p.printTable(table.Row{"", "score", "since", "what", "how"}, rows)
	p.stdout.printf("%s, %s, %.0f ms\n", counted(len(out.Hits), "hit", "hits"), strings.ToLower(out.Mode), out.TookMs)
}
