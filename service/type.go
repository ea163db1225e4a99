package service

import (
	"context"
	"strings"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mneme/knowledge"
)

// TypeStore keeps the types of a workspace. Putting a type that exists keeps its id;
// PutEdgeTypes changes the behaviour of one that exists only with declare.
type TypeStore interface {
	PutEntityTypes(ctx context.Context, workspaceID string, types []*knowledge.EntityType) error
	EntityTypes(ctx context.Context, workspaceID string) ([]*knowledge.EntityType, error)
	EntityTypeCounts(ctx context.Context, workspaceID string) (map[string]int, error)
	PutEdgeTypes(ctx context.Context, workspaceID string, types []*knowledge.EdgeType, declare bool) error
	EdgeTypes(ctx context.Context, workspaceID string) ([]*knowledge.EdgeType, error)
	EdgeTypeCounts(ctx context.Context, workspaceID string, now time.Time) (map[string]int, error)
}

// rememberedWorkspaces bounds the memory of known types.
const rememberedWorkspaces = 1_024

// Types are the kinds of entities and edges that a workspace knows.
type Types struct {
	store      TypeStore
	workspaces WorkspaceStore
	tx         Transactor
	clock      Clock
	newID      NewID
	// known are the keys of entity types by workspace id. Types are never removed while
	// their workspace lives, so what was seen once stays true.
	known *lru.Cache[string, map[string]bool]
}

// NewTypes makes the use cases of types.
func NewTypes(store TypeStore, workspaces WorkspaceStore, tx Transactor, clock Clock, newID NewID) *Types {
	known, _ := lru.New[string, map[string]bool](rememberedWorkspaces) // fails for a size below 1 only
	return &Types{store: store, workspaces: workspaces, tx: tx, clock: clock, newID: newID, known: known}
}

// EntityTypeDraft declares an entity type.
type EntityTypeDraft struct {
	Key                             string
	Label, Description, Color, Icon *string
}

// Seed gives a workspace the built-in types (SPEC A2, B1); it may be run again.
func (s *Types) Seed(ctx context.Context, workspaceID string) error {
	now := s.clock()
	var types []*knowledge.EntityType
	for _, b := range knowledge.BuiltInEntityTypes() {
		types = append(types, &knowledge.EntityType{
			ID: s.newID(knowledge.PrefixType), Key: b.Key, Label: knowledge.TypeLabel(b.Key), Description: &b.Description,
			Color: &b.Color, Icon: &b.Icon, BuiltIn: true, CreatedAt: now,
		})
	}
	if err := s.store.PutEntityTypes(ctx, workspaceID, types); err != nil {
		return err
	}
	var edges []*knowledge.EdgeType
	for _, key := range knowledge.BuiltInEdgeTypes() {
		edges = append(edges, &knowledge.EdgeType{Key: key, BuiltIn: true})
	}
	return s.store.PutEdgeTypes(ctx, workspaceID, edges, false)
}

func (s *Types) forget(workspaceID string) { s.known.Remove(workspaceID) }

