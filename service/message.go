package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

// MessageStore keeps mails.
type MessageStore interface {
	// ClaimMessage makes a mail's node under an id, or gives the id that it has already.
	ClaimMessage(ctx context.Context, workspaceID, messageID, id string) (string, error)
	WriteMessage(ctx context.Context, m *knowledge.Message) error
	ThreadHints(ctx context.Context, workspaceID string, ancestors []string, subject string, people []string, since time.Time) ([]knowledge.ThreadHint, error)
	MoveThread(ctx context.Context, workspaceID, from, to string) error
	Messages(ctx context.Context, workspaceID, threadID string, from *knowledge.Cursor, limit int) ([]*knowledge.Message, error)
	MessagesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Message, error)
	CountMessages(ctx context.Context, workspaceID, threadID string) (int, error)
	EntriesOfMessages(ctx context.Context, workspaceID string, ids []string) (map[string][]string, error)
}

// subjectWindow is how long after a mail an answer without references is still taken to
// belong to it by its subject.
const subjectWindow = 60 * 24 * time.Hour

// maxRecipients bounds how many of a mail's recipients become contacts: more are an
// announcement.
const maxRecipients = 50

// Messages are the stored mails.
type Messages struct {
	store   MessageStore
	people  *Entities
	entries *Entries
}

// NewMessages makes the reading of stored mails.
func NewMessages(store MessageStore, people *Entities, entries *Entries) *Messages {
	return &Messages{store: store, people: people, entries: entries}
}

// List pages through a workspace's mails, newest first; of one conversation where it is named.
func (s *Messages) List(ctx context.Context, workspaceID, threadID string, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Message], error) {
	if err := knowledge.CheckText("threadId", threadID, knowledge.MaxIDLength); err != nil {
		return nil, err
	}
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.Message, error) {
		return s.store.Messages(ctx, workspaceID, threadID, from, limit)
	}, func(m *knowledge.Message) knowledge.Cursor {
		return knowledge.Cursor{Key: m.SentAt.Format(time.RFC3339Nano), ID: m.ID}
	})
}

// Count is the number of a workspace's mails, or of one conversation's.
func (s *Messages) Count(ctx context.Context, workspaceID, threadID string) (int, error) {
	return s.store.CountMessages(ctx, workspaceID, threadID)
}

// ByIDs are the mails of ids, those that exist in the workspace.
func (s *Messages) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Message, error) {
	found, err := s.store.MessagesByID(ctx, workspaceID, ids)
	out := make(map[string]*knowledge.Message, len(found))
	for _, m := range found {
		out[m.ID] = m
	}
	return out, err
}

// Entries are the entries that mails gave, by the mails' ids, oldest first.
func (s *Messages) Entries(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Entry, error) {
	of, err := s.store.EntriesOfMessages(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, entries := range of {
		all = append(all, entries...)
	}
	found, err := s.entries.ByIDs(ctx, workspaceID, all)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]*knowledge.Entry, len(ids))
	for _, id := range ids {
		out[id] = []*knowledge.Entry{}
		for _, entry := range of[id] {
			if e := found[entry]; e != nil {
				out[id] = append(out[id], e)
			}
		}
	}
	return out, nil
}

// History gives the newest messages of a thread, oldest first, as notes for a briefing.
func (s *Messages) History(ctx context.Context, ws *knowledge.Workspace, threadID string, limit int) ([]knowledge.BriefingNote, error) {
	found, err := s.store.Messages(ctx, ws.ID, threadID, nil, limit)
	if err != nil {
		return nil, err
	}
	var people []string
	for _, m := range found {
		people = append(people, value(m.FromID))
	}
	names, err := s.people.ByIDs(ctx, ws.ID, people)
	if err != nil {
		return nil, err
	}
	notes := make([]knowledge.BriefingNote, 0, len(found))
	for i, m := range found {
		note := knowledge.BriefingNote{At: m.SentAt, Text: strings.TrimSpace(value(m.Subject) + "\n" + value(m.Text))}
		if e := names[people[i]]; e != nil {
			note.Who = e.Name
		}
		notes = append(notes, note)
	}
	slices.Reverse(notes)
	return notes, nil
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// ImportMail stores a mail that a person has imported and takes it in as a mailbox event,
// with everybody whom it names, in one transaction. A mail that is stored already changes
// nothing; one that carries the opt-out marker, or that the settings forbid, is skipped.
// done, where it is not nil, is called in the same transaction with what came of it.
func (s *Intake) ImportMail(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, m *knowledge.Mail, done func(context.Context, *knowledge.MailImport) error) (*knowledge.MailImport, error) {
	event, err := m.Event("").Checked()
	if err != nil {
		return nil, err
	}
	out := &knowledge.MailImport{}
	w := memoryWrite{kind: knowledge.WriteImport}
	if m.NoMemory || event.NoMemory() {
		w.texts = []string{"<no-memory>"}
	}
	if out.Skipped = skipped(s.c.Memory.judge(ctx, ws, []memoryWrite{w})[0]); out.Skipped != nil {
		return out, called(ctx, done, out)
	}
	fresh := s.c.NewID(knowledge.PrefixMessage)
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		*out = knowledge.MailImport{}
		id, err := s.c.Messages.ClaimMessage(ctx, ws.ID, m.MessageID, fresh)
		if err != nil {
			return err
		}
		if id != fresh {
			out.Duplicate = true
			return called(ctx, done, out)
		}
		if out.Message, err = s.store(ctx, ws, by, m, id); err != nil {
			return err
		}
		return called(ctx, done, out)
	})
	return out, err
}

