package codegraph

import "slices"

// tsScope is what names mean from one place on. Types and values have names of their own.
type tsScope struct {
	outer  *tsScope
	values map[string]Binding
	types  map[string]Binding
}

// tsSpace is a space of names.
type tsSpace int

const (
	tsValue tsSpace = 1 << iota
	tsType
	tsBoth = tsValue | tsType
)

func newScope(outer *tsScope) *tsScope {
	return &tsScope{outer: outer, values: map[string]Binding{}, types: map[string]Binding{}}
}

// declare binds a name; the first declaration of a space stays.
func (s *tsScope) declare(name string, space tsSpace, b Binding) {
	if name == "" {
		return
	}
	if _, there := s.values[name]; !there && space&tsValue != 0 {
		s.values[name] = b
	}
	if _, there := s.types[name]; !there && space&tsType != 0 {
		s.types[name] = b
	}
}

// lookup finds what a name means in a space, and if nothing there, in the other one.
func (s *tsScope) lookup(name string, space tsSpace) (Binding, bool) {
	for _, wanted := range []tsSpace{space, tsBoth &^ space} {
		for at := s; at != nil; at = at.outer {
			names := at.values
			if wanted == tsType {
				names = at.types
			}
			if b, ok := names[name]; ok {
				b.Members = slices.Clone(b.Members)
				return b, true
			}
		}
	}
	return noBinding(), false
}

// hoist declares what the statements of a block declare, before any of them is read.
func (x *tsExtractor) hoist(scope *tsScope, block int) {
	for c := range x.t.children(block) {
		switch x.t.kind(c) {
		case "switch_case", "switch_default":
			x.hoist(scope, c)
		case "export_statement", "ambient_declaration", "labeled_statement":
			x.hoist(scope, c)
		default:
			x.hoistStatement(scope, c)
		}
	}
}

// hoistStatement declares the names of one statement inside a function. Classes and interfaces are
// symbols wherever they are, because others may extend them; the rest is local.
func (x *tsExtractor) hoistStatement(scope *tsScope, n int) {
	t := x.t
	switch t.kind(n) {
	case "lexical_declaration", "variable_declaration":
		for d := range t.children(n) {
			if t.kind(d) == "variable_declarator" {
				x.declarePattern(scope, t.child(d, "name"), x.requiredModule(t.child(d, "value")))
			}
		}
	case "function_declaration", "generator_function_declaration", "function_signature":
		scope.declare(t.source(t.child(n, "name")), tsValue, noBinding())
	case "class_declaration", "abstract_class_declaration":
		scope.declare(t.source(t.child(n, "name")), tsBoth, x.nestedSymbol(n))
	case "interface_declaration":
		scope.declare(t.source(t.child(n, "name")), tsType, x.nestedSymbol(n))
	case "type_alias_declaration":
		scope.declare(t.source(t.child(n, "name")), tsType, noBinding())
	case "enum_declaration":
		scope.declare(t.source(t.child(n, "name")), tsBoth, noBinding())
	}
}

// declarePattern binds the names of a pattern. If the value is a module, they are its names.
func (x *tsExtractor) declarePattern(scope *tsScope, n, module int) {
	for _, b := range x.patternNames(n) {
		scope.declare(b.name, tsValue, b.from(module))
	}
}

// patternName is one name that a pattern binds, and the property that it takes if it is at the
// pattern's first level.
type patternName struct {
	name, property string
	whole          bool
	node           int
}

// from is what the name means if the pattern's value is a module (an index into Imports).
func (p patternName) from(module int) Binding {
	switch {
	case module < 0:
		return noBinding()
	case p.whole:
		return Binding{Symbol: -1, Import: module, Imported: "*"}
	case p.property != "":
		return Binding{Symbol: -1, Import: module, Imported: p.property}
	default:
		return noBinding()
	}
}

func (x *tsExtractor) patternNames(n int) []patternName {
	t := x.t
	switch t.kind(n) {
	case "identifier":
		return []patternName{{name: t.source(n), whole: true, node: n}}
	case "object_pattern":
		var names []patternName
		for c := range t.children(n) {
			names = append(names, x.propertyNames(c)...)
		}
		return names
	case "array_pattern", "rest_pattern", "assignment_pattern", "object_assignment_pattern":
		var names []patternName
		for c := range t.children(n) {
			if t.nodes[c].field == "right" {
				continue
			}
			for _, p := range x.patternNames(c) {
				names = append(names, patternName{name: p.name, node: p.node})
			}
		}
		return names
	case "shorthand_property_identifier_pattern":
		return []patternName{{name: t.source(n), property: t.source(n), node: n}}
	default:
		return nil
	}
}

// propertyNames are the names of one element of an object pattern.
func (x *tsExtractor) propertyNames(n int) []patternName {
	t := x.t
	switch t.kind(n) {
	case "pair_pattern":
		key := t.source(t.child(n, "key"))
		names := x.patternNames(t.child(n, "value"))
		for i := range names {
			names[i].property = ""
			if names[i].whole {
				names[i].property, names[i].whole = key, false
			}
		}
		return names
	case "object_assignment_pattern":
		name := t.source(t.child(n, "left"))
		return []patternName{{name: name, property: name, node: t.child(n, "left")}}
	default:
		names := x.patternNames(n)
		for i := range names {
			names[i].whole = false
		}
		return names
	}
}
