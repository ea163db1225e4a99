package knowledge

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is looked for (SPEC J15, J16).
const (
	MaxQueryTerms       = 12    // terms of a search for entities
	MaxRecallTerms      = 32    // terms of a recall
	MaxQueryRunes       = 4_000 // what of a query is read
	MaxDistinctiveTerms = 6     // terms by which observations are searched (SPEC J16)
)

// maxClauses keeps a query below the 1,024 clauses that Lucene takes.
const maxClauses = 900

// QueryTerms are the terms of a query in their order: at most limit, each once,
// from its first 4,000 characters. The words and, or, not and near are left out
// where there are others (SPEC J15). A text without words has none.
func QueryTerms(text string, limit int) []Term {
	a := newAnalyzer()
	var terms, operators []Term
	seen := make(map[string]bool)
	eachWord(compatibilityText(truncateRunes(text, MaxQueryRunes)), func(word string, script wordScript) bool {
		for _, part := range queryPieces(word, script) {
			t := a.term(part, script)
			if t.Text == "" || seen[t.Text] || len(terms) == limit {
				continue
			}
			seen[t.Text] = true
			if slices.Contains([]string{"and", "or", "not", "near"}, t.Text) {
				operators = append(operators, t)
				continue
			}
			terms = append(terms, t)
		}
		return len(terms) < limit
	})
	if len(terms) == 0 {
		return operators[:min(limit, len(operators))]
	}
	return terms
}

// queryPieces cuts a run of characters without spaces into terms of at most 64,
// each beginning with the last character of the one before, so that no pair is lost.
func queryPieces(word string, script wordScript) []string {
	if script == spaced || script == pictogram || utf8.RuneCountInString(word) <= maxTokenRunes {
		return []string{word}
	}
	var pieces []string
	units := letterUnits(word)
	for start := 0; start < len(units)-1; {
		end, runes := start, 0
		for end < len(units) && (runes+utf8.RuneCountInString(units[end]) <= maxTokenRunes || end < start+2) {
			runes += utf8.RuneCountInString(units[end])
			end++
		}
		pieces = append(pieces, strings.Join(units[start:end], ""))
		start = end - 1
	}
	return pieces
}

// RecallTerms are the terms by which a question is looked for in texts: without
// question words and other words that say nothing, at most 32.
func RecallTerms(question string) []Term {
	terms := WithoutStopWords(QueryTerms(question, MaxQueryRunes))
	return terms[:min(len(terms), MaxRecallTerms)]
}

// WithoutStopWords leaves out question words and words that every text has. A word
// in capitals in a query that is not all in capitals is a name (US, IT, WHO) and
// stays. Where nothing would be left all terms are.
func WithoutStopWords(terms []Term) []Term {
	loud := !slices.ContainsFunc(terms, func(t Term) bool { return !t.capital })
	kept := make([]Term, 0, len(terms))
	for _, t := range terms {
		if stopWords[t.Text] && (loud || !t.capital) {
			continue
		}
		kept = append(kept, t)
	}
	if len(kept) == 0 {
		return terms
	}
	return kept
}

// DistinctiveTerms are the terms by which observations are searched where too few
// entities were found: at most 6 of at least 2 characters, no stop words (SPEC J16).
func DistinctiveTerms(text string) []Term {
	var kept []Term
	for _, t := range QueryTerms(text, MaxQueryTerms) {
		if len(kept) < MaxDistinctiveTerms && utf8.RuneCountInString(t.Text) > 1 && (t.capital || !stopWords[t.Text]) {
			kept = append(kept, t)
		}
	}
	return kept
}

// LuceneField is a field of the full-text index that is searched.
type LuceneField struct {
	Name  string
	Boost float64
}

// LuceneFilter is what a found document must have: one of the values in the field,
// which is indexed without being cut. It does not count for the score.
type LuceneFilter struct {
	Field  string
	Values []string
}

// LuceneRequest is what LuceneQuery writes as a query.
type LuceneRequest struct {
	Filters []LuceneFilter
	Fields  []LuceneField // indexed with the analysis of Analyze
	Terms   []Term
	Prefix  bool // words that begin with a term are found too, after those that are it
}

// LuceneQuery is a query in Lucene's classic syntax: every filter, and any of the
// terms in any of the fields. Terms and values are quoted, so that no text becomes
// syntax (SPEC T11). It is empty where there is nothing to look for, or a filter
// has no value; such a query is not to be run.
func LuceneQuery(q LuceneRequest) string {
	var b strings.Builder
	for _, f := range q.Filters {
		if len(f.Values) == 0 {
			return ""
		}
		b.WriteString("+(")
		for i, v := range f.Values {
			if v == "" {
				return ""
			}
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(f.Field + ":" + escapeLucene(v))
		}
		b.WriteString(")^0 ")
	}
	clauses := termClauses(q)
	if len(clauses) == 0 {
		return ""
	}
	b.WriteString("+(" + strings.Join(clauses, " ") + ")")
	return b.String()
}

// termClauses are the clauses of the terms, the most telling first, so that a limit cuts the rest.
func termClauses(q LuceneRequest) []string {
	clauses := make([]string, 0, 64)
	seen := make(map[string]bool)
	add := func(token, suffix string, weight float64) {
		if token == "" || seen[token+suffix] || len(clauses)+len(q.Fields) > maxClauses {
			return
		}
		seen[token+suffix] = true
		for _, f := range q.Fields {
			boost := strconv.FormatFloat(f.Boost*weight, 'g', 4, 64)
			clauses = append(clauses, f.Name+":"+escapeLucene(token)+suffix+"^"+boost)
		}
	}
	for _, t := range q.Terms {
		for _, f := range t.Forms {
			add(f.Token, "", f.Weight)
		}
	}
	for _, t := range q.Terms {
		for _, p := range t.Parts {
			p.eachForm(func(f Form) { add(f.Token, "", f.Weight*partWeight(t)) })
		}
	}
	for _, t := range q.Terms {
		if token, ok := t.prefix(q.Prefix); ok {
			add(token, "*", weightPrefix)
		}
	}
	return clauses
}

// prefix is what a word begins with that t may be the beginning of. A single
// character of a script that is indexed in pairs is always looked for so.
func (t Term) prefix(wanted bool) (string, bool) {
	single := len(t.Parts) == 0 && (t.script == ideograms || t.script == hangul || t.script == brahmic) && len(letterUnits(t.Text)) == 1
	if len(t.Forms) == 0 || t.script == pictogram {
		return "", false
	}
	return t.Forms[0].Token, wanted || single
}

// escapeLucene quotes everything that is not a letter, a digit or a mark. Words
// that are operators stay harmless because terms are lower case and values stand
// behind a field.
func escapeLucene(s string) string {
	var b strings.Builder
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