func called[T any](ctx context.Context, done func(context.Context, T) error, with T) error {
	if done == nil {
		return nil
	}
	return done(ctx, with)
}

// store writes a claimed mail: its people first, by whom its conversation is found.
func (s *Intake) store(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, m *knowledge.Mail, id string) (*knowledge.Message, error) {
	now := s.c.Clock()
	msg := &knowledge.Message{ID: id, WorkspaceID: ws.ID, MessageID: m.MessageID, SentAt: now, CreatedAt: now}
	if m.SentAt != nil {
		msg.SentAt = *m.SentAt
	}
	if m.Subject != "" {
		msg.Subject = &m.Subject
	}
	if ws.Memory.KeepsText() && m.Text != "" {
		msg.Text = &m.Text
	}
	known, err := s.known(ctx, ws.ID, m)
	if err != nil {
		return nil, err
	}
	if msg.ThreadID, err = s.thread(ctx, ws.ID, m, msg.SentAt, known); err != nil {
		return nil, err
	}
	event, err := m.Event(msg.ThreadID).Checked()
	if err != nil {
		return nil, err
	}
	if !ws.Memory.KeepsText() {
		event.Summary = "" // what was understood stays, the text does not
	}
	ingested, err := s.ingest(ctx, ws, by, event, id)
	if err != nil {
		return nil, err
	}
	recipients, err := s.recipients(ctx, ws, by, m, msg.ThreadID)
	if err != nil {
		return nil, err
	}
	if ingested.Person != nil {
		msg.FromID = &ingested.Person.ID
		recipients = append([]string{ingested.Person.ID}, recipients...)
	}
	for _, person := range recipients {
		if !slices.Contains(msg.ParticipantIDs, person) {
			msg.ParticipantIDs = append(msg.ParticipantIDs, person)
		}
	}
	return msg, s.c.Messages.WriteMessage(ctx, msg)
}

// known are the ids of those of a mail's people that the graph knows by their addresses.
func (s *Intake) known(ctx context.Context, workspaceID string, m *knowledge.Mail) ([]string, error) {
	var refs []knowledge.EntityRef
	for _, a := range firstN(m.Participants(), maxRecipients) {
		if a.Address != "" {
			refs = append(refs, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: knowledge.IdentityEmail, Value: knowledge.MailIdentity(a.Address)}})
		}
	}
	found, _, err := s.c.Entities.FindMany(ctx, workspaceID, refs)
	var ids []string
	for _, e := range found {
		if e != nil {
			ids = append(ids, e.ID)
		}
	}
	return ids, err
}

func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// thread is the conversation that a mail belongs to: that of the nearest message that it
// answers; else, for an answer without references, that of the newest mail of its subject
// among the same people; else one of its own, which begins at the oldest message that it
// names. Mails that came before and thought this one their first are moved along.
func (s *Intake) thread(ctx context.Context, workspaceID string, m *knowledge.Mail, sentAt time.Time, people []string) (string, error) {
	base, reply := knowledge.BaseSubject(m.Subject)
	ancestors := m.Ancestors()
	if !reply || len(ancestors) > 0 {
		base = ""
	}
	hints, err := s.c.Messages.ThreadHints(ctx, workspaceID, ancestors, base, people, sentAt.Add(-subjectWindow))
	if err != nil {
		return "", err
	}
	thread := m.Root()
	for _, id := range ancestors {
		if i := slices.IndexFunc(hints, func(h knowledge.ThreadHint) bool { return h.MessageID == id }); i >= 0 {
			thread = hints[i].ThreadID
			break
		}
	}
	if len(ancestors) == 0 && len(hints) > 0 {
		thread = hints[0].ThreadID
	}
	if thread == m.MessageID {
		return thread, nil
	}
	return thread, s.c.Messages.MoveThread(ctx, workspaceID, m.MessageID, thread)
}

// recipients makes contacts of those whom a mail names beside its sender: of those with a
// name, because an address alone is as often a list or a desk as a person; and finds
// those that are known already.
func (s *Intake) recipients(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, m *knowledge.Mail, threadID string) ([]string, error) {
	var drafts []knowledge.EntityDraft
	named := append(slices.Clone(m.To), m.Cc...)
	if len(named) > maxRecipients {
		return nil, nil
	}
	for _, a := range named {
		if a.Name == "" || a.Address == "" {
			continue
		}
		reading := knowledge.MailboxEvent{Type: string(m.Kind), ThreadID: threadID, SenderName: a.Name, SenderEmail: a.Address}.Read()
		if reading.Person != nil {
			drafts = append(drafts, *reading.Person)
		}
	}
	upserts, err := s.c.Entities.upsertMany(ctx, ws, auto(by), drafts, false)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, up := range upserts {
		if up.Err == nil {
			ids = append(ids, up.Value.Entity.ID)
		}
	}
	known, err := s.known(ctx, ws.ID, m)
	return append(ids, known...), err
}
