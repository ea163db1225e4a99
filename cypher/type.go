package cypher

import (
	"context"
	_ "embed"
	"time"

	"mneme/knowledge"
)

//go:embed queries/entity_type_merge.cypher
var entityTypeMerge statement

//go:embed queries/entity_type_list.cypher
var entityTypeList statement

//go:embed queries/entity_type_counts.cypher
var entityTypeCounts statement

//go:embed queries/edge_type_merge.cypher
var edgeTypeMerge statement

//go:embed queries/edge_type_list.cypher
var edgeTypeList statement

//go:embed queries/edge_type_counts.cypher
var edgeTypeCounts statement

// PutEntityTypes stores entity types; one that exists keeps its id and creation time, and takes
// what is given of label, description, colour and icon.
func (s *Store) PutEntityTypes(ctx context.Context, workspaceID string, types []*knowledge.EntityType) error {
	if len(types) == 0 {
		return nil
	}
	rows := make([]any, 0, len(types))
	for _, t := range types {
		set := map[string]any{"label": t.Label}
		for key, value := range map[string]*string{"description": t.Description, "color": t.Color, "icon": t.Icon} {
			if value != nil {
				set[key] = *value
			}
		}
		rows = append(rows, map[string]any{"key": t.Key, "create": map[string]any{"id": t.ID, "name": t.Key, "builtIn": t.BuiltIn, "createdAt": t.CreatedAt}, "set": set})
	}
	return exec(ctx, s, entityTypeMerge, map[string]any{"ws": workspaceID, "rows": rows})
}

// EntityTypes are a workspace's entity types: built-ins first, then by key (SPEC A7).
func (s *Store) EntityTypes(ctx context.Context, workspaceID string) ([]*knowledge.EntityType, error) {
	return read(ctx, s, entityTypeList, map[string]any{"ws": workspaceID}, scanEntityType)
}

func scanEntityType(r row) *knowledge.EntityType {
	p := r.props("t")
	return &knowledge.EntityType{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), Key: p.text("key"), Label: p.text("label"), Description: p.textPtr("description"),
		Color: p.textPtr("color"), Icon: p.textPtr("icon"), BuiltIn: p.bool("builtIn"), CreatedAt: p.time("createdAt"),
	}
}

// EntityTypeCounts are the numbers of entities by type.
func (s *Store) EntityTypeCounts(ctx context.Context, workspaceID string) (map[string]int, error) {
	return s.counts(ctx, entityTypeCounts, map[string]any{"ws": workspaceID})
}

// EdgeTypeCounts are the numbers of edges that hold at a moment, by type.
func (s *Store) EdgeTypeCounts(ctx context.Context, workspaceID string, now time.Time) (map[string]int, error) {
	return s.counts(ctx, edgeTypeCounts, map[string]any{"ws": workspaceID, "now": now})
}

func (s *Store) counts(ctx context.Context, st statement, params map[string]any) (map[string]int, error) {
	rows, err := read(ctx, s, st, params, func(r row) knowledge.Count { return knowledge.Count{Key: r.text("key"), Count: r.int("count")} })
	out := make(map[string]int, len(rows))
	for _, c := range rows {
		out[c.Key] = c.Count
	}
	return out, err
}

// PutEdgeTypes stores how edge types behave; with declare, an existing one takes the new behaviour.
func (s *Store) PutEdgeTypes(ctx context.Context, workspaceID string, types []*knowledge.EdgeType, declare bool) error {
	if len(types) == 0 {
		return nil
	}
	rows := make([]any, 0, len(types))
	for _, t := range types {
		rows = append(rows, map[string]any{"key": t.Key, "builtIn": t.BuiltIn, "set": map[string]any{
			"singleValued": t.SingleValued, "symmetric": t.Symmetric, "inverseLabel": ptrValue(t.InverseLabel),
		}})
	}
	return exec(ctx, s, edgeTypeMerge, map[string]any{"ws": workspaceID, "rows": rows, "declare": declare})
}

// EdgeTypes are a workspace's edge types: built-ins first, then by key.
func (s *Store) EdgeTypes(ctx context.Context, workspaceID string) ([]*knowledge.EdgeType, error) {
	return read(ctx, s, edgeTypeList, map[string]any{"ws": workspaceID}, scanEdgeType)
}

func scanEdgeType(r row) *knowledge.EdgeType {
	p := r.props("t")
	return &knowledge.EdgeType{
		WorkspaceID: p.text("workspaceId"),
		Key:         p.text("key"), BuiltIn: p.bool("builtIn"), SingleValued: p.bool("singleValued"), Symmetric: p.bool("symmetric"), InverseLabel: p.textPtr("inverseLabel"),
	}
}
