package ingest

import (
	"bufio"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// readAll reads an export to its end.
func readAll(text string) ([]knowledge.ExportItem, error) {
	items, failure := ReadExport(strings.NewReader(text))
	var out []knowledge.ExportItem
	for item := range items {
		out = append(out, item)
	}
	return out, failure()
}

func TestO18_ReadExport(t *testing.T) {
	t.Parallel()
	items, err := readAll("\xef\xbb\xbf" + `{"workspace": {"key": "w"}, "entities": [{"id": "e1", "name": "A"}, {"id": 7}, {"id": "e2", "createdAt": "yesterday"}, 3], "edges": [], "relations": [{"id": "r"}]}`)
	require.NoError(t, err)
	require.Len(t, items, 6)
	assert.Equal(t, "w", items[0].Workspace.Key)
	assert.Equal(t, "A", items[1].Entity.Name)
	for i, where := range map[int]string{2: "entities[1]", 3: "entities[2]", 4: "entities[3]"} {
		require.Error(t, items[i].Err)
		assert.Equal(t, where, items[i].Where)
	}
	assert.Equal(t, "r", items[5].Relation.ID, "what is wrong does not stop the rest")
}

func TestO18_UnreadableExports(t *testing.T) {
	t.Parallel()
	for text, says := range map[string]string{
		``:                                 "ends in the middle",
		`[]`:                               "is no export",
		`{"workspace": {"key": "w"}, "ent`: "ends in the middle",
		`{"entities": [{"id": "e1"}`:       "ends in the middle",
		`{"entities": [{"id": }]}`:         "is not JSON",
		`{"entities": {"id": "e1"}}`:       "is no export",
		`{"edges": [], "entities": []}`:    `has "entities" after "edges"`,
		`{"things": []}`:                   `has a part "things"`,
		`{"entities": [{"description": "` + strings.Repeat("x", maxExported+1<<20) + `"}]}`: "larger than",
	} {
		_, err := readAll(text)
		if assert.Error(t, err, says) {
			assert.Contains(t, err.Error(), says)
			assert.NotEqual(t, knowledge.CodeInternal, knowledge.CodeOf(err))
		}
	}
}

func TestIsExport(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"{\n  \"workspace\": {\"id\": 1}":       true,
		" \n\t{ \"entities\" : [ ":              true,
		"\xef\xbb\xbf{\"edges\":[]}":            true,
		`{"type": "concept", "name": "A"}`:      false,
		`{"workspace": "a name", "type": "x"}`:  false,
		`[{"workspace": {}}]`:                   false,
		strings.Repeat(" ", 900) + `{"edges":[`: true,
		``:                                      false,
	} {
		in := bufio.NewReaderSize(strings.NewReader(text), 16<<10)
		assert.Equal(t, want, IsExport(in), text)
		again, err := in.Peek(min(len(text), 64))
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(text, string(again)), "nothing is read")
	}
}

// Whatever a file holds, reading it ends, with things or with an error of ours.
func FuzzReadExport(f *testing.F) {
	f.Add(`{"workspace": {"key": "w"}, "entityTypes": [{"key": "x"}], "edgeTypes": [{}], "entities": [{"id": "e1", "properties": {"a": [1, null]}}], "edges": [{"from": "a"}]}`)
	f.Add(`{"observations": [{"text": "x"}], "entries": [{"tags": ["a"]}], "relations": [3]}`)
	f.Add(`{"edges": [[[[`)
	f.Fuzz(func(t *testing.T, text string) {
		IsExport(bufio.NewReader(strings.NewReader(text)))
		items, err := readAll(text)
		if err != nil && knowledge.CodeOf(err) == knowledge.CodeInternal {
			t.Fatalf("%q: %v", text, err)
		}
		for _, item := range items {
			if x := item.Entity; x != nil {
				_, _ = x.Entity("ws")
			}
			if x := item.Edge; x != nil {
				_, _ = x.Edge("ws")
			}
			if x := item.Entry; x != nil {
				_, _ = x.Entry("ws")
			}
		}
	})
}
