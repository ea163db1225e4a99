package codegraph

import (
	"slices"
	"strings"
	"unicode"
)

// scopes are those of namespaces, by their node, filled while declarations are collected.
func (x *tsExtractor) scopes() map[int]*tsScope {
	if x.namespaces == nil {
		x.namespaces = map[int]*tsScope{}
	}
	return x.namespaces
}

// visitChildren visits all children but those in the named fields.
func (x *tsExtractor) visitChildren(n int, at place, except ...string) {
	for c := range x.t.children(n) {
		if field := x.t.nodes[c].field; field != "" && slices.Contains(except, field) {
			continue
		}
		x.visit(c, at)
	}
}

// visit finds imports, parents and uses in a node and below.
func (x *tsExtractor) visit(n int, at place) {
	t := x.t
	if i, there := x.symbols[n]; there {
		at.from, at.name = i, x.facts.Symbols[i].Qualified
	}
	switch t.kind(n) {
	case "import_statement", "export_clause", "namespace_export", "import_alias", "statement_identifier":
	case "identifier", "shorthand_property_identifier":
		x.mention(n, at, tsValue, false)
	case "type_identifier":
		x.mention(n, at, tsType, false)
	case "member_expression", "nested_identifier", "nested_type_identifier":
		x.visitChain(n, at, false)
	case "call_expression", "new_expression":
		x.visitCall(n, at)
	case "jsx_opening_element", "jsx_self_closing_element", "jsx_closing_element":
		x.visitElement(n, at)
	case "class_declaration", "abstract_class_declaration", "class", "interface_declaration":
		x.visitClass(n, at)
	case "function_declaration", "generator_function_declaration", "function_expression", "generator_function", "arrow_function",
		"method_definition", "method_signature", "abstract_method_signature", "function_signature", "function_type",
		"constructor_type", "call_signature", "construct_signature":
		x.visitFunction(n, at)
	case "internal_module", "module":
		if scope := x.scopes()[n]; scope != nil {
			at.scope = scope
			for c := range t.children(t.child(n, "body")) {
				x.visit(c, at)
			}
		}
	case "statement_block", "switch_body", "class_static_block":
		at.scope = newScope(at.scope)
		if !x.isAmbientGlobal(n) {
			x.hoist(at.scope, n)
		}
		x.visitChildren(n, at)
	default:
		x.visitOther(n, at)
	}
}

// isAmbientGlobal tells whether a block is that of `declare global`, whose names are symbols.
func (x *tsExtractor) isAmbientGlobal(n int) bool {
	return x.t.kind(x.t.nodes[n].parent) == "ambient_declaration"
}

// visitOther visits nodes that bind names in smaller ways, and all the rest.
func (x *tsExtractor) visitOther(n int, at place) {
	t := x.t
	switch t.kind(n) {
	case "variable_declarator":
		x.visitPattern(t.child(n, "name"), at)
		x.visitChildren(n, at, "name")
	case "for_statement":
		at.scope = newScope(at.scope)
		x.hoist(at.scope, n)
		x.visitChildren(n, at)
	case "for_in_statement":
		at.scope = newScope(at.scope)
		if t.child(n, "kind") != noNode {
			x.declarePattern(at.scope, t.child(n, "left"), noNode)
		}
		x.visitChildren(n, at)
	case "catch_clause":
		at.scope = newScope(at.scope)
		x.declarePattern(at.scope, t.child(n, "parameter"), noNode)
		x.visitChildren(n, at, "parameter")
	case "required_parameter", "optional_parameter":
		x.visitPattern(t.child(n, "pattern"), at)
		x.visitChildren(n, at, "pattern")
	case "type_alias_declaration":
		at.scope = newScope(at.scope)
		x.declareTypeParameters(at.scope, n)
		x.visitChildren(n, at, "name")
	case "mapped_type_clause":
		at.scope.declare(t.source(t.child(n, "name")), tsType, noBinding())
		x.visitChildren(n, at, "name")
	case "index_type_query", "object_type":
		at.scope = newScope(at.scope)
		x.visitChildren(n, at)
	case "conditional_type":
		at.scope = newScope(at.scope)
		x.declareInferred(at.scope, t.child(n, "right"))
		x.visitChildren(n, at)
	case "enum_declaration", "type_parameter", "index_signature", "type_predicate":
		x.visitChildren(n, at, "name")
	case "infer_type":
	default:
		x.visitChildren(n, at)
	}
}

