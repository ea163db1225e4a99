package codegraph

import (
	"context"
	"path"
	"slices"
	"strings"

	"mneme/knowledge"
)

const resolvedPackagePath = "package path"

// pyResolver finds the file of a Python module by its package path.
type pyResolver struct {
	project *Project
	roots   []string // folders that hold top-level packages, shortest first
}

// resolvePython connects Python files.
func resolvePython(ctx context.Context, p *Project) error {
	r := &pyResolver{project: p, roots: pythonRoots(p)}
	m := newModules(p)
	m.submodule = r.submodule
	files := p.Paths(pythonName)
	for _, file := range files {
		var targets []target
		for _, i := range p.Facts(file).Imports {
			targets = append(targets, r.resolve(file, i))
		}
		m.targets[file] = targets
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.imports(m, file)
		r.exports(m, file)
		m.parents(file)
		m.uses(file)
	}
	return nil
}

// pythonRoots are the folders from which absolute imports can start: the root, and whatever folder holds a
// package but is none.
func pythonRoots(p *Project) []string {
	roots := []string{"."}
	for _, file := range p.Paths(pythonName) {
		if isPackageFile(file) {
			root := packageRoot(p, path.Dir(file))
			if !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
	}
	slices.SortStableFunc(roots, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return roots
}

func isPackageFile(file string) bool { return strings.HasPrefix(path.Base(file), "__init__.py") }

// packageRoot is the nearest folder from one upwards that is no package.
func packageRoot(p *Project, dir string) string {
	for dir != "." && (p.HasFile(path.Join(dir, "__init__.py")) || p.HasFile(path.Join(dir, "__init__.pyi"))) {
		dir = path.Dir(dir)
	}
	return dir
}

// resolve finds the module of an import: its file, or its folder where it is a package without one.
func (r *pyResolver) resolve(file string, i Import) target {
	parts := strings.Split(strings.TrimLeft(i.Specifier, "."), ".")
	rest := path.Join(parts...)
	if i.Level > 0 {
		base := path.Dir(file)
		for range i.Level - 1 {
			if base == "." {
				return target{}
			}
			base = path.Dir(base)
		}
		return r.at(path.Join(base, rest), resolvedRelative)
	}
	own := packageRoot(r.project, path.Dir(file))
	for _, root := range slices.Concat([]string{own, path.Dir(file)}, r.roots) {
		if t := r.at(path.Join(root, rest), resolvedPackagePath); t.path != "" && t.path != file {
			return t
		}
	}
	return target{}
}

// at is the module at a path without extension. A folder without __init__.py is a module too, which only
// its submodules are imported from.
func (r *pyResolver) at(stem, resolution string) target {
	for _, candidate := range []string{stem + ".py", path.Join(stem, "__init__.py"), stem + ".pyi", path.Join(stem, "__init__.pyi")} {
		if r.project.HasFile(candidate) {
			return target{path: candidate, resolution: resolution}
		}
	}
	if stem != "." && r.project.HasFolder(stem) {
		return target{path: stem, resolution: resolution}
	}
	return target{}
}

func (r *pyResolver) submodule(module, name string) string {
	folder := module
	if r.project.HasFile(module) {
		if !isPackageFile(module) {
			return ""
		}
		folder = path.Dir(module)
	}
	if name == "*" || name == "" {
		return ""
	}
	return r.at(path.Join(folder, name), "").path
}

// imports adds an edge to each module that a statement loads a name from: that of the statement, or the
// submodules that it names.
func (r *pyResolver) imports(m *modules, file string) {
	for i, imported := range r.project.Facts(file).Imports {
		t := m.targets[file][i]
		if t.path == "" {
			continue
		}
		files := map[string]bool{}
		for _, name := range imported.Names {
			sub := r.submodule(t.path, name)
			if found := m.export(t.path, name); sub != "" && (!found.found || found.module == sub) {
				files[sub] = true
				continue
			}
			files[t.path] = true // also for a name that is made at run time
		}
		if len(imported.Names) == 0 {
			files[t.path] = true
		}
		for _, to := range sortedKeys(files) {
			if to == file || !r.project.HasFile(to) {
				continue
			}
			r.project.AddEdge(knowledge.CodeEdge{
				Type: knowledge.CodeImportsFile, From: knowledge.CodeRef{Path: file}, To: knowledge.CodeRef{Path: to}, File: file,
				Specifier: imported.Specifier, Kind: imported.Kind, TypeOnly: imported.TypeOnly, Resolution: t.resolution,
				Confidence: knowledge.CodeConfidenceImport,
			})
		}
	}
}

// exports adds the public names of a module: what it declares, and in a package's own file what it takes
// from its modules.
func (r *pyResolver) exports(m *modules, file string) {
	for _, e := range r.project.Facts(file).Exports {
		if strings.HasPrefix(e.Name, "_") || e.Name == "*" || e.Symbol < 0 && !isPackageFile(file) {
			continue
		}
		kind, resolution := "export", "same file"
		if e.Symbol < 0 {
			kind, resolution = "export-from", "re-export"
		}
		for _, s := range m.export(file, e.Name).symbols {
			r.project.AddEdge(knowledge.CodeEdge{
				Type: knowledge.CodeExportsSymbol, From: knowledge.CodeRef{Path: file}, To: r.project.Ref(s.file, s.symbol), File: file,
				Name: e.Name, Kind: kind, Resolution: resolution, Confidence: knowledge.CodeConfidenceExport,
			})
		}
	}
}
