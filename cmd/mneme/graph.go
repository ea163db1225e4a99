package main

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

// graphFlags are the flags of `mneme graph` and of everything below it.
type graphFlags struct {
	workspace, format, entity, direction string
	path                                 []string
	at                                   timeFlags
	apply, asJSON                        bool
}

// graphTop is how many of the most connected entities a summary finds, and how many it
// prints (SPEC O19).
const (
	graphTop        = 20
	graphTopPrinted = 10
)

func (p *program) graphCommand() *cobra.Command {
	f := &graphFlags{}
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Look at the graph and curate it",
		Long: "Shows a summary of a graph, an entity with its edges, the shortest path between two, or the\n" +
			"whole graph in a format; node, edge and invalidate change it. Entities are named by id, name,\n" +
			"alias or slug, in any casing. A change is only shown, unless --apply is given. Where several\n" +
			"things are asked for at once, a change goes first, then --format, --path, --entity.",
		Example: "  mneme graph --workspace demo\n" +
			"  mneme graph --workspace demo --entity kafka --history\n" +
			"  mneme graph --workspace demo --path \"Payments Team\" Kafka --as-of 2026-01-31\n" +
			"  mneme graph --workspace demo --format dot | dot -Tsvg > demo.svg\n" +
			"  mneme graph --workspace demo edge add --from Kafka --to NATS --verb \"replaced by\" --apply",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return helpOrUnknown(cmd, args)
			}
			return p.graph(cmd.Context(), f)
		},
	}
	flags := cmd.PersistentFlags()
	flags.StringVar(&f.workspace, "workspace", knowledge.DefaultWorkspace, "`key` of the workspace")
	flags.StringVar(&f.entity, "entity", "", "show this `entity` with its edges")
	flags.StringArrayVar(&f.path, "path", nil, "show the shortest path `FROM TO`")
	flags.StringVar(&f.format, "format", "", "write the whole graph as `json`, dot, mermaid, graphml or cypher")
	flags.StringVar(&f.direction, "direction", "both", "which edges to show or to walk: `outgoing`, incoming or both")
	flags.StringVar(&f.at.asOf, "as-of", "", "what was true at this `time`, as 2026-01-31 or 2026-01-31T09:30:00Z")
	flags.StringVar(&f.at.knownAt, "known-at", "", "what was known at this `time`")
	flags.BoolVar(&f.at.history, "history", false, "also what has ended")
	flags.BoolVar(&f.asJSON, "json", false, "print JSON")
	cmd.AddCommand(p.graphNodeCommand(f), p.graphEdgeCommand(f), p.graphInvalidateCommand(f))
	completeFormats(cmd)
	p.completeEntities(cmd, f, "entity", "path")
	_ = cmd.RegisterFlagCompletionFunc("direction", cobra.FixedCompletions([]string{"outgoing", "incoming", "both"}, cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
	return cmd
}

// helpOrUnknown answers a word that is no sub-command.
func helpOrUnknown(cmd *cobra.Command, args []string) error {
	if len(args) == 0 || args[0] == "help" {
		return cmd.Help()
	}
	text := ""
	if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
		text = "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return knowledge.Invalid("", "%q is no sub-command of %s%s", args[0], cmd.CommandPath(), text)
}

// splitPath makes the two words after --path of `mneme graph` two flags, because a flag
// takes one.
func splitPath(args []string) []string {
	start := slices.Index(args, "graph")
	for i := start + 1; start >= 0 && i < len(args); i++ {
		second := 0
		switch {
		case args[i] == "--":
			return args
		case args[i] == "--path":
			second = i + 2
		case strings.HasPrefix(args[i], "--path="):
			second = i + 1
		}
		if second > 0 && second < len(args) && !strings.HasPrefix(args[second], "-") {
			return slices.Insert(slices.Clone(args), second, "--path")
		}
	}
	return args
}

// graph answers what is asked for first: a format, a path, an entity, or a summary (SPEC O21).
func (p *program) graph(ctx context.Context, f *graphFlags) error {
	at, err := f.at.point()
	if err != nil {
		return err
	}
	direction, err := directionOf(f.direction)
	if err != nil {
		return err
	}
	var format knowledge.ExportFormat
	if f.format != "" {
		if format, err = knowledge.ExportFormatOf(f.format); err != nil {
			return knowledge.InField("--format", withoutField(err))
		}
	} else if len(f.path) > 0 && len(f.path) != 2 {
		return knowledge.Invalid("--path", "needs two entities: --path FROM TO")
	}
	return p.withApp(ctx, func(a *App) error {
		if format != "" {
			return p.exportTo(ctx, a, f.workspace, p.stdout, service.ExportRequest{Format: format, At: at, Caller: caller()})
		}
		v := &graphView{program: p, app: a, at: at, direction: direction, asJSON: f.asJSON}
		if v.ws, err = a.Workspaces.Get(ctx, f.workspace); err != nil {
			return knowledge.InField("--workspace", withoutField(err))
		}
		switch {
		case len(f.path) > 0:
			return v.path(ctx, f.path[0], f.path[1])
		case f.entity != "":
			return v.entity(ctx, f.entity)
		default:
			return v.summary(ctx)
		}
	})
}

func directionOf(name string) (knowledge.Direction, error) {
	d := knowledge.Direction(strings.ToLower(strings.TrimSpace(name)))
	if d != knowledge.Outgoing && d != knowledge.Incoming && d != knowledge.Both {
		return "", knowledge.Invalid("--direction", "%q is not one of outgoing, incoming, both", name)
	}
	return d, nil
}
