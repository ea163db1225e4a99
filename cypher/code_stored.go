package cypher

import (
	"context"
	_ "embed"
	"strings"

	"mneme/knowledge"
)

//go:embed queries/code_page.cypher
var codePage statement

//go:embed queries/code_packages.cypher
var codePackages statement

//go:embed queries/code_edges_of.cypher
var codeEdgesOf statement

// StoredCodeFiles are a repository's files by path, behind one.
func (s *Store) StoredCodeFiles(ctx context.Context, workspaceID, repository, after string, limit int) ([]*knowledge.CodeFile, error) {
	params := map[string]any{"ws": workspaceID, "repository": repository, "after": after, "limit": limit}
	return read(ctx, s, codePage, params, func(r row) *knowledge.CodeFile { return codeFileOf(r.props("n")) })
}

// StoredCodePackages are a repository's packages.
func (s *Store) StoredCodePackages(ctx context.Context, workspaceID, repository string) ([]*knowledge.CodePackage, error) {
	return read(ctx, s, codePackages, map[string]any{"ws": workspaceID, "repository": repository}, func(r row) *knowledge.CodePackage { return codePackageOf(r.props("n")) })
}

// StoredCodeEdges are the edges that begin at files or at their symbols.
func (s *Store) StoredCodeEdges(ctx context.Context, workspaceID string, fileIDs []string) ([]knowledge.CodeEdge, error) {
	return read(ctx, s, codeEdgesOf, map[string]any{"ws": workspaceID, "ids": fileIDs}, func(r row) knowledge.CodeEdge {
		p := r.props("r")
		return knowledge.CodeEdge{
			Type: knowledge.CodeEdgeType(strings.TrimPrefix(r.text("type"), "CODE_")), From: codeRefOf(r.props("a")), To: codeRefOf(r.props("b")),
			File: p.text("file"), Name: p.text("name"), Specifier: p.text("specifier"), Kind: p.text("kind"), TypeOnly: p.bool("typeOnly"), Resolution: p.text("resolution"), Confidence: p.float("confidence"),
		}
	})
}

func codeRefOf(p props) knowledge.CodeRef {
	if path := p.text("importPath"); path != "" {
		return knowledge.CodeRef{Package: path}
	}
	ref := knowledge.CodeRef{Path: p.text("path"), Symbol: p.text("qualifiedName")}
	if ref.Symbol != "" {
		ref.Kind = knowledge.CodeKind(p.text("kind"))
	}
	return ref
}
