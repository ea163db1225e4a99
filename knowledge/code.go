package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"strings"
	"unicode"
)

// Prefixes of the ids of the code graph. What follows is a hash of the workspace and the node's key, so that
// the same source always gives the same ids in a workspace.
const (
	PrefixCodeFile    = "fil"
	PrefixCodePackage = "pkg"
	PrefixCodeSymbol  = "sym"
)

// CodeKind is what a node of the code graph is.
type CodeKind string

// Kinds of code nodes.
const (
	CodeKindFile      CodeKind = "FILE"
	CodeKindFunction  CodeKind = "FUNCTION"
	CodeKindMethod    CodeKind = "METHOD"
	CodeKindClass     CodeKind = "CLASS"
	CodeKindInterface CodeKind = "INTERFACE"
	CodeKindType      CodeKind = "TYPE"
	CodeKindEnum      CodeKind = "ENUM"
	CodeKindVariable  CodeKind = "VARIABLE"
	CodeKindConstant  CodeKind = "CONSTANT"
	CodeKindModule    CodeKind = "MODULE"
)

// CodeEdgeType is a type of connection in the code graph.
type CodeEdgeType string

// Types of code edges. The comment says which nodes they connect.
const (
	CodeImportsFile    CodeEdgeType = "IMPORTS_FILE"    // file → file
	CodeImportsPackage CodeEdgeType = "IMPORTS_PACKAGE" // file → package
	CodeDefines        CodeEdgeType = "DEFINES"         // file → symbol
	CodeExportsSymbol  CodeEdgeType = "EXPORTS_SYMBOL"  // file → symbol, its own or another file's
	CodeExtends        CodeEdgeType = "EXTENDS"         // symbol → symbol
	CodeImplements     CodeEdgeType = "IMPLEMENTS"      // symbol → symbol
	CodeEmbeds         CodeEdgeType = "EMBEDS"          // symbol → symbol (Go)
	CodeReferences     CodeEdgeType = "REFERENCES"      // symbol, or file for code outside of any, → symbol
	CodeCalls          CodeEdgeType = "CALLS"           // as REFERENCES, where the name is called
)

// Confidence of code edges by how they were found.
const (
	CodeConfidenceImport   = 0.98 // IMPORTS_FILE, IMPORTS_PACKAGE
	CodeConfidenceExport   = 0.99 // EXPORTS_SYMBOL, DEFINES
	CodeConfidenceHeritage = 0.95 // EXTENDS, IMPLEMENTS, EMBEDS
	CodeConfidenceUse      = 0.95 // REFERENCES, CALLS
	CodeConfidenceGuess    = 0.9  // whatever rests on a guess of a workspace package's source
)

// CodeFile is one file of a repository. Skipped says why its contents were not parsed, if they were
// not; a file with ParseErrors has the symbols and imports of what could be parsed.
type CodeFile struct {
	WorkspaceID     string // of what is stored; empty in an index
	Repository      string
	Path            string // from the repository's root, with slashes
	Language        string
	ContentHash     string // sha256 of the bytes on disk, hexadecimal; empty if they were not read
	Size            int64  // bytes
	Encoding        string
	BuildTag        string // Go's build constraint
	Skipped         string
	ParseErrors     bool
	ExternalExports []string // names that it exports but that are declared outside the repository
}

// CodeSymbol is a named declaration. Its key (repository, path, qualified name, kind) holds no line.
type CodeSymbol struct {
	WorkspaceID     string // of what is stored; empty in an index
	Repository      string
	Path            string
	Name            string
	QualifiedName   string // names of what encloses it and its own, joined by dots
	Kind            CodeKind
	Exported        bool
	Line            int // of the first declaration, from 1
	EndLine         int
	Signature       string
	Doc             string
	ExternalParents []string // what it extends or implements outside the repository, as written
}

// CodePackage is a Go package or a workspace package.
type CodePackage struct {
	WorkspaceID string // of what is stored; empty in an index
	Repository  string
	Name        string
	ImportPath  string // what an import names it by
	Path        string // its folder
	Nested      bool   // all below its folder belongs to it, not only what is in it
}

