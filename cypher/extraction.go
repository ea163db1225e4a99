package cypher

import (
	"context"
	_ "embed"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/extraction_claim.cypher
var extractionClaim statement

//go:embed queries/extraction_finish.cypher
var extractionFinish statement

//go:embed queries/entry_vectors.cypher
var entryVectors statement

//go:embed queries/relation_between.cypher
var relationBetween statement

//go:embed queries/relation_create_many.cypher
var relationCreateMany statement

func extractionKey(c knowledge.ExtractionClaim) string {
	return eventKey(string(c.Source) + "\x00" + c.SourceID)
}

// ClaimExtraction takes a source in hand, unless it is done or somebody else has it. Of
// several claims at once exactly one gets it.
func (s *Store) ClaimExtraction(ctx context.Context, c knowledge.ExtractionClaim) (knowledge.ExtractionRecord, error) {
	rows, err := write(ctx, s, extractionClaim, map[string]any{
		"ws": c.WorkspaceID, "key": extractionKey(c), "source": string(c.Source), "sourceId": c.SourceID, "owner": c.Owner,
		"now": c.Now, "leaseUntil": c.LeaseUntil, "force": c.Force,
	}, func(r row) knowledge.ExtractionRecord {
		return knowledge.ExtractionRecord{Done: r.bool("done"), Held: r.bool("held")}
	})
	if err != nil {
		return knowledge.ExtractionRecord{}, err
	}
	return rows[0], nil
}

// FinishExtraction ends a claim; nothing happens where another owner took over.
func (s *Store) FinishExtraction(ctx context.Context, c knowledge.ExtractionClaim, o knowledge.ExtractionOutcome) error {
	return exec(ctx, s, extractionFinish, map[string]any{"ws": c.WorkspaceID, "key": extractionKey(c), "owner": c.Owner, "props": map[string]any{
		"done": o.Done, "entries": o.Entries, "reason": textOrNil(o.Reason), "raw": textOrNil(o.Raw), "finishedAt": o.At,
		"modelCalls": o.Usage.Calls, "modelPromptTokens": o.Usage.PromptTokens, "modelCompletionTokens": o.Usage.CompletionTokens,
	}})
}

func textOrNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// EntryVectors are the stored vectors of entries, of those that have one of the model.
func (s *Store) EntryVectors(ctx context.Context, workspaceID string, ids []string, model knowledge.EmbeddingModel) (map[string][]float32, error) {
	out := make(map[string][]float32, len(ids))
	_, err := read(ctx, s, entryVectors, map[string]any{"ws": workspaceID, "ids": ids, "key": vectorProperty(model), "dimensions": model.Dimensions}, func(r row) struct{} {
		out[r.text("id")] = vectorOf(r.value("vector"))
		return struct{}{}
	})
	return out, err
}

// RelationsBetween are the relations that join any two of the entries.
func (s *Store) RelationsBetween(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Relation, error) {
	return read(ctx, s, relationBetween, map[string]any{"ws": workspaceID, "ids": ids}, scanRelation)
}

// InsertRelations stores new relations.
func (s *Store) InsertRelations(ctx context.Context, relations []*knowledge.Relation) error {
	byType := map[knowledge.RelationType][]map[string]any{}
	for _, r := range relations {
		byType[r.Type] = append(byType[r.Type], map[string]any{"fromId": r.FromID, "toId": r.ToID, "props": relationProps(r)})
	}
	for _, t := range knowledge.RelationTypes() {
		if len(byType[t]) == 0 {
			continue
		}
		_, err := runText(ctx, s, relationCreateMany, withRelationType(relationCreateMany, t), map[string]any{"rows": byType[t]},
			func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
		if err != nil {
			return err
		}
	}
	return nil
}
