package codegraph

import (
	"path"
	"slices"
	"strings"
)

// goUnit is a set of files that are type-checked together: a package, the package with its tests, or the
// tests of a package from outside.
type goUnit struct {
	id         string
	name       string // of the package clause
	dir        string
	importPath string
	files      []string // those of the default build first
	own        []string // the files whose uses are read; the others only declare
	imports    map[string]goImport
	deps       []*goUnit // without repetition, by id

	api string // hash of what dependents can see
	key string // hash of what the unit's edges depend on
}

// goImport is what an import path means in a unit.
type goImport struct {
	dir        string // empty: outside the repository
	resolution string
	unit       *goUnit
}

// goUnits are all units of a repository.
type goUnits struct {
	project *Project
	modules *goModules
	base    map[string]*goUnit // by folder: what an import binds to
	tested  map[string]*goUnit // by folder: the package with its tests
	list    []*goUnit          // by id
}

// newUnits groups the Go files of a repository.
func newUnits(p *Project) *goUnits {
	u := &goUnits{project: p, modules: loadModules(p), base: map[string]*goUnit{}, tested: map[string]*goUnit{}}
	folders := map[string][]string{}
	for _, file := range p.Paths(goName) {
		if facts := p.Facts(file); facts.Package != "" {
			facts.BuildTag = combinedTag(facts.BuildTag, fileNameTag(file))
			folders[path.Dir(file)] = append(folders[path.Dir(file)], file)
		}
	}
	for _, dir := range sortedKeys(folders) {
		u.addFolder(dir, folders[dir])
	}
	slices.SortFunc(u.list, func(a, b *goUnit) int { return strings.Compare(a.id, b.id) })
	for _, unit := range u.list {
		u.resolveImports(unit)
	}
	for _, unit := range u.list {
		u.setAPI(unit, map[*goUnit]bool{})
	}
	for _, unit := range u.list {
		u.setKey(unit)
	}
	return u
}

// addFolder makes the units of one folder. The package that imports bind to is the one of most files in the
// default build; other names in the folder (ignored programs) are units that nobody imports.
func (u *goUnits) addFolder(dir string, files []string) {
	slices.SortStableFunc(files, func(a, b string) int {
		return compareBools(!inDefaultBuild(u.project.Facts(a).BuildTag), !inDefaultBuild(u.project.Facts(b).BuildTag))
	})
	byName, tests := map[string][]string{}, map[string][]string{}
	built := map[string]int{}
	for _, file := range files {
		facts := u.project.Facts(file)
		if strings.HasSuffix(file, "_test.go") {
			tests[facts.Package] = append(tests[facts.Package], file)
			continue
		}
		byName[facts.Package] = append(byName[facts.Package], file)
		if inDefaultBuild(facts.BuildTag) {
			built[facts.Package]++
		}
	}
	primary := ""
	for _, name := range sortedKeys(byName) {
		if primary == "" || built[name] > built[primary] || built[name] == built[primary] && len(byName[name]) > len(byName[primary]) {
			primary = name
		}
	}
	for _, name := range sortedKeys(byName) {
		unit := u.add(dir, name, "", byName[name], byName[name])
		if name == primary {
			u.base[dir] = unit
		}
	}
	for _, name := range sortedKeys(tests) {
		all := append(slices.Clone(byName[name]), tests[name]...)
		unit := u.add(dir, name, " [tests]", all, tests[name])
		if name == primary {
			u.tested[dir] = unit
		}
	}
}

func (u *goUnits) add(dir, name, suffix string, files, own []string) *goUnit {
	unit := &goUnit{
		id: dir + " " + name + suffix, name: name, dir: dir, importPath: u.modules.importPath(dir),
		files: files, own: own, imports: map[string]goImport{},
	}
	u.list = append(u.list, unit)
	return unit
}

// resolveImports binds the imports of a unit. Tests from outside see their package with its tests.
func (u *goUnits) resolveImports(unit *goUnit) {
	module := u.modules.of(unit.dir)
	for _, file := range unit.files {
		for _, i := range u.project.Facts(file).Imports {
			if _, known := unit.imports[i.Specifier]; known {
				continue
			}
			dir, resolution := u.modules.resolve(module, i.Specifier)
			found := goImport{resolution: resolution}
			if target := u.base[dir]; dir != "" && target != nil && target != unit {
				found.dir, found.unit = dir, target
				if tested := u.tested[dir]; dir == unit.dir && strings.HasSuffix(unit.name, "_test") && tested != nil {
					found.unit = tested
				}
			}
			unit.imports[i.Specifier] = found
			if found.unit != nil && !slices.Contains(unit.deps, found.unit) {
				unit.deps = append(unit.deps, found.unit)
			}
		}
	}
	slices.SortFunc(unit.deps, func(a, b *goUnit) int { return strings.Compare(a.id, b.id) })
}

// setAPI hashes what others can see of a unit, its imports' included.
func (u *goUnits) setAPI(unit *goUnit, path map[*goUnit]bool) string {
	if unit.api != "" || path[unit] {
		return unit.api
	}
	path[unit] = true
	h := newDigest()
	h.add(unit.id, unit.importPath)
	for _, file := range unit.files {
		facts := u.project.Facts(file)
		h.add(file, facts.API, facts.BuildTag)
	}
	for _, dep := range unit.deps {
		h.add(dep.id, u.setAPI(dep, path))
	}
	unit.api = h.sum()
	return unit.api
}

// setKey hashes all that a unit's edges depend on.
func (u *goUnits) setKey(unit *goUnit) {
	h := newDigest()
	h.add(goLanguage().Version, unit.api)
	for _, file := range unit.own {
		h.add(file, u.project.Hash(file))
	}
	for _, specifier := range sortedKeys(unit.imports) {
		i := unit.imports[specifier]
		h.add(specifier, i.dir, i.resolution)
	}
	unit.key = "go:" + h.sum()
}
