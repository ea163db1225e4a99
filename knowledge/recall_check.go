package knowledge

import "strings"

// MaxRecallQuery is the longest question of a recall, in characters; what of it is
// searched by words is cut at MaxQueryRunes.
const MaxRecallQuery = MaxTextLength

// Checked is the query with its defaults; its errors name the fields of the input (SPEC
// L1, L2, L10, U). A blank text beside an embedding is no text.
func (q RecallQuery) Checked(dimensions int) (RecallQuery, error) {
	q.Query = strings.TrimSpace(q.Query)
	if err := CheckText("query", q.Query, MaxRecallQuery); err != nil {
		return q, err
	}
	if len(q.Embedding) > 0 {
		if err := CheckVector("embedding", q.Embedding, dimensions); err != nil {
			return q, err
		}
	}
	if q.Query == "" && len(q.Embedding) == 0 {
		return q, Invalid("query", "give a query or an embedding")
	}
	if err := q.Scope.Check("scope"); err != nil {
		return q, err
	}
	for _, t := range q.Types {
		if !t.Valid() {
			return q, Invalid("types", "%q is not a type of entry", t)
		}
	}
	return q.checkedSizes()
}

func (q RecallQuery) checkedSizes() (RecallQuery, error) {
	if q.Limit < 1 || q.Limit > MaxRecallLimit {
		return q, Invalid("limit", "must be from 1 to %d", MaxRecallLimit)
	}
	if q.Hops == 0 && q.NeighborBudget == 0 {
		q.Hops, q.NeighborBudget = DefaultHops, DefaultBudget
	}
	if q.Hops < 1 || q.Hops > MaxRecallHops {
		return q, Invalid("hops", "must be from 1 to %d", MaxRecallHops)
	}
	if q.NeighborBudget < 1 || q.NeighborBudget > MaxBudget {
		return q, Invalid("neighborBudget", "must be from 1 to %d", MaxBudget)
	}
	if q.Ranking == "" {
		q.Ranking = RankingBest
	}
	if q.Ranking != RankingBest && q.Ranking != RankingRRF {
		return q, Invalid("ranking", "%q is not a ranking", q.Ranking)
	}
	if len(q.Kinds) == 0 {
		q.Kinds = []RecallKind{RecallEntry}
	}
	for _, k := range q.Kinds {
		if k != RecallEntry && k != RecallEdge && k != RecallObservation {
			return q, Invalid("kinds", "%q is nothing that is recalled", k)
		}
	}
	return q, nil
}
