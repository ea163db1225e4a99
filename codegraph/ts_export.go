package codegraph

import "mneme/knowledge"

// collectExports records export lists, assignments and re-exports, when every name is known.
func (x *tsExtractor) collectExports(program int) {
	t := x.t
	for n := range t.children(program) {
		if t.kind(n) != "export_statement" {
			continue
		}
		from, isReexport := x.imports[n]
		typeOnly := x.isTypeExport(n)
		switch {
		case t.has(n, "export_clause"):
			x.facts.ExportList = true
			x.exportList(t.childOf(n, "export_clause"), from, isReexport, typeOnly)
		case t.has(n, "namespace_export"):
			x.facts.ExportList = true
			inner := t.childOf(n, "namespace_export")
			name := ""
			for c := range t.children(inner) {
				if k := t.kind(c); k == "identifier" || k == "string" {
					name = x.moduleName(c)
				}
			}
			x.exportModule(n, name, from, typeOnly)
		case isReexport:
			x.facts.ExportList = true
			x.facts.Exports = append(x.facts.Exports, Export{Name: "*", Symbol: -1, Import: from, Imported: "*", TypeOnly: typeOnly})
		case t.has(n, "="):
			x.facts.ExportList = true
			x.exportAssignment(n)
		case t.has(n, "default"):
			if value := t.child(n, "value"); t.kind(value) == "identifier" {
				x.exportName(n, t.source(value), "default", false)
			}
		}
	}
}

func (x *tsExtractor) exportList(clause, from int, isReexport, typeOnly bool) {
	t := x.t
	for c := range t.children(clause) {
		if t.kind(c) != "export_specifier" {
			continue
		}
		name := x.moduleName(t.child(c, "name"))
		outside := name
		if alias := t.child(c, "alias"); alias != noNode {
			outside = x.moduleName(alias)
		}
		isType := typeOnly || t.has(c, "type")
		if isReexport {
			x.facts.Exports = append(x.facts.Exports, Export{Name: outside, Symbol: -1, Import: from, Imported: name, TypeOnly: isType})
			continue
		}
		x.exportName(c, name, outside, isType)
	}
}

// exportName exports what a name of this module means, as a value, a type, or both.
func (x *tsExtractor) exportName(n int, name, outside string, typeOnly bool) {
	value, isValue := x.module.values[name]
	kind, isType := x.module.types[name]
	if isValue {
		x.exportBinding(n, outside, value, typeOnly)
	}
	if isType && !(isValue && value.Symbol == kind.Symbol && value.Import == kind.Import) {
		x.exportBinding(n, outside, kind, typeOnly)
	}
	if !isValue && !isType {
		x.facts.Exports = append(x.facts.Exports, Export{Name: outside, Symbol: -1, Import: -1, TypeOnly: typeOnly})
	}
}

func (x *tsExtractor) exportBinding(n int, outside string, b Binding, typeOnly bool) {
	switch {
	case b.Symbol >= 0:
		x.facts.Symbols[b.Symbol].Exported = true
		x.facts.Exports = append(x.facts.Exports, Export{Name: outside, Symbol: b.Symbol, Import: -1, TypeOnly: typeOnly})
	case b.Imported == "*" && len(b.Members) == 0:
		x.exportModule(n, outside, b.Import, typeOnly)
	case b.Imported == "*":
		x.facts.Exports = append(x.facts.Exports, Export{Name: outside, Symbol: -1, Import: b.Import, Imported: b.Members[0], TypeOnly: typeOnly})
	default:
		x.facts.Exports = append(x.facts.Exports, Export{Name: outside, Symbol: -1, Import: b.Import, Imported: b.Imported, TypeOnly: typeOnly})
	}
}

// exportModule exports all of a module under one name, which is a symbol of this file.
func (x *tsExtractor) exportModule(n int, name string, from int, typeOnly bool) {
	i := x.addNamed(n, noNode, name, knowledge.CodeKindModule, place{})
	if i < 0 {
		return
	}
	x.facts.Symbols[i].Exported = true
	x.facts.Exports = append(x.facts.Exports, Export{Name: name, Symbol: i, Import: from, Imported: "*", TypeOnly: typeOnly})
}

// exportAssignment reads `export = name`.
func (x *tsExtractor) exportAssignment(n int) {
	if name := x.t.childOf(n, "identifier"); name != noNode {
		x.exportName(n, x.t.source(name), "export=", false)
	}
}

// collectCommonJS records `exports.name = …` and `module.exports = …` at the top of a file.
func (x *tsExtractor) collectCommonJS() {
	t := x.t
	for n := range t.children(0) {
		assignment := t.childOf(n, "assignment_expression")
		if t.kind(n) != "expression_statement" || assignment == noNode {
			continue
		}
		base, members := x.chain(t.child(assignment, "left"))
		value := t.child(assignment, "right")
		if t.source(base) == "module" && len(members) > 0 && members[0] == "exports" {
			members = members[1:]
		} else if t.source(base) != "exports" || len(members) == 0 {
			continue
		}
		switch len(members) {
		case 0:
			x.commonJSModule(value)
		case 1:
			x.commonJSExport(value, members[0])
		}
	}
}

// commonJSModule reads the value of module.exports: an object's properties are names of their own.
func (x *tsExtractor) commonJSModule(value int) {
	t := x.t
	switch t.kind(value) {
	case "object":
		for c := range t.children(value) {
			switch t.kind(c) {
			case "shorthand_property_identifier":
				x.exportName(c, t.source(c), t.source(c), false)
			case "pair":
				x.commonJSExport(t.child(c, "value"), x.moduleName(t.child(c, "key")))
			case "method_definition":
				x.commonJSExport(c, x.moduleName(t.child(c, "name")))
			}
		}
	case "identifier":
		x.exportName(value, t.source(value), "export=", false)
	case "":
	default:
		x.commonJSExport(value, "export=")
	}
}

func (x *tsExtractor) commonJSExport(value int, name string) {
	if value == noNode || name == "" {
		return
	}
	if x.t.kind(value) == "identifier" {
		x.exportName(value, x.t.source(value), name, false)
		return
	}
	kind := x.valueKind(value, knowledge.CodeKindVariable)
	if x.t.kind(value) == "method_definition" {
		kind = knowledge.CodeKindFunction
	}
	if i := x.addNamed(value, x.bodyOf(value), name, kind, place{}); i >= 0 {
		x.facts.Symbols[i].Exported = true
		x.facts.Exports = append(x.facts.Exports, Export{Name: name, Symbol: i, Import: -1})
	}
}
