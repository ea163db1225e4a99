package llm

import (
	"regexp"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxNesting bounds how deep a reply may be nested; deeper is cut off.
const maxNesting = 64

// parsed is a value that a lenient parser read.
type parsed struct {
	value any
	start int
	end   int  // where it stopped
	whole bool // the value has its end; otherwise the text had none
}

// parseAt reads the JSON value at a position, forgiving what models get wrong:
// comments, trailing and missing commas, single quotes, unquoted names, Python's
// constants, bad escapes, raw line breaks in strings. The value is nil where there
// is none.
//
// At the end of the text it keeps what is complete: of a cut list its complete
// members, of a cut object its complete members and its lists and objects. A string
// or number that is cut is dropped, since half of it says something else.
func parseAt(text string, at int) parsed {
	p := &lenient{text: text, at: at}
	value, whole := p.value(0)
	return parsed{value: value, start: at, end: p.at, whole: whole}
}

// followsComma is what stands after a comma that separates values, and not words.
var followsComma = regexp.MustCompile(`^,\s*(?:$|["'“‘{\[\]}/,\d+-]|(?i:true|false|null|none|nan)\b|[\w$-]+\s*:)`)

type lenient struct {
	text string
	at   int
}

// nothing stands for the absence of a value, which is not null.
type nothing struct{}

func (p *lenient) peek() byte {
	if p.at >= len(p.text) {
		return 0
	}
	return p.text[p.at]
}

func (p *lenient) done() bool { return p.at >= len(p.text) }

// space skips white space and comments.
func (p *lenient) space() {
	for !p.done() {
		switch c := p.text[p.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			p.at++
		case strings.HasPrefix(p.text[p.at:], "//"):
			p.skipTo("\n")
		case strings.HasPrefix(p.text[p.at:], "/*"):
			p.skipTo("*/")
		case strings.HasPrefix(p.text[p.at:], "\u00A0"):
			p.at += len("\u00A0")
		default:
			return
		}
	}
}

func (p *lenient) skipTo(end string) {
	i := strings.Index(p.text[p.at:], end)
	if i < 0 {
		p.at = len(p.text)
		return
	}
	p.at += i + len(end)
}

// value reads a value; whole is false where it is cut.
func (p *lenient) value(depth int) (value any, whole bool) {
	p.space()
	if p.done() || depth > maxNesting {
		p.at = min(p.at+1, len(p.text))
		return nothing{}, false
	}
	switch c := p.peek(); {
	case c == '{':
		return p.object(depth)
	case c == '[':
		return p.array(depth)
	case opensString(p.text[p.at:]) > 0:
		return p.string()
	default:
		return p.word()
	}
}

func (p *lenient) object(depth int) (any, bool) {
	p.at++
	object := map[string]any{}
	for {
		p.space()
		switch {
		case p.done():
			return object, false
		case p.peek() == '}':
			p.at++
			return object, true
		case p.peek() == ',':
			p.at++
			continue
		case p.peek() == ']': // a bracket of the wrong kind closes too
			p.at++
			return object, true
		}
		key, ok := p.key()
		if !ok {
			return object, false
		}
		p.space()
		if p.peek() == ':' || p.peek() == '=' {
			p.at++
			if p.peek() == '>' {
				p.at++
			}
		} else if !p.done() {
			if len(object) == 0 {
				return nothing{}, true // prose in braces
			}
			continue // a name without a value
		}
		value, whole := p.value(depth + 1)
		_, list := value.([]any)
		_, inner := value.(map[string]any)
		if _, none := value.(nothing); !none && (whole || list || inner) {
			object[key] = value
		}
		if !whole && p.done() {
			return object, false
		}
	}
}

// key reads the name of a member; false where the text ends in it.
func (p *lenient) key() (string, bool) {
	if opensString(p.text[p.at:]) > 0 {
		key, whole := p.string()
		name, _ := key.(string)
		return name, whole
	}
	start := p.at
	for !p.done() && !strings.ContainsRune(":=,}{[]\"\n", rune(p.peek())) {
		p.at++
	}
	if p.at == start {
		p.at++
	}
	return strings.TrimSpace(p.text[start:p.at]), !p.done()
}

func (p *lenient) array(depth int) (any, bool) {
	p.at++
	list := []any{}
	for {
		p.space()
		switch {
		case p.done():
			return list, false
		case p.peek() == ']':
			p.at++
			return list, true
		case p.peek() == ',':
			p.at++
			continue
		case p.peek() == '}': // belongs to what is around
			return list, true
		}
		value, whole := p.value(depth + 1)
		if _, none := value.(nothing); whole && !none {
			list = append(list, value)
		}
		if !whole && p.done() {
			return list, false
		}
	}
}

// word reads a number or a constant; anything else is no value.
func (p *lenient) word() (any, bool) {
	start := p.at
	for !p.done() && !strings.ContainsRune(",]}:{[ \t\r\n\"", rune(p.peek())) {
		p.at++
	}
	if p.at == start {
		p.at++
		return nothing{}, true
	}
	if p.done() {
		return nothing{}, false
	}
	switch word := p.text[start:p.at]; strings.ToLower(word) {
	case "true":
		return true, true
	case "false":
		return false, true
	case "null", "none", "undefined", "nil":
		return nil, true
	default:
		if f, ok := number(strings.TrimPrefix(word, "+")); ok {
			return f, true
		}
		return nothing{}, true
	}
}

// opensString is the length of the quote with which a text begins; 0 where it does not.
func opensString(text string) int {
	for _, quote := range []string{`"`, `'`, "“", "”", "‘", "’"} {
		if strings.HasPrefix(text, quote) {
			return len(quote)
		}
	}
	return 0
}

// string reads a quoted text. A quote inside it that was not escaped does not end
// it where no comma, colon or bracket follows.
func (p *lenient) string() (any, bool) {
	n := opensString(p.text[p.at:])
	shut := map[string]string{"“": "”", "‘": "’"}[p.text[p.at:p.at+n]]
	if shut == "" {
		shut = p.text[p.at : p.at+n]
	}
	p.at += n
	var b strings.Builder
	for !p.done() {
		rest := p.text[p.at:]
		switch {
		case strings.HasPrefix(rest, shut) && p.ends(p.at+len(shut)):
			p.at += len(shut)
			return b.String(), true
		case rest[0] == '\\':
			if !p.escape(&b) {
				return b.String(), false
			}
		default:
			_, size := utf8.DecodeRuneInString(rest)
			b.WriteString(rest[:size])
			p.at += size
		}
	}
	return b.String(), false
}

// ends tells whether what follows a quote is what follows a string.
func (p *lenient) ends(at int) bool {
	rest := strings.TrimLeft(p.text[at:], " \t\r\n\u00A0")
	if rest == "" {
		return true
	}
	if rest[0] == ',' {
		return followsComma.MatchString(rest)
	}
	if strings.ContainsRune(":]}", rune(rest[0])) || strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "/*") || strings.HasPrefix(rest, "=>") {
		return true
	}
	// A missing comma: the next line begins with a quoted name.
	gap := p.text[at : len(p.text)-len(rest)]
	return strings.Contains(gap, "\n") && (opensString(rest) > 0 || rest[0] == '{' || rest[0] == '`')
}

