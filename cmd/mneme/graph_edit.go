package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

// editHelp is the help of what changes the graph: its own flags and those that mean something there.
const editHelp = `{{with .Long}}{{.}}

{{end}}Usage:
  {{.UseLine}}{{if .HasAvailableSubCommands}}

Available Commands:{{range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}{{end}}{{if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}{{end}}
      --workspace key        key of the workspace (default "default")
      --json                 print JSON
`

func (p *program) graphNodeCommand(f *graphFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "node", Short: "Add or change an entity", Long: "Adds or changes an entity.", Args: cobra.ArbitraryArgs,
		RunE: helpOrUnknown,
	}
	cmd.SetHelpTemplate(editHelp)
	cmd.AddCommand(p.graphNodeAddCommand(f), p.graphNodeSetCommand(f))
	return cmd
}

func (p *program) graphNodeAddCommand(f *graphFlags) *cobra.Command {
	var name, id, typ, description, docID string
	cmd := p.editCommand(f, "add --name NAME", "Add an entity, or to the one of that name and type", func(ctx context.Context, e *graphEditing) error {
		if strings.TrimSpace(name) == "" {
			return knowledge.Invalid("--name", "is required")
		}
		draft := knowledge.EntityDraft{Name: name, Type: typ, DocID: docID}
		if id != "" {
			draft.Aliases = []string{id}
		}
		if description != "" {
			draft.Description = &description
		}
		edit, err := e.app.GraphEdits.AddNode(ctx, e.to, draft, f.apply)
		if err != nil {
			return flagged(err, map[string]string{"name": "--name", "type": "--type", "description": "--description", "aliases.0": "--id", "docId": "--doc-id"})
		}
		return e.node(edit)
	})
	flags := cmd.Flags()
	flags.StringVar(&name, "name", "", "what it is called")
	flags.StringVar(&id, "id", "", "an `id` of your own, kept as an alias")
	flags.StringVar(&typ, "type", "concept", "its `type`: concept, system, tool, decision, person or any other")
	flags.StringVar(&description, "description", "", "what it is")
	flags.StringVar(&docID, "doc-id", "", "the `document` that says so")
	p.completeTypes(cmd)
	return cmd
}

func (p *program) graphNodeSetCommand(f *graphFlags) *cobra.Command {
	var entity, name, description, typ string
	var cmd *cobra.Command
	cmd = p.editCommand(f, "set --entity ENTITY", "Change an entity's name, type or description", func(ctx context.Context, e *graphEditing) error {
		if strings.TrimSpace(entity) == "" {
			return knowledge.Invalid("--entity", "is required")
		}
		var patch knowledge.EntityPatch
		for flag, part := range map[string]struct {
			value string
			into  **string
		}{"name": {name, &patch.Name}, "description": {description, &patch.Description}, "type": {typ, &patch.Type}} {
			if cmd.Flags().Changed(flag) {
				*part.into = &part.value
			}
		}
		if patch.Name == nil && patch.Description == nil && patch.Type == nil {
			return knowledge.Invalid("", "give at least one of --name, --description and --type")
		}
		found, err := e.find(ctx, "--entity", entity)
		if err != nil || found == nil {
			return err
		}
		patch.ID = found.ID
		edit, err := e.app.GraphEdits.SetNode(ctx, e.to, patch, f.apply)
		if err != nil {
			return flagged(err, map[string]string{"name": "--name", "type": "--type", "description": "--description"})
		}
		return e.node(edit)
	})
	flags := cmd.Flags()
	flags.StringVar(&entity, "entity", "", "the `entity` to change")
	flags.StringVar(&name, "name", "", "its new name; the old one becomes an alias")
	flags.StringVar(&description, "description", "", "what it is; an empty text takes it away")
	flags.StringVar(&typ, "type", "", "its new `type`")
	p.completeEntities(cmd, f, "entity")
	p.completeTypes(cmd)
	return cmd
}

func (p *program) graphEdgeCommand(f *graphFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "edge", Short: "Add or remove an edge", Long: "Adds or removes an edge.", Args: cobra.ArbitraryArgs,
		RunE: helpOrUnknown,
	}
	cmd.SetHelpTemplate(editHelp)
	cmd.AddCommand(p.graphEdgeAddCommand(f), p.graphEdgeRemoveCommand(f))
	return cmd
}

// ends are the flags that name an edge.
type ends struct{ from, to, verb string }

func (n *ends) declare(p *program, f *graphFlags, cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&n.from, "from", "", "the `entity` that it begins at")
	flags.StringVar(&n.to, "to", "", "the `entity` that it leads to")
	flags.StringVar(&n.verb, "verb", "", "how they are joined, as \"depends on\"")
	p.completeEntities(cmd, f, "from", "to")
	_ = cmd.RegisterFlagCompletionFunc("verb", cobra.FixedCompletions(knowledge.BuiltInEdgeTypes(), cobra.ShellCompDirectiveNoFileComp)) // fails for unknown flags only
}

func (n *ends) check() error {
	for _, flag := range []struct{ name, value string }{{"--from", n.from}, {"--to", n.to}, {"--verb", n.verb}} {
		if strings.TrimSpace(flag.value) == "" {
			return knowledge.Invalid(flag.name, "is required")
		}
	}
	return nil
}

