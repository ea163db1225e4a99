package codegraph

import (
	"bytes"
	"encoding/gob"
	"fmt"

	"mneme/knowledge"
)

// Facts is what one file says by itself, before anything is looked up elsewhere.
type Facts struct {
	ParseErrors bool
	BuildTag    string // Go
	Package     string // Go: the package clause
	API         string // Go: hash of the file without function bodies and comments
	Module      bool   // TypeScript and JavaScript: has imports or exports
	ExportList  bool   // TypeScript: has an export list or assignment
	Symbols     []Symbol
	Imports     []Import
	Exports     []Export
	Parents     []Parent
	Uses        []Use
}

// Symbol is a declaration.
type Symbol struct {
	Name, Qualified string
	Kind            knowledge.CodeKind
	Exported        bool
	Line, EndLine   int
	Signature, Doc  string
	Nested          bool // inside a function: not to be named from outside
}

// Import is one statement or expression that names a module.
type Import struct {
	Specifier string
	Kind      string
	TypeOnly  bool
	Require   bool // resolved as CommonJS does
	Line      int
	Names     []string // Go: the names used through it; Python: the names imported
	Alias     string   // Go: the local name, if given
	Level     int      // Python: leading dots
}

// Export is a name that a module offers. Name "*" re-exports all of Import's.
type Export struct {
	Name     string
	Symbol   int // index into Symbols, -1 if it is not declared here
	Import   int // index into Imports, -1 if it is not from there
	Imported string
	TypeOnly bool
}

// Binding says what an identifier means, as far as its own file tells.
type Binding struct {
	Symbol   int    // index into Symbols, or -1
	Import   int    // index into Imports, or -1
	Imported string // the module's name for it; "*" is the module itself
	Members  []string
}

// Parent is one clause of inheritance. A Binding with neither symbol nor import is a global.
type Parent struct {
	Child      int
	Implements bool
	Text       string
	Binding    Binding
	TypeSpace  bool // a type is wanted, not a value
}

// Use is a mention of something declared at the top of a file. From is -1 outside of any symbol.
type Use struct {
	From    int
	Call    bool
	Binding Binding
}

// noBinding is what a name means that no declaration or import of the file binds.
func noBinding() Binding { return Binding{Symbol: -1, Import: -1} }

func (b Binding) bound() bool { return b.Symbol >= 0 || b.Import >= 0 }

func factsKey(l *Language, language, hash string) string {
	return fmt.Sprintf("facts:%s:%s:%s:%s", l.Name, l.Version, language, hash)
}

// encode makes a cache value; it fails on types that gob cannot hold, which is a mistake in the program.
func encode[T any](v T) ([]byte, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(v); err != nil {
		return nil, fmt.Errorf("encode %T: %w", v, err)
	}
	return b.Bytes(), nil
}

// decodeCached reads a cache value; a damaged one counts as none.
func decodeCached[T any](cache Cache, key string) (T, bool) {
	var v T
	if cache == nil {
		return v, false
	}
	raw, ok := cache.Get(key)
	if !ok {
		return v, false
	}
	if err := gob.NewDecoder(bytes.NewReader(raw)).Decode(&v); err != nil {
		var none T
		return none, false
	}
	return v, true
}

func keep[T any](cache Cache, key string, v T) error {
	if cache == nil {
		return nil
	}
	raw, err := encode(v)
	if err != nil {
		return err
	}
	cache.Put(key, raw)
	return nil
}
