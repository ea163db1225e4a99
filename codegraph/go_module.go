package codegraph

import (
	"go/build/constraint"
	"path"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
)

// goModule is a go.mod: its path, its folder, and the modules that it replaces by folders.
type goModule struct {
	path, dir string
	replaced  map[string]string // module path → folder
	workspace []string          // folders of the modules of its go.work
}

// goModules are the modules of a repository.
type goModules struct {
	project *Project
	byDir   map[string]*goModule
}

// loadModules reads every go.mod and go.work.
func loadModules(p *Project) *goModules {
	all := &goModules{project: p, byDir: map[string]*goModule{}}
	for _, name := range p.All() {
		if path.Base(name) == "go.mod" {
			all.loadModule(name)
		}
	}
	for _, name := range p.All() {
		if path.Base(name) == "go.work" {
			all.loadWork(name)
		}
	}
	return all
}

func (all *goModules) loadModule(name string) {
	f, err := modfile.ParseLax(name, all.project.Text(name), nil)
	if err != nil || f.Module == nil {
		all.project.Problem(name, "settings that cannot be read")
		return
	}
	m := &goModule{path: f.Module.Mod.Path, dir: path.Dir(name), replaced: map[string]string{}}
	// ParseLax leaves replacements out, because they mean nothing in a dependency.
	if strict, err := modfile.Parse(name, all.project.Text(name), nil); err == nil {
		m.replace(m.dir, strict.Replace)
	}
	all.byDir[m.dir] = m
}

func (m *goModule) replace(dir string, list []*modfile.Replace) {
	for _, r := range list {
		if modfile.IsDirectoryPath(r.New.Path) && !path.IsAbs(r.New.Path) {
			m.replaced[r.Old.Path] = path.Join(dir, r.New.Path)
		}
	}
}

func (all *goModules) loadWork(name string) {
	f, err := modfile.ParseWork(name, all.project.Text(name), nil)
	if err != nil {
		all.project.Problem(name, "settings that cannot be read")
		return
	}
	var folders []string
	for _, use := range f.Use {
		folders = append(folders, path.Join(path.Dir(name), use.Path))
	}
	for _, folder := range folders {
		if m := all.byDir[folder]; m != nil {
			m.workspace = folders
			m.replace(path.Dir(name), f.Replace)
		}
	}
}

// of is the module that a folder belongs to, nil if there is none.
func (all *goModules) of(dir string) *goModule {
	for {
		if m := all.byDir[dir]; m != nil {
			return m
		}
		if dir == "." || dir == "/" {
			return nil
		}
		dir = path.Dir(dir)
	}
}

// importPath is what a folder's package is imported by; without a module its own path.
func (all *goModules) importPath(dir string) string {
	m := all.of(dir)
	if m == nil {
		return dir
	}
	rest, _ := cutFolder(dir, m.dir)
	return path.Join(m.path, rest)
}

// Resolutions of Go imports.
const (
	resolvedModule       = "module"
	resolvedReplace      = "replace"
	resolvedGoWork       = "go.work"
	resolvedOtherModule  = "module of the repository" // not said to be this one, but of its path
	resolvedNoSuchModule = ""
)

// resolve finds the folder of an import by a package of module m.
func (all *goModules) resolve(m *goModule, importPath string) (dir, resolution string) {
	if m == nil {
		return "", resolvedNoSuchModule
	}
	best, bestLength := "", -1
	try := func(modulePath, folder, how string) {
		rest, inside := cutFolder(importPath, modulePath)
		target := path.Join(folder, rest)
		if !inside || len(modulePath) <= bestLength || strings.HasPrefix(target, "..") || !all.project.HasFolder(target) {
			return
		}
		if owner := all.of(target); owner == nil || owner.dir != folder {
			return // a nested module is not part of the one around it
		}
		best, bestLength, resolution = target, len(modulePath), how
	}
	try(m.path, m.dir, resolvedModule)
	for _, modulePath := range sortedKeys(m.replaced) {
		try(modulePath, m.replaced[modulePath], resolvedReplace)
	}
	for _, folder := range m.workspace {
		if other := all.byDir[folder]; other != nil {
			try(other.path, folder, resolvedGoWork)
		}
	}
	if bestLength >= 0 {
		return best, resolution
	}
	for _, folder := range sortedKeys(all.byDir) {
		try(all.byDir[folder].path, folder, resolvedOtherModule)
	}
	return best, resolution
}

// Operating systems and architectures that file names can be for.
var (
	goSystems = []string{
		"aix", "android", "darwin", "dragonfly", "freebsd", "hurd", "illumos", "ios", "js", "linux", "nacl", "netbsd",
		"openbsd", "plan9", "solaris", "wasip1", "windows", "zos",
	}
	goArchitectures = []string{
		"386", "amd64", "arm", "arm64", "loong64", "mips", "mips64", "mips64le", "mipsle", "ppc64", "ppc64le",
		"riscv64", "s390x", "sparc64", "wasm",
	}
)

// fileNameTag is the build constraint that a file's name implies.
func fileNameTag(file string) string {
	stem := strings.TrimSuffix(strings.TrimSuffix(path.Base(file), ".go"), "_test")
	parts := strings.Split(stem, "_")
	if len(parts) < 2 {
		return ""
	}
	last := parts[len(parts)-1]
	if slices.Contains(goArchitectures, last) {
		if len(parts) > 2 && slices.Contains(goSystems, parts[len(parts)-2]) {
			return parts[len(parts)-2] + " && " + last
		}
		return last
	}
	if slices.Contains(goSystems, last) {
		return last
	}
	return ""
}

// combinedTag joins a file's own constraint and that of its name.
func combinedTag(own, fromName string) string {
	switch {
	case own == "":
		return fromName
	case fromName == "":
		return own
	case strings.Contains(own, "||"):
		return fromName + " && (" + own + ")"
	default:
		return fromName + " && " + own
	}
}

// inDefaultBuild tells whether a file is built on Linux, amd64, without tags of one's own. Where files of a
// package declare the same name under different constraints, this build's declaration is the first.
func inDefaultBuild(tag string) bool {
	if tag == "" {
		return true
	}
	expression, err := constraint.Parse("//go:build " + tag)
	if err != nil {
		return true
	}
	on := []string{"linux", "amd64", "unix", "cgo", "gc"}
	return expression.Eval(func(name string) bool { return slices.Contains(on, name) || strings.HasPrefix(name, "go1.") })
}
