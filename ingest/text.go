package ingest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"mneme/knowledge"
)

// decodeText is a text file's text: UTF-8, UTF-16 by its byte order mark, else as Windows
// in Western Europe writes.
func decodeText(data []byte) string {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		data = data[3:]
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		if out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder().Bytes(data); err == nil {
			data = out
		}
	case !utf8.Valid(data):
		if out, err := charmap.Windows1252.NewDecoder().Bytes(data); err == nil {
			data = out
		}
	}
	return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
}

// decodeHTML is a page's source in UTF-8, by its byte order mark, its meta tags, or a guess.
func decodeHTML(data []byte) string {
	if utf8.Valid(data) {
		return decodeText(data)
	}
	r, err := charset.NewReader(bytes.NewReader(data), "text/html")
	if err != nil {
		return decodeText(data)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		return decodeText(data)
	}
	return string(out)
}

var titleElement = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)

func htmlTitle(source string) string {
	m := titleElement.FindStringSubmatch(source)
	if m == nil {
		return ""
	}
	return knowledge.CollapseSpace(html.UnescapeString(m[1]))
}

var (
	atxHeading   = regexp.MustCompile(`^(#{1,6})\s+(.+?)\s*#*\s*$`)
	codeFence    = regexp.MustCompile("^\\s*(?:```|~~~)")
	setextMarks  = regexp.MustCompile(`^(?:=+|-+)\s*$`)
	frontMatter  = regexp.MustCompile(`\A---\n(?s:.*?)\n---\n`)
	headingTrail = " › "
)

// markdownSections cuts Markdown at its headings; each section knows the headings above it
// and the line that it begins at.
func markdownSections(text string) []knowledge.FileSection {
	text = frontMatter.ReplaceAllStringFunc(text, func(m string) string { return strings.Repeat("\n", strings.Count(m, "\n")) })
	var out []knowledge.FileSection
	var body []string
	var levels [6]string
	heading, start, fenced := "", 1, false
	flush := func(next int) {
		if section := strings.TrimSpace(strings.Join(body, "\n")); section != "" {
			out = append(out, knowledge.FileSection{Heading: heading, Place: "line " + strconv.Itoa(start), Text: section})
		}
		body, start = nil, next
	}
	open := func(level int, title string, line int) {
		flush(line)
		levels[level-1] = title
		for i := level; i < len(levels); i++ {
			levels[i] = ""
		}
		var trail []string
		for _, l := range levels {
			if l != "" {
				trail = append(trail, l)
			}
		}
		heading = strings.Join(trail, headingTrail)
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if codeFence.MatchString(line) {
			fenced = !fenced
		}
		if m := atxHeading.FindStringSubmatch(line); m != nil && !fenced {
			open(len(m[1]), m[2], i+1)
			continue
		}
		if !fenced && setextMarks.MatchString(line) && len(body) > 0 && underlines(body) {
			title := strings.TrimSpace(body[len(body)-1])
			body = body[:len(body)-1]
			level := 1
			if line[0] == '-' {
				level = 2
			}
			open(level, title, i)
			continue
		}
		body = append(body, line)
	}
	flush(0)
	return out
}

// underlines tells whether a line of marks below these lines makes the last one a heading:
// it is a paragraph of one line.
func underlines(body []string) bool {
	last := strings.TrimSpace(body[len(body)-1])
	alone := len(body) == 1 || strings.TrimSpace(body[len(body)-2]) == ""
	return last != "" && alone && !strings.HasPrefix(last, "|") && !strings.HasPrefix(last, "- ")
}

// tableRows are how many rows of a table stand in one section at most, so that the place
// of what is found is worth something.
const tableRows = 200

// maxTableRows bounds what one table gives.
const maxTableRows = 100_000

// tableSections are a table's rows, cells joined by bars, each section with the table's
// head before it.
func tableSections(place string, rows [][]string) []knowledge.FileSection {
	for len(rows) > 0 && emptyRow(rows[0]) {
		rows = rows[1:]
	}
	if len(rows) == 0 {
		return nil
	}
	if len(rows) == 1 {
		return []knowledge.FileSection{{Heading: place, Place: "row 1", Text: rowText(rows[0])}}
	}
	var out []knowledge.FileSection
	head := rowText(rows[0])
	for from := 1; from < len(rows); from += tableRows {
		to := min(from+tableRows, len(rows))
		var b strings.Builder
		for _, row := range rows[from:to] {
			if !emptyRow(row) {
				b.WriteString(rowText(row) + "\n")
			}
		}
		out = append(out, knowledge.FileSection{Heading: place, Place: "rows " + strconv.Itoa(from+1) + "–" + strconv.Itoa(to), Lead: head, Text: b.String()})
	}
	return out
}

func emptyRow(row []string) bool {
	return strings.TrimSpace(strings.Join(row, "")) == ""
}

func rowText(row []string) string {
	cells := make([]string, 0, len(row))
	for _, cell := range row {
		cells = append(cells, knowledge.CollapseSpace(cell))
	}
	return strings.TrimRight(strings.Join(cells, " | "), " |")
}

func readCSV(data []byte) (*knowledge.FileText, error) {
	text := decodeText(data)
	r := csv.NewReader(strings.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = separatorOf(text), true, -1
	var rows [][]string
	for len(rows) < maxTableRows {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, knowledge.Invalid("", "the table cannot be read").Because(err)
		}
		rows = append(rows, row)
	}
	return &knowledge.FileText{Sections: tableSections("", rows)}, nil
}

// separatorOf is what divides the cells of a table: what its first line has most of.
func separatorOf(text string) rune {
	line, _, _ := strings.Cut(text, "\n")
	best, most := ',', 0
	for _, sep := range []rune{',', ';', '\t', '|'} {
		if n := strings.Count(line, string(sep)); n > most {
			best, most = sep, n
		}
	}
	return best
}
