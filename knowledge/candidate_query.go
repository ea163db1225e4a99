package knowledge

import (
	"slices"
	"strconv"
	"strings"
)

const (
	// candidateClauses keeps a query of candidates below what Lucene takes, two clauses a token.
	candidateClauses = maxClauses / 2
	// frequencyBoost is how much Lucene's own score of a token counts beside the
	// workspace's: enough to tell texts apart that have the same tokens.
	frequencyBoost = 0.1
)

// IndexFilter is what a found document must have in a field: one of the values, or,
// where there are none, a word from From to To, both included. It counts nothing for a score.
type IndexFilter struct {
	Field    string
	Values   []string
	From, To string
}

// write adds the condition to a query; false where nothing can meet it.
func (f IndexFilter) write(b *strings.Builder) bool {
	if f.From != "" && f.To != "" && len(f.Values) == 0 {
		b.WriteString("+" + f.Field + ":[" + escapeLucene(f.From) + " TO " + escapeLucene(f.To) + "]^0 ")
		return true
	}
	if len(f.Values) == 0 || slices.Contains(f.Values, "") {
		return false
	}
	b.WriteString("+(")
	for _, v := range f.Values {
		b.WriteString(f.Field + ":" + escapeLucene(v) + " ")
	}
	b.WriteString(")^0 ")
	return true
}

// CandidateQuery is a query in Lucene's classic syntax for the documents that may rank
// high for terms in one field, given the statistics of one workspace: a document counts
// for each token that it has what the token is worth in that workspace, however often it
// stands in texts of others (SPEC T9). Empty where there is nothing to look for.
func CandidateQuery(filters []IndexFilter, field string, terms []Term, stats LexicalStats) string {
	var b strings.Builder
	for _, f := range filters {
		if !f.write(&b) {
			return ""
		}
	}
	worth := make(map[string]float64)
	for _, t := range terms {
		stats.addWorth(worth, t, 1)
	}
	tokens := make([]string, 0, len(worth))
	for token, w := range worth {
		if w > 0 {
			tokens = append(tokens, token)
		}
	}
	if len(tokens) == 0 {
		return ""
	}
	slices.SortFunc(tokens, func(a, b string) int {
		if worth[a] != worth[b] {
			if worth[a] > worth[b] {
				return -1
			}
			return 1
		}
		return strings.Compare(a, b)
	})
	b.WriteString("+(")
	for _, token := range tokens[:min(len(tokens), candidateClauses)] {
		quoted := escapeLucene(token)
		// A range of one word scores by its boost alone.
		b.WriteString(field + ":[" + quoted + " TO " + quoted + "]^" + boost(worth[token]) + " ")
		b.WriteString(field + ":" + quoted + "^" + boost(frequencyBoost) + " ")
	}
	b.WriteString(")")
	return b.String()
}

func boost(w float64) string { return strconv.FormatFloat(w, 'f', 4, 64) }

// addWorth adds what the tokens of a term are worth, so that a text that has the term in
// its best form gets what LexicalScore would give it for one occurrence: a better form
// stands in a text together with the lesser ones, and adds only the difference.
func (s LexicalStats) addWorth(worth map[string]float64, t Term, weight float64) float64 {
	parts := 0.0
	for _, p := range t.Parts {
		parts += s.addWorth(worth, p, weight*partWeight(t))
	}
	forms := slices.Clone(t.Forms)
	value := func(f Form) float64 { return weight * f.Weight * s.rarity(f.Token) }
	slices.SortStableFunc(forms, func(a, b Form) int {
		switch {
		case value(a) < value(b):
			return -1
		case value(a) > value(b):
			return 1
		}
		return 0
	})
	reached := parts
	for _, f := range forms {
		more := value(f) - reached
		if more > 0 {
			reached = value(f)
		}
		worth[f.Token] = max(worth[f.Token], more, minimalWorth)
	}
	return reached
}

// minimalWorth keeps a token in the query that adds nothing to the others: a text may have it alone.
const minimalWorth = 0.05
