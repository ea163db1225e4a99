package cypher

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/entry_by_ids.cypher
var entryByIDs statement

//go:embed queries/entry_by_refs.cypher
var entryByRefs statement

//go:embed queries/entry_list.cypher
var entryList statement

//go:embed queries/entry_count.cypher
var entryCount statement

//go:embed queries/entry_of_entities.cypher
var entryOfEntities statement

//go:embed queries/entry_count_of_entities.cypher
var entryCountOfEntities statement

//go:embed queries/entry_superseded_by.cypher
var entrySupersededBy statement

// entryFilter is the condition that an entry n fits a filter and is seen at a moment.
// It takes the parameters of entryFilterParams.
const entryFilter = `(size($types) = 0 OR n.type IN $types)
  AND (size($sources) = 0 OR n.source IN $sources)
  AND ($threadId = '' OR n.threadId = $threadId)
  AND ($sourceId = '' OR n.sourceId = $sourceId)
  AND all(tag IN $tags WHERE tag IN n.tags)
  AND ($minConfidence IS NULL OR n.confidence >= $minConfidence)
  AND ($createdAfter IS NULL OR n.createdAt > $createdAfter)
  AND ($createdBefore IS NULL OR n.createdAt < $createdBefore)
  AND ($expired OR n.expiresAt IS NULL OR n.expiresAt > $now)
  AND {{visible}}`

func entryFilterParams(workspaceID string, f knowledge.EntryFilter, at knowledge.TimePoint, now time.Time) map[string]any {
	return visibleParams(map[string]any{
		"ws": workspaceID, "types": words(f.Types), "sources": words(f.Sources), "threadId": f.ThreadID, "sourceId": f.SourceID,
		"tags": orEmpty(f.Tags), "minConfidence": ptrValue(f.MinConfidence), "createdAfter": ptrValue(f.CreatedAfter),
		"createdBefore": ptrValue(f.CreatedBefore), "expired": f.IncludeExpired, "now": now,
	}, at, now)
}

func words[T ~string](list []T) []string {
	out := make([]string, len(list))
	for i, x := range list {
		out[i] = string(x)
	}
	return out
}

// entrySource is where a list of entries starts: what of the filter finds the fewest
// through an index.
func entrySource(q knowledge.EntryListQuery) string {
	f := q.Filter
	switch {
	case q.ContactID != "":
		return "(:Entity {id: $contactId})<-[:ABOUT]-(n:Entry {workspaceId: $ws})"
	case f.SourceID != "":
		return "(n:Entry {workspaceId: $ws, sourceId: $sourceId})"
	case f.ThreadID != "":
		return "(n:Entry {workspaceId: $ws, threadId: $threadId})"
	default:
		return "(n:Entry {workspaceId: $ws})"
	}
}

// fromPosition is the condition that a row lies behind a position of an order by createdAt and id.
func fromPosition(alias string, from *knowledge.Cursor, ascending bool, params map[string]any) (string, error) {
	if from == nil {
		return alias + ".createdAt IS NOT NULL", nil // lets the index of (workspaceId, createdAt) serve
	}
	key, err := time.Parse(time.RFC3339Nano, from.Key)
	if err != nil {
		return "", knowledge.Invalid("after", "is not a cursor of this list")
	}
	params["key"], params["id"] = key, from.ID
	compare := map[bool]string{true: ">", false: "<"}[ascending]
	return strings.NewReplacer("{n}", alias, "{c}", compare).Replace("{n}.createdAt {c}= $key AND ({n}.createdAt {c} $key OR {n}.id {c} $id)"), nil
}

func orderWord(ascending bool) string { return map[bool]string{true: "ASC", false: "DESC"}[ascending] }

// Entries lists the entries that fit a filter, newest first, from a position on (nil:
// from the start); backward turns the order round.
func (s *Store) Entries(ctx context.Context, workspaceID string, q knowledge.EntryListQuery) ([]*knowledge.Entry, error) {
	params := entryFilterParams(workspaceID, q.Filter, q.At, q.Now)
	params["limit"], params["contactId"] = q.Limit, q.ContactID
	from, err := fromPosition("n", q.From, q.Backward, params)
	if err != nil {
		return nil, err
	}
	text := entryText(entryList, q.At, "{{source}}", entrySource(q), "{{from}}", from, "{{direction}}", orderWord(q.Backward))
	return runText(ctx, s, entryList, text, params, scanEntry, neo4j.AccessModeRead)
}

