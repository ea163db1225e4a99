package cypher

import (
	"context"
	_ "embed"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/entity_list.cypher
var entityList statement

//go:embed queries/entity_count.cypher
var entityCount statement

//go:embed queries/entity_search.cypher
var entitySearch statement

//go:embed queries/entity_search_observations.cypher
var entitySearchObservations statement

//go:embed queries/entity_search_substring.cypher
var entitySearchSubstring statement

// orderFields are the properties that lists of entities are ordered by.
var orderFields = map[knowledge.EntityOrderField]string{
	knowledge.OrderByName: "normalizedName", knowledge.OrderByConfidence: "confidence",
	knowledge.OrderByCreatedAt: "createdAt", knowledge.OrderByLastSeenAt: "lastSeenAt",
}

// Entities lists the entities of a workspace that fit a filter, in an order with ties by
// id, from a position on (nil: from the start); backward turns the order round. It reads
// limit rows through the index of the order.
func (s *Store) Entities(ctx context.Context, workspaceID string, f knowledge.EntityFilter, order knowledge.EntityOrder, from *knowledge.Cursor, backward bool, limit int) ([]*knowledge.Entity, error) {
	field := orderFields[order.Field]
	if field == "" {
		return nil, knowledge.Invalid("orderBy.field", "is not a field that entities are ordered by")
	}
	params := filterParams(f, workspaceID)
	params["limit"] = limit
	condition := "e." + field + " IS NOT NULL" // lets the index of (workspaceId, field) serve
	ascending := (order.Direction == knowledge.Ascending) != backward
	if from != nil {
		key, err := orderValue(order.Field, from.Key)
		if err != nil {
			return nil, err
		}
		params["key"], params["id"] = key, from.ID
		condition = strings.NewReplacer("{f}", field, "{c}", map[bool]string{true: ">", false: "<"}[ascending]).
			Replace("e.{f} {c}= $key AND (e.{f} {c} $key OR e.id {c} $id)")
	}
	direction := map[bool]string{true: "ASC", false: "DESC"}[ascending]
	text := strings.NewReplacer("{{from}}", condition, "{{field}}", field, "{{direction}}", direction).Replace(string(entityList))
	return runText(ctx, s, entityList, text, params, scanEntity, neo4j.AccessModeRead)
}

func orderValue(field knowledge.EntityOrderField, key string) (any, error) {
	var v any = key
	var err error
	switch field {
	case knowledge.OrderByConfidence:
		v, err = strconv.ParseFloat(key, 64)
	case knowledge.OrderByCreatedAt, knowledge.OrderByLastSeenAt:
		v, err = time.Parse(time.RFC3339Nano, key)
	}
	if err != nil {
		return nil, knowledge.Invalid("after", "is not a cursor of this list")
	}
	return v, nil
}

// CountEntities is the number of entities of a workspace that fit a filter.
func (s *Store) CountEntities(ctx context.Context, workspaceID string, f knowledge.EntityFilter) (int, error) {
	rows, err := read(ctx, s, entityCount, filterParams(f, workspaceID), func(r row) int { return r.int("count") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

func filterParams(f knowledge.EntityFilter, workspaceID string) map[string]any {
	sources := make([]string, 0, len(f.Sources))
	for _, a := range f.Sources {
		sources = append(sources, string(a))
	}
	return map[string]any{
		"ws": workspaceID, "types": orEmpty(f.Types), "sources": sources, "nameContains": knowledge.NormalizeName(f.NameContains),
		"minConfidence": ptrValue(f.MinConfidence), "seenAfter": ptrValue(f.SeenAfter), "seenBefore": ptrValue(f.SeenBefore), "taskId": f.TaskID,
	}
}

// orEmpty is the list, never nil: a nil slice reaches the database as null.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// SearchEntities are candidates for a Lucene query over names and descriptions; the order
// and the index's own scores mean nothing (SPEC T9).
func (s *Store) SearchEntities(ctx context.Context, workspaceID, lucene string, limit int) ([]knowledge.EntityText, error) {
	return read(ctx, s, entitySearch, map[string]any{"ws": workspaceID, "query": lucene, "limit": limit}, func(r row) knowledge.EntityText {
		p := r.props("e")
		return knowledge.EntityText{Entity: scanEntity(r), SearchName: p.text("searchName"), SearchText: p.text("searchText")}
	})
}

// SearchObservations are entities with the analysed texts of the observations that a Lucene
// query finds, among the given types where there are any.
func (s *Store) SearchObservations(ctx context.Context, workspaceID, lucene string, types []string, limit int) ([]knowledge.EntityText, error) {
	params := map[string]any{"ws": workspaceID, "query": lucene, "types": orEmpty(types), "limit": limit}
	return read(ctx, s, entitySearchObservations, params, func(r row) knowledge.EntityText {
		return knowledge.EntityText{Entity: scanEntity(r), SearchText: strings.Join(r.texts("texts"), " ")}
	})
}

// EntitiesContaining are entities whose name or description contains a text, the surest and
// newest first (SPEC J17).
func (s *Store) EntitiesContaining(ctx context.Context, workspaceID, text string, types []string, limit int) ([]*knowledge.Entity, error) {
	params := map[string]any{"ws": workspaceID, "text": text, "types": orEmpty(types), "limit": limit}
	return read(ctx, s, entitySearchSubstring, params, scanEntity)
}

// EntitiesByName are all entities that have a name, an alias or a slug of a reference's name.
func (s *Store) EntitiesByName(ctx context.Context, workspaceID string, ref knowledge.EntityRef) ([]*knowledge.Entity, error) {
	row := map[string]any{"i": 0, "id": "", "key": knowledge.NormalizeName(ref.Name), "slug": knowledge.Slug(ref.Name), "type": ref.Type, "kind": "", "value": ""}
	return read(ctx, s, entityFind, map[string]any{"ws": workspaceID, "rows": []any{row}}, scanEntity)
}
