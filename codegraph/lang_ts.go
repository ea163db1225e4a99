package codegraph

import (
	"slices"
	"strings"

	"mneme/knowledge"
)

// typescriptName is the registry's name of the family.
const typescriptName = "typescript"

func typescriptLanguage() Language {
	l := Language{
		Name: typescriptName, Version: "2",
		Extensions: map[string]string{
			".ts": "typescript", ".mts": "typescript", ".cts": "typescript", ".tsx": "tsx",
			".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript",
		},
		Settings:  []string{"package.json", "tsconfig.json", "jsconfig.json", "pnpm-workspace.yaml"},
		NotParsed: SkippedNoParser,
		Resolve:   resolveTypescript,
	}
	addTypescriptParser(&l)
	return l
}

// tsExtractor reads one file: first its module level, so that every name is known, then the bodies.
type tsExtractor struct {
	t          *syntax
	facts      Facts
	module     *tsScope
	symbols    map[int]int // symbol of a declaration's node
	imports    map[int]int // import of an expression's node
	uses       map[string]bool
	namespaces map[int]*tsScope
}

// place is where the walk is: what names mean, the symbol that it is in, and its class.
type place struct {
	scope *tsScope
	from  int
	class int
	name  string // qualified name of what encloses, for symbols inside
}

// extractTypescript reads a parsed file. A script may declare types in comments, and export without export
// statements.
func extractTypescript(t *syntax, script bool) Facts {
	x := &tsExtractor{t: t, module: newScope(nil), symbols: map[int]int{}, imports: map[int]int{}, uses: map[string]bool{}}
	x.facts.ParseErrors = t.broken
	if len(t.nodes) == 0 {
		return x.facts
	}
	top := place{scope: x.module, from: -1, class: -1}
	x.collectImports(0)
	x.collectDeclarations(0, top, false)
	x.collectExports(0)
	if script {
		x.collectTypedefs()
		if !x.facts.Module {
			x.collectCommonJS()
		}
	}
	for c := range t.children(0) {
		x.visit(c, top)
	}
	return x.facts
}

// addImport records an import of a module.
func (x *tsExtractor) addImport(specifier int, kind string, typeOnly bool) int {
	x.facts.Imports = append(x.facts.Imports, Import{
		Specifier: x.literal(specifier), Kind: kind, TypeOnly: typeOnly, Line: x.t.startLine(specifier),
		Require: kind == "require" || kind == "import-equals",
	})
	return len(x.facts.Imports) - 1
}

// literal is the text of a plain string, empty for any other expression.
func (x *tsExtractor) literal(n int) string {
	source := x.t.source(n)
	switch x.t.kind(n) {
	case "string":
	case "template_string":
		if strings.Contains(source, "${") {
			return ""
		}
	default:
		return ""
	}
	if len(source) < 2 {
		return ""
	}
	return unescape(source[1 : len(source)-1])
}

// unescape drops the backslashes of a specifier; those with more than that are not module names.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, `\/`, "/"), `\\`, `\`)
}

// collectImports declares what import statements bind.
func (x *tsExtractor) collectImports(program int) {
	t := x.t
	for n := range t.children(program) {
		switch t.kind(n) {
		case "import_statement":
			x.facts.Module = true
			x.importStatement(n)
		case "export_statement":
			x.facts.Module = true
			if source := t.child(n, "source"); source != noNode {
				x.imports[n] = x.addImport(source, x.reexportKind(n), x.isTypeExport(n))
			}
		}
	}
}

// isTypeExport tells whether an export statement is one of types, also where the tree does not say so.
func (x *tsExtractor) isTypeExport(n int) bool {
	if x.t.has(n, "type") {
		return true
	}
	at := tsExportTypeStar.FindStringIndex(x.t.source(n))
	return at != nil && at[0] == 0
}

func (x *tsExtractor) reexportKind(n int) string {
	switch {
	case x.isTypeExport(n):
		return "export-type"
	case x.t.has(n, "namespace_export"):
		return "export-star-as"
	case x.t.has(n, "export_clause"):
		return "export-from"
	default:
		return "export-star"
	}
}

func (x *tsExtractor) importStatement(n int) {
	t := x.t
	typeOnly := t.has(n, "type")
	if require := t.childOf(n, "import_require_clause"); require != noNode {
		at := x.addImport(t.child(require, "source"), "import-equals", typeOnly)
		name := t.source(t.childOf(require, "identifier"))
		x.module.declare(name, tsBoth, Binding{Symbol: -1, Import: at, Imported: "*"})
		return
	}
	source := t.child(n, "source")
	clause := t.childOf(n, "import_clause")
	switch {
	case source == noNode:
		return
	case clause == noNode:
		x.addImport(source, "side-effect", false)
		return
	}
	kind := "import"
	if typeOnly {
		kind = "import-type"
	}
	at := x.addImport(source, kind, typeOnly || x.allTypes(clause))
	for c := range t.children(clause) {
		x.importClause(c, at)
	}
}

