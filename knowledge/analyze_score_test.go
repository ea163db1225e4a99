package knowledge

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func candidate(id, text string) LexicalCandidate {
	return LexicalCandidate{ID: id, Text: NewLexicalText(Analyze(text))}
}

func ranked(query string, candidates ...LexicalCandidate) []string {
	terms := QueryTerms(query, MaxRecallTerms)
	var ids []string
	for _, h := range RankLexical(terms, candidates, CandidateStats(terms, candidates, len(candidates))) {
		ids = append(ids, h.ID)
	}
	return ids
}

func TestT10_RankLexical(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name       string
		query      string
		candidates []LexicalCandidate
		want       []string
	}{
		{"T10 an exact word goes first", "INV-30931", []LexicalCandidate{
			candidate("a", "Invoice INV-20901 was paid"), candidate("b", "invoice INV-30931 is disputed"), candidate("c", "no invoice at all"),
		}, []string{"b", "a"}},
		{"T10 a rare word before a frequent one", "customer dispute", []LexicalCandidate{
			candidate("a", "the customer paid"), candidate("b", "a dispute came up"), candidate("c", "the customer called"),
		}, []string{"b", "a", "c"}},
		{"J15 the word before its beginning", "data", []LexicalCandidate{
			candidate("a", "the database crashed"), candidate("b", "the data crashed"),
		}, []string{"b", "a"}},
		{"J15 the word before its stem", "running", []LexicalCandidate{
			candidate("a", "a run there"), candidate("b", "running there"), candidate("c", "nothing else"), candidate("d", "walk there"),
		}, []string{"b", "a"}},
		{"T9 ties go by id", "redis", []LexicalCandidate{candidate("b", "redis one"), candidate("a", "redis two")}, []string{"a", "b"}},
		{"T11 nothing is asked", "?", []LexicalCandidate{candidate("a", "redis")}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := ranked(c.query, c.candidates...); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("J15 the name before the text", func(t *testing.T) {
		t.Parallel()
		text := func(id, name, rest string) LexicalCandidate {
			c := candidate(id, rest)
			c.Name = NewLexicalText(Analyze(name))
			return c
		}
		got := ranked("redis", text("a", "Cache", "redis and redis"), text("b", "Redis cluster", "for sessions"), text("c", "Redis", "for sessions"))
		if want := []string{"c", "b", "a"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestT9_CandidateStats(t *testing.T) {
	t.Parallel()
	named := candidate("a", "one two")
	named.Name = NewLexicalText("redis")
	stats := CandidateStats(QueryTerms("redis cache", 2), []LexicalCandidate{named, candidate("b", "redis cache now")}, 7)
	if stats.Documents != 7 || stats.DocumentFrequency["redis"] != 2 || stats.DocumentFrequency["cache*"] != 1 {
		t.Errorf("got %+v", stats)
	}
	if got := CandidateStats(nil, nil, 3); got.Documents != 3 || got.AverageLength != 0 {
		t.Errorf("no candidates: %+v", got)
	}
}

func TestT9_LexicalScoreByHand(t *testing.T) {
	t.Parallel()
	stats := LexicalStats{Documents: 10, AverageLength: 4, DocumentFrequency: map[string]int{"redis": 2}}
	text := NewLexicalText("redis redis cache")
	got := LexicalScore(QueryTerms("redis", 1), text, stats)
	want := math.Log(1+8.5/2.5) * 2 * 1.9 / (2 + 0.9*(0.6+0.4*3/4))
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestT9_OrderOfCandidatesDoesNotMatter(t *testing.T) {
	t.Parallel()
	word := rapid.SampledFrom([]string{"redis", "cache", "running", "INV-30931", "王小明", "Zoë"})
	rapid.Check(t, func(t *rapid.T) {
		var candidates []LexicalCandidate
		for i, words := range rapid.SliceOfN(rapid.SliceOf(word), 1, 12).Draw(t, "texts") {
			text := ""
			for _, w := range words {
				text += w + " "
			}
			candidates = append(candidates, candidate(string(rune('a'+i)), text))
		}
		query := word.Draw(t, "query") + " " + word.Draw(t, "query")
		want := ranked(query, candidates...)
		if got := ranked(query, rapid.Permutation(candidates).Draw(t, "order")...); !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}
