package cypher

import (
	"context"
	_ "embed"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/restore_begin.cypher
var restoreBegin statement

//go:embed queries/restore_end.cypher
var restoreEnd statement

//go:embed queries/restore_workspace.cypher
var restoreWorkspace statement

//go:embed queries/restore_entity_types.cypher
var restoreEntityTypes statement

//go:embed queries/restore_taken.cypher
var restoreTaken statement

//go:embed queries/restore_taken_relations.cypher
var restoreTakenRelations statement

//go:embed queries/restore_access.cypher
var restoreAccess statement

// BeginRestore marks a workspace that holds nothing as one that an export is restored
// into; true where it now carries this mark, also from an earlier restore that was cut off.
func (s *Store) BeginRestore(ctx context.Context, workspaceID, mark string) (bool, error) {
	rows, err := write(ctx, s, restoreBegin, map[string]any{"ws": workspaceID, "mark": mark}, func(r row) bool { return r.bool("raw") })
	return len(rows) == 1 && rows[0], err
}

// EndRestore takes the mark away.
func (s *Store) EndRestore(ctx context.Context, workspaceID string) error {
	return exec(ctx, s, restoreEnd, map[string]any{"ws": workspaceID})
}

// AdoptWorkspaceID gives an empty workspace another id, with its types and what was noted
// of it, and gives the id that it has now: its own where the other is taken.
func (s *Store) AdoptWorkspaceID(ctx context.Context, workspaceID, id string) (string, error) {
	rows, err := write(ctx, s, restoreWorkspace, map[string]any{"ws": workspaceID, "id": id}, func(r row) string { return r.text("id") })
	if err != nil {
		return "", err
	}
	if len(rows) != 1 {
		return "", errGone
	}
	return rows[0], nil
}

// RestoreEntityTypes makes entity types what an export says they are, their ids and times
// included as far as the ids are free.
func (s *Store) RestoreEntityTypes(ctx context.Context, workspaceID string, types []*knowledge.EntityType) error {
	rows := make([]any, 0, len(types))
	for _, t := range types {
		rows = append(rows, map[string]any{"key": t.Key, "id": t.ID, "set": map[string]any{
			"label": t.Label, "description": ptrValue(t.Description), "color": ptrValue(t.Color), "icon": ptrValue(t.Icon),
			"builtIn": t.BuiltIn, "createdAt": t.CreatedAt,
		}})
	}
	return exec(ctx, s, restoreEntityTypes, map[string]any{"ws": workspaceID, "rows": rows})
}

// TakenIDs are the workspaces that have things of ids, of one kind, by id.
func (s *Store) TakenIDs(ctx context.Context, kind knowledge.ExportKind, ids []string) (map[string]string, error) {
	st, text := restoreTaken, strings.ReplaceAll(string(restoreTaken), "{{label}}", string(kind))
	if kind == knowledge.ExportRelations {
		st, text = restoreTakenRelations, string(restoreTakenRelations)
	}
	taken := make(map[string]string)
	_, err := runText(ctx, s, st, text, map[string]any{"ids": ids}, func(r row) struct{} {
		taken[r.text("id")] = r.text("workspaceId")
		return struct{}{}
	}, neo4j.AccessModeRead)
	return taken, err
}

// SetAccess sets how often entries were recalled, and when last.
func (s *Store) SetAccess(ctx context.Context, entries []*knowledge.Entry) error {
	var rows []any
	for _, e := range entries {
		if e.AccessCount > 0 || e.LastAccessedAt != nil {
			rows = append(rows, map[string]any{"id": e.ID, "count": e.AccessCount, "at": ptrValue(e.LastAccessedAt)})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return exec(ctx, s, restoreAccess, map[string]any{"rows": rows})
}
