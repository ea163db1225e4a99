package codegraph

import (
	"path"
	"slices"
	"strings"
)

// Resolutions: which rule found a module.
const (
	resolvedRelative  = "relative"
	resolvedRootDirs  = "rootDirs"
	resolvedPaths     = "paths"
	resolvedBaseURL   = "baseUrl"
	resolvedImports   = "package imports"
	resolvedSelf      = "own package"
	resolvedWorkspace = "workspace"
	resolvedSource    = "workspace source" // the target is not built; its source is a guess
)

// target is what a specifier resolves to.
type target struct {
	path       string // empty: not in the repository
	resolution string
	pkg        *tsPackage // the workspace package that it was found through
}

// tsResolver finds the file that a specifier means.
type tsResolver struct {
	project  *Project
	packages *tsPackages
	configs  *tsConfigs
}

// lookup is one resolution: the configuration and conditions that hold for it.
type lookup struct {
	*tsResolver
	config     *tsConfig
	conditions []string
	esm        bool
}

func newResolver(p *Project) *tsResolver {
	packages := loadPackages(p)
	return &tsResolver{project: p, packages: packages, configs: newConfigs(p, packages)}
}

// resolve finds what an import of a file means under its configuration.
func (r *tsResolver) resolve(file string, config *tsConfig, i Import) target {
	l := &lookup{tsResolver: r, config: config, esm: r.isESM(file, config, i)}
	l.conditions = l.activeConditions()
	specifier := i.Specifier
	switch {
	case isRelative(specifier):
		return l.relative(file, specifier)
	case strings.HasPrefix(specifier, "/"), specifier == "", strings.Contains(specifier, "\x00"):
		return target{}
	}
	if t := l.mapped(specifier); t.path != "" {
		return t
	}
	if strings.HasPrefix(specifier, "#") {
		return l.packageImport(file, specifier)
	}
	return l.bare(file, specifier)
}

func isRelative(specifier string) bool {
	return specifier == "." || specifier == ".." || strings.HasPrefix(specifier, "./") || strings.HasPrefix(specifier, "../")
}

// isESM tells whether an import is resolved as ECMAScript modules are.
func (r *tsResolver) isESM(file string, config *tsConfig, i Import) bool {
	switch {
	case i.Require:
		return false
	case config.lookup != resolveNode16, i.Kind == "dynamic-import":
		return true
	}
	switch path.Ext(file) {
	case ".mts", ".mjs":
		return true
	case ".cts", ".cjs":
		return false
	}
	k := r.packages.nearest(file)
	return k != nil && k.Type == "module"
}

func (l *lookup) activeConditions() []string {
	conditions := []string{"require", "types"}
	if l.esm {
		conditions = []string{"import", "types"}
	}
	if l.config.lookup != resolveBundler {
		conditions = append(conditions, "node")
	}
	return append(conditions, l.config.conditions...)
}

func (l *lookup) relative(file, specifier string) target {
	candidate := path.Join(path.Dir(file), specifier)
	folderOnly := strings.HasSuffix(specifier, "/") || specifier == "." || specifier == ".." || strings.HasSuffix(specifier, "/.") || strings.HasSuffix(specifier, "/..")
	if found := l.fileOrFolder(candidate, folderOnly); found != "" {
		return target{path: found, resolution: resolvedRelative}
	}
	for _, root := range l.config.rootDirs {
		rest, inside := cutFolder(candidate, root)
		if !inside {
			continue
		}
		for _, other := range l.config.rootDirs {
			if found := l.fileOrFolder(path.Join(other, rest), folderOnly); found != "" {
				return target{path: found, resolution: resolvedRootDirs}
			}
		}
	}
	return target{}
}

// cutFolder is the path below a folder.
func cutFolder(file, folder string) (string, bool) {
	if folder == "." || folder == "" {
		return file, !strings.HasPrefix(file, "..")
	}
	if file == folder {
		return ".", true
	}
	return strings.CutPrefix(file, folder+"/")
}

// mapped tries the paths and the baseUrl of the configuration.
func (l *lookup) mapped(specifier string) target {
	if m, star := matchPattern(l.config.paths, specifier); m != nil {
		for _, to := range m.targets {
			if found := l.fileOrFolder(path.Clean(strings.Replace(to, "*", star, 1)), false); found != "" {
				return target{path: found, resolution: resolvedPaths}
			}
		}
		return target{}
	}
	if l.config.baseURL != "" {
		if found := l.fileOrFolder(path.Join(l.config.baseURL, specifier), false); found != "" {
			return target{path: found, resolution: resolvedBaseURL}
		}
	}
	return target{}
}

