package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"mneme/knowledge"
)

// contextFlags are the flags of context as they were given.
type contextFlags struct {
	workspace, asOf, knownAt string
	entities, characters     int
	history, asJSON          bool
}

func (p *program) contextCommand() *cobra.Command {
	var f contextFlags
	cmd := &cobra.Command{
		Use:   "context PROMPT",
		Short: "Say what the graph knows of the things that a prompt is about",
		Long: "Prints the entities that a prompt names or is about, each with its best connections, as one\n" +
			"text that can be put in front of a prompt. Nothing is printed where nothing is known.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := f.query(strings.Join(args, " "))
			if err != nil {
				return err
			}
			return p.withApp(cmd.Context(), func(a *App) error { return p.context(cmd.Context(), a, f, q) })
		},
	}
	workspaceFlag(cmd, &f.workspace)
	flags := cmd.Flags()
	flags.IntVar(&f.entities, "max-entities", knowledge.DefaultContextEntities, "how many entities to name, 1 to 50")
	flags.IntVar(&f.characters, "max-characters", knowledge.DefaultContextCharacters, "how long the text may be, 100 to 100,000 characters")
	flags.StringVar(&f.asOf, "as-of", "", "what was true at this `time`, as 2026-01-31 or 2026-01-31T09:30:00Z")
	flags.StringVar(&f.knownAt, "known-at", "", "what was known at this `time`")
	flags.BoolVar(&f.history, "history", false, "also what has ended")
	jsonFlag(cmd, &f.asJSON)
	return cmd
}

func (f contextFlags) query(prompt string) (knowledge.ContextQuery, error) {
	q := knowledge.ContextQuery{Prompt: prompt, MaxEntities: f.entities, MaxCharacters: f.characters}
	q.At.IncludeHistory = f.history
	var err error
	if q.At.AsOf, err = moment("--as-of", f.asOf); err != nil {
		return q, err
	}
	q.At.KnownAt, err = moment("--known-at", f.knownAt)
	return q, err
}

// contextOutput is a context as JSON, with the names of the API.
type contextOutput struct {
	Text      string        `json:"text"`
	Entities  []namedOutput `json:"entities"`
	Edges     []edgeOutput  `json:"edges"`
	Truncated bool          `json:"truncated"`
}

func (p *program) context(ctx context.Context, a *App, f contextFlags, q knowledge.ContextQuery) error {
	ws, err := a.Workspaces.Get(ctx, f.workspace)
	if err != nil {
		return err
	}
	found, err := a.Contexts.Of(ctx, ws, q)
	if err != nil {
		return err
	}
	if !f.asJSON {
		if found.Text != "" {
			p.stdout.printf("%s\n", found.Text)
		}
		return nil
	}
	out := contextOutput{Text: found.Text, Truncated: found.Truncated, Entities: []namedOutput{}, Edges: []edgeOutput{}}
	for _, e := range found.Entities {
		out.Entities = append(out.Entities, namedOutput{ID: e.ID, Name: e.Name})
	}
	for _, e := range found.Edges {
		out.Edges = append(out.Edges, edgeOutput{ID: e.ID, Type: e.Type, Fact: e.Fact, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo})
	}
	return p.printJSON(out)
}
