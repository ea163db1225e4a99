//go:build cgo

package codegraph

import (
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// grammar is a language of tree-sitter with what is known of its node kinds, so that a walk asks the
// parser for numbers only: every question to it crosses into C.
type grammar struct {
	language *sitter.Language
	kinds    []grammarKind
	fields   []string
}

type grammarKind struct {
	name string
	keep bool // is a node of syntax
	leaf bool // its children say nothing
}

// newGrammar reads the tables of a grammar. leaves are kinds not to be descended into.
func newGrammar(pointer unsafe.Pointer, leaves ...string) *grammar {
	g := &grammar{language: sitter.NewLanguage(pointer)}
	isLeaf := map[string]bool{"comment": true}
	for _, leaf := range leaves {
		isLeaf[leaf] = true
	}
	for id := range g.language.NodeKindCount() {
		kind := uint16(id) //nolint:gosec // grammars have fewer than 65,536 kinds
		name := g.language.NodeKindForId(kind)
		keep := g.language.NodeKindIsNamed(kind) || isKeyword(name)
		g.kinds = append(g.kinds, grammarKind{name, keep && name != "comment", isLeaf[name]})
	}
	g.fields = append(g.fields, "")
	for id := range g.language.FieldCount() {
		g.fields = append(g.fields, g.language.FieldNameForId(uint16(id+1))) //nolint:gosec // as above
	}
	return g
}

// isKeyword tells whether a token is a word or one of the signs that extractors ask for.
func isKeyword(token string) bool {
	if token == "*" || token == "=" || token == "?." {
		return true
	}
	for _, r := range token {
		if r < 'a' || r > 'z' {
			return false
		}
	}
	return token != ""
}

// parse makes a syntax tree; broken source gives what could be understood. Nil is returned if the parser
// gives nothing at all.
func (g *grammar) parse(text []byte) *syntax {
	parser := sitter.NewParser()
	defer parser.Close()
	if err := parser.SetLanguage(g.language); err != nil {
		return nil
	}
	tree := parser.Parse(text, nil)
	if tree == nil {
		return nil
	}
	defer tree.Close()
	t := newSyntax(text)
	root := tree.RootNode()
	t.broken = root.HasError()
	cursor := root.Walk()
	defer cursor.Close()
	g.flatten(cursor, t)
	return t
}

// maxSyntaxDepth bounds how deeply nested source is read: extractors descend on the stack.
const maxSyntaxDepth = 5000

// flatten walks the tree once. Nodes that are not kept have no children that are: they are tokens.
func (g *grammar) flatten(cursor *sitter.TreeCursor, t *syntax) {
	parent, previous := noNode, noNode
	depth := 0
	for {
		node := cursor.Node()
		kind := g.kindOf(node.KindId())
		descend := false
		if kind.keep {
			start, end := node.ByteRange()
			at := len(t.nodes)
			t.nodes = append(t.nodes, syntaxNode{
				kind: kind.name, field: g.fields[cursor.FieldId()],
				start: int(start), end: int(end), //nolint:gosec // parsed files are small
				parent: parent, first: noNode, next: noNode,
			})
			t.link(parent, previous, at)
			previous = at
			descend = !kind.leaf && depth < maxSyntaxDepth && cursor.GotoFirstChild()
			t.broken = t.broken || depth == maxSyntaxDepth
		}
		if descend {
			depth++
			parent, previous = previous, noNode
			continue
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() || parent == noNode {
				return
			}
			depth--
			previous, parent = parent, t.nodes[parent].parent
		}
	}
}

func (t *syntax) link(parent, previous, at int) {
	switch {
	case previous != noNode:
		t.nodes[previous].next = at
	case parent != noNode:
		t.nodes[parent].first = at
	}
}

// kindOf is a kind by its number. The number of ERROR nodes is beyond the table.
func (g *grammar) kindOf(id uint16) grammarKind {
	if int(id) < len(g.kinds) {
		return g.kinds[id]
	}
	return grammarKind{name: "ERROR", keep: true}
}
