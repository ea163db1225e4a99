package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestP3_WordsOfAnIdentifier(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][]string{
		"parseHTTPRequest":  {"parse", "HTTP", "Request"},
		"snake_case_name":   {"snake", "case", "name"},
		"SCREAMING_CASE":    {"SCREAMING", "CASE"},
		"src/code-graph.ts": {"src", "code", "graph", "ts"},
		"utf8Decoder":       {"utf8", "Decoder"},
		"straßenName":       {"straßen", "Name"},
		"__":                nil,
		"":                  nil,
	} {
		assert.Equal(t, want, knowledge.CodeWords(name), name)
	}
}

func TestP3_SearchTextOfASymbol(t *testing.T) {
	t.Parallel()
	s := knowledge.CodeSymbol{Name: "newEngine", QualifiedName: "car.newEngine", Path: "src/engine.ts", Doc: "starts it", Signature: "newEngine(): Engine"}
	assert.Equal(t, "newEngine new Engine", s.SearchName())
	assert.Equal(t, "car.newEngine src/engine.ts newEngine(): Engine starts it", s.SearchText())
	f := knowledge.CodeFile{Path: "src/engine.ts"}
	assert.Equal(t, "engine.ts engine ts", f.SearchName())
	assert.Equal(t, "src/engine.ts src engine ts", f.SearchText())
}

func TestP1_IDsAreHashesOfKeysWithoutLines(t *testing.T) {
	t.Parallel()
	ref := knowledge.CodeRef{Path: "a.ts", Symbol: "A.run", Kind: knowledge.CodeKindMethod}
	assert.Equal(t, knowledge.CodeSymbolID("w", "r", "a.ts", "A.run", knowledge.CodeKindMethod), knowledge.CodeNodeID("w", "r", ref))
	assert.Equal(t, knowledge.CodeFileID("w", "r", "a.ts"), knowledge.CodeNodeID("w", "r", knowledge.CodeRef{Path: "a.ts"}))
	assert.Equal(t, knowledge.CodePackageID("w", "r", "x/y"), knowledge.CodeNodeID("w", "r", knowledge.CodeRef{Package: "x/y"}))
	assert.Regexp(t, "^sym_[0-9a-f]{24}$", knowledge.CodeNodeID("w", "r", ref))
	assert.NotEqual(t, knowledge.CodeNodeID("w", "r", ref), knowledge.CodeNodeID("w", "other", ref))
	assert.NotEqual(t, knowledge.CodeNodeID("w", "r", ref), knowledge.CodeNodeID("other", "r", ref), "R1 no two workspaces share an id")
}
