package service

import (
	"context"
	"slices"
	"time"

	"mneme/knowledge"
)

// subjectWindow is how long after a mail an answer without references is still taken to
// belong to it by its subject.
const subjectWindow = 60 * 24 * time.Hour

// maxRecipients bounds how many of a mail's recipients become contacts: more are an
// announcement.
const maxRecipients = 50

// ImportMail is ImportMails for one mail.
func (s *Intake) ImportMail(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, m *knowledge.Mail, done func(context.Context, *knowledge.MailImport) error) (*knowledge.MailImport, error) {
	out, err := s.ImportMails(ctx, ws, by, []*knowledge.Mail{m}, func(ctx context.Context, all []*knowledge.MailImport) error {
		return called(ctx, done, all[0])
	})
	if err != nil {
		return nil, err
	}
	return out[0], nil
}

// ImportMails stores mails that a person has imported and takes them in as mailbox events,
// with everybody whom they name, in their order and in one transaction. A mail that is
// stored already changes nothing; one that carries the opt-out marker, or that the
// settings forbid, is skipped. done, where it is not nil, is called in the same
// transaction with what came of each. Where one mail cannot be taken in, none is, and the
// error is that mail's.
func (s *Intake) ImportMails(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, mails []*knowledge.Mail, done func(context.Context, []*knowledge.MailImport) error) ([]*knowledge.MailImport, error) {
	b := &mailBatch{s: s, ws: ws, by: by, done: done}
	writes := make([]memoryWrite, len(mails))
	for i, m := range mails {
		event, err := m.Event("").Checked()
		if err != nil {
			return nil, err
		}
		writes[i] = memoryWrite{kind: knowledge.WriteImport}
		if m.NoMemory || event.NoMemory() {
			writes[i].texts = []string{"<no-memory>"}
		}
	}
	for i, verdict := range s.c.Memory.judge(ctx, ws, writes) {
		b.mails = append(b.mails, &mailWrite{mail: mails[i], skipped: skipped(verdict), fresh: s.c.NewID(knowledge.PrefixMessage)})
	}
	if err := s.c.Tx.Atomically(ctx, b.run); err != nil {
		return nil, err
	}
	return b.results(), nil
}

// mailBatch is some mails on their way to the database.
type mailBatch struct {
	s     *Intake
	ws    *knowledge.Workspace
	by    knowledge.Caller
	mails []*mailWrite
	done  func(context.Context, []*knowledge.MailImport) error
}

// mailWrite is one mail of them.
type mailWrite struct {
	mail    *knowledge.Mail
	fresh   string // the id of its node, where it is new
	skipped *string
	out     *knowledge.MailImport
	message *knowledge.Message
	event   *eventWrite
}

func (b *mailBatch) results() []*knowledge.MailImport {
	out := make([]*knowledge.MailImport, len(b.mails))
	for i, w := range b.mails {
		out[i] = w.out
	}
	return out
}

// run is the transaction. It may be run again, and starts over then.
func (b *mailBatch) run(ctx context.Context) error {
	fresh, err := b.claim(ctx)
	if err != nil {
		return err
	}
	if len(fresh) > 0 {
		if err := b.store(ctx, fresh); err != nil {
			return err
		}
	}
	return called(ctx, b.done, b.results())
}

// claim gives those of the mails that are to be written.
func (b *mailBatch) claim(ctx context.Context) ([]*mailWrite, error) {
	var asked []*mailWrite
	var claims []knowledge.MessageClaim
	for _, w := range b.mails {
		w.out = &knowledge.MailImport{Skipped: w.skipped}
		if w.skipped == nil {
			asked, claims = append(asked, w), append(claims, knowledge.MessageClaim{MessageID: w.mail.MessageID, ID: w.fresh})
		}
	}
	if len(asked) == 0 {
		return nil, nil
	}
	ids, err := b.s.c.Messages.ClaimMessages(ctx, b.ws.ID, claims)
	if err != nil {
		return nil, err
	}
	var fresh []*mailWrite
	for i, w := range asked {
		if w.out.Duplicate = ids[i] != w.fresh; !w.out.Duplicate {
			fresh = append(fresh, w)
		}
	}
	return fresh, nil
}

