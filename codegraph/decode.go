package codegraph

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
)

// Reasons why a file's contents are not in the graph.
const (
	SkippedTooLarge = "too large"
	SkippedMinified = "minified"
	SkippedBinary   = "binary"
	SkippedNoParser = "no parser in this build"
)

// Encodings of files.
const (
	encodingUTF8        = "utf-8"
	encodingUTF8BOM     = "utf-8 with BOM"
	encodingUTF8Invalid = "utf-8 with invalid bytes"
	encodingUTF16LE     = "utf-16le"
	encodingUTF16BE     = "utf-16be"
)

// Sizes from which files are not parsed, in bytes.
const (
	maxParsed       = 1 << 20
	minifiedFrom    = 200 << 10
	minifiedLine    = 500
	binaryLooksInto = 8 << 10
)

// decoded is a file's text in UTF-8, or why it has none.
type decoded struct {
	text     []byte
	encoding string
	skipped  string
}

// decode makes UTF-8 of a file's bytes: a byte order mark is stripped, UTF-16 transcoded, and bytes
// that are no UTF-8 become U+FFFD and are marked.
func decode(file string, raw []byte) decoded {
	switch {
	case len(raw) > maxParsed:
		return decoded{encoding: encodingUTF8, skipped: SkippedTooLarge}
	case bytes.HasPrefix(raw, []byte{0xff, 0xfe}):
		return decodeUTF16(raw, unicode.LittleEndian, encodingUTF16LE)
	case bytes.HasPrefix(raw, []byte{0xfe, 0xff}):
		return decodeUTF16(raw, unicode.BigEndian, encodingUTF16BE)
	case bytes.IndexByte(raw[:min(len(raw), binaryLooksInto)], 0) >= 0:
		return decoded{encoding: "binary", skipped: SkippedBinary}
	}
	d := decoded{text: raw, encoding: encodingUTF8}
	if rest, found := bytes.CutPrefix(raw, []byte{0xef, 0xbb, 0xbf}); found {
		d.text, d.encoding = rest, encodingUTF8BOM
	}
	if !utf8.Valid(d.text) {
		d.text, d.encoding = bytes.ToValidUTF8(d.text, []byte("\uFFFD")), encodingUTF8Invalid
	}
	if isMinified(file, d.text) {
		return decoded{encoding: d.encoding, skipped: SkippedMinified}
	}
	return d
}

func decodeUTF16(raw []byte, order unicode.Endianness, name string) decoded {
	text, err := unicode.UTF16(order, unicode.ExpectBOM).NewDecoder().Bytes(raw)
	if err != nil {
		return decoded{encoding: name, skipped: SkippedBinary}
	}
	return decoded{text: text, encoding: name}
}

func isMinified(file string, text []byte) bool {
	if strings.Contains(strings.ToLower(path.Base(file)), ".min.") {
		return true
	}
	return len(text) > minifiedFrom && len(text)/(bytes.Count(text, []byte{'\n'})+1) > minifiedLine
}
