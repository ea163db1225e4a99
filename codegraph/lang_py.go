package codegraph

import (
	"slices"
	"strings"

	"mneme/knowledge"
)

// pythonName is the registry's name of Python.
const pythonName = "python"

func pythonLanguage() Language {
	l := Language{
		Name: pythonName, Version: "1", Extensions: map[string]string{".py": "python", ".pyi": "python"},
		NotParsed: SkippedNoParser, Resolve: resolvePython,
	}
	addPythonParser(&l)
	return l
}

// pyExtractor reads one file. Names of the module are its exports: another file may import them all.
type pyExtractor struct {
	t       *syntax
	facts   Facts
	module  map[string]Binding
	dotted  []int // imports of the form `import a.b`, which bind a
	symbols map[int]int
	uses    *tsExtractor // records uses, once each
}

// pyPlace is where the walk is.
type pyPlace struct {
	from, class int
	local       []map[string]bool // names bound by the functions around
}

func extractPython(t *syntax) Facts {
	x := &pyExtractor{t: t, module: map[string]Binding{}, symbols: map[int]int{}, uses: &tsExtractor{uses: map[string]bool{}}}
	x.facts.ParseErrors = t.broken
	if len(t.nodes) == 0 {
		return x.facts
	}
	x.collect(0, "", false)
	x.visitAll(0, pyPlace{from: -1, class: -1})
	x.facts.Uses = x.uses.facts.Uses
	return x.facts
}

// collect adds the symbols and imports of a module or class, also of those inside if and try. Imports
// inside functions are collected by the walk.
func (x *pyExtractor) collect(block int, owner string, typing bool) {
	t := x.t
	for n := range t.children(block) {
		switch t.kind(n) {
		case "import_statement", "import_from_statement":
			x.importStatement(n, typing, owner == "")
		case "decorated_definition":
			x.definition(t.child(n, "definition"), n, owner)
		case "function_definition", "class_definition":
			x.definition(n, n, owner)
		case "expression_statement":
			x.assignment(n, owner)
		case "if_statement", "try_statement", "with_statement", "else_clause", "elif_clause", "except_clause", "finally_clause", "block":
			isTyping := typing || strings.Contains(t.source(t.child(n, "condition")), "TYPE_CHECKING")
			x.collect(n, owner, isTyping)
		}
	}
}

func (x *pyExtractor) add(n, whole int, name, owner string, kind knowledge.CodeKind, body int) int {
	if name == "" {
		return -1
	}
	isPublic := !strings.HasPrefix(name, "_") && !strings.HasPrefix(owner, "_")
	x.facts.Symbols = append(x.facts.Symbols, Symbol{
		Name: name, Qualified: qualify(owner, name), Kind: kind, Exported: isPublic,
		Line: x.t.startLine(whole), EndLine: x.t.endLine(whole), Signature: x.t.head(n, body), Doc: x.docOf(body),
	})
	i := len(x.facts.Symbols) - 1
	x.symbols[n] = i
	if _, there := x.module[name]; owner == "" && !there {
		x.module[name] = ownSymbol(i)
		x.facts.Exports = append(x.facts.Exports, Export{Name: name, Symbol: i, Import: -1})
	}
	return i
}

// docOf is the documentation string that a body begins with.
func (x *pyExtractor) docOf(body int) string {
	if body == noNode || x.t.kind(body) != "block" {
		return ""
	}
	first := x.t.nodes[body].first
	if x.t.kind(first) != "expression_statement" {
		return ""
	}
	text := x.t.source(x.t.childOf(first, "string"))
	return clipTo(strings.Join(strings.Fields(strings.Trim(text, "\"'rRuUbB")), " "), maxDoc)
}

func (x *pyExtractor) definition(n, whole int, owner string) {
	t := x.t
	name, body := t.source(t.child(n, "name")), t.child(n, "body")
	if t.kind(n) == "class_definition" {
		if i := x.add(n, whole, name, owner, knowledge.CodeKindClass, body); i >= 0 {
			x.collect(body, x.facts.Symbols[i].Qualified, false)
		}
		return
	}
	kind := knowledge.CodeKindFunction
	if owner != "" {
		kind = knowledge.CodeKindMethod
	}
	x.add(n, whole, name, owner, kind, body)
}

