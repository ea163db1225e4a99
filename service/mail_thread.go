package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// threads finds the conversation of each mail: that of the nearest message that it
// answers; else, for an answer without references, that of the newest mail of its subject
// among the same people; else one of its own, which begins at the oldest message that it
// names. Mails that came before and thought a mail their first are moved along.
func (b *mailBatch) threads(ctx context.Context, mails []*mailWrite) error {
	people, err := b.known(ctx, mails)
	if err != nil {
		return err
	}
	questions := make([]knowledge.ThreadQuestion, len(mails))
	for i, w := range mails {
		questions[i] = questionOf(w)
		questions[i].People = people[i]
	}
	stored, err := b.s.c.Messages.ThreadHints(ctx, b.ws.ID, questions)
	if err != nil {
		return err
	}
	book := &threadBook{moved: map[string]string{}}
	for i, w := range mails {
		w.message.ThreadID = book.find(w, questions[i], stored[i])
		book.add(w)
	}
	if len(book.moved) == 0 {
		return nil
	}
	return b.s.c.Messages.MoveThreads(ctx, b.ws.ID, book.moved)
}

func questionOf(w *mailWrite) knowledge.ThreadQuestion {
	q := knowledge.ThreadQuestion{Ancestors: w.mail.Ancestors(), Since: w.message.SentAt.Add(-subjectWindow)}
	if base, reply := knowledge.BaseSubject(w.mail.Subject); reply && len(q.Ancestors) == 0 {
		q.Subject = base
	}
	return q
}

// threadBook knows the conversations of the mails of a batch, beside those that are
// stored. The mails before one count as if they were stored already.
type threadBook struct {
	before []bookedMail
	moved  map[string]string // conversations that became parts of others
}

type bookedMail struct {
	hint    knowledge.ThreadHint
	subject string // normalised
	people  []string
}

func (t *threadBook) find(w *mailWrite, q knowledge.ThreadQuestion, stored []knowledge.ThreadHint) string {
	hints := make([]knowledge.ThreadHint, 0, len(stored))
	for _, h := range stored {
		h.ThreadID = t.now(h.ThreadID)
		hints = append(hints, h)
	}
	for _, m := range t.before {
		if slices.Contains(q.Ancestors, m.hint.MessageID) || q.Subject != "" && m.answers(w.mail, q) {
			hints = append(hints, m.hint)
		}
	}
	thread := t.now(w.mail.Root())
	for _, id := range q.Ancestors {
		if i := slices.IndexFunc(hints, func(h knowledge.ThreadHint) bool { return h.MessageID == id }); i >= 0 {
			thread = hints[i].ThreadID
			break
		}
	}
	if len(q.Ancestors) == 0 && len(hints) > 0 {
		thread = slices.MaxFunc(hints, func(x, y knowledge.ThreadHint) int { return x.SentAt.Compare(y.SentAt) }).ThreadID
	}
	return thread
}

// answers tells whether a mail without references may answer a booked one.
func (m bookedMail) answers(mail *knowledge.Mail, q knowledge.ThreadQuestion) bool {
	return m.subject == knowledge.NormalizeName(q.Subject) && !m.hint.SentAt.Before(q.Since) &&
		slices.ContainsFunc(addressesOf(mail), func(a string) bool { return slices.Contains(m.people, a) })
}

// add books a mail whose conversation was found, and moves those along that thought it
// their first.
func (t *threadBook) add(w *mailWrite) {
	own, thread := w.mail.MessageID, w.message.ThreadID
	if thread != own {
		t.moved[own] = thread
		for from, to := range t.moved {
			if to == own {
				t.moved[from] = thread
			}
		}
		for i := range t.before {
			t.before[i].hint.ThreadID = t.now(t.before[i].hint.ThreadID)
		}
	}
	base, _ := knowledge.BaseSubject(w.mail.Subject)
	t.before = append(t.before, bookedMail{
		hint:    knowledge.ThreadHint{MessageID: own, ThreadID: thread, SentAt: w.message.SentAt},
		subject: knowledge.NormalizeName(base), people: addressesOf(w.mail),
	})
}

// now is the conversation that one has become a part of, or itself.
func (t *threadBook) now(thread string) string {
	if to, ok := t.moved[thread]; ok {
		return to
	}
	return thread
}

func addressesOf(m *knowledge.Mail) []string {
	var out []string
	for _, a := range firstN(m.Participants(), maxRecipients) {
		if a.Address != "" {
			out = append(out, knowledge.MailIdentity(a.Address))
		}
	}
	return out
}
