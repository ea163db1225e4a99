package service

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"mneme/knowledge"
)

// Eraser removes what a contact wrote, and the traces that it would leave when deleted.
type Eraser interface {
	// EraseWritten removes its mails, and counts what rested on them alone and went too.
	EraseWritten(ctx context.Context, workspaceID, entityID string) (knowledge.DeleteCounts, error)
	// EraseTraces removes what else names it by its ids or, in records of work, by one
	// of some texts in lower case.
	EraseTraces(ctx context.Context, workspaceID, entityID string, texts []string) error
}

// minTrace is how many letters a name must have to be looked for in free text: shorter
// ones stand in the words of others.
const minTrace = 3

// EraseContact removes a contact, what is only about it, and its traces (SPEC T19, R8):
// its edges, observations, names and identities, entries about nobody else, its links
// from other entries, mails that it wrote with what rested on them alone, and what
// merges, kept answers and records of work say of it. The audit notes that it was done,
// and how much went, without content.
//
// Confirm must be its name: else INVALID_INPUT (confirm). NOT_FOUND (id) where there is
// none. A dry run counts what would go: it is done, and rolled back.
func (s *Curation) EraseContact(ctx context.Context, to Target, id, confirm string, dryRun bool) (*knowledge.DeleteCounts, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	return s.counted(ctx, dryRun, func(ctx context.Context) (knowledge.DeleteCounts, error) {
		contact, err := s.lockContact(ctx, ws.ID, id)
		if err != nil {
			return knowledge.DeleteCounts{}, err
		}
		if strings.TrimSpace(confirm) != contact.Name {
			return knowledge.DeleteCounts{}, knowledge.Invalid("confirm", "must be the contact's name")
		}
		return s.erase(ctx, ws.ID, to.Caller, contact)
	})
}

// lockContact finds an entity, also by an id that was merged away, and locks it.
func (s *Curation) lockContact(ctx context.Context, workspaceID, id string) (*knowledge.Entity, error) {
	for range maxLocks {
		found, err := s.c.Entities.ByIDs(ctx, workspaceID, []string{id})
		if err != nil {
			return nil, err
		}
		if found[id] == nil {
			break
		}
		locked, err := s.c.Entities.store.LockEntities(ctx, workspaceID, []string{found[id].ID})
		if err != nil {
			return nil, err
		}
		if len(locked) > 0 {
			return locked[0], nil
		}
	}
	return nil, knowledge.NotFound("id", "there is no entity %q", id)
}

func (s *Curation) erase(ctx context.Context, workspaceID string, by knowledge.Caller, contact *knowledge.Entity) (knowledge.DeleteCounts, error) {
	written, err := s.c.Traces.EraseWritten(ctx, workspaceID, contact.ID)
	if err != nil {
		return written, err
	}
	counts, err := s.c.Entities.remove(ctx, workspaceID, contact.ID)
	if err != nil {
		return counts, err
	}
	counts.Edges, counts.Observations = counts.Edges+written.Edges, counts.Observations+written.Observations
	counts.Entries, counts.Relations = counts.Entries+written.Entries, counts.Relations+written.Relations
	if err := s.c.Traces.EraseTraces(ctx, workspaceID, contact.ID, traces(contact)); err != nil {
		return counts, err
	}
	return counts, s.c.Audit.Record(ctx, workspaceID, by, knowledge.ActionErased, map[string]any{
		"actor": string(by.Actor), "edges": counts.Edges, "observations": counts.Observations, "entries": counts.Entries, "relations": counts.Relations,
	})
}

// traces are the names and identities by which texts speak of a contact, in lower case.
func traces(contact *knowledge.Entity) []string {
	texts := slices.Concat([]string{contact.Name}, contact.Aliases)
	for _, i := range contact.Identities {
		texts = append(texts, i.Value)
	}
	for i, text := range texts {
		texts[i] = strings.ToLower(text)
	}
	return slices.DeleteFunc(texts, func(text string) bool { return utf8.RuneCountInString(text) < minTrace })
}
