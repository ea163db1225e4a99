package knowledge

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sizes of a chunk in tokens of the embedding model: what it reads at once, less room for
// a title, and how much of a chunk the next one begins with.
const (
	ChunkTokens  = 480
	ChunkOverlap = 60
)

// FileSection is a part of a file that stands under one heading or in one place.
type FileSection struct {
	Heading string // headings from the outermost, joined by " › "
	Place   string // where it is, such as "page 3" or "sheet Prices"
	Lead    string // what every chunk of the section begins with, such as a table's head
	Text    string
}

// FileChunk is a piece of a file that can be embedded whole.
type FileChunk struct {
	Heading string
	Place   string
	Text    string
}

// ApproximateTokens is an upper estimate of the tokens that a WordPiece vocabulary of
// English makes of a text: an ideograph, a syllable or a mark each; words of other scripts
// than Latin a letter each; Latin words by their length, those with other letters than
// English ones more.
func ApproximateTokens(text string) int {
	tokens, word, foreign := 0, 0, false
	end := func() {
		switch {
		case word == 0:
		case foreign:
			tokens += (word + 1) / 2
		case word <= 4:
			tokens++
		default:
			tokens += (word + 2) / 3
		}
		word, foreign = 0, false
	}
	for _, r := range text {
		switch {
		case r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)):
			word++
			foreign = foreign || unicode.IsDigit(r)
		case unicode.IsSpace(r):
			end()
		case unicode.Is(unicode.Latin, r):
			word++
			foreign = true
		default:
			end()
			tokens++
		}
	}
	end()
	return tokens
}

// Chunks cuts sections at sentences into pieces of at most ChunkTokens tokens; within a
// section each piece begins with the last sentences of the one before, up to ChunkOverlap
// tokens. count counts tokens.
func Chunks(sections []FileSection, count func(string) int) []FileChunk {
	var out []FileChunk
	for _, s := range sections {
		room := max(ChunkTokens-count(s.Lead), ChunkTokens/2)
		for _, text := range pack(sentences(s.Text, room, count), room) {
			if s.Lead != "" {
				text = s.Lead + "\n" + text
			}
			out = append(out, FileChunk{Heading: s.Heading, Place: s.Place, Text: text})
		}
	}
	return out
}

// piece is a sentence with what follows it, and its tokens.
type piece struct {
	text   string
	tokens int
}

// pack fills chunks with whole pieces.
func pack(pieces []piece, room int) []string {
	var out []string
	var current []piece
	tokens, fresh := 0, 0 // fresh: pieces that the chunk before did not have
	flush := func() {
		if text := strings.TrimSpace(joined(current)); fresh > 0 && text != "" {
			out = append(out, text)
		}
	}
	for _, p := range pieces {
		if tokens+p.tokens > room && fresh > 0 {
			flush()
			current, tokens = tail(current)
			fresh = 0
			if tokens+p.tokens > room { // the overlap gives way to what is new
				current, tokens = nil, 0
			}
		}
		current = append(current, p)
		tokens += p.tokens
		fresh++
	}
	flush()
	return out
}

func joined(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
	}
	return b.String()
}

// tail are the last pieces of a chunk that fit in the overlap.
func tail(pieces []piece) ([]piece, int) {
	tokens, from := 0, len(pieces)
	for from > 0 && tokens+pieces[from-1].tokens <= ChunkOverlap {
		from--
		tokens += pieces[from].tokens
	}
	return append([]piece(nil), pieces[from:]...), tokens
}

// sentences cuts a text after the marks that end a sentence and after line breaks; what is
// still longer than a chunk is cut between words, and within a word as a last resort.
func sentences(text string, room int, count func(string) int) []piece {
	var out []piece
	add := func(s string) {
		if s == "" {
			return
		}
		if n := count(s); n <= room {
			out = append(out, piece{s, n})
			return
		}
		for _, part := range halves(s, room, count) {
			out = append(out, piece{part, count(part)})
		}
	}
	start := 0
	for i, r := range text {
		size := utf8.RuneLen(r)
		if size < 0 {
			size = 1
		}
		after := text[i+size:]
		switch {
		case r == '\n', strings.ContainsRune("。！？｡", r):
		case strings.ContainsRune(".!?…", r) && (after == "" || after[0] == ' '):
		default:
			continue
		}
		end := i + size
		for end < len(text) && text[end] == ' ' {
			end++
		}
		if end > start {
			add(text[start:end])
			start = end
		}
	}
	add(text[start:])
	return out
}

// halves cuts a text in the middle, between words where it can, until the parts fit.
func halves(s string, room int, count func(string) int) []string {
	if count(s) <= room || utf8.RuneCountInString(s) < 2 {
		return []string{s}
	}
	middle := len(s) / 2
	for middle > 0 && !utf8.RuneStart(s[middle]) {
		middle--
	}
	at := middle
	if space := strings.LastIndexAny(s[:middle], " \t"); space > len(s)/4 {
		at = space + 1
	}
	if at == 0 {
		_, at = utf8.DecodeRuneInString(s)
	}
	return append(halves(s[:at], room, count), halves(s[at:], room, count)...)
}