// assignment adds the names of a module; those in capitals are constants.
func (x *pyExtractor) assignment(n int, owner string) {
	t := x.t
	a := t.childOf(n, "assignment")
	left := t.child(a, "left")
	if a == noNode || owner != "" {
		return
	}
	targets := []int{left}
	if kind := t.kind(left); kind == "pattern_list" || kind == "tuple_pattern" {
		targets = slices.Collect(t.children(left))
	}
	for _, target := range targets {
		name := t.source(target)
		if t.kind(target) != "identifier" {
			continue
		}
		if _, there := x.module[name]; there {
			continue
		}
		kind := knowledge.CodeKindVariable
		if name == strings.ToUpper(name) && strings.ToLower(name) != name {
			kind = knowledge.CodeKindConstant
		}
		x.add(a, a, name, "", kind, t.child(a, "right"))
		x.symbols[target] = len(x.facts.Symbols) - 1
	}
}

// importStatement records imports. Those of a module bind its names.
func (x *pyExtractor) importStatement(n int, typing, isModule bool) {
	t := x.t
	if _, there := x.symbols[n]; there {
		return
	}
	x.symbols[n] = -1
	if t.kind(n) == "import_statement" {
		for c := range t.children(n) {
			x.plainImport(c, typing, isModule)
		}
		return
	}
	from := t.child(n, "module_name")
	specifier := t.source(from)
	rest := strings.TrimLeft(specifier, ".")
	i := Import{Specifier: specifier, Kind: "from-import", TypeOnly: typing, Line: t.startLine(n), Level: len(specifier) - len(rest)}
	at := len(x.facts.Imports)
	for c := range t.children(n) {
		if t.nodes[c].field != "name" && t.kind(c) != "wildcard_import" {
			continue
		}
		name, local := t.source(c), t.source(c)
		if t.kind(c) == "aliased_import" {
			name, local = t.source(t.child(c, "name")), t.source(t.child(c, "alias"))
		}
		i.Names = append(i.Names, name)
		if !isModule {
			continue
		}
		if name == "*" {
			x.facts.Exports = append(x.facts.Exports, Export{Name: "*", Symbol: -1, Import: at, Imported: "*"})
			continue
		}
		x.bind(local, Binding{Symbol: -1, Import: at, Imported: name})
	}
	x.facts.Imports = append(x.facts.Imports, i)
}

func (x *pyExtractor) bind(local string, b Binding) {
	if _, there := x.module[local]; there {
		return
	}
	x.module[local] = b
	x.facts.Exports = append(x.facts.Exports, Export{Name: local, Symbol: -1, Import: b.Import, Imported: b.Imported})
}

func (x *pyExtractor) plainImport(c int, typing, isModule bool) {
	t := x.t
	name, alias := c, ""
	switch t.kind(c) {
	case "aliased_import":
		name, alias = t.child(c, "name"), t.source(t.child(c, "alias"))
	case "dotted_name":
	default:
		return
	}
	x.facts.Imports = append(x.facts.Imports, Import{Specifier: t.source(name), Kind: "import", TypeOnly: typing, Line: t.startLine(c)})
	at := len(x.facts.Imports) - 1
	switch {
	case !isModule:
	case alias != "":
		x.bind(alias, Binding{Symbol: -1, Import: at, Imported: "*"})
	default:
		x.dotted = append(x.dotted, at)
	}
}

// visitAll finds parents, uses, and imports inside functions.
func (x *pyExtractor) visitAll(n int, at pyPlace) {
	for c := range x.t.children(n) {
		x.visit(c, at)
	}
}

