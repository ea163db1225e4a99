package knowledge

// CodeIndex is the graph of one repository: every list sorted by its key and without duplicates, every
// edge between nodes of the lists.
type CodeIndex struct {
	Repository string
	Digest     string // of what was scanned; empty if something could not be read
	Files      []CodeFile
	Symbols    []CodeSymbol
	Packages   []CodePackage
	Edges      []CodeEdge
	Report     CodeReport
}

// CodeReport says what a run did.
type CodeReport struct {
	Files, Symbols, Packages int
	Edges                    map[CodeEdgeType]int
	Parsed, Reused           int            // files whose facts were extracted, or taken from the cache
	Skipped                  map[string]int // files that are nodes without contents, by reason
	Left                     map[string]int // what was found and is no node, by reason
	ParseErrors              int
	Problems                 []CodeProblem
	Truncated                bool // there were more files than a run takes
}

// CodeProblem is something that went wrong with one file and did not end the run.
type CodeProblem struct {
	Path    string
	Message string
}

// CodeProgress is how far a run has come.
type CodeProgress struct {
	Stage       string // scan, extract, resolve, write
	Done, Total int    // files; languages for resolve, nodes and edges for write. Total is 0 while it is unknown
}
