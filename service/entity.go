package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// EntityStore keeps entities. What is read for a change is locked until the
// transaction ends, so that a decision is made on what is there.
type EntityStore interface {
	// EntityCandidates are the entities that drafts could mean, locked.
	EntityCandidates(ctx context.Context, workspaceID string, drafts []knowledge.EntityDraft) ([]*knowledge.Entity, error)
	// LockEntities are the entities of ids that exist, locked.
	LockEntities(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entity, error)
	WriteEntities(ctx context.Context, workspaceID string, writes []knowledge.EntityWrite) error
	DeleteEntity(ctx context.Context, workspaceID, id string) (knowledge.DeleteCounts, error)
	// EntitiesByID answers for ids that were merged away too, under the id that was asked for.
	EntitiesByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error)
	// EntitiesByRef are the entities that answer to each reference.
	EntitiesByRef(ctx context.Context, workspaceID string, refs []knowledge.EntityRef) ([][]*knowledge.Entity, error)
}

// SupportStore keeps what things rest on (SPEC T5).
type SupportStore interface {
	AddSupports(ctx context.Context, workspaceID string, adds []knowledge.SupportAdd) error
}

// Entities are the things of the graph.
type Entities struct {
	store      EntityStore
	lists      EntityLister
	supports   SupportStore
	workspaces WorkspaceStore
	types      *Types
	tx         Transactor
	contacts   ContactEntries
	memory     *Memory
	clock      Clock
	newID      NewID
}

// ContactEntries are the entries that are about an entity. DropContact takes an entity
// that is being deleted out of them; one that is left without contacts is deleted, never
// made general (SPEC R8).
type ContactEntries interface {
	DropContact(ctx context.Context, workspaceID, entityID string) (entries, relations int, err error)
}

// EntitiesConfig is what Entities needs.
type EntitiesConfig struct {
	Store      EntityStore
	Lists      EntityLister
	Supports   SupportStore
	Workspaces WorkspaceStore
	Types      *Types
	Tx         Transactor
	Contacts   ContactEntries
	Memory     *Memory // nil: nothing is held back
	Clock      Clock
	NewID      NewID
}

// NewEntities makes the use cases of entities.
func NewEntities(c EntitiesConfig) *Entities {
	return &Entities{
		store: c.Store, lists: c.Lists, supports: c.Supports, workspaces: c.Workspaces, types: c.Types,
		tx: c.Tx, contacts: c.Contacts, memory: c.Memory, clock: c.Clock, newID: c.NewID,
	}
}

// Upsert creates an entity, or finds it by identity, name or alias and merges by precedence (SPEC A11, A15–A23).
func (s *Entities) Upsert(ctx context.Context, to Target, draft knowledge.EntityDraft) (*knowledge.EntityUpsert, error) {
	out, err := s.UpsertMany(ctx, to, []knowledge.EntityDraft{draft}, false)
	if err != nil {
		return nil, err
	}
	return out[0].Value, out[0].Err
}

// UpsertMany is Upsert for many drafts in one transaction, in their order: a later draft
// finds what an earlier one made. Atomic: where one fails nothing is written. What the memory
// settings hold back fails with MEMORY_DISABLED or NO_MEMORY.
func (s *Entities) UpsertMany(ctx context.Context, to Target, drafts []knowledge.EntityDraft, atomic bool) ([]Outcome[*knowledge.EntityUpsert], error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	return permitted(ctx, s.memory, ws, drafts, atomic, entityWrite(to.Caller), func(drafts []knowledge.EntityDraft) ([]Outcome[*knowledge.EntityUpsert], error) {
		return s.upsertMany(ctx, ws, to.Caller, drafts, atomic)
	})
}

func (s *Entities) upsertMany(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, drafts []knowledge.EntityDraft, atomic bool) ([]Outcome[*knowledge.EntityUpsert], error) {
	return inBatch(ctx, s.tx, drafts, atomic,
		func(d knowledge.EntityDraft) (knowledge.EntityDraft, error) {
			d.Source = by.Claim(d.Source)
			return d.Checked()
		},
		func(ctx context.Context, drafts []knowledge.EntityDraft, right []int, out []Outcome[*knowledge.EntityUpsert]) error {
			batch := &entityBatch{service: s, workspaceID: ws.ID}
			return batch.run(ctx, drafts, right, out)
		})
}

// Update changes an entity by id (SPEC A24, A25).
func (s *Entities) Update(ctx context.Context, to Target, patch knowledge.EntityPatch) (*knowledge.EntityUpsert, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	patch.Source = to.Caller.Claim(patch.Source)
	if patch, err = patch.Checked(); err != nil {
		return nil, err
	}
	if err := s.memory.permit(ctx, ws, patchWrite(to.Caller, patch)); err != nil {
		return nil, err
	}
	var result *knowledge.EntityUpsert
	err = s.tx.Atomically(ctx, func(ctx context.Context) error {
		current, err := s.locked(ctx, ws.ID, patch.ID)
		if err != nil {
			return err
		}
		after, kept := knowledge.PatchEntity(current, patch, s.clock())
		if after.NormalizedName != current.NormalizedName || after.TypeKey != current.TypeKey {
			if err := s.free(ctx, ws.ID, after); err != nil {
				return err
			}
			after.Discriminator = ""
		}
		if err := s.types.ensure(ctx, ws.ID, []string{after.TypeKey}); err != nil {
			return err
		}
		result = &knowledge.EntityUpsert{Entity: after, KeptDescription: kept}
		if err := s.store.WriteEntities(ctx, ws.ID, []knowledge.EntityWrite{{Before: current, After: after}}); err != nil {
			return err
		}
		return s.supports.AddSupports(ctx, ws.ID, entitySupports(result, "", patch.TaskID, patch.Source, s.clock()))
	})
	return result, err
}

func (s *Entities) locked(ctx context.Context, workspaceID, id string) (*knowledge.Entity, error) {
	found, err := s.store.LockEntities(ctx, workspaceID, []string{id})
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, knowledge.NotFound("id", "there is no entity %q", id)
	}
	return found[0], nil
}

// free checks that no other entity has the name and type that one is to get (SPEC A24).
func (s *Entities) free(ctx context.Context, workspaceID string, after *knowledge.Entity) error {
	others, err := s.store.EntityCandidates(ctx, workspaceID, []knowledge.EntityDraft{{Type: after.TypeKey, Name: after.Name}})
	if err != nil {
		return err
	}
	for _, o := range others {
		if o.ID != after.ID && o.NormalizedName == after.NormalizedName {
			return &knowledge.Error{Code: knowledge.CodeConflict, Field: "name", Message: "another " + after.TypeKey + " is called so: " + o.ID + "; mergeEntities joins two"}
		}
	}
	return nil
}

// Delete removes an entity with its edges and observations; Deleted is false where there is none (SPEC A28).
func (s *Entities) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
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
		if found, err := s.store.LockEntities(ctx, ws.ID, []string{id}); err != nil || len(found) == 0 {
			return err
		}
		var err error
		*counts, err = s.remove(ctx, ws.ID, id)
		return err
	})
	return counts, err
}

// remove takes a locked entity out of the entries about it and removes it, in the
// transaction of its context.
func (s *Entities) remove(ctx context.Context, workspaceID, id string) (knowledge.DeleteCounts, error) {
	entries, relations, err := s.contacts.DropContact(ctx, workspaceID, id)
	if err != nil {
		return knowledge.DeleteCounts{}, err
	}
	counts, err := s.store.DeleteEntity(ctx, workspaceID, id)
	counts.Entries, counts.Relations = entries, relations
	return counts, err
}

// Find is the one entity that a reference names: NOT_FOUND, or AMBIGUOUS with the candidates.
func (s *Entities) Find(ctx context.Context, workspaceID string, ref knowledge.EntityRef) (*knowledge.Entity, error) {
	found, errs, err := s.FindMany(ctx, workspaceID, []knowledge.EntityRef{ref})
	if err != nil {
		return nil, err
	}
	return found[0], errs[0]
}

// FindMany is Find for many references: for each the entity, or the error that it gives.
// The errors name no field; the caller knows whose reference it was.
func (s *Entities) FindMany(ctx context.Context, workspaceID string, refs []knowledge.EntityRef) ([]*knowledge.Entity, []error, error) {
	found, errs := make([]*knowledge.Entity, len(refs)), make([]error, len(refs))
	checked := make([]knowledge.EntityRef, len(refs))
	for i, ref := range refs {
		checked[i], errs[i] = ref.Checked("")
	}
	all, err := s.store.EntitiesByRef(ctx, workspaceID, checked)
	if err != nil {
		return nil, nil, err
	}
	for i := range refs {
		switch {
		case errs[i] != nil:
		case len(all[i]) == 1:
			found[i] = all[i][0]
		case len(all[i]) == 0:
			errs[i] = knowledge.NotFound("", "there is no entity %q", refs[i].String())
		default:
			errs[i] = knowledge.Ambiguous("", refs[i].String(), all[i])
		}
	}
	return found, errs, nil
}

// Resolve is every entity of a name, alias or slug, in any casing.
func (s *Entities) Resolve(ctx context.Context, workspaceID, name, typ string) ([]*knowledge.Entity, error) {
	ref, err := knowledge.EntityRef{Name: name, Type: typ}.Checked("")
	if err != nil {
		return nil, knowledge.Invalid("name", "must be a name of at most %d characters", knowledge.MaxNameLength)
	}
	found, err := s.lists.EntitiesByName(ctx, workspaceID, ref)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(found, func(a, b *knowledge.Entity) int { return compareText(a.ID, b.ID) })
	return found, nil
}

// ByIDs are the entities of ids, those that exist in the workspace.
func (s *Entities) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entity, error) {
	return s.store.EntitiesByID(ctx, workspaceID, ids)
}
