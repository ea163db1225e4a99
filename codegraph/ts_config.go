package codegraph

import (
	"encoding/json"
	"path"
	"regexp"
	"slices"
	"strings"
)

// How modules are looked up, by a compiler's setting.
const (
	resolveNode10  = "node10"
	resolveNode16  = "node16"
	resolveBundler = "bundler"
)

// tsConfig is a tsconfig.json or jsconfig.json with what it extends. Paths are from the root.
type tsConfig struct {
	path        string
	baseURL     string // empty: none
	paths       []pathMapping
	lookup      string // one of resolve…
	conditions  []string
	rootDirs    []string
	outDir      string
	rootDir     string
	allowJS     bool
	resolveJSON bool
	references  []string

	files            map[string]bool
	include, exclude []*regexp.Regexp
	listsNothing     bool // "files": [] and no include
}

type pathMapping struct {
	pattern string
	targets []string // from the root, with their star
}

// rawConfig is one settings file as written.
type rawConfig struct {
	Extends         orderedJSON                `json:"extends"`
	Files           []string                   `json:"files"`
	Include         []string                   `json:"include"`
	Exclude         []string                   `json:"exclude"`
	References      []struct{ Path string }    `json:"references"`
	CompilerOptions map[string]json.RawMessage `json:"compilerOptions"`

	filesBase, includeBase, excludeBase string
	folder                              string // of the config that is loaded, for ${configDir}
	optionBase                          map[string]string
}

// tsConfigs loads settings files once each.
type tsConfigs struct {
	project  *Project
	packages *tsPackages
	loaded   map[string]*tsConfig
	nearest  map[string][]string // settings files from a folder upwards
}

// maxExtends bounds a chain of settings files.
const maxExtends = 30

func newConfigs(p *Project, packages *tsPackages) *tsConfigs {
	return &tsConfigs{project: p, packages: packages, loaded: map[string]*tsConfig{}, nearest: map[string][]string{}}
}

// fallbackConfig governs files that no settings file is above.
func fallbackConfig() *tsConfig {
	return &tsConfig{lookup: resolveBundler, resolveJSON: true, allowJS: true}
}

// governing is the configuration of a file: of the settings files from its folder upwards the first that
// includes it, by itself or by a reference; if none does, the nearest, or the first that it refers to
// when it lists nothing itself.
func (c *tsConfigs) governing(file string) *tsConfig {
	above := c.above(path.Dir(file))
	for _, name := range above {
		if found := c.including(name, file); found != nil {
			return found
		}
	}
	if len(above) == 0 {
		return fallbackConfig()
	}
	config := c.load(above[0])
	if config.listsNothing {
		for _, reference := range config.references {
			if c.project.HasFile(reference) {
				return c.load(reference)
			}
		}
	}
	return config
}

func (c *tsConfigs) including(name, file string) *tsConfig {
	config := c.load(name)
	if config.includes(c.project, file) {
		return config
	}
	for _, reference := range config.references {
		if c.project.HasFile(reference) && c.load(reference).includes(c.project, file) {
			return c.load(reference)
		}
	}
	return nil
}

// above are the settings files from a folder up to the root, nearest first.
func (c *tsConfigs) above(folder string) []string {
	if names, known := c.nearest[folder]; known {
		return names
	}
	var names []string
	for _, base := range []string{"tsconfig.json", "jsconfig.json"} {
		if name := path.Join(folder, base); c.project.HasFile(name) {
			names = append(names, name)
			break
		}
	}
	if folder != "." {
		names = append(names, c.above(path.Dir(folder))...)
	}
	c.nearest[folder] = names
	return names
}

// load reads a settings file and what it extends. What is broken counts as empty.
func (c *tsConfigs) load(name string) *tsConfig {
	if config, known := c.loaded[name]; known {
		return config
	}
	raw := c.read(name, path.Dir(name), nil)
	config := raw.config(name)
	c.loaded[name] = config
	return config
}

