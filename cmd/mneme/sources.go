package main

import (
	"context"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/knowledge"
)

// sourceFlags are the flags of messages and files.
type sourceFlags struct {
	workspace, thread string
	limit             int
	asJSON            bool
}

func (f *sourceFlags) declare(cmd *cobra.Command) {
	workspaceFlag(cmd, &f.workspace)
	jsonFlag(cmd, &f.asJSON)
	cmd.Flags().IntVar(&f.limit, "limit", 20, "how many")
}

func (p *program) messagesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "messages", Short: "List and show stored mails", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var f sourceFlags
	list := &cobra.Command{
		Use: "list", Short: "List stored mails, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.inWorkspace(cmd.Context(), f.workspace, func(a *App, ws *knowledge.Workspace) error { return p.listMessages(cmd.Context(), a, ws, f) })
		},
	}
	f.declare(list)
	list.Flags().StringVar(&f.thread, "thread", "", "only mails of this conversation (`ID`)")
	var s sourceFlags
	show := &cobra.Command{
		Use: "show ID", Short: "Show a stored mail", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.inWorkspace(cmd.Context(), s.workspace, func(a *App, ws *knowledge.Workspace) error {
				return p.showMessage(cmd.Context(), a, ws, args[0], s.asJSON)
			})
		},
	}
	s.declare(show)
	cmd.AddCommand(list, show)
	return cmd
}

// messageRow is a mail as it is printed.
type messageRow struct {
	ID           string    `json:"id"`
	MessageID    string    `json:"messageId"`
	ThreadID     string    `json:"threadId"`
	Subject      *string   `json:"subject"`
	From         *string   `json:"from"`
	Participants []string  `json:"participants"`
	SentAt       time.Time `json:"sentAt"`
	Text         *string   `json:"text,omitempty"`
}

func messageRows(ctx context.Context, a *App, ws *knowledge.Workspace, messages []*knowledge.Message) ([]messageRow, error) {
	var ids []string
	for _, m := range messages {
		ids = append(ids, m.ParticipantIDs...)
	}
	people, err := a.Entities.ByIDs(ctx, ws.ID, ids)
	if err != nil {
		return nil, err
	}
	rows := make([]messageRow, 0, len(messages))
	for _, m := range messages {
		r := messageRow{ID: m.ID, MessageID: m.MessageID, ThreadID: m.ThreadID, Subject: m.Subject, SentAt: m.SentAt, Participants: []string{}}
		for _, id := range m.ParticipantIDs {
			if e := people[id]; e != nil {
				r.Participants = append(r.Participants, e.Name)
				if m.FromID != nil && *m.FromID == id {
					r.From = &e.Name
				}
			}
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (p *program) listMessages(ctx context.Context, a *App, ws *knowledge.Workspace, f sourceFlags) error {
	page, err := a.Messages.List(ctx, ws.ID, f.thread, knowledge.PageRequest{First: f.limit})
	if err != nil {
		return knowledge.InField("--limit", err)
	}
	rows, err := messageRows(ctx, a, ws, page.Items)
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.printJSON(map[string]any{"messages": rows})
	}
	cells := make([]table.Row, 0, len(rows))
	for _, r := range rows {
		cells = append(cells, table.Row{r.ID, r.SentAt.Local().Format(time.DateTime), shown(r.From), shown(r.Subject)})
	}
	p.printTable(table.Row{"message", "sent", "from", "subject"}, cells)
	return nil
}

func shown(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (p *program) showMessage(ctx context.Context, a *App, ws *knowledge.Workspace, id string, asJSON bool) error {
	found, err := a.Messages.ByIDs(ctx, ws.ID, []string{id})
	if err != nil {
		return err
	}
	if found[id] == nil {
		return knowledge.NotFound("ID", "there is no message %q", id)
	}
	rows, err := messageRows(ctx, a, ws, []*knowledge.Message{found[id]})
	if err != nil {
		return err
	}
	r := rows[0]
	r.Text = found[id].Text
	if asJSON {
		return p.printJSON(r)
	}
	p.stdout.printf("%s\nfrom %s, %s\nthread %s\n\n%s\n", shown(r.Subject), shown(r.From), r.SentAt.Local().Format(time.DateTime), r.ThreadID, shown(r.Text))
	return nil
}

func (p *program) filesCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use: "files", Short: "List and show the files that entries came from", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	var f sourceFlags
	list := &cobra.Command{
		Use: "list", Short: "List files, newest first", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.inWorkspace(cmd.Context(), f.workspace, func(a *App, ws *knowledge.Workspace) error { return p.listFiles(cmd.Context(), a, ws, f) })
		},
	}
	f.declare(list)
	var s sourceFlags
	show := &cobra.Command{
		Use: "show ID", Short: "Show a file with its entries", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return p.inWorkspace(cmd.Context(), s.workspace, func(a *App, ws *knowledge.Workspace) error {
				return p.showFile(cmd.Context(), a, ws, args[0], s)
			})
		},
	}
	s.declare(show)
	cmd.AddCommand(list, show)
	return cmd
}

// fileRow is a file as it is printed.
type fileRow struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	MediaType   string         `json:"mediaType"`
	Title       *string        `json:"title"`
	ContentHash string         `json:"contentHash"`
	CreatedAt   time.Time      `json:"createdAt"`
	Entries     []fileEntryRow `json:"entries,omitempty"`
}

type fileEntryRow struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

func rowOfFile(f *knowledge.SourceFile) fileRow {
	return fileRow{ID: f.ID, Name: f.Name, MediaType: f.MediaType, Title: f.Title, ContentHash: f.ContentHash, CreatedAt: f.CreatedAt}
}

func (p *program) listFiles(ctx context.Context, a *App, ws *knowledge.Workspace, f sourceFlags) error {
	page, err := a.Files.List(ctx, ws.ID, knowledge.PageRequest{First: f.limit})
	if err != nil {
		return knowledge.InField("--limit", err)
	}
	rows, cells := []fileRow{}, []table.Row{}
	for _, file := range page.Items {
		r := rowOfFile(file)
		rows, cells = append(rows, r), append(cells, table.Row{r.ID, r.Name, r.MediaType, r.CreatedAt.Local().Format(time.DateTime)})
	}
	if f.asJSON {
		return p.printJSON(map[string]any{"files": rows})
	}
	p.printTable(table.Row{"file", "name", "kind", "imported"}, cells)
	return nil
}

func (p *program) showFile(ctx context.Context, a *App, ws *knowledge.Workspace, id string, f sourceFlags) error {
	file, err := a.Files.Get(ctx, ws.ID, id)
	if err != nil {
		return knowledge.InField("ID", err)
	}
	page, err := a.Entries.List(ctx, ws.ID, knowledge.EntryFilter{SourceID: id}, knowledge.TimePoint{}, knowledge.PageRequest{First: f.limit})
	if err != nil {
		return knowledge.InField("--limit", err)
	}
	r := rowOfFile(file)
	for _, e := range page.Items {
		r.Entries = append(r.Entries, fileEntryRow{ID: e.ID, Title: e.Title, Content: e.Content})
	}
	if f.asJSON {
		return p.printJSON(r)
	}
	p.stdout.printf("%s (%s)\n", r.Name, r.MediaType)
	for _, e := range r.Entries {
		p.stdout.printf("\n%s\n%s\n", e.Title, e.Content)
	}
	return nil
}
