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
	assert.Equal(t, "newEngine new Engine car.newEngine src/engine.ts starts it newEngine(): Engine", s.SearchText())
	assert.Equal(t, "src/engine.ts src engine ts", knowledge.CodeFile{Path: "src/engine.ts"}.SearchText())
}

func TestP1_IDsAreHashesOfKeysWithoutLines(t *testing.T) {
	t.Parallel()
	ref := knowledge.CodeRef{Path: "a.ts", Symbol: "A.run", Kind: knowledge.CodeKindMethod}
	assert.Equal(t, knowledge.CodeSymbolID("r", "a.ts", "A.run", knowledge.CodeKindMethod), knowledge.CodeNodeID("r", ref))
	assert.Equal(t, knowledge.CodeFileID("r", "a.ts"), knowledge.CodeNodeID("r", knowledge.CodeRef{Path: "a.ts"}))
	assert.Equal(t, knowledge.CodePackageID("r", "x/y"), knowledge.CodeNodeID("r", knowledge.CodeRef{Package: "x/y"}))
	assert.Regexp(t, "^sym_[0-9a-f]{24}$", knowledge.CodeNodeID("r", ref))
	assert.NotEqual(t, knowledge.CodeNodeID("r", ref), knowledge.CodeNodeID("other", ref))
}
