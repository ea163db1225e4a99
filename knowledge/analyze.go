package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/german"
	"github.com/blevesearch/snowballstem/russian"
)

const (
	// maxTokenRunes is the longest token (SPEC J15); Lucene's whitespace tokenizer would cut at 255.
	maxTokenRunes = 64
	// maxOccurrences is how often one token is written for one text. Beyond it the
	// weight of a repetition is nil (BM25 saturates), and a text of one word
	// repeated stays small.
	maxOccurrences = 8
	// maxJoinedPieces is up to how many pieces a compound is also written as one word (e-mail: email).
	maxJoinedPieces = 3
)

// Joiners of words, by how far apart the words are that they join.
const (
	pathJoiners = "/:@"
	nameJoiners = "._-"
	apostrophe  = "'"
)

// Weights of the forms of a word: as written, in another spelling, by its stem.
const (
	weightExact    = 1.0
	weightSpelling = 0.9
	weightStem     = 0.8
	weightGerman   = 0.6 // below weightStem: most text is English, where a German stem may be another word's
)

// Form is one spelling under which a term is indexed and looked for.
type Form struct {
	Token  string
	Weight float64 // 0 to 1: how surely the token is the term
}

// Term is a word of a text, as it is indexed and as it is looked for.
type Term struct {
	Text  string // the term folded, at most 64 characters
	Forms []Form // the term itself in its spellings, the plainest first; none where only its parts are indexed
	Parts []Term // what a compound or a word of a script without spaces is made of

	script  wordScript
	capital bool // written in capitals only
}

// Analyze is what the full-text index holds of a text: tokens with single spaces
// between them, for an index that only cuts at white space (SPEC T11, T12).
//
// Words are NFKC, case-folded and without accents; each is followed by its other
// forms: the original where folding changes a letter (й), English, German and
// Russian stems, the parts of compounds and identifiers, and for Chinese,
// Japanese, Korean and Thai the pairs of neighbouring characters. A text without
// words gives the empty string. A token is written at most 8 times, and the
// result is at most 8 bytes for each byte of the text.
func Analyze(text string) string {
	a := newAnalyzer()
	var b strings.Builder
	counts := make(map[string]int)
	seen := make(map[string][]string)
	eachWord(compatibilityText(text), func(word string, script wordScript) bool {
		tokens, ok := seen[word]
		if !ok {
			tokens = a.tokens(word, script)
			seen[word] = tokens
		}
		for _, token := range tokens {
			if counts[token]++; counts[token] > maxOccurrences {
				continue
			}
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(token)
		}
		return true
	})
	return b.String()
}

// analyzer makes terms of words. It is not safe for concurrent use.
type analyzer struct {
	fold *folder
	env  *snowballstem.Env
}

func newAnalyzer() *analyzer { return &analyzer{fold: newFolder(), env: snowballstem.NewEnv("")} }

// tokens are the distinct tokens of a word.
func (a *analyzer) tokens(word string, script wordScript) []string {
	var tokens []string
	add := func(token string) { tokens = append(tokens, token) }
	if script == ideograms || script == hangul || script == brahmic {
		// Straight from the word: a paragraph without spaces is one word.
		a.eachGram(word, script, add)
		return tokens
	}
	seen := make(map[string]bool)
	a.term(word, script).eachForm(func(f Form) {
		if !seen[f.Token] {
			seen[f.Token] = true
			add(f.Token)
		}
	})
	return tokens
}

// eachForm visits the forms of a term and then those of its parts.
func (t Term) eachForm(visit func(Form)) {
	for _, f := range t.Forms {
		visit(f)
	}
	for _, p := range t.Parts {
		p.eachForm(visit)
	}
}

// term makes the term of a word.
func (a *analyzer) term(word string, script wordScript) Term {
	var t Term
	switch script {
	case ideograms, hangul, brahmic:
		t = a.gramTerm(word, script)
	case pictogram:
		t = Term{Text: word, Forms: []Form{{word, weightExact}}}
	default:
		t = a.spacedTerm(word)
	}
	t.script = script
	t.capital = utf8.RuneCountInString(word) > 1 && strings.ToUpper(word) == word && strings.ToLower(word) != word
	return t
}

// spacedTerm strips what stands at the end of a name (C++, Caroline's) and makes the rest a compound.
func (a *analyzer) spacedTerm(word string) Term {
	if base := strings.TrimRight(word, "+#"); base != word {
		whole := a.token(word)
		return Term{Text: whole, Forms: []Form{{whole, weightExact}}, Parts: []Term{a.compound(base, pathJoiners)}}
	}
	if base, ok := cutPossessive(word); ok {
		t := a.compound(base, pathJoiners)
		t.Forms = append(t.Forms, Form{a.token(word), weightExact})
		return t
	}
	return a.compound(word, pathJoiners)
}

func cutPossessive(word string) (string, bool) {
	if n := len(word) - 2; n > 1 && word[n] == '\'' && (word[n+1] == 's' || word[n+1] == 'S') {
		return word[:n], true
	}
	return word, false
}

