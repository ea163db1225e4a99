package codegraph

import (
	"go/types"

	"mneme/knowledge"
)

// goTypes are the named types of a package that edges can be about, by name.
type goTypes struct {
	all        []*types.Named
	concrete   []goConcrete
	interfaces []*types.Named // with methods and nothing else
}

// goConcrete is a type with the names in the method set of a pointer to it, promoted ones included.
type goConcrete struct {
	*types.Named
	methods map[string]bool
}

// typesOf are the types of a package, computed once.
func (c *goChecker) typesOf(pkg *types.Package) *goTypes {
	c.mu.Lock()
	known := c.types[pkg]
	c.mu.Unlock()
	if known != nil {
		return known
	}
	found := typesOf(pkg)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.types[pkg] = found
	return found
}

// typesOf are the types of a package. A generic type embeds, but whether it implements depends on what it
// is made of.
func typesOf(pkg *types.Package) *goTypes {
	found := &goTypes{}
	for _, name := range pkg.Scope().Names() {
		t, isType := pkg.Scope().Lookup(name).(*types.TypeName)
		if !isType || t.IsAlias() {
			continue
		}
		named, isNamed := t.Type().(*types.Named)
		if !isNamed {
			continue
		}
		found.all = append(found.all, named)
		if named.TypeParams().Len() > 0 {
			continue
		}
		i, isInterface := named.Underlying().(*types.Interface)
		switch {
		case !isInterface:
			if methods := methodNames(named); len(methods) > 0 {
				found.concrete = append(found.concrete, goConcrete{named, methods})
			}
		case i.NumMethods() > 0 && i.IsMethodSet():
			found.interfaces = append(found.interfaces, named)
		}
	}
	return found
}

// symbol is the symbol of a named type, false if it is none of the repository's.
func (r *goReader) symbol(t *types.Named) (knowledge.CodeRef, bool) {
	file := r.checker.file(t.Obj().Pos())
	if file == "" || t.Obj().Parent() != t.Obj().Pkg().Scope() {
		return knowledge.CodeRef{}, false
	}
	return r.names.ref(file, t.Obj().Name())
}

func (r *goReader) heritage(kind knowledge.CodeEdgeType, from, to *types.Named, how string) {
	a, ok := r.symbol(from)
	b, okToo := r.symbol(to)
	if !ok || !okToo {
		return
	}
	r.add(knowledge.CodeEdge{
		Type: kind, From: a, To: b, File: a.Path, Kind: how, Resolution: "types", Confidence: knowledge.CodeConfidenceHeritage,
	})
}

// embeds adds what the structs and interfaces of the unit embed.
func (r *goReader) embeds() {
	for _, t := range r.checker.typesOf(r.checked.pkg).all {
		switch u := t.Underlying().(type) {
		case *types.Interface:
			for embedded := range u.EmbeddedTypes() {
				if e := namedOf(embedded); e != nil {
					r.heritage(knowledge.CodeEmbeds, t, e, "interface")
				}
			}
		case *types.Struct:
			for field := range u.Fields() {
				if e := namedOf(field.Type()); field.Embedded() && e != nil {
					r.heritage(knowledge.CodeEmbeds, t, e, "struct")
				}
			}
		}
	}
}

// implements adds which types implement which interfaces, where one side is of this unit and the other
// is of it or of a package that it imports, directly or not.
func (r *goReader) implements() {
	own := r.checker.typesOf(r.checked.pkg)
	r.match(own.concrete, own.interfaces)
	for _, pkg := range r.checker.closure(r.unit) {
		other := r.checker.typesOf(pkg)
		r.match(own.concrete, other.interfaces)
		r.match(other.concrete, own.interfaces)
	}
}

// closure are the packages that a unit imports, directly or not, in order.
func (c *goChecker) closure(u *goUnit) []*types.Package {
	seen := map[*goUnit]bool{u: true}
	var found []*types.Package
	var visit func(*goUnit)
	visit = func(at *goUnit) {
		for _, dep := range at.deps {
			if seen[dep] {
				continue
			}
			seen[dep] = true
			c.mu.Lock()
			checked := c.checked[dep]
			c.mu.Unlock()
			if checked != nil {
				found = append(found, checked.pkg)
			}
			visit(dep)
		}
	}
	visit(u)
	return found
}

func (r *goReader) match(concrete []goConcrete, interfaces []*types.Named) {
	for _, i := range interfaces {
		wanted := i.Underlying().(*types.Interface) // typesOf chose them
		for _, t := range concrete {
			if len(t.methods) < wanted.NumMethods() || !t.hasNames(wanted) {
				continue
			}
			switch {
			case types.Implements(t.Named, wanted):
				r.heritage(knowledge.CodeImplements, t.Named, i, "value")
			case types.Implements(types.NewPointer(t.Named), wanted):
				r.heritage(knowledge.CodeImplements, t.Named, i, "pointer")
			}
		}
	}
}

// hasNames tells whether a type has methods of all the names that an interface wants.
func (t goConcrete) hasNames(wanted *types.Interface) bool {
	for m := range wanted.Methods() {
		if !t.methods[m.Name()] {
			return false
		}
	}
	return true
}

func methodNames(t *types.Named) map[string]bool {
	set := types.NewMethodSet(types.NewPointer(t))
	names := make(map[string]bool, set.Len())
	for m := range set.Methods() {
		names[m.Obj().Name()] = true
	}
	return names
}
