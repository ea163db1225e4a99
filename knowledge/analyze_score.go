package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Parameters of BM25: those that are the default of Anserini (Yang, Fang and Lin
// 2017), which suit short texts better than the 1.2 and 0.75 of the textbooks.
const (
	bm25Saturation = 0.9
	bm25Length     = 0.4
)

const (
	// weightPrefix is that of a word that only begins with the term.
	weightPrefix = 0.3
	// compoundPartWeight is that of a piece of a compound, beside the whole.
	compoundPartWeight = 0.8
	// gramPartWeight is that of a pair of characters: a word of n characters has
	// n-1 pairs, which share characters.
	gramPartWeight = 0.5
	// nameScoreWeight is what a match in the name counts beside one in the text.
	nameScoreWeight = 2.0
)

func partWeight(t Term) float64 {
	if t.script == spaced {
		return compoundPartWeight
	}
	return gramPartWeight
}

// LexicalStats are the statistics of the texts that are searched: those of one
// workspace, so that a score never depends on another's texts (SPEC T9).
type LexicalStats struct {
	Documents         int
	AverageLength     float64 // tokens of a text; 0 is unknown
	AverageNameLength float64 // tokens of a name; 0 is unknown
	// DocumentFrequency is in how many documents a token stands, in name or text; for
	// prefixes the key is the beginning and an asterisk. A token that is missing
	// counts as in one.
	DocumentFrequency map[string]int
}

// StatTokens are the keys of LexicalStats.DocumentFrequency that scoring the terms reads.
func StatTokens(terms []Term) []string {
	var keys []string
	for _, t := range terms {
		t.eachForm(func(f Form) { keys = append(keys, f.Token) })
		if token, ok := t.prefix(true); ok {
			keys = append(keys, token+"*")
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// LexicalText is an analysed text, counted.
type LexicalText struct {
	counts map[string]int
	sorted []string
	length int
}

// NewLexicalText counts what Analyze wrote.
func NewLexicalText(analysed string) LexicalText {
	tokens := strings.Fields(analysed)
	t := LexicalText{counts: make(map[string]int, len(tokens)), length: len(tokens)}
	for _, token := range tokens {
		if t.counts[token] == 0 {
			t.sorted = append(t.sorted, token)
		}
		t.counts[token]++
	}
	slices.Sort(t.sorted)
	return t
}

// Length is the number of tokens.
func (t LexicalText) Length() int { return t.length }

// withPrefix is how many tokens begin with prefix.
func (t LexicalText) withPrefix(prefix string) int {
	n := 0
	i, _ := slices.BinarySearch(t.sorted, prefix)
	for ; i < len(t.sorted) && strings.HasPrefix(t.sorted[i], prefix); i++ {
		n += t.counts[t.sorted[i]]
	}
	return n
}

// has tells whether a key of LexicalStats.DocumentFrequency is in t.
func (t LexicalText) has(key string) bool {
	if prefix, ok := strings.CutSuffix(key, "*"); ok {
		return t.withPrefix(prefix) > 0
	}
	return t.counts[key] > 0
}

// LexicalCandidate is a document that may answer a query.
type LexicalCandidate struct {
	ID   string
	Text LexicalText
	Name LexicalText // zero where names are not looked at
}

// LexicalHit is a document with its score.
type LexicalHit struct {
	ID    string
	Score float64
}

// RankLexical scores the candidates and orders those that match by score, then id.
func RankLexical(terms []Term, candidates []LexicalCandidate, stats LexicalStats) []LexicalHit {
	hits := make([]LexicalHit, 0, len(candidates))
	for _, c := range candidates {
		score := LexicalScore(terms, c.Text, stats)
		if c.Name.length > 0 {
			names := stats
			names.AverageLength = stats.AverageNameLength
			score += nameScoreWeight * LexicalScore(terms, c.Name, names)
		}
		if score > 0 {
			hits = append(hits, LexicalHit{c.ID, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b LexicalHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(a.ID, b.ID))
	})
	return hits
}

// LexicalScore is how well a text answers a query: BM25, where a term counts by
// its best form, a compound as a whole or by its parts, and a word that only
// begins with the term a little. 0 is no match.
func LexicalScore(terms []Term, text LexicalText, stats LexicalStats) float64 {
	score := 0.0
	for _, t := range terms {
		s := stats.termScore(t, text)
		if s == 0 {
			if token, ok := t.prefix(true); ok {
				s = weightPrefix * stats.tokenScore(token+"*", text.withPrefix(token), text.length)
			}
		}
		score += s
	}
	return score
}

func (s LexicalStats) termScore(t Term, text LexicalText) float64 {
	best := 0.0
	for _, f := range t.Forms {
		best = max(best, f.Weight*s.tokenScore(f.Token, text.counts[f.Token], text.length))
	}
	parts := 0.0
	for _, p := range t.Parts {
		parts += s.termScore(p, text)
	}
	return max(best, parts*partWeight(t))
}

func (s LexicalStats) tokenScore(token string, frequency, length int) float64 {
	if frequency == 0 {
		return 0
	}
	norm := 1.0
	if s.AverageLength > 0 {
		norm = 1 - bm25Length + bm25Length*float64(length)/s.AverageLength
	}
	f := float64(frequency)
	return s.rarity(token) * f * (bm25Saturation + 1) / (f + bm25Saturation*norm)
}

// rarity is the inverse document frequency, never negative.
func (s LexicalStats) rarity(token string) float64 {
	df := float64(min(max(1, s.DocumentFrequency[token]), max(1, s.Documents)))
	return math.Log(1 + (float64(max(1, s.Documents))-df+0.5)/(df+0.5))
}

// CandidateStats are statistics of a workspace with that many documents, where no
// more is known than the candidates: right for every token that is in no text
// outside them, which holds for the rare ones that decide.
func CandidateStats(terms []Term, candidates []LexicalCandidate, documents int) LexicalStats {
	stats := LexicalStats{Documents: max(documents, len(candidates)), DocumentFrequency: make(map[string]int)}
	if len(candidates) == 0 {
		return stats
	}
	keys := StatTokens(terms)
	length, nameLength := 0, 0 // summed as integers, so that the order of the candidates does not matter
	for _, c := range candidates {
		length += c.Text.length
		nameLength += c.Name.length
		for _, key := range keys {
			if c.Text.has(key) || c.Name.has(key) {
				stats.DocumentFrequency[key]++
			}
		}
	}
	stats.AverageLength = float64(length) / float64(len(candidates))
	stats.AverageNameLength = float64(nameLength) / float64(len(candidates))
	return stats
}
