package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/code_repositories.cypher
var codeRepositories statement

//go:embed queries/code_file_at.cypher
var codeFileAt statement

//go:embed queries/code_by_ids.cypher
var codeByIDs statement

//go:embed queries/code_symbols_of.cypher
var codeSymbolsOf statement

//go:embed queries/code_imports_of.cypher
var codeImportsOf statement

//go:embed queries/code_linked_to.cypher
var codeLinkedTo statement

//go:embed queries/code_linked_from.cypher
var codeLinkedFrom statement

//go:embed queries/code_package_files.cypher
var codePackageFiles statement

//go:embed queries/code_search.cypher
var codeSearch statement

//go:embed queries/code_importers.cypher
var codeImporters statement

//go:embed queries/code_beside.cypher
var codeBeside statement

//go:embed queries/code_bridges.cypher
var codeBridges statement

//go:embed queries/code_namesakes.cypher
var codeNamesakes statement

// CodeRepositories are the repositories of a workspace, by name.
func (s *Store) CodeRepositories(ctx context.Context, workspaceID string) ([]knowledge.CodeRepository, error) {
	return read(ctx, s, codeRepositories, map[string]any{"ws": workspaceID}, func(r row) knowledge.CodeRepository {
		p := r.props("r")
		out := knowledge.CodeRepository{
			Name: p.text("name"), Digest: p.text("digest"), IndexedAt: p.timePtr("indexedAt"), Files: p.int("files"), Symbols: p.int("symbols"),
			Edges: map[string]int{}, Languages: map[string]int{}, Counts: map[string]int{},
		}
		_ = json.Unmarshal([]byte(p.text("edgeCounts")), &out.Edges) // written by FinishCode only
		_ = json.Unmarshal([]byte(p.text("languages")), &out.Languages)
		_ = json.Unmarshal([]byte(p.text("counts")), &out.Counts)
		return out
	})
}

// CodeFilesAt are the files of a path in repositories.
func (s *Store) CodeFilesAt(ctx context.Context, workspaceID string, repositories []string, path string) ([]*knowledge.CodeFile, error) {
	return read(ctx, s, codeFileAt, map[string]any{"ws": workspaceID, "repositories": repositories, "path": path}, func(r row) *knowledge.CodeFile {
		return codeFileOf(r.props("n"))
	})
}

// CodeFilesByID are the files of ids that a workspace holds.
func (s *Store) CodeFilesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.CodeFile, error) {
	return read(ctx, s, codeByIDs, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) *knowledge.CodeFile { return codeFileOf(r.props("n")) })
}

// CodeSymbolsByID are the symbols of ids that a workspace holds.
func (s *Store) CodeSymbolsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.CodeSymbol, error) {
	return read(ctx, s, codeByIDs, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) *knowledge.CodeSymbol { return codeSymbolOf(r.props("n")) })
}

// CodePackagesByID are the packages of ids that a workspace holds.
func (s *Store) CodePackagesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.CodePackage, error) {
	return read(ctx, s, codeByIDs, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) *knowledge.CodePackage { return codePackageOf(r.props("n")) })
}

// CodeSymbolsOf are the symbols of files, by the files' ids, in the order of their lines.
func (s *Store) CodeSymbolsOf(ctx context.Context, workspaceID string, ids []string, limit int) (map[string][]*knowledge.CodeSymbol, error) {
	return perNode(ctx, s, codeSymbolsOf, string(codeSymbolsOf), workspaceID, ids, limit, func(r row) *knowledge.CodeSymbol { return codeSymbolOf(r.props("n")) })
}

// CodeImportsOf are the imports of files, by the files' ids, in the order of what they import.
func (s *Store) CodeImportsOf(ctx context.Context, workspaceID string, ids []string, limit int) (map[string][]*knowledge.CodeImport, error) {
	return perNode(ctx, s, codeImportsOf, string(codeImportsOf), workspaceID, ids, limit, func(r row) *knowledge.CodeImport {
		p := r.props("r")
		return &knowledge.CodeImport{
			File: codeFileOf(r.props("n")), Specifier: p.text("specifier"), Kind: p.text("kind"), TypeOnly: p.bool("typeOnly"), Resolution: p.text("resolution"), Confidence: p.float("confidence"),
		}
	})
}

