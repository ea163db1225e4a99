package service_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// correspondence is a made-up exchange of mails, not in the order in which they were sent.
func correspondence(random *rand.Rand, n int) []*knowledge.Mail {
	people := []knowledge.MailAddress{
		{Name: "Ada Lovelace", Address: "ada@analytical.co.uk"},
		{Name: "王小明", Address: "wang@alpha.cn"},
		{Name: "Zoë Ångström", Address: "zoe@gmail.com"},
		{Name: "", Address: "desk@beta.io"},
		{Name: "Иван Петров", Address: "ivan@gamma.ru"},
	}
	start := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	var out []*knowledge.Mail
	for i := range n {
		at := start.Add(time.Duration(i) * time.Hour)
		m := knowledge.Mail{
			Kind: knowledge.MailReceived, MessageID: fmt.Sprintf("m%d", i), Subject: fmt.Sprintf("Subject %d", i%5), Text: fmt.Sprintf("Text %d", i), SentAt: &at,
			From: people[random.IntN(len(people))], To: []knowledge.MailAddress{people[random.IntN(len(people))], people[random.IntN(len(people))]},
		}
		switch earlier := random.IntN(i + 1); random.IntN(4) {
		case 0:
			m.InReplyTo, m.References = fmt.Sprintf("m%d", earlier), []string{fmt.Sprintf("m%d", earlier)}
		case 1:
			m.Subject = "Re: " + m.Subject
		}
		out = append(out, &m)
	}
	random.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return append(out, out[0]) // and one twice
}

// postbag is what a workspace keeps of mails, told without ids.
func (b *bundle) postbag(t *testing.T) map[string]string {
	t.Helper()
	page, err := b.all.Messages.List(t.Context(), b.ws.ID, "", knowledge.PageRequest{First: knowledge.MaxPage})
	require.NoError(t, err)
	out := map[string]string{"held": fmt.Sprint(b.counted(t))}
	for _, m := range page.Items {
		people, err := b.entities.ByIDs(t.Context(), b.ws.ID, m.ParticipantIDs)
		require.NoError(t, err)
		var names []string
		for _, e := range people {
			names = append(names, e.Name)
			out[e.Name] = fmt.Sprintf("%.2f %s", e.Confidence, e.Source)
		}
		slices.Sort(names)
		from := ""
		if m.FromID != nil {
			from = people[*m.FromID].Name
		}
		out[m.MessageID] = m.ThreadID + " from " + from + " among " + strings.Join(names, ", ")
	}
	return out
}

func TestE17_TogetherAsOneByOne(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			mails := correspondence(rand.New(rand.NewPCG(seed, 1)), 24)
			one, many := setup(t), setup(t)
			for _, m := range mails {
				one.mail(t, *m)
			}
			for chunk := range slices.Chunk(mails, 10) {
				out, err := many.intake.ImportMails(t.Context(), many.ws, many.to.Caller, chunk, nil)
				require.NoError(t, err)
				require.Len(t, out, len(chunk))
			}
			assert.Equal(t, one.postbag(t), many.postbag(t))
		})
	}
}

// oddPost is a mailbox in whose middle stands a mail that cannot be taken in.
type oddPost struct{ id string }

func (oddPost) CountMails(context.Context, string) (int, error) { return 3, nil }

func (p oddPost) Mails(context.Context, string) iter.Seq[knowledge.MailItem] {
	return func(yield func(knowledge.MailItem) bool) {
		for _, id := range []string{"first", p.id, "last"} {
			m := letter(id, "Plan", func(m *knowledge.Mail) { m.Kind = knowledge.MailReceived })
			if !yield(knowledge.MailItem{Key: "key " + id[:4], Mail: &m}) {
				return
			}
		}
	}
}

func TestE18_OneMailStopsNoOther(t *testing.T) {
	t.Parallel()
	b := setup(t)
	s := b.jobs(oddPost{id: strings.Repeat("x", knowledge.MaxIDLength+1)}, b.store)
	j, err := s.Jobs.Create(t.Context(), b.to, mailJob())
	require.NoError(t, err)
	_, err = s.Jobs.WorkOn(t.Context(), j.ID)
	require.NoError(t, err)
	j, err = s.Jobs.Get(t.Context(), b.ws.ID, j.ID)
	require.NoError(t, err)
	assert.Equal(t, []int{3, 2, 1}, []int{j.Scanned, j.Extracted, j.Errors})
	failed, err := s.Jobs.Items(t.Context(), j.ID, knowledge.ItemFailed, knowledge.PageRequest{First: 5})
	require.NoError(t, err)
	require.Len(t, failed.Items, 1)
	assert.Equal(t, "key xxxx", failed.Items[0].Key, "it is named")
	_, err = b.intake.IngestMailboxEvent(t.Context(), b.auto, knowledge.MailboxEvent{Type: "received", Fingerprint: strings.Repeat("x", knowledge.MaxTextLength+1)})
	assert.Equal(t, knowledge.CodeLimitExceeded, knowledge.CodeOf(err), "called by itself it answers with the error: %v", err)
}

var _ service.MailReader = oddPost{}
