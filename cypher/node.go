package cypher

import (
	"context"
	_ "embed"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/node_workspace.cypher
var nodeWorkspace statement

//go:embed queries/node_relation_workspace.cypher
var nodeRelationWorkspace statement

//go:embed queries/entity_type_by_id.cypher
var entityTypeByID statement

// nodeLabels are the labels of what has an id, by the id's prefix.
var nodeLabels = map[string]string{
	knowledge.PrefixEntity: "Entity", knowledge.PrefixEdge: "Fact", knowledge.PrefixObservation: "Observation", knowledge.PrefixEntry: "Entry",
	knowledge.PrefixType: "EntityType",
}

// WorkspaceOf is the id of the workspace that holds the thing of an id; NOT_FOUND where
// there is none.
func (s *Store) WorkspaceOf(ctx context.Context, id string) (string, error) {
	prefix, _, _ := strings.Cut(id, "_")
	st, text := nodeRelationWorkspace, string(nodeRelationWorkspace)
	if label := nodeLabels[prefix]; label != "" {
		st, text = nodeWorkspace, strings.ReplaceAll(string(nodeWorkspace), "{{label}}", label)
	} else if prefix != knowledge.PrefixRelation {
		return "", knowledge.NotFound("id", "there is nothing of the id %q", id)
	}
	rows, err := runText(ctx, s, st, text, map[string]any{"id": id}, func(r row) string { return r.text("ws") }, neo4j.AccessModeRead)
	if err != nil {
		return "", err
	}
	if len(rows) == 0 {
		return "", knowledge.NotFound("id", "there is nothing of the id %q", id)
	}
	return rows[0], nil
}

// EntityType is the entity type of an id; NOT_FOUND where there is none.
func (s *Store) EntityType(ctx context.Context, id string) (*knowledge.EntityType, error) {
	rows, err := read(ctx, s, entityTypeByID, map[string]any{"id": id}, scanEntityType)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, knowledge.NotFound("id", "there is no entity type %q", id)
	}
	return rows[0], nil
}