// CodeRef names a node of one repository's code graph: a package by its import path, a symbol by path,
// qualified name and kind, a file by its path alone.
type CodeRef struct {
	Package string
	Path    string
	Symbol  string
	Kind    CodeKind
}

// String is the node as exports name it: `path`, `path#qualifiedName` or the package's import path.
func (r CodeRef) String() string {
	switch {
	case r.Package != "":
		return r.Package
	case r.Symbol != "":
		return r.Path + "#" + r.Symbol
	default:
		return r.Path
	}
}

// CodeEdge is one connection, with the file whose source says so.
type CodeEdge struct {
	Type       CodeEdgeType
	From, To   CodeRef
	File       string
	Name       string // EXPORTS_SYMBOL: the name outside
	Specifier  string // IMPORTS_…: the module as written
	Kind       string // the form of the statement: import, export-from, require, …
	TypeOnly   bool
	Resolution string // which rule found the target
	Confidence float64
}

// CodeFileID is the id of a file in a workspace.
func CodeFileID(workspaceID, repository, file string) string {
	return codeID(PrefixCodeFile, workspaceID, repository, file)
}

// CodePackageID is the id of a package in a workspace.
func CodePackageID(workspaceID, repository, importPath string) string {
	return codeID(PrefixCodePackage, workspaceID, repository, importPath)
}

// CodeSymbolID is the id of a symbol in a workspace.
func CodeSymbolID(workspaceID, repository, file, qualifiedName string, kind CodeKind) string {
	return codeID(PrefixCodeSymbol, workspaceID, repository, file, qualifiedName, string(kind))
}

// CodeNodeID is the id of the node that a reference names.
func CodeNodeID(workspaceID, repository string, ref CodeRef) string {
	switch {
	case ref.Package != "":
		return CodePackageID(workspaceID, repository, ref.Package)
	case ref.Symbol != "":
		return CodeSymbolID(workspaceID, repository, ref.Path, ref.Symbol, ref.Kind)
	default:
		return CodeFileID(workspaceID, repository, ref.Path)
	}
}

func codeID(prefix string, parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return prefix + "_" + hex.EncodeToString(sum[:12])
}

// CodeWords splits an identifier or a path into its parts: at camel humps, digits' ends, underscores
// and whatever is neither letter nor digit. "parseHTTPRequest" is parse, HTTP, Request.
func CodeWords(name string) []string {
	var words []string
	runes := []rune(name)
	start := -1
	for i, r := range runes {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			if start >= 0 {
				words = append(words, string(runes[start:i]))
			}
			start = -1
			continue
		}
		if start >= 0 && startsWord(runes, i) {
			words = append(words, string(runes[start:i]))
			start = i
		}
		if start < 0 {
			start = i
		}
	}
	if start >= 0 {
		words = append(words, string(runes[start:]))
	}
	return words
}

// startsWord tells whether a capital at i begins a word: after a small letter or a digit, or as the
// last capital of a run before a small letter.
func startsWord(runes []rune, i int) bool {
	if !unicode.IsUpper(runes[i]) {
		return false
	}
	before := runes[i-1]
	if unicode.IsLower(before) || unicode.IsDigit(before) {
		return true
	}
	return unicode.IsUpper(before) && i+1 < len(runes) && unicode.IsLower(runes[i+1])
}

// SearchName is what a search looks at first: a symbol's name and the parts of it.
func (s CodeSymbol) SearchName() string {
	return strings.Join(append([]string{s.Name}, CodeWords(s.Name)...), " ")
}

// SearchText is what else the full text of a symbol is made from: qualified name, path, signature and
// documentation.
func (s CodeSymbol) SearchText() string {
	return strings.Join([]string{s.QualifiedName, s.Path, s.Signature, s.Doc}, " ")
}

// SearchName is what a search looks at first: the last part of a file's path, and the words in it.
func (f CodeFile) SearchName() string {
	name := path.Base(f.Path)
	return strings.Join(append([]string{name}, CodeWords(name)...), " ")
}

// SearchText is what else the full text of a file is made from: its path and the words in it.
func (f CodeFile) SearchText() string {
	return strings.Join(append([]string{f.Path}, CodeWords(f.Path)...), " ")
}
