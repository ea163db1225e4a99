package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"path"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/code_claim.cypher
var codeClaim statement

//go:embed queries/code_hold.cypher
var codeHold statement

//go:embed queries/code_release.cypher
var codeRelease statement

//go:embed queries/code_begin.cypher
var codeBegin statement

//go:embed queries/code_finish.cypher
var codeFinish statement

//go:embed queries/code_parts.cypher
var codeParts statement

//go:embed queries/code_cut.cypher
var codeCut statement

//go:embed queries/code_drop.cypher
var codeDrop statement

//go:embed queries/code_nodes_write.cypher
var codeNodesWrite statement

//go:embed queries/code_edges_write.cypher
var codeEdgesWrite statement

//go:embed queries/code_seal.cypher
var codeSeal statement

//go:embed queries/code_packages_prune.cypher
var codePackagesPrune statement

// Labels of the code graph; each node has CodeNode besides.
const (
	codeFileLabel    = "CodeFile"
	codeSymbolLabel  = "CodeSymbol"
	codePackageLabel = "CodePackage"
)

// codeType is the relationship type of a code edge (SPEC T20).
func codeType(t knowledge.CodeEdgeType) string { return "CODE_" + string(t) }

// ClaimCode takes a repository in hand for one run and gives the digest of what is stored; false where another
// run has it. NOT_FOUND (workspace) where the workspace is gone.
func (s *Store) ClaimCode(ctx context.Context, c knowledge.CodeClaim) (digest string, held bool, err error) {
	params := map[string]any{"ws": c.WorkspaceID, "repository": c.Repository, "owner": c.Owner, "now": c.Now, "until": c.Until}
	rows, err := write(ctx, s, codeClaim, params, func(r row) struct{} {
		digest, held = r.text("digest"), r.bool("held")
		return struct{}{}
	})
	if err == nil && len(rows) == 0 {
		err = knowledge.NotFound("workspace", "the workspace is not there any more")
	}
	return digest, held, err
}

// HoldCode lengthens a claim and, in a transaction, keeps other runs waiting until it ends; false where another
// run has the repository.
func (s *Store) HoldCode(ctx context.Context, c knowledge.CodeClaim) (bool, error) {
	params := map[string]any{"ws": c.WorkspaceID, "repository": c.Repository, "owner": c.Owner, "until": c.Until}
	rows, err := write(ctx, s, codeHold, params, func(r row) string { return r.text("name") })
	return len(rows) > 0, err
}

// ReleaseCode gives a repository back.
func (s *Store) ReleaseCode(ctx context.Context, c knowledge.CodeClaim) error {
	return exec(ctx, s, codeRelease, map[string]any{"ws": c.WorkspaceID, "repository": c.Repository, "owner": c.Owner})
}

// BeginCode notes that what is stored of a repository is about to change, so that it is
// not taken for what was scanned before.
func (s *Store) BeginCode(ctx context.Context, c knowledge.CodeClaim) error {
	return exec(ctx, s, codeBegin, map[string]any{"ws": c.WorkspaceID, "repository": c.Repository})
}

// FinishCode notes that a repository is stored as an index has it.
func (s *Store) FinishCode(ctx context.Context, c knowledge.CodeClaim, r knowledge.CodeRepository, now time.Time) error {
	edges, _ := json.Marshal(r.Edges) // maps of strings to numbers always encode
	languages, _ := json.Marshal(r.Languages)
	counts, _ := json.Marshal(r.Counts)
	var digest any
	if r.Digest != "" {
		digest = r.Digest
	}
	return exec(ctx, s, codeFinish, map[string]any{
		"ws": c.WorkspaceID, "repository": c.Repository, "digest": digest, "now": now, "files": r.Files, "symbols": r.Symbols, "edgeCounts": string(edges), "languages": string(languages), "counts": string(counts),
	})
}

// CodeParts are the stored files of a repository with the hash of what is stored of each.
func (s *Store) CodeParts(ctx context.Context, c knowledge.CodeClaim) ([]knowledge.CodePartState, error) {
	return read(ctx, s, codeParts, map[string]any{"ws": c.WorkspaceID, "repository": c.Repository}, func(r row) knowledge.CodePartState {
		return knowledge.CodePartState{Path: r.text("path"), Hash: r.text("hash")}
	})
}

// CutCode removes the edges of stored parts, and the symbols that they do not have any more.
func (s *Store) CutCode(ctx context.Context, c knowledge.CodeClaim, parts []*knowledge.CodePart) error {
	rows := make([]any, len(parts))
	for i, p := range parts {
		ids := make([]string, len(p.Symbols))
		for j, sym := range p.Symbols {
			ids[j] = knowledge.CodeSymbolID(c.WorkspaceID, c.Repository, sym.Path, sym.QualifiedName, sym.Kind)
		}
		rows[i] = map[string]any{"id": knowledge.CodeFileID(c.WorkspaceID, c.Repository, p.File.Path), "symbols": ids}
	}
	return exec(ctx, s, codeCut, map[string]any{"rows": rows})
}

// DropCode removes files with their symbols.
func (s *Store) DropCode(ctx context.Context, c knowledge.CodeClaim, paths []string) error {
	ids := make([]string, len(paths))
	for i, p := range paths {
		ids[i] = knowledge.CodeFileID(c.WorkspaceID, c.Repository, p)
	}
	return exec(ctx, s, codeDrop, map[string]any{"ids": ids})
}