// CodeFilesLinked are the files that edges of one kind come from, by the ids of the nodes that they lead to.
func (s *Store) CodeFilesLinked(ctx context.Context, workspaceID string, link knowledge.CodeLink, ids []string, limit int) (map[string][]*knowledge.CodeFile, error) {
	st, text := codeLink(link, codeFileLabel)
	return perNode(ctx, s, st, text, workspaceID, ids, limit, func(r row) *knowledge.CodeFile { return codeFileOf(r.props("n")) })
}

// CodeSymbolsLinked are the symbols at the other end of edges of one kind, by the ids of the nodes at this end.
func (s *Store) CodeSymbolsLinked(ctx context.Context, workspaceID string, link knowledge.CodeLink, ids []string, limit int) (map[string][]*knowledge.CodeSymbol, error) {
	st, text := codeLink(link, codeSymbolLabel)
	return perNode(ctx, s, st, text, workspaceID, ids, limit, func(r row) *knowledge.CodeSymbol { return codeSymbolOf(r.props("n")) })
}

// CodePackagesLinked are the packages that files import, by the files' ids.
func (s *Store) CodePackagesLinked(ctx context.Context, workspaceID string, ids []string, limit int) (map[string][]*knowledge.CodePackage, error) {
	st, text := codeLink(knowledge.CodeLink{Type: knowledge.CodeImportsPackage}, codePackageLabel)
	return perNode(ctx, s, st, text, workspaceID, ids, limit, func(r row) *knowledge.CodePackage { return codePackageOf(r.props("n")) })
}

// CodePackageFiles are the files of packages, by the packages' ids, in the order of their paths.
func (s *Store) CodePackageFiles(ctx context.Context, workspaceID string, ids []string, limit int) (map[string][]*knowledge.CodeFile, error) {
	return perNode(ctx, s, codePackageFiles, string(codePackageFiles), workspaceID, ids, limit, func(r row) *knowledge.CodeFile { return codeFileOf(r.props("n")) })
}

func codeLink(link knowledge.CodeLink, label string) (statement, string) {
	st := codeLinkedTo
	if link.Incoming {
		st = codeLinkedFrom
	}
	return st, strings.NewReplacer("{{type}}", codeType(link.Type), "{{label}}", label).Replace(string(st))
}

// perNode runs a statement that answers for many nodes at once: rows of a node's id and what belongs to it.
func perNode[T any](ctx context.Context, s *Store, st statement, text, workspaceID string, ids []string, limit int, scan func(row) T) (map[string][]T, error) {
	out := make(map[string][]T, len(ids))
	_, err := runText(ctx, s, st, text, map[string]any{"ws": workspaceID, "ids": ids, "limit": limit}, func(r row) struct{} {
		out[r.text("id")] = append(out[r.text("id")], scan(r))
		return struct{}{}
	}, neo4j.AccessModeRead)
	return out, err
}

// SearchCode are candidates of a full-text query; their order means nothing.
func (s *Store) SearchCode(ctx context.Context, workspaceID, lucene string, limit int) ([]knowledge.CodeCandidate, error) {
	return read(ctx, s, codeSearch, map[string]any{"ws": workspaceID, "query": lucene, "limit": limit}, func(r row) knowledge.CodeCandidate {
		p := r.props("n")
		c := knowledge.CodeCandidate{ID: p.text("id"), SearchName: p.text("searchName"), SearchText: p.text("searchText")}
		if knowledge.CodeKind(p.text("kind")) == knowledge.CodeKindFile {
			c.Node = codeFileOf(p)
		} else {
			c.Node = codeSymbolOf(p)
		}
		return c
	})
}

