package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// CodeExporter reads a whole repository back.
type CodeExporter interface {
	// StoredCodeFiles are files by path, behind one.
	StoredCodeFiles(ctx context.Context, workspaceID, repository, after string, limit int) ([]*knowledge.CodeFile, error)
	StoredCodePackages(ctx context.Context, workspaceID, repository string) ([]*knowledge.CodePackage, error)
	StoredCodeEdges(ctx context.Context, workspaceID string, fileIDs []string) ([]knowledge.CodeEdge, error)
}

// codePage is how many files are read back at once.
const codePage = 200

// Stored is a repository as it is stored; without a name the only one that there is. NOT_FOUND (repository) where
// there is none, AMBIGUOUS (repository) where there are several.
func (s *Code) Stored(ctx context.Context, ws *knowledge.Workspace, repository string) (*knowledge.CodeIndex, error) {
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	r, err := s.repository(ctx, ws.ID, repository)
	if err != nil {
		return nil, err
	}
	x := &knowledge.CodeIndex{Repository: r.Name, Digest: r.Digest}
	packages, err := s.c.Stored.StoredCodePackages(ctx, ws.ID, r.Name)
	if err != nil {
		return nil, err
	}
	for _, p := range packages {
		p.WorkspaceID = ""
		x.Packages = append(x.Packages, *p)
	}
	after := ""
	for {
		files, err := s.c.Stored.StoredCodeFiles(ctx, ws.ID, r.Name, after, codePage)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			break
		}
		after = files[len(files)-1].Path
		if err := s.storedParts(ctx, ws.ID, files, x); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(x.Symbols, knowledge.CompareCodeSymbols)
	knowledge.SortCodeEdges(x.Edges)
	x.Report = knowledge.CodeReport{Files: len(x.Files), Symbols: len(x.Symbols), Packages: len(x.Packages), Edges: map[knowledge.CodeEdgeType]int{}, Skipped: map[string]int{}}
	for _, e := range x.Edges {
		x.Report.Edges[e.Type]++
	}
	for _, f := range x.Files {
		if f.Skipped != "" {
			x.Report.Skipped[f.Skipped]++
		}
		if f.ParseErrors {
			x.Report.ParseErrors++
		}
	}
	return x, nil
}

func (s *Code) repository(ctx context.Context, workspaceID, name string) (*knowledge.CodeRepository, error) {
	known, err := s.c.Reader.CodeRepositories(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	if name == "" && len(known) > 1 {
		return nil, &knowledge.Error{Code: knowledge.CodeAmbiguous, Field: "repository", Message: "there are several repositories; name one"}
	}
	for i, r := range known {
		if name == "" || r.Name == name {
			return &known[i], nil
		}
	}
	if name == "" {
		return nil, knowledge.NotFound("repository", "no code is indexed in this workspace")
	}
	return nil, knowledge.NotFound("repository", "there is no repository %q", name)
}

func (s *Code) storedParts(ctx context.Context, workspaceID string, files []*knowledge.CodeFile, x *knowledge.CodeIndex) error {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID()
	}
	symbols, err := s.c.Links.CodeSymbolsOf(ctx, workspaceID, ids, maxStoredSymbols)
	if err != nil {
		return err
	}
	edges, err := s.c.Stored.StoredCodeEdges(ctx, workspaceID, ids)
	if err != nil {
		return err
	}
	for i, f := range files {
		for _, sym := range symbols[ids[i]] {
			sym.WorkspaceID = ""
			x.Symbols = append(x.Symbols, *sym)
		}
		f.WorkspaceID = ""
		x.Files = append(x.Files, *f)
	}
	x.Edges = append(x.Edges, edges...)
	return nil
}

// maxStoredSymbols is more than a file of the size that is parsed can declare.
const maxStoredSymbols = 1 << 20