// CountEntries is the number of entries that fit a filter.
func (s *Store) CountEntries(ctx context.Context, workspaceID string, q knowledge.EntryListQuery) (int, error) {
	params := entryFilterParams(workspaceID, q.Filter, q.At, q.Now)
	params["contactId"] = q.ContactID
	rows, err := runText(ctx, s, entryCount, entryText(entryCount, q.At, "{{source}}", entrySource(q)), params, func(r row) int { return r.int("count") }, neo4j.AccessModeRead)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// EntriesOfEntities are the entries that are about entities or mention them, by entity,
// in the order of Entries, up to the limit for each.
func (s *Store) EntriesOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q knowledge.EntryListQuery) (map[string][]*knowledge.Entry, error) {
	params := entryFilterParams(workspaceID, q.Filter, q.At, q.Now)
	params["limit"], params["ids"] = q.Limit, entityIDs
	from, err := fromPosition("n", q.From, q.Backward, params)
	if err != nil {
		return nil, err
	}
	type found struct {
		entityID string
		entry    *knowledge.Entry
	}
	text := entryText(entryOfEntities, q.At, "{{from}}", from, "{{direction}}", orderWord(q.Backward))
	rows, err := runText(ctx, s, entryOfEntities, text, params, func(r row) found { return found{r.text("entityId"), scanEntry(r)} }, neo4j.AccessModeRead)
	if err != nil {
		return nil, err
	}
	out := make(map[string][]*knowledge.Entry)
	for _, f := range rows {
		out[f.entityID] = append(out[f.entityID], f.entry)
	}
	return out, nil
}

// CountEntriesOfEntities are the numbers of entries that are about entities or mention them.
func (s *Store) CountEntriesOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q knowledge.EntryListQuery) (map[string]int, error) {
	params := entryFilterParams(workspaceID, q.Filter, q.At, q.Now)
	params["ids"] = entityIDs
	return s.countsBy(ctx, entryCountOfEntities, entryText(entryCountOfEntities, q.At), params, "entityId")
}

// countsBy reads rows of an id and a count.
func (s *Store) countsBy(ctx context.Context, st statement, text string, params map[string]any, id string) (map[string]int, error) {
	out := make(map[string]int)
	_, err := runText(ctx, s, st, text, params, func(r row) struct{} {
		out[r.text(id)] = r.int("count")
		return struct{}{}
	}, neo4j.AccessModeRead)
	return out, err
}

// EntriesByID are the entries of ids, those that exist.
func (s *Store) EntriesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error) {
	return runText(ctx, s, entryByIDs, entryText(entryByIDs, knowledge.TimePoint{}), map[string]any{"ws": workspaceID, "ids": ids}, scanEntry, neo4j.AccessModeRead)
}

// EntriesByRef are the entries that each reference names, at most two of each.
func (s *Store) EntriesByRef(ctx context.Context, workspaceID string, refs []knowledge.EntryRef) ([][]*knowledge.Entry, error) {
	rows := make([]any, len(refs))
	for i, ref := range refs {
		rows[i] = map[string]any{"i": i, "id": ref.ID, "sourceId": ref.SourceID}
	}
	out := make([][]*knowledge.Entry, len(refs))
	_, err := runText(ctx, s, entryByRefs, entryText(entryByRefs, knowledge.TimePoint{}), map[string]any{"ws": workspaceID, "refs": rows}, func(r row) struct{} {
		out[r.int("i")] = append(out[r.int("i")], scanEntry(r))
		return struct{}{}
	}, neo4j.AccessModeRead)
	return out, err
}

// SupersededBy are the newest entries that supersede others, by the superseded one's id.
func (s *Store) SupersededBy(ctx context.Context, workspaceID string, ids []string, now time.Time) (map[string]*knowledge.Entry, error) {
	out := make(map[string]*knowledge.Entry)
	_, err := runText(ctx, s, entrySupersededBy, entryText(entrySupersededBy, knowledge.TimePoint{}), map[string]any{"ws": workspaceID, "ids": ids, "now": now}, func(r row) struct{} {
		out[r.text("id")] = scanEntry(r)
		return struct{}{}
	}, neo4j.AccessModeRead)
	return out, err
}
