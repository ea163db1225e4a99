package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes is the longest word that WordPiece splits; a longer one is a
// single unknown token (max_input_chars_per_word of the reference).
const maxWordRunes = 100

// wordPiece turns text into the token ids of an uncased BERT vocabulary. It
// gives the ids of the reference implementation (clean, split ideographs, NFD,
// drop nonspacing marks, lower-case, split punctuation, longest match first).
// Text never becomes a special token: "[SEP]" in it is punctuation and a word.
type wordPiece struct {
	vocab          map[string]int64
	unk, cls, sep  int64
	maxPieceBytes  int
	maxTokens      int
	continuingMark string
}

// tokenizerModel is the part of a tokenizer.json that WordPiece needs.
type tokenizerModel struct {
	Model struct {
		Type           string           `json:"type"`
		Unknown        string           `json:"unk_token"`
		ContinuingMark string           `json:"continuing_subword_prefix"`
		Vocab          map[string]int64 `json:"vocab"`
	} `json:"model"`
}

// newWordPiece reads a tokenizer.json; maxTokens caps each text's ids, [CLS] and [SEP] included.
func newWordPiece(tokenizerJSON []byte, maxTokens int) (*wordPiece, error) {
	var f tokenizerModel
	if err := json.Unmarshal(tokenizerJSON, &f); err != nil {
		return nil, fmt.Errorf("read tokenizer: %w", err)
	}
	if f.Model.Type != "WordPiece" || f.Model.ContinuingMark == "" {
		return nil, fmt.Errorf("read tokenizer: model type %q is not WordPiece", f.Model.Type)
	}
	w := &wordPiece{vocab: f.Model.Vocab, maxTokens: maxTokens, continuingMark: f.Model.ContinuingMark}
	for piece := range w.vocab {
		w.maxPieceBytes = max(w.maxPieceBytes, len(piece))
	}
	for token, id := range map[string]*int64{f.Model.Unknown: &w.unk, "[CLS]": &w.cls, "[SEP]": &w.sep} {
		found, ok := w.vocab[token]
		if !ok {
			return nil, fmt.Errorf("read tokenizer: no token %q", token)
		}
		*id = found
	}
	if maxTokens < 3 {
		return nil, errors.New("read tokenizer: the cap leaves no room for text")
	}
	return w, nil
}

// encode returns [CLS], the ids of text, [SEP]; what does not fit the cap is
// dropped from the end, and not read further than needed. Text with nothing to
// embed (empty, blank, control characters only) gives just the two marks.
func (w *wordPiece) encode(text string) []int64 {
	ids := append(make([]int64, 0, 64), w.cls)
	for word := range words(text) {
		if ids = w.appendPieces(ids, word); len(ids) >= w.maxTokens {
			break
		}
	}
	return append(ids[:min(len(ids), w.maxTokens-1)], w.sep)
}

// appendPieces adds the pieces of a word, longest match first; a word that the
// vocabulary cannot spell is one unknown token.
func (w *wordPiece) appendPieces(ids []int64, word []rune) []int64 {
	if len(word) > maxWordRunes {
		return append(ids, w.unk)
	}
	before := len(ids)
	for rest := word; len(rest) > 0; {
		id, n := w.longestPiece(rest, len(rest) < len(word))
		if n == 0 {
			return append(ids[:before], w.unk)
		}
		ids, rest = append(ids, id), rest[n:]
	}
	return ids
}

// longestPiece finds the longest piece of the vocabulary that starts word and
// how many runes it takes; 0 when there is none.
func (w *wordPiece) longestPiece(word []rune, continuing bool) (id int64, runes int) {
	var buffer [64]byte
	piece := buffer[:0]
	if continuing {
		piece = append(piece, w.continuingMark...)
	}
	mark := len(piece)
	for _, r := range word {
		if len(piece) >= w.maxPieceBytes {
			break
		}
		piece = utf8.AppendRune(piece, r)
	}
	for len(piece) > mark {
		if id, ok := w.vocab[string(piece)]; ok {
			return id, utf8.RuneCount(piece[mark:])
		}
		_, size := utf8.DecodeLastRune(piece)
		piece = piece[:len(piece)-size]
	}
	return 0, 0
}

// words yields the normalised words and punctuation marks of text, reading no
// further than asked. A yielded slice is valid until the next one.
func words(text string) iter.Seq[[]rune] {
	return func(yield func([]rune) bool) {
		var s splitter
		for _, r := range text {
			switch {
			case isDropped(r):
				continue
			case unicode.IsSpace(r):
			case isIdeograph(r):
				if !s.flush(yield) {
					return
				}
				s.chunk = utf8.AppendRune(s.chunk, r)
			default:
				s.chunk = utf8.AppendRune(s.chunk, r)
				continue
			}
			if !s.flush(yield) {
				return
			}
		}
		s.flush(yield)
	}
}

// splitter holds what words has read and not yielded yet, and its buffers.
type splitter struct {
	chunk []byte // cleaned text since the last white space or ideograph
	nfd   []byte
	word  []rune
}

// flush normalises the chunk and yields its words; false when the reader has enough.
func (s *splitter) flush(yield func([]rune) bool) bool {
	s.nfd = norm.NFD.Append(s.nfd[:0], s.chunk...)
	s.chunk, s.word = s.chunk[:0], s.word[:0]
	for b := s.nfd; len(b) > 0; {
		r, size := utf8.DecodeRune(b)
		b = b[size:]
		switch {
		case unicode.Is(unicode.Mn, r):
		case isPunctuation(r):
			if len(s.word) > 0 && !yield(s.word) || !yield([]rune{r}) {
				return false
			}
			s.word = s.word[:0]
		default:
			// One rune is enough: the only capital with a longer lower case, İ, is decomposed by now.
			s.word = append(s.word, unicode.ToLower(r))
		}
	}
	return len(s.word) == 0 || yield(s.word)
}

// isDropped reports what the reference removes: NUL, the replacement character
// (so also broken UTF-8) and every control, format or private-use rune.
func isDropped(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, utf8.RuneError:
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co)
}

// isPunctuation counts every ASCII symbol as punctuation, as the reference does.
func isPunctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", r)
	}
	return unicode.Is(unicode.P, r)
}

// ideographs are the blocks that the reference sets apart character by
// character; it leaves out 2B820 to 2B91F.
var ideographs = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2A6DF, Stride: 1}, {Lo: 0x2A700, Hi: 0x2B81F, Stride: 1}, {Lo: 0x2B920, Hi: 0x2CEAF, Stride: 1}, {Lo: 0x2F800, Hi: 0x2FA1F, Stride: 1}},
}

func isIdeograph(r rune) bool { return unicode.Is(ideographs, r) }
