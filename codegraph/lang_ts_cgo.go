//go:build cgo

package codegraph

import (
	"sync"

	javascript "github.com/tree-sitter/tree-sitter-javascript/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"
)

// addTypescriptParser gives the language its extractor; the tables of a grammar are read when the first
// file needs them.
func addTypescriptParser(l *Language) {
	leaves := []string{"string", "number", "regex", "predefined_type"}
	grammars := map[string]func() *grammar{
		"typescript": sync.OnceValue(func() *grammar { return newGrammar(typescript.LanguageTypescript(), leaves...) }),
		"tsx":        sync.OnceValue(func() *grammar { return newGrammar(typescript.LanguageTSX(), leaves...) }),
		"javascript": sync.OnceValue(func() *grammar { return newGrammar(javascript.Language(), leaves...) }),
	}
	l.NotParsed = ""
	l.Extract = func(s Source) Facts {
		tree := parseTypescript(grammars[s.Language](), s.Text)
		if tree == nil {
			return Facts{ParseErrors: true}
		}
		return extractTypescript(tree, s.Language == "javascript")
	}
}

// parseTypescript parses, and parses again what may be right although the grammar does not know it.
func parseTypescript(g *grammar, text []byte) *syntax {
	tree := g.parse(text)
	if tree == nil || !tree.broken {
		return tree
	}
	repaired, differs := repairTypescript(text)
	if !differs {
		return tree
	}
	second := g.parse(repaired)
	if second == nil || second.broken && second.unread() >= tree.unread() {
		return tree
	}
	second.text = text
	return second
}
