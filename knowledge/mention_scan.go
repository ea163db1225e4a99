package knowledge

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// mentionToken is a word or a sign of a text, and where it stands.
type mentionToken struct {
	norm       string // as NormalizeName has it
	start, end int    // bytes
	script     wordScript
	insideWord bool // a Korean syllable that does not begin its word
}

// mentionScanner cuts texts into tokens. It is not safe for concurrent use.
type mentionScanner struct{ seen map[string]string }

func newMentionScanner() *mentionScanner { return &mentionScanner{seen: make(map[string]string)} }

// scan cuts a text: words in scripts with spaces and Katakana words are one token,
// in other scripts each letter is, and so is each sign. White space and what
// nobody sees are none.
func (s *mentionScanner) scan(text string) []mentionToken {
	tokens := make([]mentionToken, 0, len(text)/5+1)
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if ignoredInNames(r) {
			i += size
			continue
		}
		script := scriptOf(r)
		end := i + size
		switch {
		case script == spaced:
			end = extend(text, end, func(r rune) bool { return scriptOf(r) == spaced && !katakana(r) })
		case katakana(r):
			end = extend(text, end, katakana)
		default:
			// A Korean syllable may be written as several letters that compose.
			end = extend(text, i+norm.NFC.NextBoundaryInString(text[i:], true), func(rune) bool { return false })
		}
		if word := s.normalize(text[i:end]); word != "" {
			inside := script == hangul && len(tokens) > 0 && tokens[len(tokens)-1].end == i && tokens[len(tokens)-1].script == hangul
			tokens = append(tokens, mentionToken{norm: word, start: i, end: end, script: script, insideWord: inside})
		}
		i = end
	}
	return tokens
}

// extend is where a token ends that goes on while its letters, their marks and
// invisible characters between them do.
func extend(text string, end int, goesOn func(rune) bool) int {
	for i := end; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		switch {
		case goesOn(r), unicode.IsMark(r):
			end = i
		case visibleRune(r) >= 0:
			return end
		}
	}
	return end
}

func katakana(r rune) bool {
	return r == 'ー' || r == '\uff70' || r == '\uff9e' || r == '\uff9f' || unicode.Is(unicode.Katakana, r)
}

// ignoredInNames tells whether a rune is neither word nor sign.
func ignoredInNames(r rune) bool {
	return unicode.IsSpace(r) || unicode.IsControl(r) || unicode.IsMark(r) || visibleRune(r) < 0 || r == '™' || r == '®' || r == '℠'
}

// normalize is a token as it is compared.
func (s *mentionScanner) normalize(token string) string {
	if isASCII(token) {
		return strings.ToLower(token)
	}
	word, ok := s.seen[token]
	if !ok {
		word = NormalizeName(strings.Map(visibleRune, token))
		s.seen[token] = word
	}
	return word
}

// maxKeyTokens is the longest name that MentionKeys gives keys for.
const maxKeyTokens = 8

// MentionKeys are the normalised names that a text may contain, each once, sorted:
// for those who look the names up in a database and make the index of what they
// find. There are at most some twenty for each word of the text.
func MentionKeys(text string) []string {
	tokens := newMentionScanner().scan(text)
	var keys []string
	for i := range tokens {
		if tokens[i].insideWord || insideCompound(text, tokens[i].start, false) {
			continue
		}
		for j := i; j < len(tokens) && j < i+maxKeyTokens; j++ {
			if insideCompound(text, tokens[j].end, true) {
				continue
			}
			if j == i && tokens[i].script == notAWord {
				continue
			}
			keys = append(keys, NormalizeName(text[tokens[i].start:tokens[j].end]))
			for _, singular := range singulars(tokens[j]) {
				keys = append(keys, NormalizeName(text[tokens[i].start:tokens[j].start]+singular))
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
