//go:build cgo

package codegraph

import (
	"sync"

	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// addPythonParser gives the language its extractor.
func addPythonParser(l *Language) {
	shared := sync.OnceValue(func() *grammar { return newGrammar(python.Language(), "integer", "float", "string_content") })
	l.NotParsed = ""
	l.Extract = func(s Source) Facts {
		tree := shared().parse(s.Text)
		if tree == nil {
			return Facts{ParseErrors: true}
		}
		return extractPython(tree)
	}
}
