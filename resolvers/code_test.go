package resolvers

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// allOfCode asks for every field of the code graph.
const allOfCode = `query($w: String!){workspace(key: $w){code{
	stats{repositories files symbols edges{key count} languages{key count}}
	file(path: "acme.go"){id path repository language contentHash size encoding buildTag skipped parseErrors
		packages{id name path files{path} importedBy{path}}
		imports{file{path} specifier kind typeOnly resolution confidence}
		importedBy{path}
		symbols{id name qualifiedName kind signature exported line endLine file{path}
			calls{name} calledBy{name} references{name} referencedBy{name} embeds{name} embeddedBy{name} extends{name} extendedBy{name}
			implements{name} implementedBy{name} bridgedTo{entity{name} symbol{... on CodeSymbol{name}} confidence}}}
	search(query: "start", kinds: [METHOD, FILE]){node{__typename ... on CodeSymbol{qualifiedName}} score}
	dependents(path: "engine/engine.go"){nodes{path} truncated}
}}}`

// P16 through GraphQL.
func TestP16_CodeThroughGraphQL(t *testing.T) {
	t.Parallel()
	a := newAPI(t).fill(t)
	d := a.do(t, allOfCode, nil)
	code := at(t, d, "workspace", "code")
	require.Equal(t, map[string]any{
		"repositories": []any{"cars"}, "files": 3.0, "symbols": 6.0, "languages": at(t, code, "stats", "languages"), "edges": at(t, code, "stats", "edges"),
	}, at(t, code, "stats"))
	file := at(t, code, "file")
	require.Equal(t, "go", at(t, file, "language"))
	require.Equal(t, "engine/engine.go", at(t, file, "imports", 0, "file", "path"))
	require.Equal(t, "example.com/cars/engine", at(t, file, "imports", 0, "specifier"))
	require.Equal(t, "engine", at(t, file, "packages", 0, "path"))
	require.Equal(t, "acme.go", at(t, file, "packages", 0, "importedBy", 0, "path"))
	require.Nil(t, at(t, file, "skipped"))
	require.Nil(t, at(t, file, "buildTag"))
	acme := at(t, file, "symbols", 0)
	require.Equal(t, "Acme", at(t, acme, "name"))
	require.Equal(t, "Engine", at(t, acme, "embeds", 0, "name"))
	require.Equal(t, "Starter", at(t, acme, "implements", 0, "name"))
	require.Equal(t, "Acme", at(t, acme, "bridgedTo", 0, "entity", "name"))
	require.Equal(t, "Acme", at(t, acme, "bridgedTo", 0, "symbol", "name"))
	require.Equal(t, "Starter.Start", at(t, code, "search", 0, "node", "qualifiedName"))
	require.Equal(t, map[string]any{"nodes": []any{map[string]any{"path": "acme.go"}}, "truncated": false}, at(t, code, "dependents"))

	d = a.do(t, `query($w: String!, $id: ID!){workspace(key: $w){entity(ref: {id: $id}){codeNeighbors{truncated nodes{hops file{path} symbols{name} via{confidence entity{name} symbol{... on CodeSymbol{name}}}}}}}}`, map[string]any{"id": a.ids["acme"]})
	near := at(t, d, "workspace", "entity", "codeNeighbors", "nodes", 0)
	require.Equal(t, "engine/engine.go", at(t, near, "file", "path"))
	require.Equal(t, "Engine", at(t, near, "symbols", 0, "name"))
	require.Equal(t, "Acme", at(t, near, "via", "symbol", "name"))

	d = a.do(t, `query($w: String!){workspace(key: $w){code{file(path: "nothing"){id} dependents(path: "nothing"){truncated}}}}`, nil)
	require.Equal(t, map[string]any{"file": nil, "dependents": nil}, at(t, d, "workspace", "code"))
	got := a.try(t, `query($w: String!){workspace(key: $w){code{search(query: "x", first: 101){score}}}}`, nil)
	require.Equal(t, "LIMIT_EXCEEDED", got.code())
	require.Equal(t, "first", got.field())
}

// Q1: where the code graph is off, nothing of it is there, and the reason is said.
func TestQ1_CodeGraphSwitchedOff(t *testing.T) {
	t.Parallel()
	a := newAPI(t).fill(t)
	a.do(t, `mutation($w: String!){updateWorkspace(workspace: $w, input: {features: [{name: CODE_GRAPH, enabled: false}]}){workspace{id}}}`, nil)
	for _, query := range []string{
		`query($w: String!){workspace(key: $w){name code{stats{files}}}}`,
		`mutation($w: String!){indexCode(workspace: $w, input: {path: "cars"}){job{id}}}`,
	} {
		got := a.try(t, query, nil)
		require.Equal(t, "FEATURE_DISABLED", got.code(), got.Body)
	}
}

// A list costs a statement a field, however long it is.
func TestP16_StatementsDoNotGrowWithTheCode(t *testing.T) {
	t.Parallel()
	a, sent := newCountedAPI(t)
	r := wire(a.store)
	ws, err := r.Workspaces.Get(t.Context(), a.key)
	require.NoError(t, err)
	count := func(files int) []string {
		dir := t.TempDir()
		for i := range files {
			writeFile(t, dir, fmt.Sprintf("m%d.ts", i), fmt.Sprintf("import { f%d } from './m%d';\nexport function f%d() { f%d() }\n", i+1, i+1, i, i+1))
		}
		_, err := r.Code.Index(t.Context(), ws, service.CodeIndexRequest{Folder: dir, Repository: "r"})
		require.NoError(t, err)
		sent.take()
		a.do(t, `query($w: String!){workspace(key: $w){code{search(query: "ts", kinds: [FILE], first: 20){node{... on CodeFile{imports{file{symbols{name calls{name} calledBy{file{path}} bridgedTo{confidence}}}} importedBy{packages{id}}}}}}}}`, nil)
		return sent.take()
	}
	few := count(3)
	require.Equal(t, few, count(20))
}

func TestP12_IndexCodeIsAJob(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	dir := t.TempDir()
	writeFile(t, dir, "a.ts", "export class Alpha {}\n")
	d := a.do(t, `mutation($w: String!, $p: String!){indexCode(workspace: $w, input: {path: $p, repository: "r"}){job{id kind state}}}`, map[string]any{"p": dir})
	job := at(t, d, "indexCode", "job")
	require.Equal(t, "CODE_INDEX", at(t, job, "kind"))
	r := wire(a.store)
	worked, err := r.Jobs.WorkOn(t.Context(), at(t, job, "id").(string))
	require.NoError(t, err)
	require.True(t, worked)
	d = a.do(t, `query($w: String!, $id: ID!){workspace(key: $w){job(id: $id){state total scanned errors counts{key count}} code{stats{files}}}}`, map[string]any{"id": at(t, job, "id")})
	require.Equal(t, "SUCCEEDED", at(t, d, "workspace", "job", "state"))
	require.InDelta(t, 1, at(t, d, "workspace", "code", "stats", "files"), 0)
	require.Contains(t, at(t, d, "workspace", "job", "counts"), map[string]any{"key": "symbols", "count": 1.0})
	ws, err := r.Workspaces.Get(t.Context(), a.key)
	require.NoError(t, err)
	require.Equal(t, knowledge.CodeFileID(ws.ID, "r", "a.ts"), at(t, a.do(t, `query($w: String!){workspace(key: $w){code{file(path: "a.ts"){id}}}}`, nil), "workspace", "code", "file", "id"))
}
