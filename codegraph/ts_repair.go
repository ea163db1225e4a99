package codegraph

import (
	"bytes"
	"regexp"
)

// What the TypeScript grammar misreads although it is right. Each is made readable without moving a
// byte, so that offsets stay those of the source.
var (
	tsExportTypeStar = regexp.MustCompile(`\bexport\s+(type)\s*\*`)
	tsVariance       = regexp.MustCompile(`[<,](?:\s|/\*(?:[^*]|\*[^/])*\*/)*\b((?:in|out)(?:\s+out)?)\s+[\w$]+\s*(?:extends\b|[,>=])`)
	tsSignatureStart = regexp.MustCompile(`(?m)^[ \t]*<(?:[A-Za-z]|\r?$)`)
)

// repairTypescript returns a readable variant of source that was not understood, and whether it differs:
// `export type *` without type, type parameters without their variance, and a semicolon before a
// signature that begins with its type parameters.
func repairTypescript(text []byte) ([]byte, bool) {
	out := bytes.Clone(text)
	blank := func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = ' '
		}
	}
	for _, m := range tsExportTypeStar.FindAllSubmatchIndex(out, -1) {
		blank(m[2], m[3])
	}
	const passes = 8 // a match takes the comma that the next one begins with; lists are short
	for range passes {
		found := tsVariance.FindAllSubmatchIndex(out, -1)
		for _, m := range found {
			blank(m[2], m[3])
		}
	}
	endStatements(out)
	return out, !bytes.Equal(out, text)
}

// endStatements puts a semicolon at the end of the code above each line that begins with `<`.
func endStatements(out []byte) {
	for _, m := range tsSignatureStart.FindAllIndex(out, -1) {
		end := m[0] - 1 // the newline above
		for end > 0 {
			begin := bytes.LastIndexByte(out[:end], '\n') + 1
			line := out[begin:end]
			if comment := bytes.Index(line, []byte(" //")); comment >= 0 {
				line = line[:comment]
			}
			code := bytes.TrimSpace(line)
			if len(code) > 0 && !bytes.HasPrefix(code, []byte("//")) {
				if last := begin + bytes.LastIndexByte(line, code[len(code)-1]) + 1; endsType(code) && last <= end {
					out[last] = ';'
				}
				break
			}
			end = begin - 1
		}
	}
}

// endsType tells whether a line can be the end of a signature.
func endsType(code []byte) bool {
	last := code[len(code)-1]
	return last == '>' || last == ')' || last == ']' || last == '}' || last == '\'' || last == '"' || last == '_' ||
		last >= 'a' && last <= 'z' || last >= 'A' && last <= 'Z' || last >= '0' && last <= '9'
}

// unread is how many bytes of a tree are not understood.
func (t *syntax) unread() int {
	n := 0
	for _, node := range t.nodes {
		if node.kind == "ERROR" {
			n += node.end - node.start + 1
		}
	}
	return n
}
