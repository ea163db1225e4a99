package cypher

import (
	"context"
	_ "embed"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/recall_fact_text.cypher
var recallFactText statement

//go:embed queries/recall_fact_vector.cypher
var recallFactVector statement

//go:embed queries/recall_fact_vector_index.cypher
var recallFactVectorIndex statement

//go:embed queries/recall_observation_text.cypher
var recallObservationText statement

//go:embed queries/recall_observation_vector.cypher
var recallObservationVector statement

//go:embed queries/recall_observation_vector_index.cypher
var recallObservationVectorIndex statement

//go:embed queries/recall_sizes.cypher
var recallSizes statement

//go:embed queries/recall_total.cypher
var recallTotal statement

//go:embed queries/recall_awaiting.cypher
var recallAwaiting statement

//go:embed queries/recall_set_vectors.cypher
var recallSetVectors statement

// factKind is how one kind of recalled things besides entries is searched: edges by their
// Facts, or observations.
type factKind struct {
	label               string
	text, vector, index statement
	indexPrefix         string // of the vector index's name
	scope               string // that it is inside a scope; a, and b, are the entities that it belongs to
	owners              []string
}

// Conditions of scope (SPEC T23): an edge or observation belongs to the persons at its
// ends, and is general where there is none.
const (
	factScope        = `($orgWide OR (a.type <> $person AND b.type <> $person) OR (a.type = $person AND a.id = $contactId) OR (b.type = $person AND b.id = $contactId))`
	observationScope = `($orgWide OR a.type <> $person OR a.id = $contactId)`
)

func kindOf(k knowledge.RecallKind) factKind {
	if k == knowledge.RecallObservation {
		return factKind{"Observation", recallObservationText, recallObservationVector, recallObservationVectorIndex, "observation_vector_", observationScope, []string{"entityId"}}
	}
	return factKind{"Fact", recallFactText, recallFactVector, recallFactVectorIndex, "fact_vector_", factScope, []string{"src", "dst"}}
}

func (k factKind) fill(st statement, at knowledge.TimePoint) string {
	return strings.NewReplacer("{{visible}}", visible(at), "{{scope}}", k.scope).Replace(string(st))
}

func (k factKind) params(sel knowledge.EntrySelection) map[string]any {
	params := map[string]any{
		"ws": sel.WorkspaceID, "orgWide": sel.Scope.OrgWide, "contactId": sel.Scope.ContactID, "person": knowledge.TypePerson,
		"asOf": sel.At.Moment(sel.Now), "knownAt": ptrValue(sel.At.KnownAt),
	}
	if k.label == "Observation" {
		params["asOf"] = ptrValue(sel.At.AsOf)
	}
	return params
}

// SearchFactTexts are candidates for terms among edges or observations inside a selection.
func (s *Store) SearchFactTexts(ctx context.Context, kind knowledge.RecallKind, sel knowledge.EntrySelection, terms []knowledge.Term, stats knowledge.LexicalStats, enough int) ([]knowledge.EntryTextHit, error) {
	k := kindOf(kind)
	filters := [][]knowledge.IndexFilter{{{Field: "workspaceId", Values: []string{sel.WorkspaceID}}}}
	for _, owner := range k.owners {
		if sel.Scope.ContactID != "" {
			// What belongs to the contact is looked for by itself, so that what is general does not crowd it out.
			filters = append(filters, []knowledge.IndexFilter{{Field: "workspaceId", Values: []string{sel.WorkspaceID}}, {Field: owner, Values: []string{sel.Scope.ContactID}}})
		}
	}
	var all []knowledge.EntryTextHit
	for _, f := range filters {
		hits, err := s.factTexts(ctx, k, sel, knowledge.CandidateQuery(f, "searchText", terms, stats), enough)
		if err != nil {
			return nil, err
		}
		all = append(all, hits...)
	}
	seen := make(map[string]bool, len(all))
	return slices.DeleteFunc(all, func(h knowledge.EntryTextHit) bool {
		again := seen[h.ID]
		seen[h.ID] = true
		return again
	}), nil
}

func (s *Store) factTexts(ctx context.Context, k factKind, sel knowledge.EntrySelection, query string, enough int) ([]knowledge.EntryTextHit, error) {
	if query == "" {
		return nil, nil
	}
	params := k.params(sel)
	params["query"] = query
	for limit := enough; ; limit *= 4 {
		params["limit"] = min(limit, maxTextFetch)
		rows, err := runText(ctx, s, k.text, k.fill(k.text, sel.At), params, scanTextHits, neo4j.AccessModeRead)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		if len(rows[0].hits) >= enough || rows[0].raw < limit || limit >= maxTextFetch {
			return rows[0].hits, nil
		}
	}
}

// NearestFacts are the edges or observations inside a selection that are nearest to a
// vector. Where there are many the index is asked; those without a vector are passed over.
func (s *Store) NearestFacts(ctx context.Context, kind knowledge.RecallKind, q knowledge.EntryVectorQuery, sizes knowledge.EntrySizes, exact int) ([]knowledge.EntryVectorHit, error) {
	k := kindOf(kind)
	params := k.params(q.Selection)
	params["key"], params["vector"], params["limit"] = vectorProperty(q.Model), floats(q.Vector), q.Limit
	if sizes.Workspace > exact {
		params["index"] = k.indexPrefix + q.Model.Key()
		share := float64(sizes.Workspace) / float64(max(1, sizes.Database))
		hits, enough, err := s.indexed(ctx, k.index, k.fill(k.index, q.Selection.At), params, q.Limit, share)
		if err != nil || enough {
			return hits, err
		}
	}
	params["dimensions"] = q.Model.Dimensions
	return runText(ctx, s, k.vector, k.fill(k.vector, q.Selection.At), params, func(r row) knowledge.EntryVectorHit {
		return knowledge.EntryVectorHit{ID: r.text("id"), Similarity: cosine(r.float("score"))}
	}, neo4j.AccessModeRead)
}

// FactSizes are how many edges or observations there are.
func (s *Store) FactSizes(ctx context.Context, kind knowledge.RecallKind, workspaceID string) (knowledge.EntrySizes, error) {
	var sizes knowledge.EntrySizes
	for _, part := range []struct {
		st     statement
		column string
		into   *int
		params map[string]any
	}{{recallTotal, "database", &sizes.Database, nil}, {recallSizes, "workspace", &sizes.Workspace, map[string]any{"ws": workspaceID}}} {
		text := strings.ReplaceAll(string(part.st), "{{kind}}", kindOf(kind).label)
		rows, err := runText(ctx, s, part.st, text, part.params, func(r row) int { return r.int(part.column) }, neo4j.AccessModeRead)
		if err != nil {
			return sizes, err
		}
		*part.into = rows[0]
	}
	return sizes, nil
}

// FactsAwaitingVector are edges or observations of all workspaces that wait for their
// vector, by id, behind one; their text is Content.
func (s *Store) FactsAwaitingVector(ctx context.Context, kind knowledge.RecallKind, after string, limit int) ([]knowledge.EntryText, error) {
	text := strings.ReplaceAll(string(recallAwaiting), "{{kind}}", kindOf(kind).label)
	return runText(ctx, s, recallAwaiting, text, map[string]any{"after": after, "limit": limit}, func(r row) knowledge.EntryText {
		return knowledge.EntryText{ID: r.text("id"), Content: r.text("text")}
	}, neo4j.AccessModeRead)
}

// SetFactVectors stores the vectors of edges or observations; those that are gone are passed over.
func (s *Store) SetFactVectors(ctx context.Context, kind knowledge.RecallKind, vectors []knowledge.EntryVector, model knowledge.EmbeddingModel) error {
	if len(vectors) == 0 {
		return nil
	}
	rows := make([]any, len(vectors))
	for i, v := range vectors {
		rows[i] = map[string]any{"id": v.ID, "vector": floats(v.Vector)}
	}
	text := strings.ReplaceAll(string(recallSetVectors), "{{kind}}", kindOf(kind).label)
	_, err := runText(ctx, s, recallSetVectors, text, map[string]any{"rows": rows, "key": vectorProperty(model)}, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
	return err
}
