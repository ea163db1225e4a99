package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mneme/knowledge"
)

// scopeFlags are --contact, --general and --org-wide.
func scopeFlags(cmd *cobra.Command, f *recallFlags) {
	flags := cmd.Flags()
	flags.StringVar(&f.contact, "contact", "", "id, name or mail address (`REF`) of the contact whose entries may be seen, with general ones")
	flags.BoolVar(&f.general, "general", false, "only entries that are about no contact")
	flags.BoolVar(&f.orgWide, "org-wide", false, "all entries")
}

func (p *program) askCommand() *cobra.Command {
	var f recallFlags
	var files int
	cmd := &cobra.Command{
		Use:   "ask QUESTION (--contact REF | --general | --org-wide)",
		Short: "Answer a question from what is known, with its sources",
		Long: "Answers a question with a language model from entries and files, which it cites. Without\n" +
			"a model configured (OPENAI_API_KEY or OPENAI_BASE_URL, MNEME_MODEL_ASK) there is no answer.",
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			q, err := f.question(strings.Join(args, " "), files)
			if err != nil {
				return err
			}
			return p.withApp(cmd.Context(), func(a *App) error { return p.ask(cmd.Context(), a, f, q) })
		},
	}
	workspaceFlag(cmd, &f.workspace)
	scopeFlags(cmd, &f)
	cmd.Flags().StringSliceVar(&f.types, "type", nil, "only entries of these `types`")
	cmd.Flags().IntVar(&f.limit, "limit", knowledge.DefaultAskKnowledge, "how many entries the answer may rest on, 0 to 20")
	cmd.Flags().IntVar(&files, "files", knowledge.DefaultAskFiles, "how many files the answer may rest on, 0 to 20")
	cmd.Flags().StringVar(&f.asOf, "as-of", "", "what was true at this `time`")
	cmd.Flags().StringVar(&f.knownAt, "known-at", "", "what was known at this `time`")
	jsonFlag(cmd, &f.asJSON)
	return cmd
}

func (f recallFlags) question(text string, files int) (knowledge.AskQuery, error) {
	q := knowledge.AskQuery{Question: text, KnowledgeLimit: f.limit, FileLimit: files}
	var err error
	if q.Scope, err = f.scope(); err != nil {
		return q, err
	}
	for _, name := range f.types {
		q.Types = append(q.Types, knowledge.EntryType(strings.ToLower(strings.TrimSpace(name))))
	}
	if q.At.AsOf, err = moment("--as-of", f.asOf); err != nil {
		return q, err
	}
	q.At.KnownAt, err = moment("--known-at", f.knownAt)
	return q, err
}

// answerOutput is an answer as JSON, with the names of the API.
type answerOutput struct {
	Text      string           `json:"text"`
	Citations []citationOutput `json:"citations"`
	Sources   []citationOutput `json:"sources"`
	Grounded  bool             `json:"grounded"`
	Path      string           `json:"path,omitempty"`
	Model     *string          `json:"model"`
	Tokens    int              `json:"tokens"`
}

type citationOutput struct {
	Number int    `json:"number"`
	Entry  string `json:"entry,omitempty"`
	File   string `json:"file,omitempty"`
	Title  string `json:"title,omitempty"`
	Quote  string `json:"quote"`
}

func (p *program) ask(ctx context.Context, a *App, f recallFlags, q knowledge.AskQuery) error {
	ws, err := a.Workspaces.Get(ctx, f.workspace)
	if err != nil {
		return err
	}
	answer, err := a.Ask.Answer(ctx, ws, q)
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.printJSON(answerOutput{
			Text: answer.Text, Citations: citationOutputs(answer.Citations), Sources: citationOutputs(answer.Sources), Grounded: answer.Grounded,
			Path: knowledge.PathSummary(answer.Path), Model: answer.Model, Tokens: answer.Usage.Tokens(),
		})
	}
	p.stdout.printf("%s\n", answer.Text)
	for _, c := range citationOutputs(answer.Citations) {
		p.stdout.printf("\n[%d] %s\n    %s\n", c.Number, c.Title, c.Quote)
	}
	if answer.DroppedCitations > 0 {
		p.stderr.printf("note: %d citations of the model named no source and were taken out\n", answer.DroppedCitations)
	}
	if answer.Model != nil && !answer.Grounded {
		p.stderr.printf("note: not every sentence cites a source\n")
	}
	return nil
}

