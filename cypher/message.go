package cypher

import (
	"context"
	_ "embed"
	"time"

	"mneme/knowledge"
)

//go:embed queries/message_claim.cypher
var messageClaim statement

//go:embed queries/message_write.cypher
var messageWrite statement

//go:embed queries/message_threads.cypher
var messageThreads statement

//go:embed queries/message_rethread.cypher
var messageRethread statement

//go:embed queries/message_next.cypher
var messageNext statement

//go:embed queries/message_list.cypher
var messageList statement

//go:embed queries/message_by_ids.cypher
var messageByIDs statement

//go:embed queries/message_count.cypher
var messageCount statement

//go:embed queries/message_entries.cypher
var messageEntries statement

//go:embed queries/message_erase.cypher
var messageErase statement

// ClaimMessages makes mails' nodes under ids, or gives the ids that they have already, in
// the order of the claims.
func (s *Store) ClaimMessages(ctx context.Context, workspaceID string, claims []knowledge.MessageClaim) ([]string, error) {
	rows := make([]map[string]any, len(claims))
	for i, c := range claims {
		rows[i] = map[string]any{"messageId": c.MessageID, "id": c.ID, "at": i}
	}
	inOrder(rows, "messageId")
	out := make([]string, len(claims))
	_, err := write(ctx, s, messageClaim, map[string]any{"ws": workspaceID, "messages": rows}, func(r row) struct{} {
		out[r.int("place")] = r.text("id")
		return struct{}{}
	})
	return out, err
}

// WriteMessages stores mails that were claimed.
func (s *Store) WriteMessages(ctx context.Context, workspaceID string, messages []*knowledge.Message) error {
	rows := make([]any, len(messages))
	for i, m := range messages {
		base := ""
		if m.Subject != nil {
			base, _ = knowledge.BaseSubject(*m.Subject)
		}
		from := ""
		if m.FromID != nil {
			from = *m.FromID
		}
		rows[i] = map[string]any{"id": m.ID, "from": from, "participants": orEmpty(m.ParticipantIDs), "props": map[string]any{
			"threadId": m.ThreadID, "subject": ptrValue(m.Subject), "text": ptrValue(m.Text), "sentAt": m.SentAt, "createdAt": m.CreatedAt,
			"baseSubject": knowledge.NormalizeName(base), "name": knowledge.Ellipsis(base, knowledge.MaxTagLength),
		}}
	}
	return exec(ctx, s, messageWrite, map[string]any{"ws": workspaceID, "messages": rows})
}

// ThreadHints are for each question the stored mails that it asks for.
func (s *Store) ThreadHints(ctx context.Context, workspaceID string, questions []knowledge.ThreadQuestion) ([][]knowledge.ThreadHint, error) {
	rows := make([]any, len(questions))
	for i, q := range questions {
		rows[i] = map[string]any{"ids": orEmpty(q.Ancestors), "subject": knowledge.NormalizeName(q.Subject), "people": orEmpty(q.People), "since": q.Since, "at": i}
	}
	out := make([][]knowledge.ThreadHint, len(questions))
	_, err := read(ctx, s, messageThreads, map[string]any{"ws": workspaceID, "questions": rows}, func(r row) struct{} {
		i := r.int("place")
		out[i] = append(out[i], knowledge.ThreadHint{MessageID: r.text("messageId"), ThreadID: r.text("threadId"), SentAt: props(r.AsMap()).time("sentAt")})
		return struct{}{}
	})
	return out, err
}

// MoveThreads makes conversations, by their ids, parts of others.
func (s *Store) MoveThreads(ctx context.Context, workspaceID string, to map[string]string) error {
	rows := make([]map[string]any, 0, len(to))
	for from, into := range to {
		rows = append(rows, map[string]any{"from": from, "to": into})
	}
	inOrder(rows, "from")
	return exec(ctx, s, messageRethread, map[string]any{"ws": workspaceID, "threads": rows})
}

// Messages are a workspace's mails, newest first, behind a position.
func (s *Store) Messages(ctx context.Context, workspaceID, threadID string, from *knowledge.Cursor, limit int) ([]*knowledge.Message, error) {
	params := behind(map[string]any{"ws": workspaceID, "threadId": threadID, "limit": limit}, from)
	return read(ctx, s, messageList, params, scanMessage)
}

// MessagesByID are the mails of ids that a workspace holds.
func (s *Store) MessagesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Message, error) {
	return read(ctx, s, messageByIDs, map[string]any{"ws": workspaceID, "ids": ids}, scanMessage)
}

// CountMessages is the number of a workspace's mails, or of one conversation's.
func (s *Store) CountMessages(ctx context.Context, workspaceID, threadID string) (int, error) {
	return s.count(ctx, messageCount, map[string]any{"ws": workspaceID, "threadId": threadID})
}

// EntriesOfMessages are the ids of the entries that mails gave, by the mails' ids.
func (s *Store) EntriesOfMessages(ctx context.Context, workspaceID string, ids []string) (map[string][]string, error) {
	rows, err := read(ctx, s, messageEntries, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) [2]string { return [2]string{r.text("id"), r.text("entry")} })
	out := make(map[string][]string, len(ids))
	for _, pair := range rows {
		out[pair[0]] = append(out[pair[0]], pair[1])
	}
	return out, err
}

// EraseMessages removes the mails that an entity wrote and takes it out of the others.
func (s *Store) EraseMessages(ctx context.Context, workspaceID, entityID string) error {
	return exec(ctx, s, messageErase, map[string]any{"ws": workspaceID, "entity": entityID})
}

// NextMessages are a workspace's mails, oldest first, behind one of them; nil is from the start.
func (s *Store) NextMessages(ctx context.Context, workspaceID string, after *knowledge.Message, limit int) ([]*knowledge.Message, error) {
	params := map[string]any{"ws": workspaceID, "at": nil, "id": "", "limit": limit}
	if after != nil {
		params["at"], params["id"] = after.SentAt, after.ID
	}
	return read(ctx, s, messageNext, params, scanMessage)
}

func scanMessage(r row) *knowledge.Message {
	p := r.props("m")
	m := &knowledge.Message{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), MessageID: p.text("messageId"), ThreadID: p.text("threadId"), Subject: p.textPtr("subject"),
		Text: p.textPtr("text"), SentAt: p.time("sentAt"), CreatedAt: p.time("createdAt"), ParticipantIDs: []string{},
	}
	for _, person := range r.list("people") {
		id := person.text("id")
		m.ParticipantIDs = append(m.ParticipantIDs, id)
		if person.bool("sender") {
			m.FromID = &id
		}
	}
	return m
}

// behind are the parameters of a list by time, newest first, behind a position.
func behind(params map[string]any, from *knowledge.Cursor) map[string]any {
	params["at"], params["id"] = nil, ""
	if from != nil {
		if at, err := time.Parse(time.RFC3339Nano, from.Key); err == nil {
			params["at"], params["id"] = at, from.ID
		}
	}
	return params
}

func (s *Store) count(ctx context.Context, st statement, params map[string]any) (int, error) {
	rows, err := read(ctx, s, st, params, func(r row) int { return r.int("count") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}