func (p *program) graphEdgeAddCommand(f *graphFlags) *cobra.Command {
	var n ends
	var docID string
	cmd := p.editCommand(f, "add --from ENTITY --to ENTITY --verb VERB", "Say that an edge holds from now on; an end that is not there is made as a concept", func(ctx context.Context, e *graphEditing) error {
		if err := n.check(); err != nil {
			return err
		}
		edit, err := e.app.GraphEdits.AddEdge(ctx, e.to, n.from, n.to, knowledge.EdgeDraft{Type: n.verb, DocID: docID}, f.apply)
		if err != nil {
			return flagged(err, map[string]string{"from": "--from", "to": "--to", "type": "--verb", "docId": "--doc-id"})
		}
		return e.edge(edit)
	})
	n.declare(p, f, cmd)
	cmd.Flags().StringVar(&docID, "doc-id", "", "the `document` that says so")
	return cmd
}

func (p *program) graphEdgeRemoveCommand(f *graphFlags) *cobra.Command {
	var n ends
	var forget bool
	cmd := p.editCommand(f, "remove --from ENTITY --to ENTITY --verb VERB", "End an edge and keep it as history, or forget it", func(ctx context.Context, e *graphEditing) error {
		if err := n.check(); err != nil {
			return err
		}
		from, err := e.find(ctx, "--from", n.from)
		if err != nil || from == nil {
			return err
		}
		to, err := e.find(ctx, "--to", n.to)
		if err != nil || to == nil {
			return err
		}
		removed, err := e.app.GraphEdits.RemoveEdge(ctx, e.to, from, to, n.verb, forget, f.apply)
		if err != nil {
			return err
		}
		verb := knowledge.EdgeTypeKey(n.verb)
		if removed == nil {
			return e.nothing("There is no current edge %s -[%s]-> %s.", from.Name, verb, to.Name)
		}
		action := "end"
		if forget {
			action = "forget"
		}
		return e.removed(action, []*knowledge.Edge{removed})
	})
	n.declare(p, f, cmd)
	cmd.Flags().BoolVar(&forget, "forget", false, "remove it as if it had never been said; earlier times of the same edge stay")
	return cmd
}

func (p *program) graphInvalidateCommand(f *graphFlags) *cobra.Command {
	var docID string
	cmd := p.editCommand(f, "invalidate --doc-id ID", "Withdraw a document: edges that rest on nothing else end", func(ctx context.Context, e *graphEditing) error {
		if strings.TrimSpace(docID) == "" {
			return knowledge.Invalid("--doc-id", "is required")
		}
		ended, err := e.app.GraphEdits.WithdrawDocument(ctx, e.to, docID, f.apply)
		if err != nil {
			return flagged(err, map[string]string{"docId": "--doc-id"})
		}
		if len(ended) == 0 {
			return e.nothing("No current edge rests on %q alone.", docID)
		}
		return e.removed("end", ended)
	})
	cmd.Flags().StringVar(&docID, "doc-id", "", "the `document`")
	return cmd
}

// editCommand is a command that changes the graph, with --apply.
func (p *program) editCommand(f *graphFlags, use, short string, run func(context.Context, *graphEditing) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Long: short + ". Without --apply it says what would change and writes nothing.", Args: cobra.NoArgs,
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx := cmd.Context()
			return p.withApp(ctx, func(a *App) error {
				ws, err := a.Workspaces.Get(ctx, f.workspace)
				if err != nil {
					return knowledge.InField("--workspace", withoutField(err))
				}
				return run(ctx, &graphEditing{
					graphView: graphView{program: p, app: a, ws: ws, asJSON: f.asJSON}, apply: f.apply, to: service.Target{Workspace: ws.Key, Caller: caller()},
				})
			})
		},
	}
	cmd.SetHelpTemplate(editHelp)
	cmd.Flags().BoolVar(&f.apply, "apply", false, "do it; without, only say what would change")
	return cmd
}

// flagged is an error that names the flag where the use case names a field.
func flagged(err error, flags map[string]string) error {
	for field, flag := range flags {
		if e := asOurs(err); e != nil && e.Field == field {
			return knowledge.InField(flag, withoutField(err))
		}
	}
	return err
}

// graphEditing is an edit under way.
type graphEditing struct {
	graphView
	to    service.Target
	apply bool
}

// find is the entity that a flag names; nil where there is none, which is said and is no error.
func (e *graphEditing) find(ctx context.Context, flag, name string) (*knowledge.Entity, error) {
	found, err := e.app.GraphEdits.Find(ctx, e.ws.ID, name)
	if knowledge.IsNotFound(err) {
		return nil, e.nothing("There is no entity %q.", name)
	}
	return found, knowledge.InField(flag, err)
}

// does is a verb as it was or would be done.
func (e *graphEditing) does(verb string) string {
	if !e.apply {
		return "Would " + verb
	}
	past := map[string]string{"create": "Created", "change": "Changed", "end": "Ended", "forget": "Forgot"}
	return past[verb]
}

// done ends what was said of an edit.
func (e *graphEditing) done() error {
	if !e.apply {
		e.stdout.printf("%s\n", e.dim("Nothing was written: --apply does it."))
	}
	return nil
}

// label is an entity as an edit names it.
func (e *graphEditing) label(n *knowledge.Entity) string {
	text := fmt.Sprintf("%s %s", n.TypeKey, e.bold(n.Name))
	if n.ID != "" {
		text += "  " + e.dim(n.ID)
	}
	return text
}
