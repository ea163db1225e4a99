package service

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

// CodeReader reads the stored code graph. Lists by id are complete up to their limit, in the order of paths and
// lines; what another workspace holds is not there.
type CodeReader interface {
	CodeRepositories(ctx context.Context, workspaceID string) ([]knowledge.CodeRepository, error)
	CodeFilesAt(ctx context.Context, workspaceID string, repositories []string, path string) ([]*knowledge.CodeFile, error)
	CodeFilesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.CodeFile, error)
	CodeSymbolsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.CodeSymbol, error)
	CodePackagesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.CodePackage, error)
	// SearchCode gives candidates of a full-text query: their order means nothing.
	SearchCode(ctx context.Context, workspaceID, lucene string, limit int) ([]knowledge.CodeCandidate, error)
}

// CodeLinks reads what belongs to nodes of the code graph, for many of them at once.
type CodeLinks interface {
	CodeSymbolsOf(ctx context.Context, workspaceID string, fileIDs []string, limit int) (map[string][]*knowledge.CodeSymbol, error)
	CodeImportsOf(ctx context.Context, workspaceID string, fileIDs []string, limit int) (map[string][]*knowledge.CodeImport, error)
	CodeFilesLinked(ctx context.Context, workspaceID string, link knowledge.CodeLink, ids []string, limit int) (map[string][]*knowledge.CodeFile, error)
	CodeSymbolsLinked(ctx context.Context, workspaceID string, link knowledge.CodeLink, ids []string, limit int) (map[string][]*knowledge.CodeSymbol, error)
	CodePackagesLinked(ctx context.Context, workspaceID string, fileIDs []string, limit int) (map[string][]*knowledge.CodePackage, error)
	CodePackageFiles(ctx context.Context, workspaceID string, packageIDs []string, limit int) (map[string][]*knowledge.CodeFile, error)
}

// CodeWalker takes steps through the code graph.
type CodeWalker interface {
	// CodeImporters are the files that import any of files, by path.
	CodeImporters(ctx context.Context, workspaceID string, fileIDs []string, limit int) ([]*knowledge.CodeFile, error)
	// CodeBeside are the files one step from files, by path (SPEC P15).
	CodeBeside(ctx context.Context, workspaceID string, fileIDs []string, limit int) ([]knowledge.LinkedFile, error)
	// SymbolsOfSlugs are the symbols of names, by the names' slugs.
	SymbolsOfSlugs(ctx context.Context, workspaceID string, slugs []string, limit int) (map[string][]*knowledge.CodeSymbol, error)
	// CodeNamesakes are the ids of entities of names, by the names' slugs.
	CodeNamesakes(ctx context.Context, workspaceID string, names map[string][]string) (map[string][]string, error)
}

// Code is the code graph: indexing, reading, and the bridge to entities.
type Code struct{ c CodeConfig }

// CodeConfig is what Code needs.
type CodeConfig struct {
	Reader     CodeReader
	Links      CodeLinks
	Walker     CodeWalker
	Writer     CodeWriter
	Stored     CodeExporter
	Workspaces WorkspaceStore
	Entities   *Entities
	Tx         Transactor
	Features   func(*knowledge.Workspace) []knowledge.Feature
	// Scan reads a folder of source; nil: nothing can be indexed.
	Scan CodeScanner
	// Resolve is the real path that a caller's path means; nil: callers may name none.
	Resolve func(path string) (string, error)
	Jobs    func() *Jobs
	Clock   Clock
	NewID   NewID
	Log     *slog.Logger
	// Lease is how long a run that says nothing keeps a repository; 0: 30 seconds.
	Lease time.Duration
}

// NewCode makes the use cases of the code graph.
func NewCode(c CodeConfig) *Code {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Lease == 0 {
		c.Lease = jobLease
	}
	return &Code{c: c}
}

