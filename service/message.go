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
	// ClaimMessages makes mails' nodes, or gives the ids that they have already, in the
	// order of the claims. A mail that is claimed twice is the first claim's.
	ClaimMessages(ctx context.Context, workspaceID string, claims []knowledge.MessageClaim) ([]string, error)
	WriteMessages(ctx context.Context, workspaceID string, messages []*knowledge.Message) error
	// ThreadHints are for each question the stored mails that it asks for.
	ThreadHints(ctx context.Context, workspaceID string, questions []knowledge.ThreadQuestion) ([][]knowledge.ThreadHint, error)
	// MoveThreads makes conversations, by their ids, parts of others.
	MoveThreads(ctx context.Context, workspaceID string, to map[string]string) error
	Messages(ctx context.Context, workspaceID, threadID string, from *knowledge.Cursor, limit int) ([]*knowledge.Message, error)
	MessagesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Message, error)
	CountMessages(ctx context.Context, workspaceID, threadID string) (int, error)
	EntriesOfMessages(ctx context.Context, workspaceID string, ids []string) (map[string][]string, error)
}

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

func called[T any](ctx context.Context, done func(context.Context, T) error, with T) error {
	if done == nil {
		return nil
	}
	return done(ctx, with)
}