// read merges a settings file over those that it extends; chain are the names on the way here.
func (c *tsConfigs) read(name, folder string, chain []string) rawConfig {
	raw := rawConfig{folder: folder, optionBase: map[string]string{}, CompilerOptions: map[string]json.RawMessage{}}
	if slices.Contains(chain, name) || len(chain) > maxExtends {
		c.project.Problem(name, "extends itself")
		return raw
	}
	text := c.project.Text(name)
	if text == nil {
		return raw
	}
	var own rawConfig
	if err := json.Unmarshal(plainJSON(text), &own); err != nil {
		c.project.Problem(name, "settings that cannot be read: "+err.Error())
	}
	dir := path.Dir(name)
	chain = append(slices.Clone(chain), name)
	for _, extended := range own.extended() {
		if target := c.extendsTarget(dir, extended); target != "" {
			raw.merge(c.read(target, folder, chain), "")
		}
	}
	own.References = slices.DeleteFunc(own.References, func(r struct{ Path string }) bool { return r.Path == "" })
	raw.merge(own, dir)
	raw.References = own.References
	return raw
}

func (r rawConfig) extended() []string {
	if r.Extends.text != "" {
		return []string{r.Extends.text}
	}
	var names []string
	for _, item := range r.Extends.list {
		if item.text != "" {
			names = append(names, item.text)
		}
	}
	return names
}

// extendsTarget is the settings file that a name in extends means, empty if it is not in the repository.
func (c *tsConfigs) extendsTarget(dir, name string) string {
	candidate := path.Join(dir, name)
	if !strings.HasPrefix(name, ".") {
		p, rest := c.packages.named(name)
		if p == nil {
			return ""
		}
		candidate = path.Join(p.dir, rest)
		if rest == "" && p.TSConfig != "" {
			candidate = path.Join(p.dir, p.TSConfig)
		}
	}
	for _, found := range []string{candidate, candidate + ".json", path.Join(candidate, "tsconfig.json")} {
		if c.project.HasFile(found) {
			return found
		}
	}
	return ""
}

// merge lays another file's settings over these. base is the folder of the other; empty if it was merged
// itself and knows its folders.
func (r *rawConfig) merge(o rawConfig, base string) {
	folderOf := func(known string) string {
		if base != "" {
			return base
		}
		return known
	}
	if o.Files != nil {
		r.Files, r.filesBase = o.Files, folderOf(o.filesBase)
	}
	if o.Include != nil {
		r.Include, r.includeBase = o.Include, folderOf(o.includeBase)
	}
	if o.Exclude != nil {
		r.Exclude, r.excludeBase = o.Exclude, folderOf(o.excludeBase)
	}
	for key, value := range o.CompilerOptions {
		r.CompilerOptions[key] = value
		r.optionBase[key] = folderOf(o.optionBase[key])
	}
}

// text is a compiler option that is a string, in lower case unless it is a path.
func (r rawConfig) text(option string) string {
	var s string
	if json.Unmarshal(r.CompilerOptions[option], &s) != nil {
		return ""
	}
	return s
}

func (r rawConfig) flag(option string) (value, isSet bool) {
	raw, there := r.CompilerOptions[option]
	return there && json.Unmarshal(raw, &value) == nil && value, there
}

// folderOption is a compiler option that is a path, from the root.
func (r rawConfig) folderOption(option string) string {
	s := r.text(option)
	if s == "" {
		return ""
	}
	return r.join(r.optionBase[option], s)
}

// join makes a path of a settings file one from the root.
func (r rawConfig) join(base, s string) string {
	if rest, found := strings.CutPrefix(s, "${configDir}"); found {
		return path.Join(r.folder, rest)
	}
	return path.Join(base, s)
}

// config is what the settings mean.
func (r rawConfig) config(name string) *tsConfig {
	t := &tsConfig{path: name, baseURL: r.folderOption("baseUrl"), outDir: r.folderOption("outDir"), rootDir: r.folderOption("rootDir")}
	t.setLookup(r)
	t.allowJS, _ = r.flag("allowJs")
	if checked, _ := r.flag("checkJs"); checked || path.Base(name) == "jsconfig.json" {
		t.allowJS = true
	}
	_ = json.Unmarshal(r.CompilerOptions["customConditions"], &t.conditions) // none if it is no list
	var roots []string
	_ = json.Unmarshal(r.CompilerOptions["rootDirs"], &roots) // as above
	for _, root := range roots {
		t.rootDirs = append(t.rootDirs, r.join(r.optionBase["rootDirs"], root))
	}
	t.setPaths(r)
	for _, reference := range r.References {
		target := path.Join(path.Dir(name), reference.Path)
		if path.Ext(target) != ".json" {
			target = path.Join(target, "tsconfig.json")
		}
		t.references = append(t.references, target)
	}
	t.setFiles(r)
	return t
}

