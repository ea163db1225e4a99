package main

import (
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"
	"github.com/stretchr/testify/assert"
)

func TestSplitCypher(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text       string
		ended      bool
		statements []string
		rest       string
	}{
		"two and a rest":         {"RETURN 1; RETURN 2;\nRETURN", false, []string{"RETURN 1", "RETURN 2"}, "\nRETURN"},
		"the rest at the end":    {"RETURN 1; RETURN 2", true, []string{"RETURN 1", "RETURN 2"}, ""},
		"strings and names":      {"RETURN ';' + \"a;\\\";\" AS `x;y`; RETURN 2;", false, []string{"RETURN ';' + \"a;\\\";\" AS `x;y`", "RETURN 2"}, ""},
		"comments":               {"RETURN 1 // a;b\n+ /* c;d */ 2;", false, []string{"RETURN 1 // a;b\n+ /* c;d */ 2"}, ""},
		"an open comment":        {"RETURN 1 /* ; ", true, []string{"RETURN 1 /* ;"}, ""},
		"an open string":         {"RETURN 'a;\n", false, nil, "RETURN 'a;\n"},
		"nothing":                {" \n;; ", true, nil, ""},
		"a backslash at the end": {`RETURN '\`, true, []string{`RETURN '\`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			statements, rest := splitCypher(tc.text, tc.ended)
			assert.Equal(t, tc.statements, statements)
			assert.Equal(t, tc.rest, rest)
		})
	}
}

func TestCypherText(t *testing.T) {
	t.Parallel()
	a := dbtype.Node{ElementId: "1", Labels: []string{"Entity", "Person"}, Props: map[string]any{"name": "Zoë"}}
	b := dbtype.Node{ElementId: "2", Labels: []string{"Entity"}}
	uses := dbtype.Relationship{StartElementId: "2", EndElementId: "1", Type: "USES"}
	for want, value := range map[string]any{
		"null":                 nil,
		"text":                 "text",
		"[1, null]":            []any{int64(1), nil},
		"2026-01-02T03:04:05Z": time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		`{"v":"[20 values]"}`:  map[string]any{"v": make([]any, 20)},
		`(:Entity:Person {"name":"Zoë"})<-[:USES {}]-(:Entity {})`: dbtype.Path{Nodes: []dbtype.Node{a, b}, Relationships: []dbtype.Relationship{uses}},
	} {
		assert.Equal(t, want, cypherText(value))
	}
}
