package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/knowledge"
)

// Create saves an entry, or finds the equal one (SPEC K5, K20–K22).
func (s *Entries) Create(ctx context.Context, to Target, draft knowledge.EntryDraft) (*knowledge.EntrySave, error) {
	out, err := s.CreateMany(ctx, to, []knowledge.EntryDraft{draft}, true)
	if err != nil {
		return nil, err
	}
	return out[0].Value, out[0].Err
}

// Update edits an entry and validates it anew (SPEC K7, G15). NOT_FOUND (id) where there is none.
func (s *Entries) Update(ctx context.Context, to Target, patch knowledge.EntryPatch) (*knowledge.EntrySave, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	if patch, err = patch.Checked(now); err != nil {
		return nil, err
	}
	if err := s.memory.permit(ctx, ws, entryPatchWrite(to.Caller, patch)); err != nil {
		return nil, err
	}
	contacts, err := s.patchedRefs(ctx, ws.ID, "contacts", patch.Contacts)
	if err != nil {
		return nil, err
	}
	mentions, err := s.patchedRefs(ctx, ws.ID, "mentions", patch.Mentions)
	if err != nil {
		return nil, err
	}
	text, err := s.reworded(ctx, ws.ID, patch, now)
	if err != nil {
		return nil, err
	}
	return s.change(ctx, ws.ID, patch.ID, func(current *knowledge.Entry) (knowledge.EntryWrite, knowledge.EntryChange, error) {
		edited, reworded := knowledge.EditedEntry(current, patch, contacts, mentions, now)
		change := knowledge.EntryChange{Reworded: reworded, Contacts: contacts != nil, Mentions: mentions != nil}
		w := knowledge.EntryWrite{Entry: edited}
		if reworded {
			w.SearchText = analyzed(edited)
			if edited.ContentHash == text.hash {
				w.Vector, w.AutoMentionIDs = text.vector, text.named
				change.AutoMentions = true
			}
			w.AwaitsVector = w.Vector == nil
			edited.Embedding = s.embeddingInfo(w.Vector, now)
		}
		return w, change, nil
	})
}

func analyzed(e *knowledge.Entry) string { return knowledge.Analyze(e.Title + " " + e.Content) }

// patchedRefs are the ids of the entities that a patch names; nil where it names none.
func (s *Entries) patchedRefs(ctx context.Context, workspaceID, field string, refs *[]knowledge.EntityRef) ([]string, error) {
	if refs == nil {
		return nil, nil
	}
	found, errs, err := s.entities.FindMany(ctx, workspaceID, *refs)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(found))
	for i, e := range found {
		if errs[i] != nil {
			return nil, knowledge.InField(fmt.Sprintf("%s.%d", field, i), errs[i])
		}
		ids[i] = e.ID
	}
	return ids, nil
}

// newText is what is known of an entry's new text before the transaction begins; the
// hash tells which text that was.
type newText struct {
	hash   string
	vector []float32
	named  []string
}

// reworded makes the vector of what an entry will say and finds whom it will name.
func (s *Entries) reworded(ctx context.Context, workspaceID string, patch knowledge.EntryPatch, now time.Time) (newText, error) {
	if patch.Title == nil && patch.Content == nil {
		return newText{}, nil
	}
	current, err := s.lists.EntriesByID(ctx, workspaceID, []string{patch.ID})
	if err != nil || len(current) == 0 {
		return newText{}, err
	}
	edited, changed := knowledge.EditedEntry(current[0], patch, nil, nil, now)
	if !changed {
		return newText{}, nil
	}
	named, err := s.mentions.Find(ctx, workspaceID, []string{knowledge.MentionText(edited.Title, edited.Content)})
	if err != nil {
		return newText{}, err
	}
	vectors := s.embeddings.ForWrite(ctx, []string{knowledge.EmbeddingText(edited.Title, edited.Content)})
	return newText{edited.ContentHash, vectors[0], named[0]}, nil
}

func (s *Entries) embeddingInfo(vector []float32, now time.Time) *knowledge.EmbeddingInfo {
	if vector == nil {
		return nil
	}
	model := s.embeddings.Model()
	return &knowledge.EmbeddingInfo{Model: model.Name, Key: model.Key(), Dimensions: model.Dimensions, GeneratedAt: now}
}

