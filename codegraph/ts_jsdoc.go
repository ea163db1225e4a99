package codegraph

import (
	"regexp"
	"strings"

	"mneme/knowledge"
)

// Comments of scripts that declare a type: @typedef {type} Name, @callback Name.
var (
	jsdocComment = regexp.MustCompile(`/\*\*(?:[^*]|\*+[^*/])*\*+/`)
	jsdocTag     = regexp.MustCompile(`@(?:typedef|callback)\b[ \t]*`)
	jsdocName    = regexp.MustCompile(`^[\s*]*([A-Za-z_$][\w$]*)`)
)

// collectTypedefs adds the types that a script's comments declare. A module exports them.
func (x *tsExtractor) collectTypedefs() {
	for _, comment := range jsdocComment.FindAllIndex(x.t.text, -1) {
		text := string(x.t.text[comment[0]:comment[1]])
		for _, tag := range jsdocTag.FindAllStringIndex(text, -1) {
			rest := skipBraces(text[tag[1]:])
			name := jsdocName.FindStringSubmatch(rest)
			if name == nil {
				continue
			}
			x.facts.Symbols = append(x.facts.Symbols, Symbol{
				Name: name[1], Qualified: name[1], Kind: knowledge.CodeKindType, Exported: x.facts.Module,
				Line: x.t.line(comment[0] + tag[0]), EndLine: x.t.line(comment[1] - 1), Signature: clip(strings.Trim(text[tag[0]:], "*/ ")),
			})
			at := len(x.facts.Symbols) - 1
			x.module.declare(name[1], tsType, ownSymbol(at))
			if x.facts.Module {
				x.facts.Exports = append(x.facts.Exports, Export{Name: name[1], Symbol: at, Import: -1, TypeOnly: true})
			}
		}
	}
}

// skipBraces is what follows a type in braces, or the text itself if it begins with none.
func skipBraces(text string) string {
	depth := 0
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[i+1:]
			}
		}
		if depth == 0 {
			return text
		}
	}
	return ""
}
