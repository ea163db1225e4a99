package codegraph

import (
	"embed"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
)

// standardSources declare the types of the standard library that others embed or promise most often. Without
// them nothing would be known of an interface that embeds io.Closer, or of a struct that embeds a
// bytes.Buffer. They are not all of the library, and need not be.
//
//go:embed standard/*.txt
var standardSources embed.FS

// standardPackages checks the sources, by import path. Their positions are added to the file set of those who
// use them, so that none is taken for a position in a file of theirs.
func standardPackages(fset *token.FileSet) map[string]*types.Package {
	s := &standardImporter{fset: fset, checked: map[string]*types.Package{}}
	entries, err := standardSources.ReadDir("standard")
	if err != nil {
		return s.checked // what is embedded can be read
	}
	for _, entry := range entries {
		path := strings.ReplaceAll(strings.TrimSuffix(entry.Name(), ".txt"), "_", "/")
		_, _ = s.Import(path) // a test proves that all of them can be checked
	}
	return s.checked
}

// standardImporter checks a package of the sources and what it imports.
type standardImporter struct {
	fset    *token.FileSet
	checked map[string]*types.Package
}

// Import implements types.Importer.
func (s *standardImporter) Import(path string) (*types.Package, error) {
	if pkg := s.checked[path]; pkg != nil {
		return pkg, nil
	}
	text, err := standardSources.ReadFile("standard/" + strings.ReplaceAll(path, "/", "_") + ".txt")
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(s.fset, "standard library: "+path, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	config := types.Config{Importer: s, IgnoreFuncBodies: true}
	pkg, err := config.Check(path, s.fset, []*ast.File{file}, nil)
	if err != nil {
		return nil, err
	}
	s.checked[path] = pkg
	return pkg, nil
}
