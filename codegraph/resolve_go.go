package codegraph

import (
	"context"
	"go/ast"
	"go/types"
	"path"
	"slices"
	"strings"

	"mneme/knowledge"
)

// resolveGo connects Go files. The edges of a unit depend on its own files and on what its imports
// declare, so they are cached under a hash of those; only the others are type-checked.
func resolveGo(ctx context.Context, p *Project) error {
	units := newUnits(p)
	for _, dir := range sortedKeys(units.base) {
		u := units.base[dir]
		p.AddPackage(knowledge.CodePackage{Name: u.name, ImportPath: u.importPath, Path: dir})
	}
	for _, u := range units.list {
		units.packageImports(u)
	}
	var stale []*goUnit
	for _, u := range units.list {
		if edges, ok := decodeCached[[]knowledge.CodeEdge](p.Cache, u.key); ok {
			addEdges(p, edges)
			continue
		}
		stale = append(stale, u)
	}
	checker := newChecker(p)
	names := newGoNames(p)
	return checker.each(ctx, p.scan.options.Workers, stale, func(u *goUnit, checked *goChecked) error {
		r := &goReader{checker: checker, names: names, unit: u, checked: checked}
		edges := r.edges()
		addEdges(p, edges)
		return keep(p.Cache, u.key, edges)
	})
}

func addEdges(p *Project, edges []knowledge.CodeEdge) {
	for _, e := range edges {
		p.AddEdge(e)
	}
}

// packageImports adds an edge from each file to each package of the repository that it imports.
func (u *goUnits) packageImports(unit *goUnit) {
	for _, file := range unit.own {
		for _, i := range u.project.Facts(file).Imports {
			found := unit.imports[i.Specifier]
			if found.unit == nil {
				continue
			}
			sure := knowledge.CodeConfidenceImport
			if found.resolution == resolvedOtherModule {
				sure = knowledge.CodeConfidenceGuess
			}
			u.project.AddEdge(knowledge.CodeEdge{
				Type: knowledge.CodeImportsPackage, From: knowledge.CodeRef{Path: file},
				To: knowledge.CodeRef{Package: found.unit.importPath}, File: file, Specifier: i.Specifier, Kind: i.Kind,
				Resolution: found.resolution, Confidence: sure,
			})
		}
	}
}

// goNames finds the symbols of declarations.
type goNames struct {
	project *Project
	symbols map[knowledge.CodeRef]knowledge.CodeKind // by path and qualified name
	byName  map[[2]string][]string                   // folder and name → the files that declare it at the top
}

func newGoNames(p *Project) *goNames {
	n := &goNames{project: p, symbols: map[knowledge.CodeRef]knowledge.CodeKind{}, byName: map[[2]string][]string{}}
	for _, file := range p.Paths(goName) {
		for _, s := range p.Facts(file).Symbols {
			n.symbols[knowledge.CodeRef{Path: file, Symbol: s.Qualified}] = s.Kind
			key := [2]string{path.Dir(file), s.Qualified}
			if !strings.HasSuffix(file, "_test.go") && !slices.Contains(n.byName[key], file) {
				n.byName[key] = append(n.byName[key], file)
			}
		}
	}
	return n
}

// ref is the symbol of a file by its qualified name, false if there is none.
func (n *goNames) ref(file, qualified string) (knowledge.CodeRef, bool) {
	r := knowledge.CodeRef{Path: file, Symbol: qualified}
	kind, there := n.symbols[r]
	r.Kind = kind
	return r, there
}

// goReader makes the edges of one checked unit.
type goReader struct {
	checker *goChecker
	names   *goNames
	unit    *goUnit
	checked *goChecked
	found   []knowledge.CodeEdge
	seen    map[edgeKey]bool
}

func (r *goReader) edges() []knowledge.CodeEdge {
	r.seen = map[edgeKey]bool{}
	for _, file := range sortedKeys(r.checked.files) {
		for _, decl := range r.checked.files[file].Decls {
			r.declaration(file, decl)
		}
	}
	r.embeds()
	r.implements()
	return r.found
}

func (r *goReader) add(e knowledge.CodeEdge) {
	key := edgeKey{e.Type, e.From, e.To, e.Name}
	if e.From == e.To || r.seen[key] {
		return
	}
	r.seen[key] = true
	r.found = append(r.found, e)
}

// declaration reads what one top-level declaration uses. Each specification of a group is its own symbol.
func (r *goReader) declaration(file string, decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		r.uses(file, qualify(goReceiver(d), d.Name.Name), d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				r.uses(file, s.Name.Name, s)
			case *ast.ValueSpec:
				r.uses(file, s.Names[0].Name, s)
			}
		}
	}
}

// uses reads the identifiers below a node.
func (r *goReader) uses(file, symbol string, node ast.Node) {
	from, isSymbol := r.names.ref(file, symbol)
	if !isSymbol {
		from = knowledge.CodeRef{Path: file}
	}
	called := map[*ast.Ident]bool{}
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			called[calledName(n.Fun)] = true
		case *ast.SelectorExpr:
			if x, isIdent := n.X.(*ast.Ident); isIdent {
				if name, isPackage := r.checked.info.Uses[x].(*types.PkgName); isPackage {
					r.imported(file, name.Imported().Path(), n.Sel.Name)
				}
			}
		case *ast.Ident:
			if o := r.checked.info.Uses[n]; o != nil {
				r.use(file, from, o, called[n])
			}
		}
		return true
	})
}