// store writes claimed mails: first who is known of their people, by whom their
// conversations are found, then what they say.
func (b *mailBatch) store(ctx context.Context, mails []*mailWrite) error {
	now := b.s.c.Clock()
	for _, w := range mails {
		w.message = &knowledge.Message{ID: w.fresh, WorkspaceID: b.ws.ID, MessageID: w.mail.MessageID, SentAt: now, CreatedAt: now}
		if w.mail.SentAt != nil {
			w.message.SentAt = *w.mail.SentAt
		}
		if w.mail.Subject != "" {
			w.message.Subject = &w.mail.Subject
		}
		if b.ws.Memory.KeepsText() && w.mail.Text != "" {
			w.message.Text = &w.mail.Text
		}
	}
	if err := b.threads(ctx, mails); err != nil {
		return err
	}
	events := make([]*eventWrite, len(mails))
	for i, w := range mails {
		event, err := w.mail.Event(w.message.ThreadID).Checked()
		if err != nil {
			return err
		}
		if !b.ws.Memory.KeepsText() {
			event.Summary = "" // what was understood stays, the text does not
		}
		w.event = &eventWrite{event: event, messageID: w.fresh, others: recipients(w.mail, w.message.ThreadID)}
		events[i] = w.event
	}
	if err := b.s.ingest(ctx, b.ws, b.by, events); err != nil {
		return err
	}
	known, err := b.known(ctx, mails)
	if err != nil {
		return err
	}
	messages := make([]*knowledge.Message, len(mails))
	later := map[string]bool{} // who is known by a later mail only
	for i, w := range slices.Backward(mails) {
		w.participants(slices.DeleteFunc(known[i], func(id string) bool { return later[id] }))
		messages[i], w.out.Message = w.message, w.message
		for _, id := range w.event.made {
			later[id] = true
		}
	}
	return b.s.c.Messages.WriteMessages(ctx, b.ws.ID, messages)
}

// participants are the writer, then the recipients that became contacts, then those that
// were known before.
func (w *mailWrite) participants(known []string) {
	var ids []string
	if p := w.event.out.Person; p != nil {
		w.message.FromID = &p.ID
		ids = append(ids, p.ID)
	}
	for _, e := range w.event.named {
		ids = append(ids, e.ID)
	}
	for _, id := range append(ids, known...) {
		if !slices.Contains(w.message.ParticipantIDs, id) {
			w.message.ParticipantIDs = append(w.message.ParticipantIDs, id)
		}
	}
}

// known are for each mail the ids of those of its people whom the graph knows by their addresses.
func (b *mailBatch) known(ctx context.Context, mails []*mailWrite) ([][]string, error) {
	out := make([][]string, len(mails))
	var refs []knowledge.EntityRef
	var at []int
	for i, w := range mails {
		for _, a := range firstN(w.mail.Participants(), maxRecipients) {
			if a.Address != "" {
				refs = append(refs, knowledge.EntityRef{Identity: &knowledge.ContactIdentity{Kind: knowledge.IdentityEmail, Value: knowledge.MailIdentity(a.Address)}})
				at = append(at, i)
			}
		}
	}
	if len(refs) == 0 {
		return out, nil
	}
	found, _, err := b.s.c.Entities.FindMany(ctx, b.ws.ID, refs)
	for n, e := range found {
		if e != nil {
			out[at[n]] = append(out[at[n]], e.ID)
		}
	}
	return out, err
}

func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }

// recipients are the contacts of those whom a mail names beside its sender: of those with
// a name, because an address alone is as often a list or a desk as a person.
func recipients(m *knowledge.Mail, threadID string) []knowledge.EntityDraft {
	named := append(slices.Clone(m.To), m.Cc...)
	if len(named) > maxRecipients {
		return nil
	}
	var drafts []knowledge.EntityDraft
	for _, a := range named {
		if a.Name == "" || a.Address == "" {
			continue
		}
		reading := knowledge.MailboxEvent{Type: string(m.Kind), ThreadID: threadID, SenderName: a.Name, SenderEmail: a.Address}.Read()
		if reading.Person != nil {
			drafts = append(drafts, *reading.Person)
		}
	}
	return drafts
}
