package codegraph

import (
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// tsPackage is a package.json.
type tsPackage struct {
	dir    string
	member bool // of a workspace

	Name                 string            `json:"name"`
	Version              string            `json:"version"`
	Type                 string            `json:"type"`
	Main                 string            `json:"main"`
	Types                string            `json:"types"`
	Typings              string            `json:"typings"`
	Module               string            `json:"module"`
	Source               string            `json:"source"`
	TSConfig             string            `json:"tsconfig"`
	Exports              orderedJSON       `json:"exports"`
	Imports              orderedJSON       `json:"imports"`
	Workspaces           orderedJSON       `json:"workspaces"`
	Dependencies         map[string]string `json:"dependencies"`
	DevDependencies      map[string]string `json:"devDependencies"`
	PeerDependencies     map[string]string `json:"peerDependencies"`
	OptionalDependencies map[string]string `json:"optionalDependencies"`
}

// tsPackages are all package.json files of a repository.
type tsPackages struct {
	byDir  map[string]*tsPackage
	byName map[string]*tsPackage
	pnpm   bool // packages see only what they declare
}

// loadPackages reads every package.json and says which are members of a workspace.
func loadPackages(p *Project) *tsPackages {
	all := &tsPackages{byDir: map[string]*tsPackage{}, byName: map[string]*tsPackage{}}
	for _, name := range p.All() {
		if path.Base(name) != "package.json" {
			continue
		}
		k := &tsPackage{dir: path.Dir(name)}
		if err := unmarshalLoosely(p.Text(name), k); err != nil {
			p.Problem(name, "settings that cannot be read: "+err.Error())
		}
		all.byDir[k.dir] = k
	}
	all.findMembers(p)
	for _, dir := range sortedKeys(all.byDir) {
		k := all.byDir[dir]
		if k.Name == "" {
			continue
		}
		if old := all.byName[k.Name]; old == nil || k.member && !old.member {
			all.byName[k.Name] = k
		}
	}
	return all
}

// unmarshalLoosely reads JSON; a field of another type than expected is left empty.
func unmarshalLoosely(text []byte, into any) error {
	err := json.Unmarshal(plainJSON(text), into)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return nil
	}
	return err
}

// findMembers marks the members of npm, yarn and pnpm workspaces.
func (all *tsPackages) findMembers(p *Project) {
	for dir, k := range all.byDir {
		list := k.Workspaces
		if list.of != nil {
			list = list.of["packages"] // yarn
		}
		var globs []string
		for _, item := range list.list {
			globs = append(globs, item.text)
		}
		all.markMembers(dir, globs)
	}
	for _, name := range p.All() {
		if path.Base(name) != "pnpm-workspace.yaml" {
			continue
		}
		var settings struct {
			Packages []string `yaml:"packages"`
		}
		if err := yaml.Unmarshal(p.Text(name), &settings); err != nil {
			p.Problem(name, "settings that cannot be read")
			continue
		}
		all.pnpm = true
		all.markMembers(path.Dir(name), settings.Packages)
	}
}

func (all *tsPackages) markMembers(root string, globs []string) {
	if len(globs) == 0 {
		return
	}
	var include, exclude []*regexp.Regexp
	for _, glob := range globs {
		if rest, negated := strings.CutPrefix(glob, "!"); negated {
			exclude = append(exclude, excludePattern(path.Join(root, rest)))
			continue
		}
		include = append(include, globPattern(path.Join(root, glob), false))
	}
	for dir, k := range all.byDir {
		match := func(r *regexp.Regexp) bool { return r != nil && r.MatchString(dir) }
		if dir == root || slices.ContainsFunc(include, match) && !slices.ContainsFunc(exclude, match) {
			k.member = true
		}
	}
}

// nearest is the package that a file belongs to, nil if there is none.
func (all *tsPackages) nearest(file string) *tsPackage {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if k := all.byDir[dir]; k != nil {
			return k
		}
		if dir == "." || dir == "/" || strings.HasPrefix(dir, "..") {
			return nil
		}
	}
}

// named is the package that a bare specifier names, and the rest of it.
func (all *tsPackages) named(specifier string) (*tsPackage, string) {
	name, rest := splitSpecifier(specifier)
	return all.byName[name], rest
}

// splitSpecifier splits "@scope/name/a/b" into "@scope/name" and "a/b".
func splitSpecifier(specifier string) (name, rest string) {
	parts := strings.SplitN(specifier, "/", 3)
	if strings.HasPrefix(specifier, "@") && len(parts) > 1 {
		return parts[0] + "/" + parts[1], strings.Join(parts[2:], "/")
	}
	return parts[0], strings.Join(parts[1:], "/")
}

// visible is the package that a file means by a name: itself, or what the package manager would link
// into its node_modules. Nil if the name would be installed from elsewhere.
func (all *tsPackages) visible(file, name string) *tsPackage {
	own := all.nearest(file)
	target := all.byName[name]
	if own != nil && own.Name == name {
		return own
	}
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if k := all.byDir[dir]; k != nil {
			if wanted, declared := k.declares(name); declared {
				return all.linked(k, target, wanted)
			}
		}
		if dir == "." || strings.HasPrefix(dir, "..") {
			break
		}
	}
	if target != nil && target.member && !all.pnpm {
		return target // linked at the workspace's root, where all see it
	}
	return nil
}

func (k *tsPackage) declares(name string) (string, bool) {
	for _, list := range []map[string]string{k.Dependencies, k.DevDependencies, k.PeerDependencies, k.OptionalDependencies} {
		if wanted, there := list[name]; there {
			return wanted, true
		}
	}
	return "", false
}

// linked is what a declared dependency resolves to inside the repository.
func (all *tsPackages) linked(by, target *tsPackage, wanted string) *tsPackage {
	for _, scheme := range []string{"file:", "link:", "portal:"} {
		if where, found := strings.CutPrefix(wanted, scheme); found {
			if k := all.byDir[path.Join(by.dir, where)]; k != nil {
				return k
			}
			return target
		}
	}
	switch {
	case target == nil:
		return nil
	case strings.HasPrefix(wanted, "workspace:"), wanted == "*", wanted == "":
		return target
	case all.pnpm, !target.member, !by.member:
		return nil
	case sameMajor(wanted, target.Version):
		return target
	default:
		return nil
	}
}

// sameMajor tells whether a range of versions can be the version, by its first number that is not 0.
func sameMajor(wanted, version string) bool {
	wanted = strings.TrimLeft(wanted, "^~>=v ")
	a, b := strings.SplitN(wanted, ".", 3), strings.SplitN(version, ".", 3)
	if a[0] == "x" || a[0] == "latest" {
		return true
	}
	if a[0] != b[0] {
		return false
	}
	return a[0] != "0" || len(a) < 2 || len(b) < 2 || a[1] == b[1]
}