// escape reads an escape; what is none stands for itself. False where the text ends in it.
func (p *lenient) escape(b *strings.Builder) bool {
	if p.at+1 >= len(p.text) {
		p.at = len(p.text)
		return false
	}
	c := p.text[p.at+1]
	p.at += 2
	switch c {
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b', 'f':
		b.WriteByte(' ')
	case '"', '\'', '/', '\\', '`', '\n':
		b.WriteByte(c)
	case 'u', 'x':
		return p.codePoint(b, c)
	default: // \_ \* \$ of Markdown, \d of a pattern: the backslash was meant
		b.WriteByte('\\')
		p.at--
		return true
	}
	return true
}

// codePoint reads \u1234, a pair of them, or \x12.
func (p *lenient) codePoint(b *strings.Builder, kind byte) bool {
	digits := 4
	if kind == 'x' {
		digits = 2
	}
	r, ok := p.hex(digits)
	if !ok {
		if p.done() {
			return false
		}
		b.WriteString(`\` + string(kind))
		return true
	}
	if utf16.IsSurrogate(r) {
		if second := p.at; strings.HasPrefix(p.text[second:], `\u`) {
			p.at += 2
			if low, ok := p.hex(4); ok && utf16.DecodeRune(r, low) != utf8.RuneError {
				b.WriteRune(utf16.DecodeRune(r, low))
				return true
			}
			p.at = second
		}
		r = utf8.RuneError
	}
	if r != 0 { // Postgres, Neo4j and most others refuse NUL in text
		b.WriteRune(r)
	}
	return true
}

func (p *lenient) hex(digits int) (rune, bool) {
	var r rune
	for i := range digits {
		if p.at+i >= len(p.text) {
			return 0, false
		}
		d := strings.IndexByte("0123456789abcdef", p.text[p.at+i]|0x20)
		if d < 0 {
			return 0, false
		}
		r = r<<4 | rune(d)
	}
	p.at += digits
	return r, true
}