func citationOutputs(citations []*knowledge.Citation) []citationOutput {
	out := make([]citationOutput, len(citations))
	for i, c := range citations {
		out[i] = citationOutput{Number: c.Number, Quote: c.Quote}
		if c.File != nil {
			out[i].File, out[i].Title = c.File.ID, c.File.Name
		}
		if c.Entry != nil {
			out[i].Entry, out[i].Title = c.Entry.ID, c.Entry.Title
		}
	}
	return out
}

func (p *program) briefCommand() *cobra.Command {
	var f recallFlags
	r := knowledge.BriefingRequest{}
	var message string
	cmd := &cobra.Command{
		Use:   "brief --message FILE (--contact REF | --general | --org-wide)",
		Short: "Say what an agent should know before it answers a message",
		Long:  "Puts together, within a budget of tokens, whom a message is from and what is known about what it says.",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if r.Scope, err = f.scope(); err != nil {
				return err
			}
			if r.Message, err = p.readMessage(message); err != nil {
				return err
			}
			return p.withApp(cmd.Context(), func(a *App) error { return p.brief(cmd.Context(), a, f, r) })
		},
	}
	workspaceFlag(cmd, &f.workspace)
	scopeFlags(cmd, &f)
	flags := cmd.Flags()
	flags.StringVar(&message, "message", "-", "the `FILE` with the message; - is standard input")
	flags.StringVar(&r.Subject, "subject", "", "the message's subject")
	flags.StringVar(&r.ThreadID, "thread", "", "the `id` of its conversation")
	flags.IntVar(&r.MaxTokens, "max-tokens", knowledge.DefaultBriefingTokens, "the budget, 100 to 100,000 tokens")
	flags.IntVar(&r.KnowledgeLimit, "limit", knowledge.DefaultBriefingKnowledge, "how many entries, 0 to 50")
	flags.IntVar(&r.FileLimit, "files", knowledge.DefaultBriefingFiles, "how many files, 0 to 20")
	flags.IntVar(&r.ActivityLimit, "activity", knowledge.DefaultBriefingActivity, "how many recent events, 0 to 100")
	jsonFlag(cmd, &f.asJSON)
	return cmd
}

// maxMessageBytes bounds what is read of a message's file: a text's limit in bytes.
const maxMessageBytes = 4 * knowledge.MaxTextLength

func (p *program) readMessage(name string) (string, error) {
	in := p.stdin
	if name != "-" {
		file, err := os.Open(name) //nolint:gosec // the user names the file
		if err != nil {
			return "", knowledge.Invalid("--message", "%q cannot be read", name).Because(err)
		}
		defer func() { _ = file.Close() }() // it was only read
		in = file
	}
	text, err := io.ReadAll(io.LimitReader(in, maxMessageBytes))
	if err != nil {
		return "", fmt.Errorf("read the message: %w", err)
	}
	return string(text), nil
}

// briefingOutput is a briefing as JSON, with the names of the API.
type briefingOutput struct {
	Text     string   `json:"text"`
	Tier     string   `json:"tier"`
	Tokens   int      `json:"tokens"`
	Coverage string   `json:"coverage"`
	Entries  []string `json:"entries"`
	Files    []string `json:"files"`
}

func (p *program) brief(ctx context.Context, a *App, f recallFlags, r knowledge.BriefingRequest) error {
	ws, err := a.Workspaces.Get(ctx, f.workspace)
	if err != nil {
		return err
	}
	b, err := a.Briefings.Brief(ctx, ws, r)
	if err != nil {
		return err
	}
	if f.asJSON {
		return p.printJSON(briefingOutput{
			Text: b.Text, Tier: strings.ToUpper(string(b.Tier)), Tokens: b.Tokens, Coverage: strings.ToUpper(string(b.Coverage)),
			Entries: append([]string{}, b.EntryIDs...), Files: append([]string{}, b.FileIDs...),
		})
	}
	p.stdout.printf("%s\n", b.Text)
	return nil
}
