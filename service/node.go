package service

import (
	"context"
	"strings"

	"mneme/knowledge"
)

// NodeStore tells where things are.
type NodeStore interface {
	// WorkspaceOf is the id of the workspace that holds a thing; NOT_FOUND where there is none.
	WorkspaceOf(ctx context.Context, id string) (string, error)
	EntityType(ctx context.Context, id string) (*knowledge.EntityType, error)
}

// Nodes finds anything that has an id.
type Nodes struct {
	store        NodeStore
	workspaces   *Workspaces
	entities     *Entities
	edges        *Edges
	observations *Observations
	entries      *Entries
}

// NewNodes makes the look-up of anything that has an id.
func NewNodes(store NodeStore, workspaces *Workspaces, entities *Entities, edges *Edges, observations *Observations, entries *Entries) *Nodes {
	return &Nodes{store: store, workspaces: workspaces, entities: entities, edges: edges, observations: observations, entries: entries}
}

// ByID is what an id names, in whatever workspace: a *Workspace, *EntityType, *Entity,
// *Edge, *Observation, *Entry or *Relation of package knowledge. NOT_FOUND where there is none.
func (s *Nodes) ByID(ctx context.Context, id string) (any, error) {
	if err := knowledge.CheckID("id", id); err != nil {
		return nil, err
	}
	prefix, _, _ := strings.Cut(id, "_")
	if prefix == knowledge.PrefixWorkspace {
		found, err := s.workspaces.ByIDs(ctx, []string{id})
		return one(found, id, err)
	}
	ws, err := s.store.WorkspaceOf(ctx, id)
	if err != nil {
		return nil, err
	}
	switch prefix {
	case knowledge.PrefixType:
		t, err := s.store.EntityType(ctx, id)
		if err != nil {
			return nil, err
		}
		return t, nil
	case knowledge.PrefixEntity:
		found, err := s.entities.ByIDs(ctx, ws, []string{id})
		return one(found, id, err)
	case knowledge.PrefixEdge:
		found, err := s.edges.ByIDs(ctx, ws, []string{id})
		return one(found, id, err)
	case knowledge.PrefixObservation:
		found, err := s.observations.ByIDs(ctx, ws, []string{id})
		return one(found, id, err)
	case knowledge.PrefixEntry:
		found, err := s.entries.ByIDs(ctx, ws, []string{id})
		return one(found, id, err)
	default:
		found, err := s.entries.RelationsByID(ctx, ws, []string{id})
		return one(found, id, err)
	}
}

// one is the thing of an id among those that were found.
func one[T any](found map[string]*T, id string, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	thing, ok := found[id]
	if !ok {
		return nil, knowledge.NotFound("id", "there is nothing of the id %q", id)
	}
	return thing, nil
}