// allTypes tells whether every name of a clause is marked as a type.
func (x *tsExtractor) allTypes(clause int) bool {
	named := x.t.childOf(clause, "named_imports")
	if named == noNode || x.t.has(clause, "identifier") {
		return false
	}
	found := false
	for c := range x.t.children(named) {
		if x.t.kind(c) == "import_specifier" {
			if !x.t.has(c, "type") {
				return false
			}
			found = true
		}
	}
	return found
}

func (x *tsExtractor) importClause(n, at int) {
	t := x.t
	bind := func(local, imported string) {
		x.module.declare(local, tsBoth, Binding{Symbol: -1, Import: at, Imported: imported})
	}
	switch t.kind(n) {
	case "identifier":
		bind(t.source(n), "default")
	case "namespace_import":
		bind(t.source(t.childOf(n, "identifier")), "*")
	case "named_imports":
		for c := range t.children(n) {
			if t.kind(c) != "import_specifier" {
				continue
			}
			name := x.moduleName(t.child(c, "name"))
			local := name
			if alias := t.child(c, "alias"); alias != noNode {
				local = t.source(alias)
			}
			bind(local, name)
		}
	}
}

// moduleName is a name of an import or export list, which may be a string.
func (x *tsExtractor) moduleName(n int) string {
	if x.t.kind(n) == "string" {
		return x.literal(n)
	}
	return x.t.source(n)
}

// addSymbol records a declaration; name is its node, body what its signature ends before.
func (x *tsExtractor) addSymbol(n, name, body int, kind knowledge.CodeKind, at place) int {
	return x.addNamed(n, body, x.moduleName(name), kind, at)
}

func (x *tsExtractor) addNamed(n, body int, name string, kind knowledge.CodeKind, at place) int {
	if name == "" {
		return -1
	}
	statement := n
	for p := x.t.nodes[n].parent; p != noNode; p = x.t.nodes[p].parent {
		if k := x.t.kind(p); k != "export_statement" && k != "ambient_declaration" && k != "lexical_declaration" && k != "variable_declaration" {
			break
		}
		statement = p
	}
	x.facts.Symbols = append(x.facts.Symbols, Symbol{
		Name: name, Qualified: qualify(at.name, name), Kind: kind,
		Line: x.t.startLine(n), EndLine: x.t.endLine(n),
		Signature: x.t.head(n, body), Doc: x.t.docBefore(statement),
	})
	i := len(x.facts.Symbols) - 1
	if _, there := x.symbols[n]; !there {
		x.symbols[n] = i
	}
	return i
}

func qualify(outer, name string) string {
	if outer == "" {
		return name
	}
	return outer + "." + name
}

func ownSymbol(i int) Binding { return Binding{Symbol: i, Import: -1} }

// nestedSymbol is the symbol of a class or interface inside a function.
func (x *tsExtractor) nestedSymbol(n int) Binding {
	if i, there := x.symbols[n]; there {
		return ownSymbol(i)
	}
	kind := knowledge.CodeKindClass
	if x.t.kind(n) == "interface_declaration" {
		kind = knowledge.CodeKindInterface
	}
	outer := ""
	for p := x.t.nodes[n].parent; p != noNode && outer == ""; p = x.t.nodes[p].parent {
		if i, there := x.symbols[p]; there {
			outer = x.facts.Symbols[i].Qualified
		}
	}
	i := x.addSymbol(n, x.t.child(n, "name"), x.t.child(n, "body"), kind, place{name: outer})
	if i >= 0 {
		x.facts.Symbols[i].Nested = true
	}
	return ownSymbol(i)
}

// use records a mention of what a binding says, once for each symbol that mentions it.
func (x *tsExtractor) use(b Binding, from int, call bool) {
	if !b.bound() || b.Symbol >= 0 && b.Symbol == from && len(b.Members) == 0 {
		return
	}
	const mostMembers = 4
	b.Members = b.Members[:min(len(b.Members), mostMembers)]
	key := strings.Join(append([]string{itoa(from), itoa(b.Symbol), itoa(b.Import), b.Imported, boolText(call)}, b.Members...), "\x00")
	if x.uses[key] {
		return
	}
	x.uses[key] = true
	b.Members = slices.Clone(b.Members)
	x.facts.Uses = append(x.facts.Uses, Use{From: from, Call: call, Binding: b})
}