// calledName is the identifier that a call names.
func calledName(fun ast.Expr) *ast.Ident {
	for {
		switch f := fun.(type) {
		case *ast.Ident:
			return f
		case *ast.SelectorExpr:
			return f.Sel
		case *ast.IndexExpr:
			fun = f.X
		case *ast.IndexListExpr:
			fun = f.X
		case *ast.ParenExpr:
			fun = f.X
		default:
			return nil
		}
	}
}

// imported binds an import to the files that declare a name used through it: several, where build tags
// choose between them.
func (r *goReader) imported(file, importPath, name string) {
	for specifier, i := range r.unit.imports {
		if i.unit == nil || i.unit.importPath != importPath {
			continue
		}
		for _, declaring := range r.names.byName[[2]string{i.dir, name}] {
			sure := knowledge.CodeConfidenceImport
			if i.resolution == resolvedOtherModule {
				sure = knowledge.CodeConfidenceGuess
			}
			r.add(knowledge.CodeEdge{
				Type: knowledge.CodeImportsFile, From: knowledge.CodeRef{Path: file}, To: knowledge.CodeRef{Path: declaring}, File: file,
				Specifier: specifier, Kind: "import", Resolution: i.resolution, Confidence: sure,
			})
		}
	}
}

// use adds an edge to the symbol of an object: a field's is the type that it belongs to.
func (r *goReader) use(file string, from knowledge.CodeRef, o types.Object, call bool) {
	declaring := r.checker.file(o.Pos())
	if declaring == "" || o.Pkg() == nil {
		return
	}
	qualified := r.checker.qualified(o)
	to, isSymbol := r.names.ref(declaring, qualified)
	if qualified == "" || !isSymbol {
		return
	}
	if _, isField := o.(*types.Var); isField && o.(*types.Var).IsField() {
		call = false
	}
	kind := knowledge.CodeReferences
	if call {
		kind = knowledge.CodeCalls
	}
	resolution := "same package"
	if path.Dir(declaring) != path.Dir(file) {
		resolution = "import"
	}
	r.add(knowledge.CodeEdge{
		Type: kind, From: from, To: to, File: file, Kind: strings.ToLower(string(kind)), Resolution: resolution,
		Confidence: knowledge.CodeConfidenceUse,
	})
	if _, isName := o.(*types.PkgName); !isName && resolution == "import" && o.Parent() == o.Pkg().Scope() {
		r.dotImported(file, declaring, o)
	}
}

// dotImported binds a name that an import brought into the file's own scope.
func (r *goReader) dotImported(file, declaring string, o types.Object) {
	for _, i := range r.names.project.Facts(file).Imports {
		if i.Alias == "." && r.unit.imports[i.Specifier].dir == path.Dir(declaring) {
			r.imported(file, r.unit.imports[i.Specifier].unit.importPath, o.Name())
		}
	}
}

// qualified is the name of the symbol that an object belongs to, empty if it is no part of one: a
// package-level name, a method with its type, or for a field its type.
func (c *goChecker) qualified(o types.Object) string {
	switch o := o.(type) {
	case *types.Func:
		signature, isSignature := o.Origin().Type().(*types.Signature)
		if !isSignature || signature.Recv() == nil {
			return o.Name()
		}
		if owner := namedOf(signature.Recv().Type()); owner != nil {
			return owner.Obj().Name() + "." + o.Name()
		}
		return ""
	case *types.Var:
		if o.IsField() {
			return c.owner(o.Origin())
		}
	}
	if o.Parent() == nil || o.Pkg() == nil || o.Parent() != o.Pkg().Scope() {
		return ""
	}
	return o.Name()
}

// owner is the type at the top of the package that a field belongs to.
func (c *goChecker) owner(field *types.Var) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	owners := c.owners[field.Pkg()]
	if owners == nil {
		owners = map[types.Object]string{}
		scope := field.Pkg().Scope()
		for _, name := range scope.Names() {
			if t, isType := scope.Lookup(name).(*types.TypeName); isType && !t.IsAlias() {
				addFields(owners, name, t.Type().Underlying(), 0)
			}
		}
		c.owners[field.Pkg()] = owners
	}
	return owners[field]
}

// addFields records the fields of a type, also those of structs without a name inside.
func addFields(owners map[types.Object]string, name string, t types.Type, depth int) {
	const deepest = 8
	if depth > deepest {
		return
	}
	switch t := t.(type) {
	case *types.Struct:
		for field := range t.Fields() {
			if _, there := owners[field]; there {
				continue
			}
			owners[field] = name
			addFields(owners, name, field.Type(), depth+1)
		}
	case *types.Pointer:
		addFields(owners, name, t.Elem(), depth+1)
	case *types.Slice:
		addFields(owners, name, t.Elem(), depth+1)
	case *types.Array:
		addFields(owners, name, t.Elem(), depth+1)
	case *types.Map:
		addFields(owners, name, t.Elem(), depth+1)
	}
}

// namedOf is the named type of a type or of what it points to, nil if it has no name.
func namedOf(t types.Type) *types.Named {
	if p, isPointer := types.Unalias(t).(*types.Pointer); isPointer {
		t = p.Elem()
	}
	named, isNamed := types.Unalias(t).(*types.Named)
	if !isNamed {
		return nil
	}
	return named.Origin()
}