// change reads, decides and writes one entry in one transaction. A decision that gives
// back the entry as it was writes nothing.
func (s *Entries) change(ctx context.Context, workspaceID, id string, decide func(*knowledge.Entry) (knowledge.EntryWrite, knowledge.EntryChange, error)) (*knowledge.EntrySave, error) {
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	var result *knowledge.EntrySave
	awaits := false
	err := s.tx.Atomically(ctx, func(ctx context.Context) error {
		current, err := s.lockedEntry(ctx, workspaceID, id)
		if err != nil {
			return err
		}
		w, change, err := decide(current)
		if err != nil {
			return err
		}
		result, awaits = &knowledge.EntrySave{Entry: w.Entry}, w.AwaitsVector
		if w.Entry == current {
			return nil
		}
		if change.Contacts || change.Mentions || change.AutoMentions {
			if err := s.follow(ctx, workspaceID, []linkIDs{{&w.Entry.ContactIDs, []*[]string{&w.Entry.MentionIDs, &w.AutoMentionIDs}}}); err != nil {
				return err
			}
		}
		if err := s.store.UpdateEntry(ctx, w, change, s.embeddings.Model()); err != nil || !change.Mentions && !change.AutoMentions {
			return err
		}
		// Which of the mentions stand beside each other now, the links alone know.
		written, err := s.lists.EntriesByID(ctx, workspaceID, []string{id})
		if len(written) == 1 {
			result.Entry = written[0]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if awaits {
		s.embeddings.Wake()
	}
	s.told([]*knowledge.Entry{result.Entry})
	return result, nil
}

func (s *Entries) lockedEntry(ctx context.Context, workspaceID, id string) (*knowledge.Entry, error) {
	found, err := s.store.LockEntries(ctx, workspaceID, []string{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, knowledge.NotFound("id", "there is no entry %q", id)
	}
	return found[0], nil
}

// Validate confirms an entry by use (SPEC G16). NOT_FOUND (id) where there is none.
func (s *Entries) Validate(ctx context.Context, to Target, id string) (*knowledge.EntrySave, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	return s.change(ctx, ws.ID, id, func(current *knowledge.Entry) (knowledge.EntryWrite, knowledge.EntryChange, error) {
		validated := knowledge.ValidateEntry(*current, now)
		return knowledge.EntryWrite{Entry: &validated}, knowledge.EntryChange{}, nil
	})
}

// End says that an entry stopped being true, at validTo or now. With a replacement it
// writes the new entry in the same scope, joins them by supersedes and answers it
// (SPEC T22). NOT_FOUND (id); CONFLICT and INVALID_INPUT (validTo) as knowledge.EndedEntry.
func (s *Entries) End(ctx context.Context, to Target, id string, validTo *time.Time, replacement *string) (*knowledge.EntrySave, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	now := s.clock()
	at := now
	if validTo != nil {
		at = knowledge.Moment(*validTo)
	}
	end := func(current *knowledge.Entry) (knowledge.EntryWrite, knowledge.EntryChange, error) {
		ended, err := knowledge.EndedEntry(current, at, now)
		return knowledge.EntryWrite{Entry: ended}, knowledge.EntryChange{}, err
	}
	if replacement != nil {
		if err := s.memory.permit(ctx, ws, memoryWrite{kind: knowledge.WriteKindOf(to.Caller.Actor), texts: []string{*replacement}}); err != nil {
			return nil, err
		}
	}
	if replacement == nil {
		return s.change(ctx, ws.ID, id, end)
	}
	return s.replace(ctx, ws, to, id, *replacement, at, end)
}

// replace ends an entry and writes what holds instead, in one transaction.
func (s *Entries) replace(ctx context.Context, ws *knowledge.Workspace, to Target, id, content string, at time.Time, end func(*knowledge.Entry) (knowledge.EntryWrite, knowledge.EntryChange, error)) (*knowledge.EntrySave, error) {
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	found, err := s.lists.EntriesByID(ctx, ws.ID, []string{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, knowledge.NotFound("id", "there is no entry %q", id)
	}
	batch, err := s.prepare(ctx, ws, to.Caller, []knowledge.EntryDraft{replacementOf(found[0], content, at)})
	if err != nil {
		return nil, err
	}
	if err := batch.items[0].err; err != nil {
		return nil, knowledge.InField("replacement", err)
	}
	if err := s.enrich(ctx, batch); err != nil {
		return nil, err
	}
	err = s.tx.Atomically(ctx, func(ctx context.Context) error {
		current, err := s.lockedEntry(ctx, ws.ID, id)
		if err != nil {
			return err
		}
		w, change, err := end(current)
		if err != nil {
			return err
		}
		if w.Entry != current {
			if err := s.store.UpdateEntry(ctx, w, change, s.embeddings.Model()); err != nil {
				return err
			}
		}
		if err := s.write(ctx, batch); err != nil {
			return err
		}
		_, err = s.relate(ctx, relationOf(ws.ID, batch.items[0].save.Entry.ID, id, knowledge.RelationSupersedes), s.newID(knowledge.PrefixRelation), s.clock())
		return err
	})
	if err != nil {
		return nil, err
	}
	s.settle(batch)
	return batch.items[0].save, nil
}

// replacementOf is the draft of what holds instead of an entry from a moment on: the same
// kind of knowledge about the same.
func replacementOf(e *knowledge.Entry, content string, from time.Time) knowledge.EntryDraft {
	d := knowledge.EntryDraft{
		Type: e.Type, Title: e.Title, Content: content, Source: e.Source, Confidence: knowledge.DefaultEntryConfidence,
		Tags: slices.Clone(e.Tags), ExpiresAt: e.ExpiresAt, ValidFrom: &from,
	}
	if e.ThreadID != nil {
		d.ThreadID = *e.ThreadID
	}
	for _, id := range e.ContactIDs {
		d.Contacts = append(d.Contacts, knowledge.EntityRef{ID: id})
	}
	return d
}

// Delete removes an entry with its relations (SPEC K8); Deleted is false where there is none.
func (s *Entries) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	counts := &knowledge.DeleteCounts{}
	err = s.tx.Atomically(ctx, func(ctx context.Context) error {
		*counts = knowledge.DeleteCounts{}
		found, err := s.store.LockEntries(ctx, ws.ID, []string{id})
		if err != nil || len(found) == 0 {
			return err
		}
		relations, err := s.store.DeleteEntry(ctx, id)
		*counts = knowledge.DeleteCounts{Deleted: true, Entries: 1, Relations: relations}
		return err
	})
	return counts, err
}
