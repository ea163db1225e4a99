package service

import (
	"context"
	"strings"

	"mneme/knowledge"
)

// NodeStore tells where things are.
type NodeStore interface {
	// WorkspacesOf are the workspaces that hold things of one kind (an id's prefix), by the things' ids.
	WorkspacesOf(ctx context.Context, kind string, ids []string) (map[string]string, error)
	EntityTypesByID(ctx context.Context, ids []string) ([]*knowledge.EntityType, error)
}

// Nodes finds anything that has an id.
type Nodes struct {
	store        NodeStore
	workspaces   *Workspaces
	entities     *Entities
	edges        *Edges
	observations *Observations
	entries      *Entries
	messages     *Messages
	files        *Files
	jobs         *Jobs
	code         *Code
}

// NewNodes makes the look-up of anything that has an id.
func NewNodes(store NodeStore, s *Services) *Nodes {
	return &Nodes{
		store: store, workspaces: s.Workspaces, entities: s.Entities, edges: s.Edges, observations: s.Observations, entries: s.Entries,
		messages: s.Messages, files: s.Files, jobs: s.Jobs, code: s.Code,
	}
}

// ByIDs is what ids name, in whatever workspace: a *Workspace, *EntityType, *Entity,
// *Edge, *Observation, *Entry, *Relation, *Message, *SourceFile, *Job, *CodeFile,
// *CodeSymbol or *CodePackage of package knowledge each. Ids that name nothing are left out.
func (s *Nodes) ByIDs(ctx context.Context, ids []string) (map[string]any, error) {
	kinds := map[string][]string{}
	for _, id := range ids {
		if knowledge.CheckID("ids", id) == nil {
			kind, _, _ := strings.Cut(id, "_")
			kinds[kind] = append(kinds[kind], id)
		}
	}
	out := make(map[string]any, len(ids))
	for kind, of := range kinds {
		if err := s.ofKind(ctx, kind, of, out); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (s *Nodes) ofKind(ctx context.Context, kind string, ids []string, out map[string]any) error {
	switch kind {
	case knowledge.PrefixWorkspace:
		found, err := s.workspaces.ByIDs(ctx, ids)
		return gather(out, found, err)
	case knowledge.PrefixType:
		types, err := s.store.EntityTypesByID(ctx, ids)
		for _, t := range types {
			out[t.ID] = t
		}
		return err
	}
	holders, err := s.store.WorkspacesOf(ctx, kind, ids)
	if err != nil {
		return err
	}
	byWorkspace := map[string][]string{}
	for id, ws := range holders {
		byWorkspace[ws] = append(byWorkspace[ws], id)
	}
	for ws, of := range byWorkspace {
		if err := s.inWorkspace(ctx, kind, ws, of, out); err != nil {
			return err
		}
	}
	return nil
}

func (s *Nodes) inWorkspace(ctx context.Context, kind, ws string, ids []string, out map[string]any) error {
	switch kind {
	case knowledge.PrefixEntity:
		found, err := s.entities.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixEdge:
		found, err := s.edges.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixObservation:
		found, err := s.observations.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixEntry:
		found, err := s.entries.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixMessage:
		found, err := s.messages.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixSourceFile:
		found, err := s.files.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixJob:
		found, err := s.jobs.ByIDs(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixCodeFile:
		found, err := s.code.FilesByID(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixCodeSymbol:
		found, err := s.code.SymbolsByID(ctx, ws, ids)
		return gather(out, found, err)
	case knowledge.PrefixCodePackage:
		found, err := s.code.PackagesByID(ctx, ws, ids)
		return gather(out, found, err)
	default:
		found, err := s.entries.RelationsByID(ctx, ws, ids)
		return gather(out, found, err)
	}
}

func gather[T any](out map[string]any, found map[string]*T, err error) error {
	for id, thing := range found {
		out[id] = thing
	}
	return err
}