// CodeImporters are the files that import any of files, by path.
func (s *Store) CodeImporters(ctx context.Context, workspaceID string, ids []string, limit int) ([]*knowledge.CodeFile, error) {
	return read(ctx, s, codeImporters, map[string]any{"ws": workspaceID, "ids": ids, "limit": limit}, func(r row) *knowledge.CodeFile { return codeFileOf(r.props("n")) })
}

// CodeBeside are the files one step from files, by path (SPEC P15).
func (s *Store) CodeBeside(ctx context.Context, workspaceID string, ids []string, limit int) ([]knowledge.LinkedFile, error) {
	return read(ctx, s, codeBeside, map[string]any{"ws": workspaceID, "ids": ids, "limit": limit}, func(r row) knowledge.LinkedFile {
		return knowledge.LinkedFile{FromID: r.text("id"), File: codeFileOf(r.props("n"))}
	})
}

// SymbolsOfSlugs are the symbols of slugs that entities are joined to, those that are exported first.
func (s *Store) SymbolsOfSlugs(ctx context.Context, workspaceID string, slugs []string, limit int) (map[string][]*knowledge.CodeSymbol, error) {
	out := map[string][]*knowledge.CodeSymbol{}
	_, err := read(ctx, s, codeBridges, map[string]any{"ws": workspaceID, "slugs": slugs, "limit": limit}, func(r row) struct{} {
		p := r.props("n")
		out[p.text("slug")] = append(out[p.text("slug")], codeSymbolOf(p))
		return struct{}{}
	})
	return out, err
}

// CodeNamesakes are the ids of the entities that are called as symbols are, by the slugs of the symbols' names.
func (s *Store) CodeNamesakes(ctx context.Context, workspaceID string, names map[string][]string) (map[string][]string, error) {
	rows := make([]any, 0, len(names))
	for slug, keys := range names {
		rows = append(rows, map[string]any{"slug": slug, "keys": keys})
	}
	out := map[string][]string{}
	_, err := read(ctx, s, codeNamesakes, map[string]any{"ws": workspaceID, "names": rows}, func(r row) struct{} {
		out[r.text("slug")] = append(out[r.text("slug")], r.text("id"))
		return struct{}{}
	})
	return out, err
}

func codeFileOf(p props) *knowledge.CodeFile {
	return &knowledge.CodeFile{
		WorkspaceID: p.text("workspaceId"), Repository: p.text("repository"), Path: p.text("path"), Language: p.text("language"), ContentHash: p.text("contentHash"), Size: int64(p.int("size")),
		Encoding: p.text("encoding"), BuildTag: p.text("buildTag"), Skipped: p.text("skipped"), ParseErrors: p.bool("parseErrors"), ExternalExports: someTexts(p, "externalExports"),
	}
}

func codeSymbolOf(p props) *knowledge.CodeSymbol {
	return &knowledge.CodeSymbol{
		WorkspaceID: p.text("workspaceId"), Repository: p.text("repository"), Path: p.text("path"), Name: p.text("name"), QualifiedName: p.text("qualifiedName"), Kind: knowledge.CodeKind(p.text("kind")),
		Exported: p.bool("exported"), Line: p.int("line"), EndLine: p.int("endLine"), Signature: p.text("signature"), Doc: p.text("doc"), ExternalParents: someTexts(p, "externalParents"),
	}
}

func codePackageOf(p props) *knowledge.CodePackage {
	return &knowledge.CodePackage{
		WorkspaceID: p.text("workspaceId"), Repository: p.text("repository"), Name: p.text("name"), ImportPath: p.text("importPath"), Path: p.text("path"), Nested: p.bool("nested"),
	}
}

// someTexts is a list of texts, nil where it is empty.
func someTexts(p props, key string) []string {
	if list := p.texts(key); len(list) > 0 {
		return list
	}
	return nil
}
