package knowledge

import "math"

// WorkspaceStats are the statistics of a workspace's texts, from a sample of them (SPEC T9).
type WorkspaceStats struct {
	documents int
	sampled   int
	average   float64
	frequency map[string]int // by token, within the sample
}

// NewWorkspaceStats counts a sample of a workspace that has so many documents. Where the
// sample is not all of them, tokens that it has once are left out: they say little, and
// are most.
func NewWorkspaceStats(sample []EntryTextHit, documents int) *WorkspaceStats {
	s := &WorkspaceStats{documents: max(documents, len(sample)), sampled: len(sample), frequency: make(map[string]int)}
	length := 0
	for _, t := range sample {
		length += t.Length
		for token := range NewLexicalText(t.Text).counts {
			s.frequency[token]++
		}
	}
	if len(sample) > 0 {
		s.average = float64(length) / float64(len(sample))
	}
	if s.sampled < s.documents {
		for token, n := range s.frequency {
			if n == 1 {
				delete(s.frequency, token)
			}
		}
	}
	return s
}

// Size is how many tokens are counted, which is what the statistics cost.
func (s *WorkspaceStats) Size() int { return len(s.frequency) }

// Documents is how many documents the workspace had.
func (s *WorkspaceStats) Documents() int { return s.documents }

// For are the statistics for terms. Candidates are documents that were found for them:
// they correct what the sample does not know of rare tokens.
func (s *WorkspaceStats) For(terms []Term, candidates []LexicalCandidate) LexicalStats {
	stats := LexicalStats{Documents: s.documents, AverageLength: s.average, DocumentFrequency: make(map[string]int)}
	scale := 1.0
	if s.sampled > 0 {
		scale = float64(s.documents) / float64(s.sampled)
	}
	for _, key := range StatTokens(terms) {
		found := 0
		for _, c := range candidates {
			if c.Text.has(key) {
				found++
			}
		}
		stats.DocumentFrequency[key] = max(found, int(math.Round(float64(s.frequency[key])*scale)))
	}
	return stats
}

// CountedText is NewLexicalText for a text of which only some tokens were read: length is
// that of the whole.
func CountedText(tokens string, length int) LexicalText {
	t := NewLexicalText(tokens)
	t.length = max(t.length, length)
	return t
}
