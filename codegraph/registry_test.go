package codegraph_test

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/codegraph"
	"mneme/knowledge"
)

// toyLanguage is a whole language in one entry: a line "def NAME" declares, "use FILE" imports.
func toyLanguage() codegraph.Language {
	return codegraph.Language{
		Name: "toy", Version: "1", Extensions: map[string]string{".toy": "toy"},
		Extract: func(s codegraph.Source) codegraph.Facts {
			var f codegraph.Facts
			for i, line := range strings.Split(string(s.Text), "\n") {
				verb, object, _ := strings.Cut(line, " ")
				switch verb {
				case "def":
					f.Symbols = append(f.Symbols, codegraph.Symbol{Name: object, Qualified: object, Kind: knowledge.CodeKindFunction, Exported: true, Line: i + 1, EndLine: i + 1})
				case "use":
					f.Imports = append(f.Imports, codegraph.Import{Specifier: object, Kind: "use", Line: i + 1})
				}
			}
			return f
		},
		Resolve: func(_ context.Context, p *codegraph.Project) error {
			for _, path := range p.Paths("toy") {
				for _, i := range p.Facts(path).Imports {
					if p.HasFile(i.Specifier) {
						p.AddEdge(knowledge.CodeEdge{
							Type: knowledge.CodeImportsFile, From: knowledge.CodeRef{Path: path}, To: knowledge.CodeRef{Path: i.Specifier},
							File: path, Kind: i.Kind, Resolution: "path", Confidence: knowledge.CodeConfidenceImport,
						})
					}
				}
			}
			return nil
		},
	}
}

func TestP4_ALanguageIsOneEntry(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.toy --\ndef go\nuse b.toy\n-- b.toy --\ndef stop\n-- c.ts --\nexport const c = 1;\n")
	x := build(t, dir, codegraph.Options{Languages: append(codegraph.Languages(), toyLanguage())})
	assert.Equal(t, []string{"a.toy → b.toy"}, edges(x, knowledge.CodeImportsFile, nil))
	assert.Equal(t, []string{"a.toy → a.toy#go", "b.toy → b.toy#stop", "c.ts → c.ts#c"}, edges(x, knowledge.CodeDefines, nil))
}

func TestP4_TextFilesAreNodesOnly(t *testing.T) {
	t.Parallel()
	x := index(t, "-- README.md --\n# A\n-- a.yaml --\na: 1\n-- Dockerfile --\nFROM x\n-- q.cypher --\nRETURN 1\n-- s.graphql --\ntype A { b: Int }\n-- x.unknown --\n")
	languages := map[string]string{}
	for _, f := range x.Files {
		languages[f.Path] = f.Language
		assert.Empty(t, f.Skipped, f.Path)
	}
	assert.Equal(t, map[string]string{"README.md": "markdown", "a.yaml": "yaml", "Dockerfile": "dockerfile", "q.cypher": "cypher", "s.graphql": "graphql"}, languages)
	assert.Empty(t, x.Symbols)
}