func (s *Code) enabled(ws *knowledge.Workspace) error {
	return needFeature(s.c.Features(ws), knowledge.FeatureCodeGraph)
}

// Of is the code of a workspace; FEATURE_DISABLED where the code graph is switched off.
func (s *Code) Of(ws *knowledge.Workspace) (*knowledge.CodeGraph, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	return &knowledge.CodeGraph{Workspace: ws}, nil
}

// Stats count what a workspace holds of code.
func (s *Code) Stats(ctx context.Context, ws *knowledge.Workspace) (*knowledge.CodeStats, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	repositories, err := s.c.Reader.CodeRepositories(ctx, ws.ID)
	if err != nil {
		return nil, err
	}
	out := &knowledge.CodeStats{Repositories: []string{}}
	edges, languages := map[string]int{}, map[string]int{}
	for _, r := range repositories {
		out.Repositories = append(out.Repositories, r.Name)
		out.Files, out.Symbols = out.Files+r.Files, out.Symbols+r.Symbols
		for key, n := range r.Edges {
			edges[key] += n
		}
		for key, n := range r.Languages {
			languages[key] += n
		}
	}
	out.Edges, out.Languages = largestFirst(edges), largestFirst(languages)
	return out, nil
}

func largestFirst(counts map[string]int) []knowledge.Count {
	out := make([]knowledge.Count, 0, len(counts))
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		out = append(out, knowledge.Count{Key: key, Count: counts[key]})
	}
	slices.SortStableFunc(out, func(a, b knowledge.Count) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// CodeFileRef names a file: its path, and its repository where several have one of that path.
type CodeFileRef struct{ Path, Repository string }

// File is the file of a path. NOT_FOUND (path) where there is none, AMBIGUOUS (repository) where several
// repositories have one and none is named.
func (s *Code) File(ctx context.Context, ws *knowledge.Workspace, ref CodeFileRef) (*knowledge.CodeFile, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	if err := knowledge.CheckText("path", ref.Path, maxCodePath); err != nil {
		return nil, err
	}
	repositories := []string{ref.Repository}
	if ref.Repository == "" {
		known, err := s.c.Reader.CodeRepositories(ctx, ws.ID)
		if err != nil {
			return nil, err
		}
		repositories = repositories[:0]
		for _, r := range known {
			repositories = append(repositories, r.Name)
		}
	}
	path := strings.TrimPrefix(strings.ReplaceAll(ref.Path, `\`, "/"), "./")
	found, err := s.c.Reader.CodeFilesAt(ctx, ws.ID, repositories, path)
	switch {
	case err != nil:
		return nil, err
	case len(found) == 0:
		return nil, knowledge.NotFound("path", "there is no file %q", knowledge.Ellipsis(ref.Path, knowledge.MaxNameLength))
	case len(found) > 1:
		return nil, &knowledge.Error{Code: knowledge.CodeAmbiguous, Field: "repository", Message: "several repositories have a file of this path; name one"}
	}
	return found[0], nil
}

// maxCodePath is the longest path that a file can have, in characters.
const maxCodePath = 4_096

// CodeSearch is a search of the code graph. No kinds are all kinds.
type CodeSearch struct {
	Query string
	Kinds []knowledge.CodeKind
	First int
}

// Search finds files and symbols by full text, best first (SPEC P3, P16). A blank query finds nothing.
func (s *Code) Search(ctx context.Context, ws *knowledge.Workspace, q CodeSearch) ([]*knowledge.CodeSearchHit, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	if err := knowledge.CheckText("query", q.Query, knowledge.MaxTextLength); err != nil {
		return nil, err
	}
	if err := within("first", q.First, 1, knowledge.MaxPage); err != nil {
		return nil, err
	}
	terms := knowledge.QueryTerms(q.Query, knowledge.MaxQueryTerms)
	filters := []knowledge.LuceneFilter{{Field: "workspaceId", Values: []string{ws.ID}}}
	if len(q.Kinds) > 0 {
		kinds := make([]string, len(q.Kinds))
		for i, k := range q.Kinds {
			kinds[i] = string(k)
		}
		filters = append(filters, knowledge.LuceneFilter{Field: "kind", Values: kinds})
	}
	lucene := knowledge.LuceneQuery(knowledge.LuceneRequest{
		Filters: filters, Terms: terms, Prefix: true,
		Fields: []knowledge.LuceneField{{Name: "searchName", Boost: nameBoost}, {Name: "searchText", Boost: textBoost}},
	})
	if lucene == "" {
		return []*knowledge.CodeSearchHit{}, nil
	}
	found, err := s.c.Reader.SearchCode(ctx, ws.ID, lucene, knowledge.MaxCodeCandidates)
	if err != nil {
		return nil, err
	}
	return s.ranked(ctx, ws.ID, terms, found, q.First)
}

func (s *Code) ranked(ctx context.Context, workspaceID string, terms []knowledge.Term, found []knowledge.CodeCandidate, first int) ([]*knowledge.CodeSearchHit, error) {
	repositories, err := s.c.Reader.CodeRepositories(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	total := 0
	for _, r := range repositories {
		total += r.Files + r.Symbols
	}
	candidates, byID := make([]knowledge.LexicalCandidate, len(found)), make(map[string]knowledge.CodeNode, len(found))
	for i, c := range found {
		byID[c.ID] = c.Node
		candidates[i] = knowledge.LexicalCandidate{ID: c.ID, Name: knowledge.NewLexicalText(c.SearchName), Text: knowledge.NewLexicalText(c.SearchText)}
	}
	hits := knowledge.RankLexical(terms, candidates, knowledge.CandidateStats(terms, candidates, max(total, len(found))))
	slices.SortStableFunc(hits, func(a, b knowledge.LexicalHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), strings.Compare(codeOrder(byID[a.ID]), codeOrder(byID[b.ID])))
	})
	out := []*knowledge.CodeSearchHit{}
	for _, h := range hits[:min(len(hits), first)] {
		out = append(out, &knowledge.CodeSearchHit{Node: byID[h.ID], Score: h.Score})
	}
	return out, nil
}

// codeOrder sorts what a search finds equally good: what is exported first, then by path and name.
func codeOrder(n knowledge.CodeNode) string {
	switch n := n.(type) {
	case *knowledge.CodeSymbol:
		return n.BridgeOrder()
	case *knowledge.CodeFile:
		return "0" + n.Path + "\x00" + n.Repository
	default:
		return ""
	}
}

// Dependents are the files that import a file, directly or over several hops, the nearest first, then by path (SPEC P16).
func (s *Code) Dependents(ctx context.Context, ws *knowledge.Workspace, ref CodeFileRef, hops, first int) (*knowledge.CodeFiles, error) {
	if err := within("hops", hops, 1, knowledge.MaxCodeHops); err != nil {
		return nil, err
	}
	if err := within("first", first, 1, knowledge.MaxCodeFiles); err != nil {
		return nil, err
	}
	file, err := s.File(ctx, ws, ref)
	if err != nil {
		return nil, err
	}
	out := &knowledge.CodeFiles{Nodes: []*knowledge.CodeFile{}}
	seen, frontier := map[string]bool{file.ID(): true}, []string{file.ID()}
	for range hops {
		if len(frontier) == 0 {
			break
		}
		found, err := s.c.Walker.CodeImporters(ctx, ws.ID, frontier, first+len(seen)+1)
		if err != nil {
			return nil, err
		}
		frontier = nil
		for _, f := range found {
			if seen[f.ID()] {
				continue
			}
			if len(out.Nodes) == first {
				out.Truncated = true
				return out, nil
			}
			seen[f.ID()] = true
			out.Nodes, frontier = append(out.Nodes, f), append(frontier, f.ID())
		}
	}
	return out, nil
}
