package cypher

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/entry_expand.cypher
var entryExpand statement

//go:embed queries/entry_marks.cypher
var entryMarks statement

//go:embed queries/entry_beside.cypher
var entryBeside statement

//go:embed queries/entry_about_entities.cypher
var entryAboutEntities statement

//go:embed queries/entry_about_mentioned.cypher
var entryAboutMentioned statement

// relationStrength is how much a relation r carries over, the same as
// knowledge.RelationWeight times its confidence (SPEC L13, L14).
var relationStrength = func() string {
	var b strings.Builder
	b.WriteString("r.confidence * CASE")
	for _, t := range knowledge.RelationTypes() {
		weight := knowledge.RelationWeight(&knowledge.Relation{Type: t})
		if t == knowledge.RelationRelatesTo {
			fmt.Fprintf(&b, " WHEN type(r) = '%s' AND r.provenance = '%s' THEN coalesce(r.weight, %g)", relationLabel(t), knowledge.ProvenanceDeterministic, weight)
		}
		fmt.Fprintf(&b, " WHEN type(r) = '%s' THEN %g", relationLabel(t), weight)
	}
	b.WriteString(" ELSE 0 END")
	return b.String()
}()

// ExpandEntries are the relations between entries and others that are inside the
// selection, at most perNode of each direction of an entry, the strongest.
func (s *Store) ExpandEntries(ctx context.Context, sel knowledge.EntrySelection, ids []string, perNode int) ([]*knowledge.Relation, error) {
	params := selectionParams(sel)
	params["ids"], params["perNode"] = ids, perNode
	return runText(ctx, s, entryExpand, searchText(entryExpand, sel.At, "{{strength}}", relationStrength), params, scanRelation, neo4j.AccessModeRead)
}

// EntryMarks are the relations that mark entries: what supersedes them and is inside the
// selection, and what they contradict or are contradicted by; at most perNode of each kind.
func (s *Store) EntryMarks(ctx context.Context, sel knowledge.EntrySelection, ids []string, perNode int) ([]*knowledge.Relation, error) {
	params := selectionParams(sel)
	params["ids"], params["perNode"] = ids, perNode
	return runText(ctx, s, entryMarks, searchText(entryMarks, sel.At), params, scanRelation, neo4j.AccessModeRead)
}

// BesideEntries are the entries that stand beside others in their threads, up to reach
// before and behind, inside the selection.
func (s *Store) BesideEntries(ctx context.Context, sel knowledge.EntrySelection, ids []string, reach int) ([]knowledge.Beside, error) {
	params := selectionParams(sel)
	params["ids"], params["reach"] = ids, reach
	var out []knowledge.Beside
	_, err := runText(ctx, s, entryBeside, searchText(entryBeside, sel.At), params, func(r row) struct{} {
		for _, side := range []string{"after", "before"} {
			for i, other := range r.texts(side) {
				out = append(out, knowledge.Beside{ID: r.text("id"), Other: other, Distance: i + 1, Thread: r.text("thread")})
			}
		}
		return struct{}{}
	}, neo4j.AccessModeRead)
	return out, err
}

// EntriesAbout are the entries that are about entities by their writers' word, inside the
// selection, at most limit of each.
func (s *Store) EntriesAbout(ctx context.Context, sel knowledge.EntrySelection, entityIDs []string, limit int) ([]knowledge.AboutEntity, error) {
	params := selectionParams(sel)
	params["ids"], params["limit"] = entityIDs, limit
	return runText(ctx, s, entryAboutEntities, searchText(entryAboutEntities, sel.At), params, func(r row) knowledge.AboutEntity {
		return knowledge.AboutEntity{EntityID: r.text("entityId"), Entries: r.texts("entries")}
	}, neo4j.AccessModeRead)
}

// mentionsFollowed is how many mentions of one entry are followed.
const mentionsFollowed = 64

// EntriesAboutMentioned are the entries that are about the entities which entries' texts
// name, inside the selection, at most limit of each entity.
func (s *Store) EntriesAboutMentioned(ctx context.Context, sel knowledge.EntrySelection, ids []string, limit int) ([]knowledge.AboutEntity, error) {
	params := selectionParams(sel)
	params["ids"], params["mentions"], params["limit"] = ids, mentionsFollowed, limit
	return runText(ctx, s, entryAboutMentioned, searchText(entryAboutMentioned, sel.At), params, func(r row) knowledge.AboutEntity {
		return knowledge.AboutEntity{From: r.text("id"), EntityID: r.text("entityId"), Entries: r.texts("entries")}
	}, neo4j.AccessModeRead)
}
