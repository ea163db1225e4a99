package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// wordScript says how the words of a script are told apart.
type wordScript int

const (
	notAWord  wordScript = iota
	spaced               // words end at spaces: Latin, Cyrillic, Arabic, digits, …
	ideograms            // Chinese and Japanese: no spaces
	hangul               // spaces, but particles are written onto the words
	brahmic              // Thai, Lao, Khmer, Burmese, Tibetan: no spaces
	pictogram            // emoji: each stands for itself
)

var brahmicScripts = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar, unicode.Tibetan}

// scriptOf classifies a rune that can begin a word.
func scriptOf(r rune) wordScript {
	switch {
	case r < utf8.RuneSelf:
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return spaced
		}
		return notAWord
	case r == 'ー', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) && unicode.In(r, unicode.L, unicode.N):
		return ideograms
	case unicode.Is(unicode.Hangul, r) && unicode.IsLetter(r):
		return hangul
	case !unicode.In(r, unicode.L, unicode.N):
		if unicode.Is(unicode.So, r) && (r >= 0x1f000 || r >= 0x2600 && r < 0x27c0) {
			return pictogram
		}
		return notAWord
	case unicode.In(r, brahmicScripts...):
		return brahmic
	}
	return spaced
}

// joins tells whether r keeps two word characters together (SPEC J15).
func joins(r rune) bool { return r < utf8.RuneSelf && strings.IndexByte("._-/:'@", byte(r)) >= 0 }

// eachWord calls yield with each word of a text that compatibilityText made: a run
// of word characters of one kind of script, joined words as one.
func eachWord(text string, yield func(word string, script wordScript) bool) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		script := scriptOf(r)
		if script == notAWord {
			i += size
			continue
		}
		end := wordEnd(text, i, script)
		if !yield(text[i:end], script) {
			return
		}
		i = end
	}
}

// wordEnd is where the word that begins at i ends.
func wordEnd(text string, i int, script wordScript) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case scriptOf(r) == script, unicode.IsMark(r):
			i += size
		case script == spaced && joins(r):
			next, _ := utf8.DecodeRuneInString(text[i+size:])
			if i+size >= len(text) || scriptOf(next) != spaced {
				return i
			}
			i += size
		case script == spaced && (r == '+' || r == '#'):
			return i + symbolSuffix(text[i:])
		default:
			return i
		}
		if script == pictogram {
			for next, size := utf8.DecodeRuneInString(text[i:]); i < len(text) && unicode.IsMark(next); next, size = utf8.DecodeRuneInString(text[i:]) {
				i += size
			}
			return i
		}
	}
	return i
}

// symbolSuffix is the length of the signs at the beginning of rest that end a name
// such as C++ or F#; 0 where they stand between words (a+b).
func symbolSuffix(rest string) int {
	n := 0
	for n < len(rest) && n < 2 && (rest[n] == '+' || rest[n] == '#') {
		n++
	}
	if next, _ := utf8.DecodeRuneInString(rest[n:]); n < len(rest) && (next == '+' || next == '#' || scriptOf(next) != notAWord) {
		return 0
	}
	return n
}

// letterUnits cuts a word into letters, each with the marks that belong to it.
func letterUnits(word string) []string {
	units := make([]string, 0, len(word)/3+1)
	start := 0
	for i, r := range word {
		if i > start && !unicode.IsMark(r) {
			units = append(units, word[start:i])
			start = i
		}
	}
	if start < len(word) {
		units = append(units, word[start:])
	}
	return units
}

// identifierParts cuts a word where an identifier changes case, or from letters to
// digits (getHTTPServer: get, HTTP, Server); nil where it is one part. Parts of
// one character say nothing and are left out.
func identifierParts(word string) []string {
	runes := []rune(word)
	var parts []string
	start := 0
	for i := 1; i <= len(runes); i++ {
		if i < len(runes) && !identifierBoundary(runes, i) {
			continue
		}
		if i-start > 1 && i-start < len(runes) {
			parts = append(parts, string(runes[start:i]))
		}
		start = i
	}
	return parts
}

func identifierBoundary(runes []rune, i int) bool {
	before, here := runes[i-1], runes[i]
	switch {
	case unicode.IsLower(before) && unicode.IsUpper(here):
		return true
	case unicode.IsUpper(before) && unicode.IsUpper(here):
		return i+1 < len(runes) && unicode.IsLower(runes[i+1])
	}
	return unicode.IsDigit(before) != unicode.IsDigit(here) && !unicode.IsMark(here)
}
