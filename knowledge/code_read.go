package knowledge

import "time"

// Limits of reads of the code graph (SPEC P15, P16, U).
const (
	MaxCodeHops       = 6   // of dependents
	MaxCodeFiles      = 200 // that a walk gives
	MaxCodeLinks      = 200 // of one kind that a node shows
	MaxFileSymbols    = 500 // that a file shows
	MaxCodeCandidates = 300 // that the index gives for ranking
	DefaultCodeSearch = 20
)

// CodeGraph is the code of a workspace.
type CodeGraph struct{ Workspace *Workspace }

// CodeNode is a *CodeFile or a *CodeSymbol.
type CodeNode interface{ IsCodeNode() }

// IsCodeNode marks files as nodes of the code graph.
func (*CodeFile) IsCodeNode() {}

// IsCodeNode marks symbols as nodes of the code graph.
func (*CodeSymbol) IsCodeNode() {}

// ID is the id of a stored file.
func (f *CodeFile) ID() string { return CodeFileID(f.WorkspaceID, f.Repository, f.Path) }

// ID is the id of a stored symbol.
func (s *CodeSymbol) ID() string {
	return CodeSymbolID(s.WorkspaceID, s.Repository, s.Path, s.QualifiedName, s.Kind)
}

// FileID is the id of the file that declares a stored symbol.
func (s *CodeSymbol) FileID() string { return CodeFileID(s.WorkspaceID, s.Repository, s.Path) }

// ID is the id of a stored package.
func (p *CodePackage) ID() string { return CodePackageID(p.WorkspaceID, p.Repository, p.ImportPath) }

// CodeRepository is what is known of a stored repository.
type CodeRepository struct {
	Name      string
	Digest    string // empty while a run changes it, or where one was cut off
	IndexedAt *time.Time
	Files     int
	Symbols   int
	Edges     map[string]int // by type
	Languages map[string]int // files, by language
	Counts    map[string]int // the report of the run that stored it
}

// CodeClaim is a repository in the hands of a run.
type CodeClaim struct {
	WorkspaceID string
	Repository  string
	Owner       string
	Now         time.Time
	Until       time.Time
}

// CodeStats counts what a workspace holds of code.
type CodeStats struct {
	Repositories []string
	Files        int
	Symbols      int
	Edges        []Count
	Languages    []Count
}

// CodeFiles are the files that a walk found, the nearest first.
type CodeFiles struct {
	Nodes     []*CodeFile
	Truncated bool
}

// CodeImport is an import of one file by another.
type CodeImport struct {
	File       *CodeFile // that is imported
	Specifier  string
	Kind       string
	TypeOnly   bool
	Resolution string
	Confidence float64
}

// CodeSearchHit is a node that a search found.
type CodeSearchHit struct {
	Node  CodeNode
	Score float64
}

// CodeCandidate is a node that the full-text index gives, with its analysed texts.
type CodeCandidate struct {
	ID                     string
	Node                   CodeNode
	SearchName, SearchText string
}

// LinkedFile is a file beside another.
type LinkedFile struct {
	FromID string
	File   *CodeFile
}

// CodeLink is one end of a kind of connection between nodes of code.
type CodeLink struct {
	Type     CodeEdgeType
	Incoming bool
}
