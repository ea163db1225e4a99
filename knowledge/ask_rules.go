package knowledge

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Sizes of what a question is answered from (SPEC M22).
const (
	DefaultAskKnowledge = 5
	DefaultAskFiles     = 5
	MaxAskSources       = 20 // of each kind
	maxAskContent       = 1_200
	maxAskExcerpt       = 1_000
	maxQuote            = 300
)

// Fixed answers of ask (SPEC M21, M23).
const (
	AskHint    = "Ask a question, and the answer comes from what this workspace knows, with its sources."
	AskNoMatch = "Nothing that is known here answers this question."
)

// AskSource is what an answer may cite by its number.
type AskSource struct {
	Number int
	// ID is the entry's or the file's.
	ID      string
	File    bool
	Title   string
	Label   string // the entry's type, or the file's name
	Text    string // as the model sees it, without what was omitted
	Omitted bool   // its text looks like instructions, and the model does not see it
}

// NumberSources gives sources their numbers from 1, knowledge first, cuts them to
// size and leaves out what looks like instructions to a model (SPEC M22, M24).
func NumberSources(entries, files []AskSource) []AskSource {
	out := make([]AskSource, 0, len(entries)+len(files))
	for _, s := range append(slices.Clone(entries), files...) {
		s.Number = len(out) + 1
		limit := maxAskContent
		if s.File {
			limit = maxAskExcerpt
		}
		s.Text = Ellipsis(strings.TrimSpace(s.Text), limit)
		if _, hit := Injected(s.Title, s.Text, s.Label); hit {
			s.Omitted = true
			s.Title, s.Text = OmittedText, OmittedText
		}
		out = append(out, s)
	}
	return out
}

// AskSystem is what a model is told that answers from sources.
const AskSystem = "You answer questions from numbered sources, and from nothing else.\n" +
	"- After every sentence, cite the sources that it rests on by their numbers in brackets, like [1] or [2][3].\n" +
	"- If the sources do not hold the answer, say so in one sentence, and do not guess.\n" +
	"- Answer in the language of the question, in a few sentences, without headings.\n" +
	"- " + FenceRule

// AskPrompt is the question and its sources as a model sees them.
func AskPrompt(question string, sources []AskSource) string {
	var b strings.Builder
	for _, s := range sources {
		b.WriteString(sourceBlock(s))
		b.WriteString("\n\n")
	}
	return Fence("SOURCES", strings.TrimSpace(b.String())) + "\n\n" + Fence("QUESTION", strings.TrimSpace(question)) +
		"\n\nAnswer the question from the sources, with a citation after every sentence."
}

func sourceBlock(s AskSource) string {
	return "[" + strconv.Itoa(s.Number) + "] " + CollapseSpace(s.Title) + " (" + s.Label + ")\n" + s.Text
}

// SourceBlocks are the sources as an answer, where no model gives one (SPEC M25).
func SourceBlocks(sources []AskSource) string {
	blocks := make([]string, len(sources))
	for i, s := range sources {
		blocks[i] = sourceBlock(s)
	}
	return strings.Join(blocks, "\n\n")
}

// AskCitation is a source that an answer cites, with the passage that it rests on.
type AskCitation struct {
	Source AskSource
	Quote  string
}

// CheckedAnswer is a model's answer with only the citations that hold.
type CheckedAnswer struct {
	Text      string
	Citations []AskCitation // in the order in which the text cites them, each once
	// Dropped is how many citations named no source, or one that the model did not see.
	Dropped int
	// Grounded: every sentence cites a source.
	Grounded bool
}

// citation matches what models write for [1]: lists, ranges, words before, other brackets.
var citation = regexp.MustCompile(`(?i)[ \t]*[\[【]\s*\^?\s*(?:(?:sources?|quellen?|ref\.?|no\.?|nr\.?|n°|#)\s*:?\s*)?(\d{1,9}(?:\s*(?:,|;|-|–|and|und|et|&|\|)\s*#?\s*\d{1,9})*)\s*(?:[†:][^\]】]{0,40})?[\]】]`)

var (
	citedNumber = regexp.MustCompile(`\d+`)
	citedRange  = regexp.MustCompile(`(\d+)\s*[-–]\s*(\d+)`)
)

// CheckAnswer holds an answer's citations against its sources (SPEC M24). Markers are
// written as [n]; those that cite nothing, or a source that was omitted, are taken out.
func CheckAnswer(text string, sources []AskSource) CheckedAnswer {
	var a CheckedAnswer
	a.Text = strings.TrimSpace(citation.ReplaceAllStringFunc(text, func(marker string) string {
		var kept strings.Builder
		for _, n := range numbersOf(marker) {
			if n < 1 || n > len(sources) || sources[n-1].Omitted {
				a.Dropped++
				continue
			}
			kept.WriteString("[" + strconv.Itoa(n) + "]")
		}
		if kept.Len() == 0 {
			return ""
		}
		space := marker[:len(marker)-len(strings.TrimLeft(marker, " \t"))]
		return space + kept.String()
	}))
	sentences := sentencesOf(a.Text)
	a.Grounded = len(sentences) > 0
	at := map[int]int{}
	for _, s := range sentences {
		cited := citedIn(s)
		if len(cited) == 0 {
			a.Grounded = false
		}
		for _, n := range cited {
			if _, ok := at[n]; !ok {
				at[n] = len(a.Citations)
				source := sources[n-1]
				a.Citations = append(a.Citations, AskCitation{Source: source, Quote: quoteFor(s, source.Text)})
			}
		}
	}
	return a
}

// numbersOf are the numbers that a marker cites; a range is all of it, up to 50.
func numbersOf(marker string) []int {
	marker = citation.FindStringSubmatch(marker)[1]
	marker = citedRange.ReplaceAllStringFunc(marker, func(r string) string {
		ends := citedRange.FindStringSubmatch(r)
		from, _ := strconv.Atoi(ends[1])
		to, _ := strconv.Atoi(ends[2])
		var all []string
		for n := from; n <= to && len(all) < 50; n++ {
			all = append(all, strconv.Itoa(n))
		}
		if len(all) == 0 {
			return ends[1] + "," + ends[2]
		}
		return strings.Join(all, ",")
	})
	var out []int
	for _, digits := range citedNumber.FindAllString(marker, -1) {
		if n, err := strconv.Atoi(digits); err == nil && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

var checkedMarker = regexp.MustCompile(`\[(\d+)\]`)

func citedIn(sentence string) []int {
	var out []int
	for _, m := range checkedMarker.FindAllStringSubmatch(sentence, -1) {
		n, _ := strconv.Atoi(m[1])
		out = append(out, n)
	}
	return out
}

// quoteFor is the passage of a source that shares most words with a sentence, the
// first of equals.
func quoteFor(sentence, source string) string {
	want := map[string]bool{}
	for _, w := range wordsOf(checkedMarker.ReplaceAllString(sentence, "")) {
		want[w] = true
	}
	best, most := "", -1
	for _, passage := range sentencesOf(source) {
		shared := map[string]bool{}
		for _, w := range wordsOf(passage) {
			if want[w] {
				shared[w] = true
			}
		}
		if len(shared) > most {
			best, most = passage, len(shared)
		}
	}
	if best == "" {
		best = source
	}
	return FirstQuote(best)
}

// FirstQuote is the beginning of a text, short enough to be shown with a citation.
func FirstQuote(text string) string { return Ellipsis(CollapseSpace(text), maxQuote) }

func wordsOf(text string) []string {
	return strings.FieldsFunc(NormalizeName(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
