package service

import (
	"context"

	"mneme/knowledge"
)

// FilesByID are the files of ids, those that exist in the workspace.
func (s *Code) FilesByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.CodeFile, error) {
	return keyed(s.c.Reader.CodeFilesByID(ctx, workspaceID, ids))
}

// SymbolsByID are the symbols of ids, those that exist in the workspace.
func (s *Code) SymbolsByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.CodeSymbol, error) {
	return keyed(s.c.Reader.CodeSymbolsByID(ctx, workspaceID, ids))
}

// PackagesByID are the packages of ids, those that exist in the workspace.
func (s *Code) PackagesByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.CodePackage, error) {
	return keyed(s.c.Reader.CodePackagesByID(ctx, workspaceID, ids))
}

func keyed[T interface{ ID() string }](list []T, err error) (map[string]T, error) {
	out := make(map[string]T, len(list))
	for _, n := range list {
		out[n.ID()] = n
	}
	return out, err
}

// Symbols are what files declare, by line; at most 500 of a file.
func (s *Code) Symbols(ctx context.Context, workspaceID string, fileIDs []string) (map[string][]*knowledge.CodeSymbol, error) {
	return s.c.Links.CodeSymbolsOf(ctx, workspaceID, fileIDs, knowledge.MaxFileSymbols)
}

// Imports are what files import, by path; at most 200 of a file.
func (s *Code) Imports(ctx context.Context, workspaceID string, fileIDs []string) (map[string][]*knowledge.CodeImport, error) {
	return s.c.Links.CodeImportsOf(ctx, workspaceID, fileIDs, knowledge.MaxCodeLinks)
}

// ImportedBy are the files that import files or packages, by path; at most 200 of each.
func (s *Code) ImportedBy(kind knowledge.CodeEdgeType) func(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.CodeFile, error) {
	return func(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.CodeFile, error) {
		return s.c.Links.CodeFilesLinked(ctx, workspaceID, knowledge.CodeLink{Type: kind, Incoming: true}, ids, knowledge.MaxCodeLinks)
	}
}

// Linked are the symbols at the other end of one kind of edge, by path and line; at most 200 of each node.
func (s *Code) Linked(link knowledge.CodeLink) func(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.CodeSymbol, error) {
	return func(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.CodeSymbol, error) {
		return s.c.Links.CodeSymbolsLinked(ctx, workspaceID, link, ids, knowledge.MaxCodeLinks)
	}
}

// PackagesOf are the packages that files import; at most 200 of a file.
func (s *Code) PackagesOf(ctx context.Context, workspaceID string, fileIDs []string) (map[string][]*knowledge.CodePackage, error) {
	return s.c.Links.CodePackagesLinked(ctx, workspaceID, fileIDs, knowledge.MaxCodeLinks)
}

// FilesOf are the files of packages, by path; at most 200 of a package.
func (s *Code) FilesOf(ctx context.Context, workspaceID string, packageIDs []string) (map[string][]*knowledge.CodeFile, error) {
	return s.c.Links.CodePackageFiles(ctx, workspaceID, packageIDs, knowledge.MaxCodeLinks)
}
