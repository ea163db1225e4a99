package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// foldedScripts are the scripts whose combining marks are accents, so that a word
// is looked for without them. In all others (Thai vowels, Indic vowel signs,
// Japanese voicing marks) a mark is part of the letter and stays.
var foldedScripts = []*unicode.RangeTable{unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew}

// letterFolds are letters that have no decomposition but are typed without their
// stroke or ligature, and Arabic letters that are commonly written for each other.
var letterFolds = map[rune]string{
	'ø': "o", 'æ': "ae", 'œ': "oe", 'ł': "l", 'đ': "d", 'ð': "d", 'þ': "th", 'ħ': "h",
	'ı': "i", 'ŋ': "n", 'ŧ': "t", 'ß': "ss", 'ə': "e",
	'ى': "ي", 'ة': "ه", 'ک': "ك", 'ی': "ي",
}

// zeroDigits are the zeros of the decimal digits that are written in place of 0 to 9.
var zeroDigits = []rune{'\u0660', '\u06f0', '\u0966', '\u0e50'}

// compatibilityText is text as it is cut into words: NFKC, one apostrophe and one
// hyphen, ASCII digits, and without characters that nobody sees.
func compatibilityText(text string) string {
	if isASCII(text) {
		return text
	}
	text = strings.ToValidUTF8(text, " ")
	// NFKC would glue the letters of a trade mark sign to the name before it.
	text = strings.NewReplacer("™", " ", "℠", " ").Replace(text)
	return strings.Map(visibleRune, norm.NFKC.String(text))
}

func visibleRune(r rune) rune {
	switch r {
	case '\u00ad', '\u0640', '\u200c', '\u200d', '\u2060', '\ufeff', '\u061c', '\u200e', '\u200f':
		return -1 // soft hyphen, tatweel, joiners, direction marks
	case '‘', '’', 'ʼ', '‛', '′':
		return '\''
	case '‐', '‑', '‒':
		return '-'
	}
	if r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069' {
		return -1 // embedded directions
	}
	for _, zero := range zeroDigits {
		if r >= zero && r <= zero+9 {
			return '0' + r - zero
		}
	}
	return r
}

// folder folds case and marks. It is not safe for concurrent use, as its caser is not.
type folder struct{ caser cases.Caser }

func newFolder() *folder { return &folder{caser: cases.Fold()} }

// lower is word with its case folded, in NFKC.
func (f *folder) lower(word string) string {
	if isASCII(word) {
		return strings.ToLower(word)
	}
	// Lower case after folding, because Cherokee folds to capitals.
	return norm.NFKC.String(strings.ToLower(f.caser.String(word)))
}

// foldMarks is a lower-case word without the accents of its script.
func foldMarks(lower string) string {
	if isASCII(lower) {
		return lower
	}
	var b strings.Builder
	strip := true
	for _, r := range norm.NFD.String(lower) {
		if unicode.Is(unicode.Mn, r) {
			if !strip {
				b.WriteRune(r)
			}
			continue
		}
		strip = r < utf8.RuneSelf || unicode.In(r, foldedScripts...)
		if plain, ok := letterFolds[r]; ok {
			b.WriteString(plain)
			continue
		}
		b.WriteRune(r)
	}
	return norm.NFC.String(b.String())
}

// umlautSpelling is a lower-case word in the German spelling without umlauts; empty where it has none.
func umlautSpelling(lower string) string {
	if isASCII(lower) || !strings.ContainsAny(lower, "äöü") {
		return ""
	}
	return foldMarks(strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue").Replace(lower))
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func allRunes(s string, ok func(rune) bool) bool {
	for _, r := range s {
		if !ok(r) {
			return false
		}
	}
	return true
}
