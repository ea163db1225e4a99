package service_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/llmtest"
	"mneme/knowledge"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recorded is a reply of a model, given where a prompt holds some words.
type recorded struct{ Model, When, Text string }

func readJSON[T any](t *testing.T, name string) []T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "ten_messages", name))
	require.NoError(t, err)
	var out []T
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

// TestTenMessages is a recorded run from end to end: ten messages in, with replies as
// models give them; entries, relations, a briefing and a cited answer out, byte for byte.
func TestTenMessages(t *testing.T) {
	t.Parallel()
	b := withModel(t)
	replies := readJSON[recorded](t, "replies.json")
	b.server.Answer(func(r llmtest.Request) llmtest.Reply {
		for _, reply := range replies {
			if r.Model == reply.Model && strings.Contains(r.Prompt(), reply.When) {
				return llmtest.Reply{Text: reply.Text, PromptTokens: 100, CompletionTokens: 20}
			}
		}
		return llmtest.Fail(418)
	})
	for name, address := range map[string]string{"Kim Larsen": "kim@northwind.example", "Jonas Weber": "jonas@northwind.example", "Claire Petit": "claire@northwind.example"} {
		_, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{
			Type: "person", Name: name, Identities: []knowledge.ContactIdentity{{Kind: knowledge.IdentityEmail, Value: address}},
		})
		require.NoError(t, err)
	}
	run := &strings.Builder{}
	var usage knowledge.ModelUsage
	var saved []*knowledge.Entry
	for _, m := range readJSON[knowledge.MessageExtraction](t, "messages.json") {
		b.clock.advance(time.Minute)
		m.Source = knowledge.SourceEmail
		out := b.extract(t, m)
		usage = usage.Plus(out.Usage)
		fmt.Fprintf(run, "%s entries=%d calls=%d tokens=%d", m.MessageID, len(out.Entries), out.Usage.Calls, out.Usage.Tokens())
		if out.Skipped != nil {
			fmt.Fprintf(run, " skipped=%s", *out.Skipped)
		}
		for _, why := range sortedReasons(out.Dropped) {
			fmt.Fprintf(run, " dropped[%s]=%d", why, out.Dropped[why])
		}
		fmt.Fprintln(run)
		for _, save := range out.Entries {
			saved = append(saved, save.Entry)
		}
	}
	fmt.Fprintf(run, "in all calls=%d prompt=%d completion=%d\n", usage.Calls, usage.PromptTokens, usage.CompletionTokens)
	b.dump(t, run, saved)

	brief, err := b.all.Briefings.Brief(t.Context(), b.ws, briefingRequest(func(r *knowledge.BriefingRequest) {
		r.Scope = knowledge.ScopeRef{Contact: &knowledge.EntityRef{Name: "Kim Larsen"}}
		r.Subject, r.Message, r.ThreadID = "Our plan", "Which plan are we on now, and did you send the report about the outage?", "quote"
	}))
	require.NoError(t, err)
	fmt.Fprintf(run, "\n== briefing tier=%s coverage=%s tokens=%d\n%s\n", brief.Tier, brief.Coverage, brief.Tokens, brief.Text)

	answer := b.ask(t, question("Which plan is Northwind on?"))
	fmt.Fprintf(run, "\n== answer grounded=%t dropped=%d\n%s\n", answer.Grounded, answer.DroppedCitations, answer.Text)
	for _, c := range answer.Sources {
		fmt.Fprintf(run, "source %d: %s: %s\n", c.Number, c.Entry.Title, c.Quote)
	}
	for _, c := range answer.Citations {
		fmt.Fprintf(run, "[%d] %s: %s\n", c.Number, c.Entry.Title, c.Quote)
	}

	golden := filepath.Join("testdata", "ten_messages", "run.golden")
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(run.String()), 0o600))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	assert.Equal(t, string(want), run.String())
}

func sortedReasons(d knowledge.Dropped) []string {
	var out []string
	for why := range d {
		out = append(out, why)
	}
	slices.Sort(out)
	return out
}

// dump writes entries and relations in words, without what differs from run to run.
func (b *modelBundle) dump(t *testing.T, w *strings.Builder, entries []*knowledge.Entry) {
	t.Helper()
	fmt.Fprintln(w, "\n== entries")
	names := map[string]string{}
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i], names[e.ID] = e.ID, fmt.Sprintf("%s/%s", *e.SourceID, e.Title)
		var contacts []string
		for _, id := range e.ContactIDs {
			found, err := b.entities.Find(t.Context(), b.ws.ID, knowledge.EntityRef{ID: id})
			require.NoError(t, err)
			contacts = append(contacts, found.Name)
		}
		fmt.Fprintf(w, "%s %s [%s] %.2f %s thread=%s about=%s tags=%s from=%s\n  %s\n", e.Source, names[e.ID], e.Type, e.Confidence, e.ContentHash[:8], *e.ThreadID,
			strings.Join(contacts, ","), strings.Join(e.Tags, ","), e.ValidFrom.Format(time.RFC3339), e.Content)
	}
	found, err := b.store.RelationsBetween(t.Context(), b.ws.ID, ids)
	require.NoError(t, err)
	var lines []string
	for _, r := range found {
		line := fmt.Sprintf("%s %s -> %s weight=%.3f %s %s", r.Type, names[r.FromID], names[r.ToID], *r.Weight, r.Provenance, r.ConfidenceTag)
		if r.Rationale != nil {
			line += " because " + *r.Rationale
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	fmt.Fprintf(w, "\n== relations\n%s\n", strings.Join(lines, "\n"))
}