// compound makes the term of a word that joiners may hold together: those that
// separate the most first, so that the parts of a path or an address are terms too.
func (a *analyzer) compound(word, joiners string) Term {
	pieces := strings.FieldsFunc(word, func(r rune) bool { return strings.ContainsRune(joiners, r) })
	if joiners == "" {
		return a.leaf(word)
	}
	next := finerJoiners(joiners)
	if len(pieces) < 2 {
		return a.compound(word, next)
	}
	whole := a.token(word)
	t := Term{Text: whole, Forms: []Form{{whole, weightExact}}}
	if joiners != pathJoiners && (len(pieces) <= maxJoinedPieces && !strings.Contains(word, ".") || initials(pieces)) {
		t.Forms = append(t.Forms, Form{a.token(strings.Join(pieces, "")), weightSpelling})
	}
	if joiners == apostrophe {
		t.Parts = a.apostropheParts(pieces)
		return t
	}
	for _, piece := range pieces {
		t.Parts = append(t.Parts, a.compound(piece, next))
	}
	return t
}

// finerJoiners are the joiners that hold the pieces between joiners together.
func finerJoiners(joiners string) string {
	switch joiners {
	case pathJoiners:
		return nameJoiners
	case nameJoiners:
		return apostrophe
	}
	return ""
}

// initials tells whether pieces are single letters, as in U.S.A.
func initials(pieces []string) bool {
	for _, p := range pieces {
		if utf8.RuneCountInString(p) != 1 {
			return false
		}
	}
	return true
}

// apostropheParts are the words around apostrophes, without the clitics (don't, we'll, l'or).
func (a *analyzer) apostropheParts(pieces []string) []Term {
	var parts []Term
	for i, piece := range pieces {
		n := utf8.RuneCountInString(piece)
		if n == 1 || n == 2 && i == len(pieces)-1 || i == 0 && strings.EqualFold(pieces[1], "t") {
			continue
		}
		parts = append(parts, a.leaf(piece))
	}
	return parts
}

// leaf is the term of one word, with its spellings and stems, and its parts where it is an identifier.
func (a *analyzer) leaf(word string) Term {
	t := a.plain(word)
	if parts := identifierParts(word); len(parts) > 0 {
		for _, part := range parts {
			t.Parts = append(t.Parts, a.plain(part))
		}
	}
	return t
}

func (a *analyzer) plain(word string) Term {
	lower := truncateRunes(a.fold.lower(word), maxTokenRunes)
	folded := truncateRunes(foldMarks(lower), maxTokenRunes)
	t := Term{Text: folded}
	add := func(token string, weight float64) {
		if token == "" {
			return
		}
		for _, f := range t.Forms {
			if f.Token == token {
				return
			}
		}
		t.Forms = append(t.Forms, Form{token, weight})
	}
	if allRunes(lower, func(r rune) bool {
		return r < utf8.RuneSelf || unicode.In(r, unicode.Latin, unicode.Greek) || unicode.IsMark(r)
	}) {
		add(folded, weightExact)
	} else {
		// Outside Latin and Greek the marks may tell words apart: the word as it is written goes first.
		add(lower, weightExact)
		add(folded, weightSpelling)
	}
	add(umlautSpelling(lower), weightSpelling)
	a.addStems(lower, folded, add)
	return t
}

// addStems adds the stems of a word of letters.
func (a *analyzer) addStems(lower, folded string, add func(string, float64)) {
	const shortest, longest = 3, 40
	if n := utf8.RuneCountInString(lower); n < shortest || n > longest {
		return
	}
	if allRunes(folded, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		add(a.stem(folded, english.Stem), weightStem)
		add(foldMarks(a.stem(lower, german.Stem)), weightGerman)
		return
	}
	if allRunes(lower, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) }) {
		add(foldMarks(a.stem(lower, russian.Stem)), weightStem)
	}
}

func (a *analyzer) stem(word string, stem func(*snowballstem.Env) bool) string {
	a.env.SetCurrent(word)
	stem(a.env)
	return a.env.Current()
}

// token is a word folded, as long as a token may be.
func (a *analyzer) token(word string) string {
	return truncateRunes(foldMarks(a.fold.lower(word)), maxTokenRunes)
}

// gramTerm is the term of a word in a script without spaces, or with words that
// grow: found where its pairs of characters are.
func (a *analyzer) gramTerm(word string, script wordScript) Term {
	folded := a.fold.lower(word)
	t := Term{Text: truncateRunes(folded, maxTokenRunes)}
	units := letterUnits(folded)
	if len(units) <= 2 || script == hangul {
		t.Forms = []Form{{t.Text, weightExact}}
	}
	if len(units) < 2 || len(units) == 2 && script != hangul {
		return t
	}
	for i := 1; i < len(units); i++ {
		pair := truncateRunes(units[i-1]+units[i], maxTokenRunes)
		t.Parts = append(t.Parts, Term{Text: pair, Forms: []Form{{pair, weightExact}}, script: script})
	}
	return t
}

// eachGram visits the tokens of a word of such a script: its pairs of characters,
// single ones where the word is one or where one is a word (Chinese characters),
// and the whole where spaces bound it.
func (a *analyzer) eachGram(word string, script wordScript, visit func(string)) {
	folded := a.fold.lower(word)
	units := letterUnits(folded)
	if len(units) == 1 || script == hangul && len(units) > 2 {
		visit(truncateRunes(folded, maxTokenRunes))
	}
	for i, unit := range units {
		if first, _ := utf8.DecodeRuneInString(unit); len(units) > 1 && unicode.Is(unicode.Han, first) {
			visit(truncateRunes(unit, maxTokenRunes))
		}
		if i > 0 {
			visit(truncateRunes(units[i-1]+unit, maxTokenRunes))
		}
	}
}
