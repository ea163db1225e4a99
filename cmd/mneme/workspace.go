package main

import (
	"context"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

func (p *program) workspaceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "workspace",
		Short: "List, create, clear and delete workspaces",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.workspaceListCommand(), p.workspaceCreateCommand(),
		p.workspaceRemovalCommand("clear", "Remove everything that a workspace holds; its types stay", true),
		p.workspaceRemovalCommand("delete", "Remove a workspace with everything that it holds", false))
	return cmd
}

// workspaceRow is a workspace as `workspace list` prints it.
type workspaceRow struct {
	ID           string    `json:"id"`
	Key          string    `json:"key"`
	Name         string    `json:"name"`
	Entities     int       `json:"entities"`
	Edges        int       `json:"edges"`
	Observations int       `json:"observations"`
	Entries      int       `json:"entries"`
	Relations    int       `json:"relations"`
	CreatedAt    time.Time `json:"createdAt"`
}

func (p *program) workspaceListCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List all workspaces with what they hold",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withApp(cmd.Context(), func(a *App) error {
				rows, err := workspaceRows(cmd.Context(), a)
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(map[string]any{"workspaces": rows})
				}
				cells := make([]table.Row, 0, len(rows))
				for _, r := range rows {
					cells = append(cells, table.Row{r.Key, r.Name, r.Entities, r.Edges, r.Observations, r.Entries, r.Relations, r.CreatedAt.Format(time.DateOnly)})
				}
				p.printTable(table.Row{"workspace", "name", "entities", "edges", "observations", "entries", "relations", "created"}, cells)
				return nil
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func workspaceRows(ctx context.Context, a *App) ([]workspaceRow, error) {
	rows := []workspaceRow{}
	page := knowledge.PageRequest{First: knowledge.MaxPage}
	for {
		found, err := a.Workspaces.List(ctx, page)
		if err != nil {
			return nil, err
		}
		for _, w := range found.Items {
			sum, err := a.Workspaces.Summary(ctx, w, 0, knowledge.TimePoint{})
			if err != nil {
				return nil, err
			}
			rows = append(rows, workspaceRow{
				ID: w.ID, Key: w.Key, Name: w.Name, Entities: sum.Entities, Edges: sum.Edges, Observations: sum.Observations,
				Entries: sum.Entries, Relations: sum.Relations, CreatedAt: w.CreatedAt,
			})
		}
		if !found.HasNextPage {
			return rows, nil
		}
		page.After = &found.Cursors[len(found.Cursors)-1]
	}
}

func (p *program) workspaceCreateCommand() *cobra.Command {
	var asJSON bool
	var name string
	cmd := &cobra.Command{
		Use:   "create KEY",
		Short: "Create a workspace",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.withApp(cmd.Context(), func(a *App) error {
				w, err := a.Workspaces.Create(cmd.Context(), caller(), args[0], name)
				if err != nil {
					return err
				}
				if asJSON {
					return p.printJSON(workspaceRow{ID: w.ID, Key: w.Key, Name: w.Name, CreatedAt: w.CreatedAt})
				}
				p.stdout.printf("Created the workspace %s (%s).\n", w.Key, w.ID)
				return nil
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().StringVar(&name, "name", "", "its name; the key without one")
	return cmd
}

// workspaceRemovalCommand is clear or delete, which ask for the key a second time.
func (p *program) workspaceRemovalCommand(verb, short string, keep bool) *cobra.Command {
	var asJSON, dryRun bool
	var confirm string
	cmd := &cobra.Command{
		Use:   verb + " KEY --confirm KEY",
		Short: short,
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !dryRun && confirm != args[0] {
				return knowledge.Invalid("--confirm", "this cannot be undone: repeat the workspace's key, as in `mneme workspace %s %s --confirm %s`, or see what would go with --dry-run", verb, args[0], args[0])
			}
			return p.withApp(cmd.Context(), func(a *App) error {
				to := service.Target{Workspace: args[0], Caller: caller()}
				counts, err := a.Workspaces.Clear(cmd.Context(), to, service.ClearRequest{Confirm: args[0], KeepWorkspace: keep, DryRun: dryRun})
				if err != nil {
					return err
				}
				return p.printRemoval(counts, asJSON)
			})
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be removed")
	cmd.Flags().StringVar(&confirm, "confirm", "", "the workspace's `key` again")
	return cmd
}

func (p *program) printRemoval(c *knowledge.DeleteCounts, asJSON bool) error {
	if asJSON {
		return p.printJSON(map[string]any{
			"deleted": c.Deleted, "entities": c.Entities, "edges": c.Edges, "observations": c.Observations, "entries": c.Entries, "relations": c.Relations,
		})
	}
	verb := "Removed"
	if !c.Deleted {
		verb = "Would remove"
	}
	p.stdout.printf("%s %d entities, %d edges, %d observations, %d entries, %d relations.\n", verb, c.Entities, c.Edges, c.Observations, c.Entries, c.Relations)
	return nil
}
