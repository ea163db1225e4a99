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
