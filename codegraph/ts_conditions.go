package codegraph

import (
	"path"
	"slices"
	"strings"
)

// bare resolves a package's name to a package of the workspace.
func (l *lookup) bare(file, specifier string) target {
	name, rest := splitSpecifier(specifier)
	k := l.packages.visible(file, name)
	if k == nil {
		return target{}
	}
	own := l.packages.nearest(file) == k
	if own && !k.Exports.isSet {
		return target{} // a package has no way to name itself without exports
	}
	resolution := resolvedWorkspace
	if own {
		resolution = resolvedSelf
	}
	if found := l.inPackage(k, rest); found != "" {
		return target{path: found, resolution: resolution, pkg: k}
	}
	if found := l.guessSource(k, rest); found != "" {
		return target{path: found, resolution: resolvedSource, pkg: k}
	}
	return target{pkg: k}
}

// inPackage finds the file of a package's subpath ("" for the package itself) as compilers do.
func (l *lookup) inPackage(k *tsPackage, rest string) string {
	if k.Exports.isSet && l.config.lookup != resolveNode10 {
		for _, to := range l.exported(k.Exports, rest) {
			if found := l.exportTarget(k, to); found != "" {
				return found
			}
		}
		return ""
	}
	if rest == "" {
		for _, extensions := range [][]string{extensionsTS, extensionsJS} {
			if found := l.folder(k.dir, extensions); found != "" {
				return found
			}
		}
		return ""
	}
	return l.fileOrFolder(path.Join(k.dir, rest), false)
}

// exportTarget is the file that a target of exports names; its extension may stand for that of a source.
func (l *lookup) exportTarget(k *tsPackage, to string) string {
	if !strings.HasPrefix(to, "./") {
		return ""
	}
	return l.replaced(path.Join(k.dir, to), slices.Concat(extensionsTS, extensionsJS))
}

// exported are the targets of a subpath in order, under the conditions that hold.
func (l *lookup) exported(exports orderedJSON, rest string) []string {
	subpath := "."
	if rest != "" {
		subpath = "./" + rest
	}
	return l.subpath(exports, subpath)
}

// subpath looks up a key of exports or imports: exact, else the pattern of the longest prefix.
func (l *lookup) subpath(table orderedJSON, key string) []string {
	isTable := len(table.keys) > 0 && (strings.HasPrefix(table.keys[0], ".") || strings.HasPrefix(table.keys[0], "#"))
	if !isTable {
		if key != "." {
			return nil
		}
		return l.conditional(table, "")
	}
	if value, there := table.of[key]; there && !strings.Contains(key, "*") {
		return l.conditional(value, "")
	}
	best, bestPrefix, star := "", -1, ""
	for _, pattern := range table.keys {
		prefix, suffix, hasStar := strings.Cut(pattern, "*")
		if !hasStar && strings.HasSuffix(pattern, "/") {
			prefix, hasStar = pattern, true
		}
		if !hasStar || len(key) < len(prefix)+len(suffix) || !strings.HasPrefix(key, prefix) || !strings.HasSuffix(key, suffix) {
			continue
		}
		if len(prefix) > bestPrefix {
			best, bestPrefix, star = pattern, len(prefix), key[len(prefix):len(key)-len(suffix)]
		}
	}
	if bestPrefix < 0 {
		return nil
	}
	return l.conditional(table.of[best], star)
}

// conditional are the targets of a value: itself, those of a list, or of the first condition that holds.
func (l *lookup) conditional(value orderedJSON, star string) []string {
	switch {
	case value.text != "":
		if strings.HasSuffix(value.text, "/") {
			return []string{value.text + star}
		}
		return []string{strings.ReplaceAll(value.text, "*", star)}
	case value.of != nil:
		for _, condition := range value.keys {
			if condition == "default" || slices.Contains(l.conditions, condition) || strings.HasPrefix(condition, "types@") {
				if targets := l.conditional(value.of[condition], star); targets != nil {
					return targets
				}
			}
		}
	default:
		var targets []string
		for _, item := range value.list {
			targets = append(targets, l.conditional(item, star)...)
		}
		return targets
	}
	return nil
}