// declareInferred declares the types that a condition infers.
func (x *tsExtractor) declareInferred(scope *tsScope, n int) {
	for c := range x.t.children(n) {
		if x.t.kind(c) == "infer_type" {
			scope.declare(x.t.source(x.t.childOf(c, "type_identifier")), tsType, noBinding())
		}
		x.declareInferred(scope, c)
	}
}

func (x *tsExtractor) declareTypeParameters(scope *tsScope, n int) {
	for c := range x.t.children(x.t.child(n, "type_parameters")) {
		scope.declare(x.t.source(x.t.child(c, "name")), tsType, noBinding())
	}
}

// visitPattern visits what a pattern uses: defaults and computed keys.
func (x *tsExtractor) visitPattern(n int, at place) {
	for c := range x.t.children(n) {
		switch {
		case x.t.nodes[c].field == "right", x.t.kind(c) == "computed_property_name":
			x.visit(c, at)
		default:
			x.visitPattern(c, at)
		}
	}
}

// visitFunction opens the scope of a function.
func (x *tsExtractor) visitFunction(n int, at place) {
	t := x.t
	at.scope = newScope(at.scope)
	x.declareTypeParameters(at.scope, n)
	if kind := t.kind(n); kind == "function_expression" || kind == "generator_function" {
		at.scope.declare(t.source(t.child(n, "name")), tsValue, noBinding())
	}
	x.declarePattern(at.scope, t.child(n, "parameter"), noNode) // an arrow's single parameter
	for p := range t.children(t.child(n, "parameters")) {
		pattern := t.child(p, "pattern")
		if pattern == noNode {
			pattern = p // JavaScript
		}
		x.declarePattern(at.scope, pattern, noNode)
		if pattern == p {
			x.visitPattern(p, at)
			continue
		}
		x.visit(p, at)
	}
	body := t.child(n, "body")
	if t.kind(body) == "statement_block" {
		x.hoist(at.scope, body)
	}
	x.visitChildren(n, at, "name", "parameters", "parameter")
}

// visitClass records parents, then visits the body.
func (x *tsExtractor) visitClass(n int, at place) {
	t := x.t
	at.scope = newScope(at.scope)
	x.declareTypeParameters(at.scope, n)
	child, isSymbol := x.symbols[n]
	if !isSymbol && t.kind(n) == "class" && t.child(n, "name") == noNode {
		child = -1
	} else if !isSymbol {
		child = x.nestedSymbol(n).Symbol
		at.scope.declare(t.source(t.child(n, "name")), tsBoth, ownSymbol(child))
	}
	if child >= 0 {
		at.from, at.name = child, x.facts.Symbols[child].Qualified
		if t.kind(n) != "interface_declaration" {
			at.class = child
		}
		x.parents(n, child, at)
	}
	x.visitChildren(n, at, "name")
}

// parents records the clauses of inheritance of a class or interface.
func (x *tsExtractor) parents(n, child int, at place) {
	t := x.t
	for c := range t.children(n) {
		switch t.kind(c) {
		case "class_heritage":
			if clause := t.childOf(c, "extends_clause"); clause != noNode {
				x.parent(t.child(clause, "value"), child, false, tsValue, at)
			} else if !t.has(c, "implements_clause") {
				for value := range t.children(c) { // JavaScript
					x.parent(value, child, false, tsValue, at)
				}
			}
			for parent := range t.children(t.childOf(c, "implements_clause")) {
				x.parent(parent, child, true, tsType, at)
			}
		case "extends_type_clause":
			for parent := range t.children(c) {
				x.parent(parent, child, false, tsType, at)
			}
		}
	}
}

// parent records one parent: a name or a chain of names, with or without type arguments.
func (x *tsExtractor) parent(n, child int, implements bool, space tsSpace, at place) {
	t := x.t
	if t.kind(n) == "generic_type" {
		n = t.child(n, "name")
	}
	base, members := x.chain(n)
	switch t.kind(base) {
	case "identifier", "type_identifier":
	default:
		return // a call, a keyword or an expression
	}
	if len(members) > 0 {
		space = tsBoth
	}
	wanted := space
	if space == tsBoth {
		wanted = tsValue
	}
	b, found := at.scope.lookup(t.source(base), wanted)
	if found && !b.bound() {
		return // a parameter or a local value
	}
	b.Members = append(b.Members, members...)
	x.facts.Parents = append(x.facts.Parents, Parent{
		Child: child, Implements: implements, Text: clip(t.source(n)), Binding: b, TypeSpace: space == tsType,
	})
}

