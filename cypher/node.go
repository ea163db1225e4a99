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
	knowledge.PrefixType: "EntityType", knowledge.PrefixMessage: "Message", knowledge.PrefixSourceFile: "SourceFile", knowledge.PrefixJob: "Job",
	knowledge.PrefixCodeFile: "CodeNode", knowledge.PrefixCodeSymbol: "CodeNode", knowledge.PrefixCodePackage: "CodeNode",
}

// WorkspacesOf are the ids of the workspaces that hold things of one kind, by the
// things' ids: those that exist. The kind is an id's prefix.
func (s *Store) WorkspacesOf(ctx context.Context, kind string, ids []string) (map[string]string, error) {
	st, text := nodeRelationWorkspace, string(nodeRelationWorkspace)
	if label := nodeLabels[kind]; label != "" {
		st, text = nodeWorkspace, strings.ReplaceAll(string(nodeWorkspace), "{{label}}", label)
	} else if kind != knowledge.PrefixRelation {
		return map[string]string{}, nil
	}
	if kind == knowledge.PrefixEntity {
		// An entity that was merged away is still found, as the one that it became part of.
		text += "\nUNION\n" + strings.ReplaceAll(string(nodeWorkspace), "{{label}}", "Redirect")
	}
	rows, err := runText(ctx, s, st, text, map[string]any{"ids": ids}, func(r row) [2]string { return [2]string{r.text("id"), r.text("ws")} }, neo4j.AccessModeRead)
	out := make(map[string]string, len(rows))
	for _, pair := range rows {
		out[pair[0]] = pair[1]
	}
	return out, err
}

// EntityTypesByID are the entity types of ids, those that exist.
func (s *Store) EntityTypesByID(ctx context.Context, ids []string) ([]*knowledge.EntityType, error) {
	return read(ctx, s, entityTypeByID, map[string]any{"ids": ids}, scanEntityType)
}
