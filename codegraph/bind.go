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
	symbols map[string]map[string][]int // of a file, by qualified name
	// submodule is the file of a module inside a module, empty if there is none; nil: modules do not nest.
	submodule func(module, name string) string
}

func newModules(p *Project) *modules {
	return &modules{project: p, targets: map[string][]target{}, known: map[exportKey]meaning{}, symbols: map[string]map[string][]int{}}
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
	found, _ := m.follow(exportKey{file, name}, map[exportKey]bool{})
	return found
}

// follow looks for a name in a file, and if it has none of its own, in those whose names it offers by stars,
// nearest first. path are the searches that this one is a part of; whole is false where one of them was met
// again, and then the result holds for this search only.
func (m *modules) follow(key exportKey, path map[exportKey]bool) (result meaning, whole bool) {
	if known, there := m.known[key]; there {
		return known, true
	}
	if path[key] {
		return meaning{}, false
	}
	path[key] = true
	defer delete(path, key)
	whole = true
	seen := map[string]bool{key.file: true}
	for queue := []string{key.file}; len(queue) > 0; queue = queue[1:] {
		file := queue[0]
		own, ownWhole := m.own(file, key.name, path)
		whole = whole && ownWhole
		if own.found {
			if result.found && !result.equal(own) {
				result = meaning{}
				break
			}
			result = own
			continue
		}
		if key.name == "default" {
			break
		}
		for _, e := range m.project.Facts(file).Exports {
			if to := m.target(file, e.Import).path; e.Name == "*" && to != "" && !seen[to] {
				seen[to] = true
				queue = append(queue, to)
			}
		}
	}
	if whole {
		m.known[key] = result
	}
	return result, whole
}

// own is what the export statements of a file that name a name offer.
func (m *modules) own(file, name string, path map[exportKey]bool) (found meaning, whole bool) {
	whole = true
	for _, e := range m.project.Facts(file).Exports {
		if e.Name != name || e.Name == "*" {
			continue
		}
		one, oneWhole := m.explicit(file, e, path)
		found, whole = found.join(one), whole && oneWhole
	}
	return found, whole
}

// explicit is what one export statement of a file offers.
func (m *modules) explicit(file string, e Export, path map[exportKey]bool) (found meaning, whole bool) {
	switch {
	case e.Imported == "*" && e.Symbol >= 0:
		return meaning{found: true, symbols: []symbolAt{{file, e.Symbol}}, module: m.target(file, e.Import).path}, true
	case e.Symbol >= 0:
		return meaning{found: true, symbols: []symbolAt{{file, e.Symbol}}}, true
	case e.Import < 0:
		return meaning{found: true, outside: true}, true
	}
	to := m.target(file, e.Import)
	if to.path == "" {
		return meaning{found: true, outside: true}, true
	}
	found, whole = m.imported(to.path, e.Imported, path)
	if !found.found {
		return meaning{found: true, outside: true}, whole
	}
	return found, whole
}

// imported is what an import of a name from a module means. A module that exports one thing by assignment
// offers it as its default.
func (m *modules) imported(module, name string, path map[exportKey]bool) (found meaning, whole bool) {
	if name == "*" {
		return meaning{found: true, module: module}, true
	}
	found, whole = m.follow(exportKey{module, name}, path)
	if facts := m.project.Facts(module); !found.found && name == "default" {
		var assigned bool
		found, assigned = m.follow(exportKey{module, "export="}, path)
		whole = whole && assigned
		if !found.found && len(facts.Exports) > 0 && !facts.Module {
			return meaning{found: true, module: module}, whole // CommonJS: the module is its default
		}
	}
	if !found.found && m.submodule != nil {
		if file := m.submodule(module, name); file != "" {
			return meaning{found: true, module: file}, whole
		}
	}
	return found, whole
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
		found, _ = m.imported(to.path, b.Imported, map[exportKey]bool{})
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
		if found, _ := m.imported(of.module, name, map[exportKey]bool{}); found.found {
			return found
		}
	}
	var found meaning
	for _, s := range of.symbols {
		wanted := qualify(m.project.Facts(s.file).Symbols[s.symbol].Qualified, name)
		for _, i := range m.named(s.file, wanted) {
			found = found.join(meaning{found: true, symbols: []symbolAt{{s.file, i}}})
		}
	}
	return found
}

// named are the symbols of a file by their qualified name.
func (m *modules) named(file, qualified string) []int {
	names := m.symbols[file]
	if names == nil {
		names = map[string][]int{}
		for i, s := range m.project.Facts(file).Symbols {
			names[s.Qualified] = append(names[s.Qualified], i)
		}
		m.symbols[file] = names
	}
	return names[qualified]
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