// packageImport resolves "#name" by the imports of the file's own package.
func (l *lookup) packageImport(file, specifier string) target {
	k := l.packages.nearest(file)
	if k == nil || !k.Imports.isSet || l.config.lookup == resolveNode10 {
		return target{}
	}
	for _, to := range l.subpath(k.Imports, specifier) {
		if strings.HasPrefix(to, "./") {
			if found := l.exportTarget(k, to); found != "" {
				return target{path: found, resolution: resolvedImports}
			}
			if found := l.sourceOf(k, to); found != "" {
				return target{path: found, resolution: resolvedSource}
			}
			continue
		}
		if !strings.HasPrefix(to, "#") {
			return l.bare(file, to)
		}
	}
	return target{}
}

// builtFolders are where builds put what they make.
var builtFolders = []string{"dist", "build", "lib", "out", "es", "esm", "cjs", "umd", "types", "output", "_build"}

// guessSource finds the source of a target that is not built.
func (l *lookup) guessSource(k *tsPackage, rest string) string {
	targets := append(l.exported(k.Exports, rest), l.anyTarget(k, rest)...)
	if rest == "" {
		targets = append([]string{k.Source}, append(targets, k.Types, k.Typings, k.Module, k.Main)...)
	} else if !k.Exports.isSet {
		targets = append(targets, rest)
	}
	for _, to := range targets {
		if to == "" {
			continue
		}
		if found := l.sourceOf(k, to); found != "" {
			return found
		}
	}
	if rest == "" {
		if found := l.first(path.Join(k.dir, "src", "index"), slices.Concat(extensionsTS, extensionsJS)); found != "" {
			return found
		}
	}
	for _, to := range targets { // a script that is kept beside what is built
		if found := path.Join(k.dir, to); to != "" && l.project.HasFile(found) {
			return found
		}
	}
	return ""
}

// anyTarget are the targets of a subpath under conditions that do not hold here.
func (l *lookup) anyTarget(k *tsPackage, rest string) []string {
	all := *l
	all.conditions = append(slices.Clone(l.conditions), "import", "require", "types", "node", "browser", "module", "development")
	return all.exported(k.Exports, rest)
}

// sourceOf guesses the source of one built file: by the folders of the package's configuration, else by
// putting what follows the folders of builds below src or the package.
func (l *lookup) sourceOf(k *tsPackage, to string) string {
	built := path.Join(k.dir, to)
	extensions := slices.Concat(extensionsTS, extensionsJS)
	if config := path.Join(k.dir, "tsconfig.json"); l.project.HasFile(config) {
		c := l.configs.load(config)
		if rest, inside := cutFolder(built, c.outDir); inside && c.outDir != "" && c.rootDir != "" {
			if found := l.sourceFile(path.Join(c.rootDir, rest), extensions); found != "" {
				return found
			}
		}
	}
	segments := strings.Split(path.Clean(to), "/")
	for i := 0; i < len(segments)-1 && slices.Contains(builtFolders, segments[i]); i++ {
		rest := path.Join(segments[i+1:]...)
		for _, folder := range []string{"src", "", "source"} {
			if found := l.sourceFile(path.Join(k.dir, folder, rest), extensions); found != "" {
				return found
			}
		}
	}
	return ""
}

// sourceFile is the source that would be built to a path.
func (l *lookup) sourceFile(built string, extensions []string) string {
	if bare, isDeclaration := strings.CutSuffix(built, ".d.ts"); isDeclaration {
		built = bare + ".js"
	}
	if found := l.replaced(built, extensions); found != "" {
		return found
	}
	return l.first(strings.TrimSuffix(built, path.Ext(built)), extensions)
}
