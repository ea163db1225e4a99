package service

import (
	"context"
	"strings"

	"mneme/knowledge"
)

// Eraser removes the traces that a deleted entity would leave.
type Eraser interface {
	EraseTraces(ctx context.Context, workspaceID, entityID string) error
}

// EraseContact removes a contact, what is only about it, and its traces (SPEC T19, R8):
// its edges, observations, names and identities, entries about nobody else, its links
// from other entries, and what merges kept of it. The audit notes that it was done, and
// how much went, without content.
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
		return s.erase(ctx, ws.ID, to.Caller, contact.ID)
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

func (s *Curation) erase(ctx context.Context, workspaceID string, by knowledge.Caller, id string) (knowledge.DeleteCounts, error) {
	counts, err := s.c.Entities.remove(ctx, workspaceID, id)
	if err != nil {
		return counts, err
	}
	if err := s.c.Traces.EraseTraces(ctx, workspaceID, id); err != nil {
		return counts, err
	}
	return counts, s.c.Audit.Record(ctx, workspaceID, by, knowledge.ActionErased, map[string]any{
		"actor": string(by.Actor), "edges": counts.Edges, "observations": counts.Observations, "entries": counts.Entries, "relations": counts.Relations,
	})
}