// chain splits a.b.c into the node of a and the names behind it.
func (x *tsExtractor) chain(n int) (int, []string) {
	var members []string
	for {
		base, name := noNode, noNode
		switch x.t.kind(n) {
		case "member_expression", "nested_identifier":
			base, name = x.t.child(n, "object"), x.t.child(n, "property")
		case "nested_type_identifier":
			base, name = x.t.child(n, "module"), x.t.child(n, "name")
		case "non_null_expression", "parenthesized_expression":
			base = x.t.nodes[n].first
		default:
			slices.Reverse(members)
			return n, members
		}
		if name != noNode {
			members = append(members, x.t.source(name))
		}
		if base == noNode {
			slices.Reverse(members)
			return n, members
		}
		n = base
	}
}

// visitChain records a use through a.b.c.
func (x *tsExtractor) visitChain(n int, at place, call bool) {
	t := x.t
	base, members := x.chain(n)
	switch t.kind(base) {
	case "identifier", "type_identifier":
		space := tsValue
		if b, found := at.scope.lookup(t.source(base), space); found {
			b.Members = append(b.Members, members...)
			x.use(b, at.from, call)
		}
	case "this":
		if at.class >= 0 && len(members) > 0 {
			x.use(Binding{Symbol: at.class, Import: -1, Members: members[:1]}, at.from, call)
		}
	case "call_expression":
		x.visit(base, at)
		if i, there := x.imports[base]; there {
			x.use(Binding{Symbol: -1, Import: i, Imported: "*", Members: members}, at.from, call)
		}
	default:
		if base != n {
			x.visit(base, at)
			return
		}
		x.visitChildren(n, at)
	}
}

func (x *tsExtractor) mention(n int, at place, space tsSpace, call bool) {
	if b, found := at.scope.lookup(x.t.source(n), space); found {
		x.use(b, at.from, call)
	}
}

// visitCall records a call, or the import that it is.
func (x *tsExtractor) visitCall(n int, at place) {
	t := x.t
	if x.requiredModule(n) >= 0 {
		return
	}
	callee := t.child(n, "function")
	if callee == noNode {
		callee = t.child(n, "constructor")
	}
	switch t.kind(callee) {
	case "identifier":
		x.mention(callee, at, tsValue, true)
	case "member_expression":
		x.visitChain(callee, at, true)
	default:
		x.visit(callee, at)
	}
	x.visitChildren(n, at, "function", "constructor")
}

// requiredModule is the import that an expression is: import("…"), await import("…") or require("…")
// of a plain string. -1 for any other.
func (x *tsExtractor) requiredModule(n int) int {
	t := x.t
	if t.kind(n) == "await_expression" {
		n = t.childOf(n, "call_expression")
	}
	if t.kind(n) != "call_expression" {
		return -1
	}
	if i, there := x.imports[n]; there {
		return i
	}
	kind, typeOnly := "", false
	switch callee := t.child(n, "function"); {
	case t.kind(callee) == "import":
		kind = "dynamic-import"
		if x.inType(n) {
			kind, typeOnly = "import()-type", true
		}
	case t.kind(callee) == "identifier" && t.source(callee) == "require":
		kind = "require"
	default:
		return -1
	}
	argument := t.nodes[n].first
	if arguments := t.child(n, "arguments"); arguments != noNode {
		argument = t.nodes[arguments].first
	}
	if argument == noNode || x.literal(argument) == "" {
		return -1
	}
	x.imports[n] = x.addImport(argument, kind, typeOnly)
	return x.imports[n]
}

// inType tells whether an expression stands where a type does.
func (x *tsExtractor) inType(n int) bool {
	for p := x.t.nodes[n].parent; p != noNode; p = x.t.nodes[p].parent {
		kind := x.t.kind(p)
		switch {
		case kind == "type_annotation", kind == "type_arguments", kind == "type_query", kind == "type_alias_declaration",
			strings.HasSuffix(kind, "_type"), kind == "implements_clause", kind == "extends_type_clause", kind == "constraint":
			return true
		case strings.HasSuffix(kind, "_statement"), strings.HasSuffix(kind, "_expression") && kind != "member_expression":
			return false
		}
	}
	return false
}

// visitElement records the component of a JSX element; tags in small letters are the browser's.
func (x *tsExtractor) visitElement(n int, at place) {
	name := x.t.child(n, "name")
	switch x.t.kind(name) {
	case "identifier":
		if first := []rune(x.t.source(name)); len(first) > 0 && !unicode.IsLower(first[0]) {
			x.mention(name, at, tsValue, false)
		}
	case "member_expression":
		x.visitChain(name, at, false)
	}
	x.visitChildren(n, at, "name")
}