func (t *tsConfig) setPaths(r rawConfig) {
	var mapping orderedJSON
	if raw, there := r.CompilerOptions["paths"]; !there || json.Unmarshal(raw, &mapping) != nil {
		return
	}
	base := r.optionBase["paths"]
	if t.baseURL != "" {
		base = t.baseURL
	}
	for _, pattern := range mapping.keys {
		m := pathMapping{pattern: pattern}
		for _, target := range mapping.of[pattern].list {
			if target.text != "" {
				m.targets = append(m.targets, r.join(base, target.text))
			}
		}
		t.paths = append(t.paths, m)
	}
}

// setLookup derives how modules are looked up, as the compiler derives it where it is not set.
func (t *tsConfig) setLookup(r rawConfig) {
	module := strings.ToLower(r.text("module"))
	switch strings.ToLower(r.text("moduleResolution")) {
	case "bundler":
		t.lookup = resolveBundler
	case "node16", "nodenext":
		t.lookup = resolveNode16
	case "node", "node10", "classic":
		t.lookup = resolveNode10
	default:
		switch module {
		case "node16", "node18", "node20", "nodenext":
			t.lookup = resolveNode16
		case "preserve":
			t.lookup = resolveBundler
		default:
			t.lookup = resolveNode10
		}
	}
	value, isSet := r.flag("resolveJsonModule")
	t.resolveJSON = value
	if !isSet {
		t.resolveJSON = t.lookup == resolveBundler || module == "nodenext" || module == "node20"
	}
}

// setFiles compiles what the settings include.
func (t *tsConfig) setFiles(r rawConfig) {
	t.files = map[string]bool{}
	for _, file := range r.Files {
		t.files[r.join(r.filesBase, file)] = true
	}
	include, base := r.Include, r.includeBase
	if r.Include == nil && r.Files == nil {
		include, base = []string{"**/*"}, path.Dir(t.path)
	}
	t.listsNothing = len(r.Files) == 0 && len(include) == 0
	for _, pattern := range include {
		t.include = append(t.include, globPattern(r.join(base, pattern), true))
	}
	exclude, base := r.Exclude, r.excludeBase
	if r.Exclude == nil {
		exclude, base = nil, ""
		for _, folder := range []string{t.outDir, r.folderOption("declarationDir")} {
			if folder != "" {
				exclude = append(exclude, folder)
			}
		}
	}
	for _, pattern := range exclude {
		t.exclude = append(t.exclude, excludePattern(r.join(base, pattern)))
	}
}

// includes tells whether a file is one of the configuration's.
func (t *tsConfig) includes(p *Project, file string) bool {
	if t.files[file] {
		return true
	}
	match := func(pattern *regexp.Regexp) bool { return pattern != nil && pattern.MatchString(file) }
	if !t.supports(p, file) || !slices.ContainsFunc(t.include, match) {
		return false
	}
	return !slices.ContainsFunc(t.exclude, match)
}

// supports tells whether a configuration takes files of the extension; of a file with several
// extensions only the one nearest to the source is taken.
func (t *tsConfig) supports(p *Project, file string) bool {
	stem, extension := strings.TrimSuffix(file, path.Ext(file)), path.Ext(file)
	var stronger []string
	switch extension {
	case ".ts", ".mts", ".cts":
		if bare, isDeclaration := strings.CutSuffix(stem, ".d"); isDeclaration {
			stem, stronger = bare, []string{extension}
			if extension == ".ts" {
				stronger = append(stronger, ".tsx")
			}
		}
	case ".tsx":
		stronger = []string{".ts"}
	case ".js", ".jsx":
		stronger = []string{".ts", ".tsx", ".d.ts"}
	case ".mjs":
		stronger = []string{".mts", ".d.mts"}
	case ".cjs":
		stronger = []string{".cts", ".d.cts"}
	default:
		return false
	}
	if strings.HasSuffix(extension, "js") || extension == ".jsx" {
		if !t.allowJS {
			return false
		}
	}
	return !slices.ContainsFunc(stronger, func(e string) bool { return p.HasFile(stem + e) })
}
