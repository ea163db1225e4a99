package cypher

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/export_ids.cypher
var exportIDs statement

//go:embed queries/export_ids_known.cypher
var exportIDsKnown statement

//go:embed queries/export_relation_ids.cypher
var exportRelationIDs statement

//go:embed queries/export_auto_mentions.cypher
var exportAutoMentions statement

// ExportIDs are the ids of all that a workspace holds of one kind, sorted: edges and
// entries that are seen at a moment, and of the rest what was told by then.
func (s *Store) ExportIDs(ctx context.Context, workspaceID string, kind knowledge.ExportKind, at knowledge.TimePoint, now time.Time) ([]string, error) {
	st, text := exportIDsKnown, ""
	params := map[string]any{"ws": workspaceID, "knownAt": ptrValue(at.KnownAt)}
	switch kind {
	case knowledge.ExportRelations:
		st = exportRelationIDs
		text = string(st)
	case knowledge.ExportEdges, knowledge.ExportEntries:
		st = exportIDs
		text = strings.ReplaceAll(withVisible(st, at), "{{label}}", string(kind))
		params = visibleParams(params, at, now)
	default:
		text = strings.ReplaceAll(string(st), "{{label}}", string(kind))
	}
	ids, err := runText(ctx, s, st, text, params, func(r row) string { return r.text("id") }, neo4j.AccessModeRead)
	slices.Sort(ids)
	return ids, err
}

// AutoMentions are the ids of the entities that were found in the texts of entries, by entry.
func (s *Store) AutoMentions(ctx context.Context, workspaceID string, entryIDs []string) (map[string][]string, error) {
	out := make(map[string][]string)
	_, err := read(ctx, s, exportAutoMentions, map[string]any{"ws": workspaceID, "ids": entryIDs}, func(r row) struct{} {
		out[r.text("id")] = append(out[r.text("id")], r.text("mentioned"))
		return struct{}{}
	})
	return out, err
}
