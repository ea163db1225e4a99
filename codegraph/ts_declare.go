package codegraph

import (
	"strconv"
	"strings"

	"mneme/knowledge"
)

func itoa(i int) string { return strconv.Itoa(i) }

func boolText(b bool) string { return strconv.FormatBool(b) }

// collectDeclarations adds the symbols of a program or a namespace. exported holds for all of them in
// an ambient namespace.
func (x *tsExtractor) collectDeclarations(block int, at place, exported bool) {
	for n := range x.t.children(block) {
		x.declaration(n, at, exported)
	}
}

// declaration adds the symbols of one statement.
func (x *tsExtractor) declaration(n int, at place, exported bool) {
	t := x.t
	name, body := t.child(n, "name"), t.child(n, "body")
	declare := func(kind knowledge.CodeKind, space tsSpace) int {
		i := x.addSymbol(n, name, body, kind, at)
		if i >= 0 {
			x.facts.Symbols[i].Exported = exported
			at.scope.declare(t.source(name), space, ownSymbol(i))
		}
		return i
	}
	switch t.kind(n) {
	case "export_statement":
		x.exportedDeclaration(n, at)
	case "ambient_declaration":
		x.ambient(n, at, exported)
	case "expression_statement":
		if inner := t.childOf(n, "internal_module"); inner != noNode {
			x.declaration(inner, at, exported)
		}
	case "function_declaration", "generator_function_declaration", "function_signature":
		declare(knowledge.CodeKindFunction, tsValue)
	case "class_declaration", "abstract_class_declaration":
		x.members(body, at, declare(knowledge.CodeKindClass, tsBoth))
	case "interface_declaration":
		x.members(body, at, declare(knowledge.CodeKindInterface, tsType))
	case "type_alias_declaration":
		declare(knowledge.CodeKindType, tsType)
	case "enum_declaration":
		declare(knowledge.CodeKindEnum, tsBoth)
	case "lexical_declaration", "variable_declaration":
		x.variables(n, at, exported)
	case "import_alias":
		x.importAlias(n, at)
	case "internal_module", "module":
		x.namespace(n, at, exported)
	}
}

// ambient reads `declare …`.
func (x *tsExtractor) ambient(n int, at place, exported bool) {
	if block := x.t.childOf(n, "statement_block"); block != noNode && x.t.has(n, "global") {
		at.name = qualify(at.name, "global")
		x.collectDeclarations(block, at, true)
		return
	}
	for c := range x.t.children(n) {
		x.declaration(c, at, exported)
	}
}

// exportedDeclaration adds what an export statement declares, and exports it.
func (x *tsExtractor) exportedDeclaration(n int, at place) {
	t := x.t
	before := len(x.facts.Symbols)
	declared := t.child(n, "declaration")
	isDefault := t.has(n, "default")
	switch {
	case declared != noNode:
		x.declaration(declared, at, true)
	case t.has(n, "import_alias"):
		x.declaration(t.childOf(n, "import_alias"), at, true)
	}
	if isDefault {
		x.exportDefault(n, declared, at)
		return
	}
	for i := before; i < len(x.facts.Symbols); i++ {
		s := x.facts.Symbols[i]
		if s.Qualified == qualify(at.name, s.Name) && s.Kind != knowledge.CodeKindMethod {
			x.facts.Symbols[i].Exported = true
			x.export(at, Export{Name: s.Name, Symbol: i, Import: -1})
		}
	}
}

// export records an export of the module; those of a namespace are found by their qualified name.
func (x *tsExtractor) export(at place, e Export) {
	if at.name == "" {
		x.facts.Exports = append(x.facts.Exports, e)
	}
}

// exportDefault exports a declaration, a name or an expression as default.
func (x *tsExtractor) exportDefault(n, declared int, at place) {
	t := x.t
	x.facts.ExportList = true
	if i, there := x.symbols[declared]; there && declared != noNode {
		x.facts.Symbols[i].Exported = true
		x.export(at, Export{Name: "default", Symbol: i, Import: -1})
		return
	}
	value := declared
	if value == noNode {
		value = t.child(n, "value")
	}
	if t.kind(value) == "identifier" {
		return // collectExports knows all names
	}
	kind := x.valueKind(value, knowledge.CodeKindConstant)
	if k := t.kind(value); k == "class_declaration" || k == "abstract_class_declaration" {
		kind = knowledge.CodeKindClass
	}
	if k := t.kind(value); k == "function_declaration" || k == "function_signature" || k == "generator_function_declaration" {
		kind = knowledge.CodeKindFunction
	}
	if value == noNode {
		value = n
	}
	name := "default"
	if own := t.child(value, "name"); own != noNode && kind != knowledge.CodeKindConstant {
		name = t.source(own)
	}
	i := x.addNamed(value, x.bodyOf(value), name, kind, at)
	if i < 0 {
		return
	}
	x.facts.Symbols[i].Exported = true
	if kind == knowledge.CodeKindClass {
		x.members(t.child(value, "body"), at, i)
	}
	x.export(at, Export{Name: "default", Symbol: i, Import: -1})
}