func (x *pyExtractor) visit(n int, at pyPlace) {
	t := x.t
	switch t.kind(n) {
	case "import_statement", "import_from_statement":
		x.importStatement(n, false, false)
	case "future_import_statement", "keyword_identifier":
	case "function_definition", "lambda":
		if i, there := x.symbols[n]; there {
			at.from = i
		}
		bound := map[string]bool{}
		x.parameters(t.child(n, "parameters"), bound)
		x.assigned(t.child(n, "body"), bound)
		at.local = append(slices.Clone(at.local), bound)
		for c := range t.children(n) {
			if t.nodes[c].field != "name" {
				x.visit(c, at)
			}
		}
	case "class_definition":
		if i, there := x.symbols[n]; there {
			at.from, at.class = i, i
			x.parents(n, i, at)
		}
		for c := range t.children(n) {
			if t.nodes[c].field != "name" {
				x.visit(c, at)
			}
		}
	case "assignment":
		if i, there := x.symbols[n]; there && at.from < 0 {
			at.from = i
		}
		x.visitAll(n, at)
	case "keyword_argument":
		x.visit(t.child(n, "value"), at)
	case "call":
		x.mention(t.child(n, "function"), at, true)
		x.visit(t.child(n, "arguments"), at)
	case "identifier", "attribute":
		x.mention(n, at, false)
	case "":
	default:
		x.visitAll(n, at)
	}
}

// parameters are the names that a function's head binds.
func (x *pyExtractor) parameters(n int, bound map[string]bool) {
	for c := range x.t.children(n) {
		switch x.t.kind(c) {
		case "identifier":
			bound[x.t.source(c)] = true
		case "default_parameter", "typed_default_parameter":
			bound[x.t.source(x.t.child(c, "name"))] = true
		case "typed_parameter", "list_splat_pattern", "dictionary_splat_pattern", "tuple_pattern":
			x.parameters(c, bound)
		}
	}
}

// assigned are the names that a body binds, without those of functions inside it.
func (x *pyExtractor) assigned(n int, bound map[string]bool) {
	t := x.t
	for c := range t.children(n) {
		switch t.kind(c) {
		case "function_definition", "class_definition":
			bound[t.source(t.child(c, "name"))] = true
			continue
		case "lambda", "import_statement", "import_from_statement":
			continue
		case "identifier":
			if f := t.nodes[c].field; f == "left" || t.kind(n) == "pattern_list" || t.kind(n) == "tuple_pattern" || t.kind(n) == "as_pattern_target" {
				bound[t.source(c)] = true
			}
		}
		x.assigned(c, bound)
	}
}

// chain splits a.b.c into its names, false if it does not begin with one.
func (x *pyExtractor) chain(n int) ([]string, bool) {
	switch x.t.kind(n) {
	case "identifier":
		return []string{x.t.source(n)}, true
	case "attribute":
		names, ok := x.chain(x.t.child(n, "object"))
		return append(names, x.t.source(x.t.child(n, "attribute"))), ok
	case "subscript":
		return x.chain(x.t.child(n, "value"))
	default:
		return nil, false
	}
}

// meaningOf binds a chain of names.
func (x *pyExtractor) meaningOf(names []string, at pyPlace) Binding {
	for _, bound := range at.local {
		if bound[names[0]] && names[0] != "self" && names[0] != "cls" {
			return noBinding()
		}
	}
	if (names[0] == "self" || names[0] == "cls") && at.class >= 0 && len(names) > 1 {
		return Binding{Symbol: at.class, Import: -1, Members: names[1:2]}
	}
	if b, there := x.module[names[0]]; there {
		b.Members = names[1:]
		return b
	}
	best, length := -1, 0
	for _, i := range x.dotted {
		parts := strings.Split(x.facts.Imports[i].Specifier, ".")
		if len(parts) > length && len(parts) <= len(names) && slices.Equal(parts, names[:len(parts)]) {
			best, length = i, len(parts)
		}
	}
	if best < 0 {
		return noBinding()
	}
	return Binding{Symbol: -1, Import: best, Imported: "*", Members: names[length:]}
}

func (x *pyExtractor) mention(n int, at pyPlace, call bool) {
	names, ok := x.chain(n)
	if !ok {
		x.visitAll(n, at)
		return
	}
	x.uses.use(x.meaningOf(names, at), at.from, call)
	if x.t.kind(n) == "subscript" {
		x.visitAll(n, at)
	}
}

// parents records the base classes of a class.
func (x *pyExtractor) parents(n, child int, at pyPlace) {
	for c := range x.t.children(x.t.child(n, "superclasses")) {
		names, ok := x.chain(c)
		if !ok || x.t.kind(c) == "keyword_argument" {
			continue
		}
		x.facts.Parents = append(x.facts.Parents, Parent{Child: child, Text: strings.Join(names, "."), Binding: x.meaningOf(names, at)})
	}
}
