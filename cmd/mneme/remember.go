package main

import (
	"context"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/service"
)

// rememberFlags are the flags of remember as they were given.
type rememberFlags struct {
	workspace, kind, title, thread, at string
	about                              []string
	onlyKnown, asJSON                  bool
}

func (p *program) rememberCommand() *cobra.Command {
	var f rememberFlags
	cmd := &cobra.Command{
		Use:   "remember TEXT",
		Short: "Keep what was said, joined to what is known",
		Long: "Writes a text as an entry, about whom and what it is said to be (--about, which are made\n" +
			"where they are missing) and joined to what is known. TEXT - is standard input.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			draft, err := f.draft(p.stdin, strings.Join(args, " "))
			if err != nil {
				return err
			}
			return p.withApp(cmd.Context(), func(a *App) error { return p.remember(cmd.Context(), a, f, draft) })
		},
	}
	workspaceFlag(cmd, &f.workspace)
	flags := cmd.Flags()
	flags.StringArrayVar(&f.about, "about", nil, "id, name or mail address (`REF`) of a contact or entity that it is about; may be repeated")
	flags.StringVar(&f.kind, "type", "fact", "fact, decision, event, preference, goal, relationship or action_item")
	flags.StringVar(&f.title, "title", "", "a title; from the text without it")
	flags.StringVar(&f.thread, "thread", "", "the `id` of the conversation that it belongs to")
	flags.StringVar(&f.at, "at", "", "the `time` when it was said; now without it")
	flags.BoolVar(&f.onlyKnown, "only-known", false, "do not make what it is about: what is missing is an error")
	jsonFlag(cmd, &f.asJSON)
	return cmd
}

// draft turns the flags into what is to be kept; INVALID_INPUT names the flag.
func (f rememberFlags) draft(stdin io.Reader, text string) (knowledge.RememberDraft, error) {
	d := knowledge.RememberDraft{
		Text: text, Type: knowledge.EntryType(strings.ToLower(strings.TrimSpace(f.kind))), Title: f.title, ThreadID: f.thread, CreateMissing: !f.onlyKnown,
	}
	if text == "-" {
		read, err := io.ReadAll(io.LimitReader(stdin, maxMessageBytes))
		if err != nil {
			return d, knowledge.Invalid("TEXT", "standard input cannot be read").Because(err)
		}
		d.Text = string(read)
	}
	for _, ref := range f.about {
		d.About = append(d.About, knowledge.RefOf(ref))
	}
	var err error
	d.OccurredAt, err = moment("--at", f.at)
	return d, err
}

// rememberOutput is what was kept as JSON, with the names of the API.
type rememberOutput struct {
	Entries    []rememberedEntry  `json:"entries"`
	Entities   []rememberedEntity `json:"entities"`
	Relations  []relationOutput   `json:"relations"`
	Superseded []entryOutput      `json:"superseded"`
	Job        *string            `json:"job"`
	Skipped    *string            `json:"skipped"`
}

type rememberedEntry struct {
	Entry   entryOutput `json:"entry"`
	Created bool        `json:"created"`
	Merged  bool        `json:"merged"`
}

type rememberedEntity struct {
	Entity  namedOutput `json:"entity"`
	Created bool        `json:"created"`
}

func (p *program) remember(ctx context.Context, a *App, f rememberFlags, draft knowledge.RememberDraft) error {
	kept, err := a.Remember.Remember(ctx, service.Target{Workspace: f.workspace, Caller: caller()}, draft)
	if err != nil {
		return err
	}
	if f.asJSON {
		out, err := newRememberOutput(ctx, a, f.workspace, kept)
		if err != nil {
			return err
		}
		return p.printJSON(out)
	}
	if kept.Skipped != nil {
		p.stdout.printf("Nothing was kept: %s\n", *kept.Skipped)
		return nil
	}
	for _, e := range kept.Entries {
		how := "was known already"
		if e.Created {
			how = "kept"
		}
		p.stdout.printf("%s: %s (%s)\n", how, e.Entry.Title, e.Entry.ID)
	}
	for _, e := range kept.Entities {
		if e.Created {
			p.stdout.printf("new %s: %s (%s)\n", e.Entity.TypeKey, e.Entity.Name, e.Entity.ID)
		}
	}
	if n := len(kept.Relations); n > 0 {
		p.stdout.printf("joined by %s\n", counted(n, "relation", "relations"))
	}
	return nil
}

func newRememberOutput(ctx context.Context, a *App, workspace string, kept *knowledge.Remembered) (rememberOutput, error) {
	out := rememberOutput{Entries: []rememberedEntry{}, Entities: []rememberedEntity{}, Relations: []relationOutput{}, Superseded: []entryOutput{}, Skipped: kept.Skipped}
	ws, err := a.Workspaces.Get(ctx, workspace)
	if err != nil {
		return out, err
	}
	var ends []string
	for _, r := range kept.Relations {
		ends = append(ends, r.Relation.FromID, r.Relation.ToID)
	}
	titles, err := titlesOf(ctx, a, ws.ID, ends)
	if err != nil {
		return out, err
	}
	for _, e := range kept.Entries {
		out.Entries = append(out.Entries, rememberedEntry{Entry: *newEntryOutput(e.Entry), Created: e.Created, Merged: e.Merged})
	}
	for _, e := range kept.Entities {
		out.Entities = append(out.Entities, rememberedEntity{Entity: namedOutput{ID: e.Entity.ID, Name: e.Entity.Name}, Created: e.Created})
	}
	for _, r := range kept.Relations {
		out.Relations = append(out.Relations, newRelationOutput(r.Relation, titles))
	}
	for _, e := range kept.Superseded {
		out.Superseded = append(out.Superseded, *newEntryOutput(e))
	}
	if kept.Job != nil {
		out.Job = &kept.Job.ID
	}
	return out, nil
}
