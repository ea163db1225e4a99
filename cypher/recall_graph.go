package cypher

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/recall_matches.cypher
var recallMatches statement

//go:embed queries/recall_edges.cypher
var recallEdges statement

// EntitiesBySlug are the entities that have one of the slugs, or an alias that does; by id.
func (s *Store) EntitiesBySlug(ctx context.Context, workspaceID string, slugs []string) ([]knowledge.NamedEntity, error) {
	rows := make([]any, len(slugs))
	for i, slug := range slugs {
		rows[i] = map[string]any{"slug": slug, "key": strings.ReplaceAll(slug, "-", " ")}
	}
	return read(ctx, s, recallMatches, map[string]any{"ws": workspaceID, "slugs": rows}, func(r row) knowledge.NamedEntity {
		return knowledge.NamedEntity{ID: r.text("id"), Name: r.text("name"), Type: r.text("type")}
	})
}

// maxExpansionEdges is how many edges are read for the expansion of one query.
const maxExpansionEdges = 200

// EdgesTouching are the edges that touch entities at a moment and that a scope permits, by
// their names, the oldest first; at most 200.
func (s *Store) EdgesTouching(ctx context.Context, workspaceID string, entityIDs []string, at knowledge.TimePoint, now time.Time, scope knowledge.Scope) ([]knowledge.NamedEdge, error) {
	params := visibleParams(map[string]any{"ws": workspaceID, "ids": entityIDs, "limit": maxExpansionEdges}, at, now)
	text := strings.ReplaceAll(string(recallEdges), "{{visible}}", visible(at)+inScope(scope, params))
	return runText(ctx, s, recallEdges, text, params, func(r row) knowledge.NamedEdge {
		return knowledge.NamedEdge{
			From: knowledge.NamedEntity{ID: r.text("fromId"), Name: r.text("fromName")}, To: knowledge.NamedEntity{ID: r.text("toId"), Name: r.text("toName")}, Type: r.text("type"),
		}
	}, neo4j.AccessModeRead)
}
