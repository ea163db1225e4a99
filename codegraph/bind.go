package codegraph

import (
	"cmp"
	"slices"
)

// modules follows names from file to file, in languages whose files are modules.
type modules struct {
	project *Project
	targets map[string][]target // of a file's imports, by index
	known   map[exportKey]meaning
	// submodule is the file of a module inside a module, empty if there is none; nil: modules do not nest.
	submodule func(module, name string) string
}

func newModules(p *Project) *modules {
	return &modules{project: p, targets: map[string][]target{}, known: map[exportKey]meaning{}}
}

type exportKey struct{ file, name string }

// symbolAt is a symbol of a file by its index.
type symbolAt struct {
	file   string
	symbol int
}

// meaning is what a name stands for: symbols (a type and a value may share one name), a whole module, or
// something outside the repository.
type meaning struct {
	found   bool
	outside bool
	module  string
	symbols []symbolAt
}

// export finds what a module exports by a name. It is safe on cycles; an explicit export beats a star, a
// star never carries default, and a name that two stars have from different places means nothing.
func (m *modules) export(file, name string) meaning {
	key := exportKey{file, name}
	if known, there := m.known[key]; there {
		return known
	}
	found := m.follow(key, map[exportKey]bool{})
	m.known[key] = found
	return found
}

func (m *modules) follow(key exportKey, path map[exportKey]bool) meaning {
	if path[key] {
		return meaning{}
	}
	path[key] = true
	defer delete(path, key)
	facts := m.project.Facts(key.file)
	var explicit meaning
	for _, e := range facts.Exports {
		if e.Name == key.name && e.Name != "*" {
			explicit = explicit.join(m.explicit(key.file, e, path))
		}
	}
	if explicit.found || key.name == "default" {
		return explicit
	}
	var star meaning
	for _, e := range facts.Exports {
		if e.Name != "*" || e.Import < 0 {
			continue
		}
		to := m.target(key.file, e.Import)
		if to.path == "" {
			continue
		}
		found := m.follow(exportKey{to.path, key.name}, path)
		if !found.found {
			continue
		}
		if star.found && !star.equal(found) {
			return meaning{}
		}
		star = found
	}
	return star
}

// explicit is what one export statement of a file offers.
func (m *modules) explicit(file string, e Export, path map[exportKey]bool) meaning {
	switch {
	case e.Imported == "*" && e.Symbol >= 0:
		return meaning{found: true, symbols: []symbolAt{{file, e.Symbol}}, module: m.target(file, e.Import).path}
	case e.Symbol >= 0:
		return meaning{found: true, symbols: []symbolAt{{file, e.Symbol}}}
	case e.Import < 0:
		return meaning{found: true, outside: true}
	}
	to := m.target(file, e.Import)
	if to.path == "" {
		return meaning{found: true, outside: true}
	}
	found := m.imported(to.path, e.Imported, path)
	if !found.found {
		return meaning{found: true, outside: true}
	}
	return found
}

// imported is what an import of a name from a module means. A module that exports one thing by assignment
// offers it as its default. path is nil outside of a search.
func (m *modules) imported(module, name string, path map[exportKey]bool) meaning {
	if name == "*" {
		return meaning{found: true, module: module}
	}
	follow := func(name string) meaning {
		if path == nil {
			return m.export(module, name)
		}
		return m.follow(exportKey{module, name}, path)
	}
	found := follow(name)
	if !found.found && name == "default" {
		found = follow("export=")
		if !found.found && len(m.project.Facts(module).Exports) > 0 && !m.project.Facts(module).Module {
			return meaning{found: true, module: module} // CommonJS: the module is its default
		}
	}
	if !found.found && m.submodule != nil {
		if file := m.submodule(module, name); file != "" {
			return meaning{found: true, module: file}
		}
	}
	return found
}

func (m *modules) target(file string, i int) target {
	if targets := m.targets[file]; i >= 0 && i < len(targets) {
		return targets[i]
	}
	return target{}
}

func (a meaning) join(b meaning) meaning {
	a.found = a.found || b.found
	a.outside = a.outside || b.outside
	a.module = cmp.Or(a.module, b.module)
	for _, s := range b.symbols {
		if !slices.Contains(a.symbols, s) {
			a.symbols = append(a.symbols, s)
		}
	}
	return a
}

func (a meaning) equal(b meaning) bool {
	return a.module == b.module && slices.Equal(a.symbols, b.symbols)
}

// bind is what a binding of a file means, its members followed as far as they can be; left are the members
// that could not.
func (m *modules) bind(file string, b Binding) (found meaning, left []string) {
	switch {
	case b.Symbol >= 0:
		found = meaning{found: true, symbols: []symbolAt{{file, b.Symbol}}}
	case b.Import >= 0:
		to := m.target(file, b.Import)
		if to.path == "" {
			return meaning{outside: true}, b.Members
		}
		found = m.imported(to.path, b.Imported, nil)
	default:
		return meaning{}, b.Members
	}
	for i, member := range b.Members {
		next := m.member(found, member)
		if !next.found {
			return found, b.Members[i:]
		}
		found = next
	}
	return found, nil
}

// member is what a.b means if a is known.
func (m *modules) member(of meaning, name string) meaning {
	if of.module != "" {
		if found := m.imported(of.module, name, nil); found.found {
			return found
		}
	}
	var found meaning
	for _, s := range of.symbols {
		facts := m.project.Facts(s.file)
		wanted := qualify(facts.Symbols[s.symbol].Qualified, name)
		for i := range facts.Symbols {
			if facts.Symbols[i].Qualified == wanted {
				found = found.join(meaning{found: true, symbols: []symbolAt{{s.file, i}}})
			}
		}
	}
	return found
}

// exportNames are the names that a module exports, sorted.
func (m *modules) exportNames(file string) []string {
	set := map[string]bool{}
	m.addNames(file, set, map[string]bool{}, true)
	return sortedKeys(set)
}

func (m *modules) addNames(file string, set, seen map[string]bool, withDefault bool) {
	if seen[file] {
		return
	}
	seen[file] = true
	for _, e := range m.project.Facts(file).Exports {
		switch {
		case e.Name != "*":
			if e.Name != "default" && e.Name != "export=" || withDefault {
				set[e.Name] = true
			}
		case e.Import >= 0:
			if to := m.target(file, e.Import); to.path != "" {
				m.addNames(to.path, set, seen, false)
			}
		}
	}
}
