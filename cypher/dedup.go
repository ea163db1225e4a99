package cypher

import (
	"context"
	_ "embed"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/upkeep_contacts.cypher
var upkeepContacts statement

//go:embed queries/dedup_entries.cypher
var dedupEntries statement

//go:embed queries/dedup_apart.cypher
var dedupApart statement

//go:embed queries/dedup_degrees.cypher
var dedupDegrees statement

//go:embed queries/dedup_relations.cypher
var dedupRelations statement

//go:embed queries/dedup_relations_with.cypher
var dedupRelationsWith statement

//go:embed queries/dedup_relations_drop.cypher
var dedupRelationsDrop statement

//go:embed queries/dedup_parts.cypher
var dedupParts statement

//go:embed queries/dedup_fold.cypher
var dedupFold statement

// ContactsInOrder are the entities of a workspace that entries are about, oldest first.
func (s *Store) ContactsInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entity, error) {
	return page(ctx, s, upkeepContacts, "e", map[string]any{"ws": workspaceID, "limit": limit}, from, func(r row) *knowledge.Entity { return entityOf(r.props("e"), nil) })
}

// EntriesToCompare are the newest entries about a contact that hold without an end and
// have a vector of a model.
func (s *Store) EntriesToCompare(ctx context.Context, workspaceID, contactID string, model knowledge.EmbeddingModel, now time.Time, limit int) ([]knowledge.DedupEntry, error) {
	params := map[string]any{"ws": workspaceID, "contactId": contactID, "key": vectorProperty(model), "dimensions": model.Dimensions, "now": now, "limit": limit}
	return read(ctx, s, dedupEntries, params, func(r row) knowledge.DedupEntry {
		n := r.props("n")
		return knowledge.DedupEntry{
			ID: n.text("id"), Type: knowledge.EntryType(n.text("type")), Confidence: n.float("confidence"), Hash: n.text("contentHash"), ExpiresAt: n.timePtr("expiresAt"),
			Vector: vectorOf(r.value("vector")),
		}
	})
}

func vectorOf(value any) []float32 {
	values, _ := value.([]any)
	out := make([]float32, len(values))
	for i, v := range values {
		out[i] = float32(floatOf(v))
	}
	return out
}

// EntriesToldApart are the pairs of entries of which one contradicts or supersedes the other.
func (s *Store) EntriesToldApart(ctx context.Context, ids []string) ([][2]string, error) {
	return read(ctx, s, dedupApart, map[string]any{"ids": ids}, func(r row) [2]string { return [2]string{r.text("fromId"), r.text("toId")} })
}

// RelationDegrees are the larger of the numbers of relations in the two directions, by entry.
func (s *Store) RelationDegrees(ctx context.Context, ids []string) (map[string]int, error) {
	out := make(map[string]int, len(ids))
	_, err := read(ctx, s, dedupDegrees, map[string]any{"ids": ids}, func(r row) struct{} {
		out[r.text("id")] = max(r.int("outgoing"), r.int("incoming"))
		return struct{}{}
	})
	return out, err
}

// RelationsTouching are all relations of entries, oldest first, whoever may see their ends.
func (s *Store) RelationsTouching(ctx context.Context, ids []string) ([]*knowledge.Relation, error) {
	return read(ctx, s, dedupRelations, map[string]any{"ids": ids}, scanRelation)
}

// RelationsWith are the relations of an entry with certain others.
func (s *Store) RelationsWith(ctx context.Context, id string, others []string) ([]*knowledge.Relation, error) {
	return read(ctx, s, dedupRelationsWith, map[string]any{"id": id, "others": others}, scanRelation)
}

// FoldEntries stores an entry that took up others, moves their links and relations to it,
// and removes them. All are locked. The vector of the one that stays is kept.
func (s *Store) FoldEntries(ctx context.Context, folded *knowledge.Entry, searchText string, losers []string, added map[string][]string, moves knowledge.RelationMoves) error {
	props := entryProps(knowledge.EntryWrite{Entry: folded, SearchText: searchText}, knowledge.EmbeddingModel{})
	delete(props, "awaitsVector")
	props["accessCount"], props["lastAccessedAt"] = folded.AccessCount, ptrValue(folded.LastAccessedAt)
	rows, own := make([]any, len(losers)), folded.Joined.Texts
	for i, id := range losers {
		rows[i] = map[string]any{"id": id, "parts": orEmpty(added[id])}
		own = own[:len(own)-len(added[id])] // the parts of the others follow its own
	}
	props["joined"] = folded.Joined.Texts
	if err := exec(ctx, s, dedupFold, map[string]any{"id": folded.ID, "own": own, "losers": rows, "props": props}); err != nil {
		return err
	}
	if err := exec(ctx, s, dedupRelationsDrop, map[string]any{"ids": losers}); err != nil {
		return err
	}
	if err := s.InsertRelations(ctx, moves.Moved); err != nil {
		return err
	}
	for _, r := range moves.Folded {
		if err := s.UpdateRelation(ctx, r); err != nil {
			return err
		}
	}
	for _, id := range losers {
		if err := exec(ctx, s, entryDelete, map[string]any{"id": id}); err != nil {
			return err
		}
	}
	return nil
}

// dropParts takes those parts out of entries' joined content that nothing supports any
// more: what is derived from a text goes with it (SPEC T5). Their vectors are made anew.
func (s *Store) dropParts(ctx context.Context, workspaceID string, ids []string) error {
	type joined struct {
		entry     *knowledge.Entry
		supported []string
	}
	if len(ids) == 0 {
		return nil
	}
	found, err := runText(ctx, s, dedupParts, entryText(dedupParts, knowledge.TimePoint{}), map[string]any{"ws": workspaceID, "ids": ids}, func(r row) joined {
		return joined{scanEntry(r), r.texts("supported")}
	}, neo4j.AccessModeRead)
	if err != nil {
		return err
	}
	for _, j := range found {
		left, changed := j.entry.WithoutParts(j.supported, time.Now().UTC().Truncate(time.Microsecond))
		if !changed {
			continue
		}
		props := entryProps(knowledge.EntryWrite{Entry: left, SearchText: knowledge.Analyze(left.Title + " " + left.Content)}, knowledge.EmbeddingModel{})
		props["joined"] = left.Joined.Texts
		if j.entry.Embedding != nil {
			props["awaitsVector"] = j.entry.Embedding.Key
		}
		for _, key := range []string{"embeddingModel", "embeddingKey", "embeddingDimensions", "embeddingAt"} {
			props[key] = nil
		}
		if err := exec(ctx, s, entryUpdate, map[string]any{"id": left.ID, "props": props, "reworded": true, "vectors": vectorPrefix}); err != nil {
			return err
		}
	}
	return nil
}
