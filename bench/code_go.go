package bench

import (
	"maps"
	"path"
	"slices"
	"strings"

	"mneme/codegraph"
	"mneme/knowledge"
)

// golang scores package imports, uses across packages, embedding and implementation. A compiler sees one
// operating system, one set of build tags and one module, so only what it has looked at counts.
func (s *CodeScore) golang(index *codegraph.Index, oracle *codeOracle) {
	judged, targets := oracle.goFiles()
	s.scope(index, judged)
	wanted := map[string]map[string]bool{}
	for _, pair := range oracle.Uses {
		if from, to, ok := strings.Cut(pair, "\t"); ok && path.Dir(from) != path.Dir(to) {
			put(wanted, kindUses, pair)
		}
	}
	wanted[string(knowledge.CodeImportsPackage)] = setOf(oracle.ImportPackages)
	wanted[string(knowledge.CodeEmbeds)] = setOf(oracle.Embeds)
	wanted[string(knowledge.CodeImplements)] = setOf(oracle.ImplementsVisible)
	s.keepHeld(wanted, goPackagesHeld(index))
	got := map[string]map[string]bool{}
	packages := judgedPackages(index, judged)
	generic := genericTypes(index)
	for _, e := range index.Edges {
		if !judged[e.From.Path] {
			continue
		}
		switch e.Type {
		case knowledge.CodeImportsPackage:
			if packages[e.To.Package] {
				put(got, string(e.Type), e.From.Path+"\t"+e.To.Package)
			}
		case knowledge.CodeImportsFile, knowledge.CodeReferences, knowledge.CodeCalls:
			if path.Dir(e.From.Path) != path.Dir(e.To.Path) && (judged[e.To.Path] || targets[e.To.Path]) {
				put(got, kindUses, e.From.Path+"\t"+e.To.Path)
			}
		case knowledge.CodeEmbeds:
			if !generic[e.From] {
				put(got, string(e.Type), e.From.String()+"\t"+e.To.String())
			}
		case knowledge.CodeImplements:
			if judged[e.To.Path] {
				put(got, string(e.Type), e.From.String()+"\t"+e.To.String())
			}
		}
	}
	for _, kind := range []string{string(knowledge.CodeImportsPackage), kindUses, string(knowledge.CodeEmbeds), string(knowledge.CodeImplements)} {
		s.add(kind, wanted[kind], got[kind])
	}
}

// goFiles are the files that a Go oracle has read, and others that those use.
func (o *codeOracle) goFiles() (judged, targets map[string]bool) {
	judged, targets = map[string]bool{}, map[string]bool{}
	for _, symbol := range o.Symbols {
		file, _, _ := strings.Cut(symbol, "#")
		judged[file] = true
	}
	for _, line := range o.ImportPackages {
		file, _, _ := strings.Cut(line, "\t")
		judged[file] = true
	}
	for _, line := range o.Uses {
		from, to, _ := strings.Cut(line, "\t")
		judged[from], targets[to] = true, true
	}
	return judged, targets
}

// judgedPackages are the packages of which the oracle has read a file that is no test.
func judgedPackages(index *codegraph.Index, judged map[string]bool) map[string]bool {
	folders := map[string]bool{}
	for file := range judged {
		if !strings.HasSuffix(file, "_test.go") {
			folders[path.Dir(file)] = true
		}
	}
	packages := map[string]bool{}
	for _, p := range index.Packages {
		packages[p.ImportPath] = folders[p.Path]
	}
	return packages
}

// goPackagesHeld tells whether a key of an oracle, a path, a symbol or an import path, is of something that the
// graph holds.
func goPackagesHeld(index *codegraph.Index) map[string]bool {
	held := map[string]bool{}
	for _, p := range index.Packages {
		held[p.ImportPath] = true
	}
	return held
}

// genericTypes are the Go types with parameters, which the oracle leaves out.
func genericTypes(index *codegraph.Index) map[knowledge.CodeRef]bool {
	generic := map[knowledge.CodeRef]bool{}
	for _, s := range index.Symbols {
		rest, isType := strings.CutPrefix(s.Signature, "type "+s.Name)
		if isType && strings.HasPrefix(rest, "[") && !strings.HasPrefix(rest, "[]") {
			generic[knowledge.CodeRef{Path: s.Path, Symbol: s.QualifiedName, Kind: s.Kind}] = true
		}
	}
	return generic
}

func setOf(keys []string) map[string]bool {
	set := make(map[string]bool, len(keys))
	for _, key := range keys {
		set[key] = true
	}
	return set
}

func sortedSet(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }
