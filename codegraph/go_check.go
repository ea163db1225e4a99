package codegraph

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"sync"

	"golang.org/x/sync/errgroup"
)

// goChecker type-checks units. Types from outside the repository are empty types of their name: enough to
// tell signatures apart, and the same whoever asks for them.
type goChecker struct {
	project *Project
	fset    *token.FileSet
	outside *goOutside

	mu      sync.Mutex
	checked map[*goUnit]*goChecked
	owners  map[*types.Package]map[types.Object]string
	types   map[*types.Package]*goTypes
}

// goChecked is a checked unit. The syntax and what its names mean are there only while its edges are made.
type goChecked struct {
	pkg   *types.Package
	files map[string]*ast.File
	info  *types.Info
}

func newChecker(p *Project) *goChecker {
	fset := token.NewFileSet()
	return &goChecker{
		project: p, fset: fset, outside: newOutside(fset), checked: map[*goUnit]*goChecked{},
		owners: map[*types.Package]map[types.Object]string{}, types: map[*types.Package]*goTypes{},
	}
}

// each checks the units that are wanted, and those that they import without function bodies, in parallel,
// dependencies first. use is called with each wanted unit when it is checked.
func (c *goChecker) each(ctx context.Context, workers int, wanted []*goUnit, use func(*goUnit, *goChecked) error) error {
	isWanted := map[*goUnit]bool{}
	for _, u := range wanted {
		isWanted[u] = true
	}
	order := dependenciesFirst(wanted)
	done := map[*goUnit]chan struct{}{}
	for _, u := range order {
		done[u] = make(chan struct{})
	}
	position := map[*goUnit]int{}
	for i, u := range order {
		position[u] = i
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(workers)
	for i, u := range order {
		group.Go(func() error {
			defer close(done[u])
			for _, dep := range u.deps {
				if position[dep] > i {
					continue // a cycle: it is broken here
				}
				select {
				case <-done[dep]:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			checked := c.check(u, isWanted[u])
			c.mu.Lock()
			c.checked[u] = checked
			c.mu.Unlock()
			if !isWanted[u] {
				return ctx.Err()
			}
			err := use(u, checked)
			checked.files, checked.info = nil, nil
			return err
		})
	}
	return group.Wait()
}

// dependenciesFirst are the units and all that they import, each after what it imports where no cycle forbids.
func dependenciesFirst(units []*goUnit) []*goUnit {
	var order []*goUnit
	seen := map[*goUnit]bool{}
	var visit func(*goUnit)
	visit = func(u *goUnit) {
		if seen[u] {
			return
		}
		seen[u] = true
		for _, dep := range u.deps {
			visit(dep)
		}
		order = append(order, u)
	}
	for _, u := range units {
		visit(u)
	}
	return order
}

// check parses and type-checks a unit. All errors are ignored: what is known stays known. bodies are read
// of the unit's own files only.
func (c *goChecker) check(u *goUnit, bodies bool) *goChecked {
	checked := &goChecked{pkg: types.NewPackage(u.importPath, u.name), files: map[string]*ast.File{}}
	var files []*ast.File
	for _, name := range u.files {
		file, _ := parser.ParseFile(c.fset, name, c.project.Text(name), parser.SkipObjectResolution) // partial trees are fine
		if file == nil || file.Name == nil {
			continue
		}
		own := false
		for _, o := range u.own {
			own = own || o == name
		}
		if !bodies || !own {
			withoutBodies(file)
		}
		if own {
			checked.files[name] = file
		}
		files = append(files, file)
	}
	if bodies {
		checked.info = &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	}
	config := types.Config{
		Importer: c.importerFor(u, files), Error: func(error) {}, FakeImportC: true, DisableUnusedImportCheck: true,
	}
	c.run(u, types.NewChecker(&config, c.fset, checked.pkg, checked.info), files)
	return checked
}

// run guards against source that is broken in ways which the checker does not expect.
func (c *goChecker) run(u *goUnit, checker *types.Checker, files []*ast.File) {
	defer func() {
		if r := recover(); r != nil {
			c.project.Problem(u.dir, fmt.Sprint("types could not be checked: ", r))
		}
	}()
	_ = checker.Files(files) // errors are ignored, as above
}

func withoutBodies(file *ast.File) {
	for _, decl := range file.Decls {
		if f, isFunc := decl.(*ast.FuncDecl); isFunc {
			f.Body = nil
		}
	}
}

// goImporter gives a unit its imports: checked units, or stand-ins for packages outside.
type goImporter struct {
	checker *goChecker
	unit    *goUnit
	names   map[string]map[string]int // of packages outside: the types that the unit names, with their arity
	made    map[string]*types.Package
}

func (c *goChecker) importerFor(u *goUnit, files []*ast.File) *goImporter {
	return &goImporter{checker: c, unit: u, names: outsideTypes(files), made: map[string]*types.Package{}}
}

// Import implements types.Importer; it knows no error.
func (i *goImporter) Import(importPath string) (*types.Package, error) {
	if importPath == "unsafe" {
		return types.Unsafe, nil
	}
	if found := i.unit.imports[importPath]; found.unit != nil {
		i.checker.mu.Lock()
		checked := i.checker.checked[found.unit]
		i.checker.mu.Unlock()
		if checked != nil {
			return checked.pkg, nil
		}
	}
	if pkg := i.made[importPath]; pkg != nil {
		return pkg, nil
	}
	pkg := i.checker.outside.packageFor(importPath, i.names[importPath])
	i.made[importPath] = pkg
	return pkg, nil
}

// file is the path of the file that a position is in.
func (c *goChecker) file(p token.Pos) string {
	if !p.IsValid() {
		return ""
	}
	return c.fset.Position(p).Filename
}
