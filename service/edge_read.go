package service

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"mneme/knowledge"
)

// EdgeQuery selects edges of an entity; no types means all.
type EdgeQuery struct {
	Direction knowledge.Direction
	Types     []string
	At        knowledge.TimePoint
	Scope     knowledge.Scope // zero: everything
}

// ByIDs are the edges of ids, those that exist in the workspace.
func (s *Edges) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Edge, error) {
	found, err := s.c.Store.EdgesByID(ctx, workspaceID, ids)
	out := make(map[string]*knowledge.Edge, len(found))
	for _, e := range found {
		out[e.ID] = e
	}
	return out, err
}

// OfEntities pages forward through the edges of each of several entities, best
// confidence first, then oldest (SPEC B24); a page for every id, empty for what is not
// there. A cursor goes with a single id. Where a past state of knowledge is asked for,
// an edge has the end that was known then.
func (s *Edges) OfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EdgeQuery, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Edge], error) {
	walk, err := walkOf(ctx, s.c.Lists, workspaceID, "types", q.Types, q.Direction, q.At, s.now())
	if err != nil {
		return nil, err
	}
	walk.Scope = q.Scope
	return forwardPages(entityIDs, page, func(from *knowledge.Cursor, limit int) (map[string][]*knowledge.Edge, error) {
		position, err := edgePosition(from)
		if err != nil {
			return nil, err
		}
		edges, err := s.c.Lists.EdgesOf(ctx, workspaceID, entityIDs, walk, position, limit)
		for id := range edges {
			edges[id] = seenAt(edges[id], walk)
		}
		return edges, err
	}, edgeCursor)
}

// CountOfEntities are the numbers of entities' edges, by entity id.
func (s *Edges) CountOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EdgeQuery) (map[string]int, error) {
	walk, err := walkOf(ctx, s.c.Lists, workspaceID, "types", q.Types, q.Direction, q.At, s.now())
	if err != nil {
		return nil, err
	}
	walk.Scope = q.Scope
	return s.c.Lists.CountEdgesOf(ctx, workspaceID, entityIDs, walk)
}

// Supports are what edges rest on, by edge id, oldest first. A support without a
// document, task or message is a writer's own word.
func (s *Edges) Supports(ctx context.Context, workspaceID string, edgeIDs []string) (map[string][]*knowledge.Support, error) {
	return s.c.Supports.SupportsOf(ctx, workspaceID, knowledge.SupportedFact, edgeIDs)
}

// walkOf checks what edges are asked for, and finds out which of their types go both ways.
func walkOf(ctx context.Context, types interface {
	SymmetricEdgeTypes(ctx context.Context, workspaceID string) ([]string, error)
}, workspaceID, field string, filter []string, direction knowledge.Direction, at knowledge.TimePoint, now time.Time,
) (knowledge.Walk, error) {
	keys, err := knowledge.EdgeTypeFilter(field, filter)
	if err != nil {
		return knowledge.Walk{}, err
	}
	at.AsOf, at.KnownAt = knowledge.MomentOf(at.AsOf), knowledge.MomentOf(at.KnownAt)
	walk := knowledge.Walk{Types: keys, Direction: direction, At: at, Now: now}
	switch direction {
	case "":
		walk.Direction = knowledge.Both
	case knowledge.Both:
	case knowledge.Outgoing, knowledge.Incoming:
		symmetric, err := types.SymmetricEdgeTypes(ctx, workspaceID)
		if err != nil {
			return walk, err
		}
		for _, key := range symmetric {
			if len(keys) == 0 || slices.Contains(keys, key) {
				walk.Symmetric = append(walk.Symmetric, key)
			}
		}
	default:
		return walk, knowledge.Invalid("direction", "is not a direction")
	}
	return walk, nil
}

// seenAt are edges as they were known at the moment of a walk.
func seenAt(edges []*knowledge.Edge, walk knowledge.Walk) []*knowledge.Edge {
	if walk.At.KnownAt == nil {
		return edges
	}
	out := make([]*knowledge.Edge, 0, len(edges))
	for _, e := range edges {
		if seen := e.KnownAt(*walk.At.KnownAt); seen != nil {
			out = append(out, seen)
		}
	}
	return out
}

// edgeCursor is the place of an edge in the order of SPEC B24.
func edgeCursor(e *knowledge.Edge) knowledge.Cursor {
	return knowledge.Cursor{Key: strconv.FormatFloat(e.Confidence, 'g', -1, 64) + " " + e.CreatedAt.UTC().Format(time.RFC3339Nano), ID: e.ID}
}

func edgePosition(c *knowledge.Cursor) (*knowledge.EdgePosition, error) {
	if c == nil {
		return nil, nil //nolint:nilnil // no cursor is the start of the list
	}
	confidence, created, _ := strings.Cut(c.Key, " ")
	n, err := strconv.ParseFloat(confidence, 64)
	at, timeErr := time.Parse(time.RFC3339Nano, created)
	if err != nil || timeErr != nil {
		return nil, knowledge.Invalid("after", "is not a cursor of this list")
	}
	return &knowledge.EdgePosition{Confidence: n, CreatedAt: at.UTC(), ID: c.ID}, nil
}
