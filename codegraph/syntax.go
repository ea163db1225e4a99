package codegraph

import (
	"sort"
	"strings"
)

// syntax is a parsed file as a flat list of nodes in source order. Tokens that say nothing
// (punctuation, comments) are not in it.
type syntax struct {
	text   []byte
	nodes  []syntaxNode
	lines  []int // offsets at which lines begin
	broken bool
}

// syntaxNode refers to others by index; -1 is none.
type syntaxNode struct {
	kind, field string
	start, end  int
	parent      int
	first, next int
}

const noNode = -1

func newSyntax(text []byte) *syntax {
	t := &syntax{text: text, lines: []int{0}}
	for i, b := range text {
		if b == '\n' {
			t.lines = append(t.lines, i+1)
		}
	}
	return t
}

func (t *syntax) kind(n int) string {
	if n == noNode {
		return ""
	}
	return t.nodes[n].kind
}

func (t *syntax) source(n int) string {
	if n == noNode {
		return ""
	}
	return string(t.text[t.nodes[n].start:t.nodes[n].end])
}

// line is the line of an offset, from 1.
func (t *syntax) line(offset int) int { return sort.SearchInts(t.lines, offset+1) }

func (t *syntax) startLine(n int) int { return t.line(t.nodes[n].start) }

func (t *syntax) endLine(n int) int { return t.line(max(t.nodes[n].end-1, t.nodes[n].start)) }

// children calls yield for each child in order until it returns false.
func (t *syntax) children(n int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if n == noNode {
			return
		}
		for c := t.nodes[n].first; c != noNode; c = t.nodes[c].next {
			if !yield(c) {
				return
			}
		}
	}
}

// child is the first child in a field.
func (t *syntax) child(n int, field string) int {
	for c := range t.children(n) {
		if t.nodes[c].field == field {
			return c
		}
	}
	return noNode
}

// childOf is the first child of one of the kinds.
func (t *syntax) childOf(n int, kinds ...string) int {
	for c := range t.children(n) {
		for _, k := range kinds {
			if t.nodes[c].kind == k {
				return c
			}
		}
	}
	return noNode
}

func (t *syntax) has(n int, kind string) bool { return t.childOf(n, kind) != noNode }

// head is the source of a node up to its body, on one line: a declaration's signature.
func (t *syntax) head(n, body int) string {
	end := t.nodes[n].end
	if body != noNode {
		end = t.nodes[body].start
	}
	return clip(string(t.text[t.nodes[n].start:end]))
}

// docBefore is the comment that ends on the line of a node or the one above, without its marks.
func (t *syntax) docBefore(n int) string {
	before := strings.TrimRight(string(t.text[max(0, t.nodes[n].start-maxDoc*2):t.nodes[n].start]), " \t\r\n")
	if !strings.HasSuffix(before, "*/") {
		return ""
	}
	at := strings.LastIndex(before, "/**")
	if at < 0 || strings.Contains(before[at:len(before)-2], "*/") {
		return ""
	}
	var lines []string
	for line := range strings.Lines(before[at+3 : len(before)-2]) {
		if line = strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(line), "*")); line != "" {
			lines = append(lines, line)
		}
	}
	return clipTo(strings.Join(lines, " "), maxDoc)
}

// Sizes of what is kept of a symbol's text, in bytes.
const (
	maxSignature = 300
	maxDoc       = 1000
)

// clip makes one line of a signature and bounds it.
func clip(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	s = strings.TrimSpace(strings.TrimRight(s, " {=:"))
	return clipTo(s, maxSignature)
}

// clipTo cuts at a character's start.
func clipTo(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