// matchPattern is the mapping of a specifier: its exact key, or the one of the longest prefix; and what
// the star stands for.
func matchPattern(paths []pathMapping, specifier string) (*pathMapping, string) {
	var best *pathMapping
	longest, star := -1, ""
	for i := range paths {
		prefix, suffix, hasStar := strings.Cut(paths[i].pattern, "*")
		if !hasStar {
			if paths[i].pattern == specifier {
				return &paths[i], ""
			}
			continue
		}
		if len(prefix) > longest && len(specifier) >= len(prefix)+len(suffix) &&
			strings.HasPrefix(specifier, prefix) && strings.HasSuffix(specifier, suffix) {
			best, longest, star = &paths[i], len(prefix), specifier[len(prefix):len(specifier)-len(suffix)]
		}
	}
	return best, star
}

// Extensions in the order in which they are tried.
var (
	extensionsTS = []string{".ts", ".tsx", ".d.ts"}
	extensionsJS = []string{".js", ".jsx"}
)

// fileOrFolder finds the file that a path without or with its extension means. A file beats a folder; where
// the older rules hold, types of a folder beat a file that has none.
func (l *lookup) fileOrFolder(candidate string, folderOnly bool) string {
	if strings.HasPrefix(candidate, "..") {
		return ""
	}
	passes := [][]string{slices.Concat(extensionsTS, extensionsJS)}
	if l.config.lookup == resolveNode10 {
		passes = [][]string{extensionsTS, extensionsJS}
	}
	for _, extensions := range passes {
		if !folderOnly {
			if found := l.file(candidate, extensions); found != "" {
				return found
			}
		}
		if l.project.HasFolder(candidate) {
			if found := l.folder(candidate, extensions); found != "" {
				return found
			}
		}
	}
	return ""
}

// file finds a file by a path whose extension may stand for that of a source, or be missing.
func (l *lookup) file(candidate string, extensions []string) string {
	if found := l.replaced(candidate, extensions); found != "" {
		return found
	}
	return l.first(candidate, extensions)
}

func (l *lookup) first(stem string, extensions []string) string {
	for _, extension := range extensions {
		if l.project.HasFile(stem + extension) {
			return stem + extension
		}
	}
	return ""
}

// replaced tries what a written extension stands for: .js for .ts, .mjs for .mts, and so on. Assets are
// found only through their declaration.
func (l *lookup) replaced(candidate string, extensions []string) string {
	extension := path.Ext(candidate)
	if extension == "" {
		return ""
	}
	stem := strings.TrimSuffix(candidate, extension)
	ordered := func(list ...string) string {
		for _, e := range list {
			if l.takes(e, extensions) && l.project.HasFile(stem+e) {
				return stem + e
			}
		}
		return ""
	}
	switch extension {
	case ".js":
		return ordered(".ts", ".tsx", ".d.ts", ".js", ".jsx")
	case ".jsx":
		return ordered(".tsx", ".ts", ".d.ts", ".jsx", ".js")
	case ".mjs":
		return ordered(".mts", ".d.mts", ".mjs")
	case ".cjs":
		return ordered(".cts", ".d.cts", ".cjs")
	case ".ts":
		if strings.HasSuffix(stem, ".d") {
			return ordered(".ts")
		}
		return ordered(".ts", ".tsx", ".d.ts", ".js", ".jsx")
	case ".tsx":
		return ordered(".tsx", ".ts", ".d.ts", ".jsx", ".js")
	case ".mts", ".cts":
		return ordered(extension)
	case ".json":
		if l.config.resolveJSON {
			return ordered(".d.json.ts", ".json")
		}
		return ordered(".d.json.ts")
	default:
		return ordered(".d" + extension + ".ts")
	}
}

// takes tells whether an extension belongs to a pass: to that of types or to that of scripts.
func (l *lookup) takes(extension string, extensions []string) bool {
	isScript := slices.Contains([]string{".js", ".jsx", ".mjs", ".cjs", ".json"}, extension)
	if isScript {
		return slices.Contains(extensions, ".js")
	}
	return slices.Contains(extensions, ".ts")
}

// folder finds the main file of a folder: that of its package.json, or its index.
func (l *lookup) folder(dir string, extensions []string) string {
	if k := l.packages.byDir[dir]; k != nil {
		for _, entry := range []string{k.Types, k.Typings, k.Main} {
			if entry == "" {
				continue
			}
			main := path.Join(dir, entry)
			if found := l.file(main, extensions); found != "" {
				return found
			}
			if found := l.first(path.Join(main, "index"), extensions); found != "" {
				return found
			}
		}
	}
	return l.first(path.Join(dir, "index"), extensions)
}
