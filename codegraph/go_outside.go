package codegraph

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// goOutside holds the stand-ins for types of packages that are not in the repository. A type is one object
// for the whole run, so that signatures which name it are identical.
type goOutside struct {
	standard map[string]*types.Package

	mu    sync.Mutex
	homes map[string]*types.Package
	types map[outsideName]*types.TypeName
}

type outsideName struct {
	path, name string
	arity      int
}

func newOutside(fset *token.FileSet) *goOutside {
	return &goOutside{
		standard: standardPackages(fset), homes: map[string]*types.Package{}, types: map[outsideName]*types.TypeName{},
	}
}

// packageFor is a package as one unit sees it: with the types that the unit names, and no more, so that a
// unit's graph depends on nothing else.
func (o *goOutside) packageFor(importPath string, names map[string]int) *types.Package {
	o.mu.Lock()
	defer o.mu.Unlock()
	home := o.homes[importPath]
	if home == nil {
		home = types.NewPackage(importPath, outsidePackageName(importPath))
		o.homes[importPath] = home
	}
	pkg := types.NewPackage(importPath, outsidePackageName(importPath))
	for _, name := range sortedKeys(names) {
		pkg.Scope().Insert(o.typeName(home, name, names[name]))
	}
	pkg.MarkComplete()
	return pkg
}

// typeName is a type of the standard library as far as it is known, else one of which nothing is known: a
// struct without fields says that best. Embedded in an interface, it makes that one which nothing is said
// to implement.
func (o *goOutside) typeName(home *types.Package, name string, arity int) *types.TypeName {
	if known := o.standard[home.Path()]; known != nil {
		if t, isType := known.Scope().Lookup(name).(*types.TypeName); isType {
			return t
		}
	}
	key := outsideName{home.Path(), name, arity}
	if known := o.types[key]; known != nil {
		return known
	}
	made := types.NewTypeName(token.NoPos, home, name, nil)
	named := types.NewNamed(made, types.NewStruct(nil, nil), nil)
	if arity > 0 {
		var parameters []*types.TypeParam
		for i := range arity {
			parameter := types.NewTypeName(token.NoPos, home, "T"+strconv.Itoa(i), nil)
			parameters = append(parameters, types.NewTypeParam(parameter, types.Universe.Lookup("any").Type()))
		}
		named.SetTypeParams(parameters)
	}
	o.types[key] = made
	return made
}

var majorVersion = regexp.MustCompile(`^v[0-9]+$`)

// outsidePackageName guesses the name of a package by its import path.
func outsidePackageName(importPath string) string {
	base := path.Base(importPath)
	if majorVersion.MatchString(base) && strings.Contains(importPath, "/") {
		base = path.Base(path.Dir(importPath))
	}
	base, _, _ = strings.Cut(base, ".")
	base = strings.TrimPrefix(strings.TrimSuffix(base, "-go"), "go-")
	return strings.ReplaceAll(base, "-", "")
}

// outsideTypes are the names in places of types that files take from the packages they import, with the
// number of type arguments, by import path.
func outsideTypes(files []*ast.File) map[string]map[string]int {
	found := map[string]map[string]int{}
	for _, file := range files {
		byName := map[string]string{}
		for _, spec := range file.Imports {
			importPath, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				continue
			}
			name := outsidePackageName(importPath)
			if spec.Name != nil {
				name = spec.Name.Name
			}
			byName[name] = importPath
		}
		v := &outsideVisitor{byName: byName, found: found}
		ast.Inspect(file, v.visit)
	}
	return found
}

type outsideVisitor struct {
	byName map[string]string
	found  map[string]map[string]int
}

// visit looks at the places where only types can be.
func (v *outsideVisitor) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.Field:
		v.typeAt(n.Type, 0)
	case *ast.ValueSpec:
		v.typeAt(n.Type, 0)
	case *ast.TypeSpec:
		v.typeAt(n.Type, 0)
	case *ast.CompositeLit:
		v.typeAt(n.Type, 0)
	case *ast.TypeAssertExpr:
		v.typeAt(n.Type, 0)
	case *ast.ArrayType:
		v.typeAt(n.Elt, 0)
	case *ast.MapType:
		v.typeAt(n.Key, 0)
		v.typeAt(n.Value, 0)
	case *ast.ChanType:
		v.typeAt(n.Value, 0)
	case *ast.TypeSwitchStmt:
		for _, clause := range n.Body.List {
			if c, isCase := clause.(*ast.CaseClause); isCase {
				for _, e := range c.List {
					v.typeAt(e, 0)
				}
			}
		}
	case *ast.CallExpr:
		if f, isIdent := n.Fun.(*ast.Ident); isIdent && (f.Name == "new" || f.Name == "make") && len(n.Args) > 0 {
			v.typeAt(n.Args[0], 0)
		}
	}
	return true
}

func (v *outsideVisitor) typeAt(e ast.Expr, arity int) {
	switch e := e.(type) {
	case *ast.StarExpr:
		v.typeAt(e.X, 0)
	case *ast.ParenExpr:
		v.typeAt(e.X, 0)
	case *ast.Ellipsis:
		v.typeAt(e.Elt, 0)
	case *ast.UnaryExpr: // ~T
		v.typeAt(e.X, 0)
	case *ast.BinaryExpr: // A | B
		v.typeAt(e.X, 0)
		v.typeAt(e.Y, 0)
	case *ast.IndexExpr:
		v.typeAt(e.X, 1)
		v.typeAt(e.Index, 0)
	case *ast.IndexListExpr:
		v.typeAt(e.X, len(e.Indices))
		for _, argument := range e.Indices {
			v.typeAt(argument, 0)
		}
	case *ast.SelectorExpr:
		x, isIdent := e.X.(*ast.Ident)
		if !isIdent || v.byName[x.Name] == "" {
			return
		}
		importPath := v.byName[x.Name]
		if v.found[importPath] == nil {
			v.found[importPath] = map[string]int{}
		}
		v.found[importPath][e.Sel.Name] = max(arity, v.found[importPath][e.Sel.Name])
	}
}