// variables adds the names of a declaration of variables.
func (x *tsExtractor) variables(n int, at place, exported bool) {
	t := x.t
	plain := knowledge.CodeKindVariable
	if t.source(t.child(n, "kind")) == "const" {
		plain = knowledge.CodeKindConstant
	}
	for d := range t.children(n) {
		if t.kind(d) != "variable_declarator" {
			continue
		}
		value := t.child(d, "value")
		module := x.requiredModule(value)
		for _, p := range x.patternNames(t.child(d, "name")) {
			if b := p.from(module); b.Import >= 0 && !exported {
				at.scope.declare(p.name, tsBoth, b)
				continue
			}
			kind := plain
			if p.whole {
				kind = x.valueKind(value, plain)
			}
			i := x.addNamed(d, x.bodyOf(value), p.name, kind, at)
			x.facts.Symbols[i].Exported = exported
			space := tsValue
			if kind == knowledge.CodeKindClass {
				space = tsBoth
				x.members(t.child(value, "body"), at, i)
				x.symbols[value] = i
			}
			at.scope.declare(p.name, space, ownSymbol(i))
		}
	}
}

// valueKind is the kind of a name by its value.
func (x *tsExtractor) valueKind(value int, plain knowledge.CodeKind) knowledge.CodeKind {
	switch x.t.kind(value) {
	case "arrow_function", "function_expression", "generator_function":
		return knowledge.CodeKindFunction
	case "class":
		return knowledge.CodeKindClass
	default:
		return plain
	}
}

// bodyOf is where the signature of a value ends.
func (x *tsExtractor) bodyOf(value int) int {
	switch x.t.kind(value) {
	case "":
		return noNode
	case "arrow_function", "function_expression", "generator_function", "class", "class_declaration", "function_declaration",
		"abstract_class_declaration", "generator_function_declaration":
		return x.t.child(value, "body")
	default:
		return value
	}
}

// members adds the methods of a class or interface.
func (x *tsExtractor) members(body int, at place, owner int) {
	if owner < 0 {
		return
	}
	t := x.t
	at.name = x.facts.Symbols[owner].Qualified
	seen := map[string]bool{}
	for m := range t.children(body) {
		method := false
		switch t.kind(m) {
		case "method_definition", "method_signature", "abstract_method_signature":
			method = true
		case "public_field_definition", "field_definition":
			method = x.valueKind(t.child(m, "value"), "") == knowledge.CodeKindFunction
		}
		name := t.child(m, "name")
		if name == noNode {
			name = t.child(m, "property")
		}
		if !method || t.kind(name) == "computed_property_name" || name == noNode {
			continue
		}
		text := x.moduleName(name)
		if seen[text] {
			continue
		}
		seen[text] = true
		end := t.child(m, "body")
		if value := t.child(m, "value"); value != noNode {
			end = x.bodyOf(value)
		}
		if i := x.addNamed(m, end, text, knowledge.CodeKindMethod, at); i >= 0 {
			x.facts.Symbols[i].Exported = x.facts.Symbols[owner].Exported && !t.has(m, "accessibility_modifier")
		}
	}
}

// importAlias binds `import A = N.B`.
func (x *tsExtractor) importAlias(n int, at place) {
	t := x.t
	name := t.source(t.childOf(n, "identifier"))
	target := noNode
	for c := range t.children(n) {
		target = c
	}
	base, members := x.chain(target)
	b, found := at.scope.lookup(t.source(base), tsBoth)
	if !found {
		return
	}
	b.Members = append(b.Members, members...)
	at.scope.declare(name, tsBoth, b)
	if p := t.nodes[n].parent; t.kind(p) == "export_statement" && at.name == "" {
		x.exportBinding(n, name, b, false)
	}
}

// namespace adds a namespace and what is in it.
func (x *tsExtractor) namespace(n int, at place, exported bool) {
	t := x.t
	name := t.child(n, "name")
	text := x.moduleName(name)
	text = strings.ReplaceAll(text, " ", "")
	i := x.addNamed(n, t.child(n, "body"), text, knowledge.CodeKindModule, at)
	if i < 0 {
		return
	}
	x.facts.Symbols[i].Exported = exported
	first, _, _ := strings.Cut(text, ".")
	if t.kind(name) != "string" {
		at.scope.declare(first, tsBoth, ownSymbol(i))
	}
	inner := place{scope: newScope(at.scope), from: i, class: -1, name: qualify(at.name, text)}
	x.scopes()[n] = inner.scope
	x.collectDeclarations(t.child(n, "body"), inner, false)
}
