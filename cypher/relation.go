package cypher

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/relation_find.cypher
var relationFind statement

//go:embed queries/relation_create.cypher
var relationCreate statement

//go:embed queries/relation_update.cypher
var relationUpdate statement

//go:embed queries/relation_by_ids.cypher
var relationByIDs statement

//go:embed queries/relation_delete.cypher
var relationDelete statement

//go:embed queries/relation_drain.cypher
var relationDrain statement

//go:embed queries/relation_of_entries.cypher
var relationOfEntries statement

//go:embed queries/relation_count_of_entries.cypher
var relationCountOfEntries statement

// relationBatch is how many relations are removed at once (SPEC K8).
const relationBatch = 500

// relationPrefix begins the relationship types between entries (SPEC T20).
const relationPrefix = "ENTRY_"

// relationLabel is the relationship type of a relation type, which comes from a closed
// list, so that nothing else reaches a statement.
func relationLabel(t knowledge.RelationType) string {
	if !t.Valid() {
		return relationPrefix + "NONE"
	}
	return relationPrefix + strings.ToUpper(string(t))
}

func withRelationType(st statement, t knowledge.RelationType) string {
	return strings.ReplaceAll(string(st), "{{type}}", relationLabel(t))
}

// Relation is the relation of a type from one entry to another; NOT_FOUND where there is none.
func (s *Store) Relation(ctx context.Context, fromID, toID string, t knowledge.RelationType) (*knowledge.Relation, error) {
	rows, err := runText(ctx, s, relationFind, withRelationType(relationFind, t), map[string]any{"fromId": fromID, "toId": toID}, scanRelation, neo4j.AccessModeRead)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, knowledge.NotFound("", "there is no such relation")
	}
	return rows[0], nil
}

// InsertRelation stores a new relation.
func (s *Store) InsertRelation(ctx context.Context, r *knowledge.Relation) error {
	_, err := runText(ctx, s, relationCreate, withRelationType(relationCreate, r.Type),
		map[string]any{"fromId": r.FromID, "toId": r.ToID, "props": relationProps(r)}, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
	return err
}

// UpdateRelation stores the evidence of a relation anew.
func (s *Store) UpdateRelation(ctx context.Context, r *knowledge.Relation) error {
	_, err := runText(ctx, s, relationUpdate, withRelationType(relationUpdate, r.Type),
		map[string]any{"fromId": r.FromID, "id": r.ID, "props": relationProps(r)}, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
	return err
}

// DeleteRelation removes a relation; false where it is gone.
func (s *Store) DeleteRelation(ctx context.Context, r *knowledge.Relation) (bool, error) {
	rows, err := runText(ctx, s, relationDelete, withRelationType(relationDelete, r.Type), map[string]any{"fromId": r.FromID, "id": r.ID},
		func(r row) int { return r.int("deleted") }, neo4j.AccessModeWrite)
	return len(rows) == 1 && rows[0] > 0, err
}

func (s *Store) drainRelations(ctx context.Context, entryID string) (int, error) {
	rows, err := write(ctx, s, relationDrain, map[string]any{"id": entryID, "limit": relationBatch}, func(r row) int { return r.int("deleted") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// RelationsByID are the relations of ids, those that exist and whose ends are both to be seen.
func (s *Store) RelationsByID(ctx context.Context, workspaceID string, ids []string, now time.Time) ([]*knowledge.Relation, error) {
	return read(ctx, s, relationByIDs, map[string]any{"ws": workspaceID, "ids": ids, "now": now}, scanRelation)
}

// RelationsOf are the relations of entries, by entry, oldest first, up to the limit for each.
func (s *Store) RelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q knowledge.RelationListQuery) (map[string][]*knowledge.Relation, error) {
	params := relationParams(workspaceID, entryIDs, q)
	params["limit"] = q.Limit
	from, err := fromPosition("r", q.From, true, params)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(relationOfEntries), "{{from}}", from)
	out := make(map[string][]*knowledge.Relation)
	_, err = runText(ctx, s, relationOfEntries, text, params, func(r row) struct{} {
		id := r.text("entryId")
		out[id] = append(out[id], scanRelation(r))
		return struct{}{}
	}, neo4j.AccessModeRead)
	return out, err
}

// CountRelationsOf are the numbers of relations of entries, by entry.
func (s *Store) CountRelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q knowledge.RelationListQuery) (map[string]int, error) {
	return s.countsBy(ctx, relationCountOfEntries, string(relationCountOfEntries), relationParams(workspaceID, entryIDs, q), "entryId")
}

func relationParams(workspaceID string, entryIDs []string, q knowledge.RelationListQuery) map[string]any {
	types := make([]string, len(q.Types))
	for i, t := range q.Types {
		types[i] = relationLabel(t)
	}
	return map[string]any{
		"ws": workspaceID, "ids": entryIDs, "types": types, "now": q.Now,
		"outgoing": q.Direction != knowledge.Incoming, "incoming": q.Direction != knowledge.Outgoing,
	}
}

func relationProps(r *knowledge.Relation) map[string]any {
	return map[string]any{
		"id": r.ID, "workspaceId": r.WorkspaceID, "confidenceTag": string(r.ConfidenceTag), "confidence": r.Confidence, "weight": ptrValue(r.Weight),
		"provenance": string(r.Provenance), "rationale": ptrValue(r.Rationale), "origin": nullable(r.Origin), "createdAt": r.CreatedAt, "updatedAt": r.UpdatedAt,
	}
}

func scanRelation(r row) *knowledge.Relation {
	return relationOf(r.props("r"), r.text("fromId"), r.text("toId"), r.text("type"))
}

func relationOf(p props, fromID, toID, label string) *knowledge.Relation {
	return &knowledge.Relation{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), FromID: fromID, ToID: toID,
		Type:          knowledge.RelationType(strings.ToLower(strings.TrimPrefix(label, relationPrefix))),
		ConfidenceTag: knowledge.ConfidenceTag(p.text("confidenceTag")), Confidence: p.float("confidence"), Weight: p.floatPtr("weight"),
		Provenance: knowledge.Provenance(p.text("provenance")), Rationale: p.textPtr("rationale"), Origin: p.text("origin"), CreatedAt: p.time("createdAt"), UpdatedAt: p.time("updatedAt"),
	}
}