// WriteCodeFiles stores files without what they declare.
func (s *Store) WriteCodeFiles(ctx context.Context, c knowledge.CodeClaim, files []knowledge.CodeFile) error {
	rows := make([]any, len(files))
	for i, f := range files {
		f.WorkspaceID = c.WorkspaceID
		rows[i] = map[string]any{"id": f.ID(), "props": codeFileProps(f)}
	}
	return s.writeCodeNodes(ctx, codeFileLabel, rows)
}

// WriteCodeSymbols stores symbols.
func (s *Store) WriteCodeSymbols(ctx context.Context, c knowledge.CodeClaim, symbols []knowledge.CodeSymbol) error {
	rows := make([]any, len(symbols))
	for i, sym := range symbols {
		sym.WorkspaceID = c.WorkspaceID
		rows[i] = map[string]any{"id": sym.ID(), "props": codeSymbolProps(sym)}
	}
	return s.writeCodeNodes(ctx, codeSymbolLabel, rows)
}

// WriteCodePackages stores all packages of a repository and removes those that are gone.
func (s *Store) WriteCodePackages(ctx context.Context, c knowledge.CodeClaim, packages []knowledge.CodePackage) error {
	rows, ids := make([]any, len(packages)), make([]string, len(packages))
	for i, p := range packages {
		p.WorkspaceID = c.WorkspaceID
		ids[i] = p.ID()
		below := p.Path + "/"
		if p.Path == "." {
			below = ""
		}
		rows[i] = map[string]any{"id": ids[i], "props": map[string]any{
			"id": ids[i], "workspaceId": p.WorkspaceID, "repository": p.Repository, "name": p.Name, "importPath": p.ImportPath, "path": p.Path, "nested": p.Nested, "below": below,
		}}
	}
	if err := exec(ctx, s, codePackagesPrune, map[string]any{"ws": c.WorkspaceID, "repository": c.Repository, "ids": ids}); err != nil {
		return err
	}
	return s.writeCodeNodes(ctx, codePackageLabel, rows)
}

func (s *Store) writeCodeNodes(ctx context.Context, label string, rows []any) error {
	text := strings.ReplaceAll(string(codeNodesWrite), "{{label}}", label)
	_, err := runText(ctx, s, codeNodesWrite, text, map[string]any{"rows": rows}, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
	return err
}

// WriteCodeEdges stores edges whose ends are stored.
func (s *Store) WriteCodeEdges(ctx context.Context, c knowledge.CodeClaim, edges []knowledge.CodeEdge) error {
	byType := map[knowledge.CodeEdgeType][]any{}
	for _, e := range edges {
		byType[e.Type] = append(byType[e.Type], map[string]any{
			"from":  knowledge.CodeNodeID(c.WorkspaceID, c.Repository, e.From),
			"to":    knowledge.CodeNodeID(c.WorkspaceID, c.Repository, e.To),
			"props": codeEdgeProps(c.WorkspaceID, e),
		})
	}
	for t, rows := range byType {
		text := strings.ReplaceAll(string(codeEdgesWrite), "{{type}}", codeType(t))
		if _, err := runText(ctx, s, codeEdgesWrite, text, map[string]any{"rows": rows}, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite); err != nil {
			return err
		}
	}
	return nil
}

// SealCode notes that all of parts is stored.
func (s *Store) SealCode(ctx context.Context, c knowledge.CodeClaim, parts []knowledge.CodePartState) error {
	rows := make([]any, len(parts))
	for i, p := range parts {
		rows[i] = map[string]any{"id": knowledge.CodeFileID(c.WorkspaceID, c.Repository, p.Path), "hash": p.Hash}
	}
	return exec(ctx, s, codeSeal, map[string]any{"rows": rows})
}

func codeFileProps(f knowledge.CodeFile) map[string]any {
	return map[string]any{
		"id": f.ID(), "workspaceId": f.WorkspaceID, "repository": f.Repository, "path": f.Path, "name": path.Base(f.Path), "folder": path.Dir(f.Path), "kind": string(knowledge.CodeKindFile),
		"language": f.Language, "contentHash": f.ContentHash, "size": f.Size, "encoding": f.Encoding, "buildTag": orNull(f.BuildTag), "skipped": orNull(f.Skipped), "parseErrors": f.ParseErrors,
		"externalExports": f.ExternalExports, "searchName": knowledge.Analyze(f.SearchName()), "searchText": knowledge.Analyze(f.SearchText()),
	}
}

func codeSymbolProps(s knowledge.CodeSymbol) map[string]any {
	props := map[string]any{
		"id": s.ID(), "workspaceId": s.WorkspaceID, "repository": s.Repository, "path": s.Path, "fileId": s.FileID(), "name": s.Name, "qualifiedName": s.QualifiedName, "kind": string(s.Kind),
		"exported": s.Exported, "line": s.Line, "endLine": s.EndLine, "signature": orNull(s.Signature), "doc": orNull(s.Doc), "externalParents": s.ExternalParents,
		"searchName": knowledge.Analyze(s.SearchName()), "searchText": knowledge.Analyze(s.SearchText()),
	}
	if slug := knowledge.BridgeSlug(s.Name); slug != "" {
		props["slug"], props["bridgeOrder"] = slug, s.BridgeOrder()
	}
	return props
}

func codeEdgeProps(workspaceID string, e knowledge.CodeEdge) map[string]any {
	return map[string]any{
		"workspaceId": workspaceID, "file": e.File, "name": orNull(e.Name), "specifier": orNull(e.Specifier), "kind": e.Kind, "typeOnly": e.TypeOnly, "resolution": e.Resolution, "confidence": e.Confidence,
	}
}

// orNull is null for an empty text: a property that is not there.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}
