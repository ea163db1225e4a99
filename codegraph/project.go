package codegraph

import (
	"cmp"
	"path"
	"slices"
	"sync"

	"mneme/knowledge"
)

// Project is a repository whose facts are known, as a resolver sees it. Its methods may be called by
// several goroutines.
type Project struct {
	Repository string
	Cache      Cache

	scan    *Scan
	files   map[string]*file
	folders map[string]bool

	mu       sync.Mutex
	texts    map[string][]byte
	packages map[string]knowledge.CodePackage
	edges    map[edgeKey]knowledge.CodeEdge
	outside  map[string][]string // names that a file exports from outside the repository
	parents  map[knowledge.CodeRef][]string
}

// edgeKey is what tells two edges apart.
type edgeKey struct {
	kind     knowledge.CodeEdgeType
	from, to knowledge.CodeRef
	name     string
}

func newProject(s *Scan) *Project {
	p := &Project{
		Repository: s.options.Repository, Cache: s.options.Cache, scan: s,
		files: make(map[string]*file, len(s.files)), folders: map[string]bool{".": true},
		texts: map[string][]byte{}, packages: map[string]knowledge.CodePackage{}, edges: map[edgeKey]knowledge.CodeEdge{},
		outside: map[string][]string{}, parents: map[knowledge.CodeRef][]string{},
	}
	for _, f := range s.files {
		p.files[f.path] = f
		for folder := path.Dir(f.path); !p.folders[folder]; folder = path.Dir(folder) {
			p.folders[folder] = true
		}
	}
	return p
}

// Paths are the paths of a language's files, sorted.
func (p *Project) Paths(language string) []string {
	var paths []string
	for _, f := range p.scan.files {
		if f.entry.language.Name == language {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// All are the paths of all files, sorted.
func (p *Project) All() []string {
	paths := make([]string, len(p.scan.files))
	for i, f := range p.scan.files {
		paths[i] = f.path
	}
	return paths
}

// HasFile tells whether a file is in the repository.
func (p *Project) HasFile(name string) bool { return p.files[name] != nil }

// HasFolder tells whether a folder holds a file of the repository.
func (p *Project) HasFolder(name string) bool { return p.folders[name] }

// Facts are those of a file, empty ones for a file that was not parsed.
func (p *Project) Facts(name string) *Facts {
	if f := p.files[name]; f != nil {
		return &f.facts
	}
	return &Facts{}
}

// Hash is the content hash of a file, empty if there is no such file.
func (p *Project) Hash(name string) string {
	if f := p.files[name]; f != nil {
		return f.hash
	}
	return ""
}

// Text is a file's text in UTF-8, nil if there is none or it can no longer be read as it was hashed.
func (p *Project) Text(name string) []byte {
	f := p.files[name]
	if f == nil || f.size > maxParsed {
		return nil
	}
	p.mu.Lock()
	text, known := p.texts[name]
	p.mu.Unlock()
	if known {
		return text
	}
	if raw, err := p.scan.read(f); err == nil {
		text = decode(name, raw).text
	} else {
		p.mu.Lock()
		p.scan.unreadable(name, err)
		p.mu.Unlock()
	}
	if f.entry.language.Extract == nil { // settings are asked for again and again; source is not
		p.mu.Lock()
		p.texts[name] = text
		p.mu.Unlock()
	}
	return text
}

// Problem records what went wrong with a file.
func (p *Project) Problem(name, message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.scan.problem(name, message)
}

// AddPackage adds a package; a second one of the same import path is dropped.
func (p *Project) AddPackage(k knowledge.CodePackage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	k.Repository = p.Repository
	if _, there := p.packages[k.ImportPath]; !there {
		p.packages[k.ImportPath] = k
	}
}

// AddEdge adds an edge. Of several between the same nodes the first by strength stays: what is needed
// at run time before what only types need, then by kind and specifier; it is type-only if all are.
func (p *Project) AddEdge(e knowledge.CodeEdge) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := edgeKey{e.Type, e.From, e.To, e.Name}
	if old, there := p.edges[key]; there && compareEdges(old, e) <= 0 {
		return
	}
	p.edges[key] = e
}

func compareEdges(a, b knowledge.CodeEdge) int {
	return cmp.Or(
		compareBools(a.TypeOnly, b.TypeOnly),
		cmp.Compare(b.Confidence, a.Confidence),
		cmp.Compare(a.Kind, b.Kind),
		cmp.Compare(a.Specifier, b.Specifier),
		cmp.Compare(a.Resolution, b.Resolution),
		cmp.Compare(a.File, b.File),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	default:
		return 1
	}
}

// AddOutsideExport records a name that a file exports but that is declared outside the repository.
func (p *Project) AddOutsideExport(name, exported string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.outside[name], exported) {
		p.outside[name] = append(p.outside[name], exported)
	}
}

// AddOutsideParent records what a symbol extends or implements outside the repository.
func (p *Project) AddOutsideParent(symbol knowledge.CodeRef, parent string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.Contains(p.parents[symbol], parent) {
		p.parents[symbol] = append(p.parents[symbol], parent)
	}
}

// Ref is the reference of a file's symbol by its index.
func (p *Project) Ref(name string, symbol int) knowledge.CodeRef {
	if symbol < 0 {
		return knowledge.CodeRef{Path: name}
	}
	s := p.Facts(name).Symbols[symbol]
	return knowledge.CodeRef{Path: name, Symbol: s.Qualified, Kind: s.Kind}
}