// ensure makes the entity types that a write names and the workspace does not have
// (SPEC A6). It is to be called in the write's transaction; LIMIT_EXCEEDED (type) above
// 200 custom types.
func (s *Types) ensure(ctx context.Context, workspaceID string, keys []string) error {
	known, _ := s.known.Get(workspaceID)
	var unknown []string
	for _, key := range keys {
		if !known[key] {
			unknown = append(unknown, key)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	have, err := s.store.EntityTypes(ctx, workspaceID)
	if err != nil {
		return err
	}
	seen, custom := make(map[string]bool, len(have)), 0
	for _, t := range have {
		seen[t.Key] = true
		if !t.BuiltIn {
			custom++
		}
	}
	// Only what is stored already is remembered: this transaction may still fail.
	s.known.Add(workspaceID, seen)
	var missing []*knowledge.EntityType
	made := map[string]bool{}
	for _, key := range unknown {
		if !seen[key] && !made[key] {
			made[key] = true
			missing = append(missing, &knowledge.EntityType{ID: s.newID(knowledge.PrefixType), Key: key, Label: knowledge.TypeLabel(key), CreatedAt: s.clock()})
		}
	}
	if custom+len(missing) > knowledge.MaxEntityTypes {
		return knowledge.Limit("type", "a workspace has at most %d entity types of its own", knowledge.MaxEntityTypes)
	}
	return s.store.PutEntityTypes(ctx, workspaceID, missing)
}

// EntityTypes lists a workspace's entity types: built-ins first, then by name (SPEC A7).
func (s *Types) EntityTypes(ctx context.Context, workspaceID string) ([]*knowledge.EntityType, error) {
	return s.store.EntityTypes(ctx, workspaceID)
}

// EntityTypesByKey are a workspace's entity types by key.
func (s *Types) EntityTypesByKey(ctx context.Context, workspaceID string) (map[string]*knowledge.EntityType, error) {
	list, err := s.store.EntityTypes(ctx, workspaceID)
	out := make(map[string]*knowledge.EntityType, len(list))
	for _, t := range list {
		out[t.Key] = t
	}
	return out, err
}

// EntityTypeCounts are the numbers of entities by type key.
func (s *Types) EntityTypeCounts(ctx context.Context, workspaceID string) (map[string]int, error) {
	return s.store.EntityTypeCounts(ctx, workspaceID)
}

// EdgeTypes lists a workspace's edge types: built-ins first, then by key.
func (s *Types) EdgeTypes(ctx context.Context, workspaceID string) ([]*knowledge.EdgeType, error) {
	return s.store.EdgeTypes(ctx, workspaceID)
}

// EdgeTypeCounts are the numbers of current edges by type key.
func (s *Types) EdgeTypeCounts(ctx context.Context, workspaceID string) (map[string]int, error) {
	return s.store.EdgeTypeCounts(ctx, workspaceID, s.clock())
}

// CreateEntityType declares an entity type, or changes how one that exists is shown.
// CONFLICT (key) for a built-in one.
func (s *Types) CreateEntityType(ctx context.Context, to Target, draft EntityTypeDraft) (*knowledge.EntityType, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	key := knowledge.TypeKey(draft.Key)
	if key == "" {
		return nil, knowledge.Invalid("key", "must not be empty")
	}
	for field, text := range map[string]*string{"key": &key, "label": draft.Label, "color": draft.Color, "icon": draft.Icon} {
		if text != nil {
			if err := knowledge.CheckText(field, *text, knowledge.MaxTagLength); err != nil {
				return nil, err
			}
		}
	}
	if draft.Description != nil {
		if err := knowledge.CheckText("description", *draft.Description, knowledge.MaxNameLength); err != nil {
			return nil, err
		}
	}
	t := &knowledge.EntityType{Key: key, Label: knowledge.TypeLabel(key), Description: draft.Description, Color: draft.Color, Icon: draft.Icon}
	if draft.Label != nil && strings.TrimSpace(*draft.Label) != "" {
		t.Label = strings.TrimSpace(*draft.Label)
	}
	var stored *knowledge.EntityType
	err = s.tx.Atomically(ctx, func(ctx context.Context) error {
		t.ID, t.CreatedAt = s.newID(knowledge.PrefixType), s.clock()
		if err := s.ensure(ctx, ws.ID, []string{key}); err != nil {
			return knowledge.InField("", err)
		}
		all, err := s.EntityTypesByKey(ctx, ws.ID)
		if err != nil {
			return err
		}
		if all[key].BuiltIn {
			return &knowledge.Error{Code: knowledge.CodeConflict, Field: "key", Message: "is a built-in type, which stays as it is"}
		}
		if err := s.store.PutEntityTypes(ctx, ws.ID, []*knowledge.EntityType{t}); err != nil {
			return err
		}
		all, err = s.EntityTypesByKey(ctx, ws.ID)
		stored = all[key]
		return err
	})
	return stored, err
}

// CreateEdgeType declares how edges of a type behave (SPEC T4). Edges that are there
// already stay as they are.
func (s *Types) CreateEdgeType(ctx context.Context, to Target, draft knowledge.EdgeType) (*knowledge.EdgeType, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if knowledge.TypeKey(draft.Key) == "" {
		return nil, knowledge.Invalid("key", "must not be empty")
	}
	if draft.InverseLabel != nil {
		if err := knowledge.CheckText("inverseLabel", *draft.InverseLabel, knowledge.MaxTagLength); err != nil {
			return nil, err
		}
	}
	draft.Key, draft.BuiltIn = knowledge.EdgeTypeKey(draft.Key), false
	if err := s.store.PutEdgeTypes(ctx, ws.ID, []*knowledge.EdgeType{&draft}, true); err != nil {
		return nil, err
	}
	all, err := s.store.EdgeTypes(ctx, ws.ID)
	for _, t := range all {
		if t.Key == draft.Key {
			return t, err
		}
	}
	return nil, err
}
