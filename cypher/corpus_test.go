package cypher_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/require"

	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
)

func queries(t *testing.T) map[string]string {
	t.Helper()
	texts, err := cypher.Queries()
	require.NoError(t, err)
	require.NotEmpty(t, texts)
	return texts
}

// Every query file is embedded once, in a variable that is named after it.
func TestCorpus_Embedded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	embedded := map[string]int{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		require.NoError(t, err)
		for _, decl := range parsed.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Doc == nil || gen.Tok != token.VAR {
				continue
			}
			for _, comment := range gen.Doc.List {
				name, ok := strings.CutPrefix(comment.Text, "//go:embed queries/")
				if !ok {
					continue
				}
				name = strings.TrimSuffix(name, ".cypher")
				embedded[name]++
				variable := gen.Specs[0].(*ast.ValueSpec).Names[0].Name
				require.Equal(t, strings.ReplaceAll(name, "_", ""), strings.ToLower(variable), "%s: the variable is named otherwise", file)
			}
		}
	}
	for name := range queries(t) {
		require.Equal(t, 1, embedded[name], "queries/%s.cypher is embedded so often", name)
	}
	require.Len(t, embedded, len(queries(t)))
}

var (
	parameter = regexp.MustCompile(`\$(\w+)`)
	declared  = regexp.MustCompile(`(?:^|, )(\w+) (?:string|int|float|bool|datetime|map|list|vector)\b`)
	nested    = regexp.MustCompile(`\{[^{}]*\}`)
)

// Every query file says what it is for, how it is run, what it takes and gives; it takes
// what it says.
func TestCorpus_Headers(t *testing.T) {
	t.Parallel()
	store := neo4jtest.Open(t)
	for name, text := range queries(t) {
		header, body := split(text)
		require.Regexp(t, `^`+name+`: \S`, header["name"], name)
		require.Regexp(t, `^(read|write)$`, header["mode"], name)
		require.NotEmpty(t, header["params"], name)
		require.NotEmpty(t, header["returns"], name)
		writes := regexp.MustCompile(`\b(CREATE|MERGE|SET|DELETE|REMOVE)\b`).MatchString(body)
		require.Equal(t, map[bool]string{true: "write", false: "read"}[writes], header["mode"], name)
		for _, use := range parameter.FindAllStringSubmatch(body, -1) {
			require.Regexp(t, `\b`+use[1]+`\b`, header["params"], "%s does not declare $%s", name, use[1])
		}
		all := strings.Join(store.Texts(name, body), "\n")
		list := header["params"]
		for nested.MatchString(list) {
			list = nested.ReplaceAllString(list, "")
		}
		if strings.Contains(list, "those of") || strings.Contains(list, "position where") {
			continue
		}
		for _, d := range declared.FindAllStringSubmatch(list, -1) {
			require.Contains(t, all, "$"+d[1], "%s declares %s and does not use it", name, d[1])
		}
	}
}

// split gives the parts of a query's header and its body.
func split(text string) (header map[string]string, body string) {
	header = map[string]string{}
	key := "name"
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		comment, ok := strings.CutPrefix(line, "// ")
		if !ok {
			return header, strings.Join(lines[i:], "\n")
		}
		for _, next := range []string{"mode", "params", "returns"} {
			if rest, ok := strings.CutPrefix(comment, next+": "); ok {
				key, comment = next, rest
			}
		}
		header[key] = strings.TrimSpace(header[key] + " " + comment)
	}
	return header, ""
}

// vocabulary are the names that queries may use: what is not among them and was never
// written is a slip.
var vocabulary = map[string][]string{
	"label": {
		"CodeFile", "CodeNode", "CodePackage", "CodeRepository", "CodeSymbol",
		"Alias", "AuditEvent", "Document", "EdgeType", "Entity", "EntityType", "Entry", "Fact", "IdempotencyKey", "Identity", "MaintenanceRun", "MaintenanceState", "Merge", "Message",
		"Migration", "MigrationLock", "Observation", "Redirect", "RegisteredType", "Task", "Workspace", "WriteLock",
	},
	"relationshipType": {
		"CODE_CALLS", "CODE_DEFINES", "CODE_EMBEDS", "CODE_EXPORTS_SYMBOL", "CODE_EXTENDS", "CODE_IMPLEMENTS", "CODE_IMPORTS_FILE", "CODE_IMPORTS_PACKAGE", "CODE_REFERENCES",
		"ABOUT", "ALIAS_OF", "ENTRY_BLOCKS", "ENTRY_CAUSES", "ENTRY_CONTRADICTS", "ENTRY_RELATES_TO", "ENTRY_SUPERSEDES", "ENTRY_SUPPORTS", "IDENTIFIES",
		"MENTIONS", "OBSERVED_ON", "RELATES", "SAID_IN", "SUPPORTED_BY", "USES",
	},
	"property": {
		"below", "bridgeOrder", "buildTag", "counts", "digest", "doc", "edgeCounts", "encoding", "endLine", "exported", "externalExports", "externalParents", "file", "fileId", "files", "folder",
		"importPath", "indexedAt", "language", "languages", "leaseUntil", "line", "lk", "nested", "parseErrors", "partHash", "path", "qualifiedName", "repository", "resolution", "signature",
		"size", "skipped", "specifier", "symbols", "typeOnly",
		"accessCount", "accessedAt", "action", "actor", "addedAt", "aliases", "answer", "appliedAt", "argument", "at", "auto", "baseConfidence", "builtIn", "caller", "claimedAt",
		"color", "confidence", "contactIds", "content", "contentFingerprint", "contentHash", "createdAt", "currentKey", "description", "descriptionSource", "detail", "directAt",
		"directSource", "discriminator", "dst", "embeddedAt", "embeddingAt", "embeddingDimensions", "embeddingKey", "embeddingModel", "endedKey", "entityId", "entityIds", "expiresAt", "features", "fingerprint", "from", "fromId", "icon", "id",
		"identities", "invalidatedAt", "inverseLabel", "keepId", "key", "kind", "label", "lastAccessedAt", "lastSeenAt", "lastValidatedAt", "locked", "mergeId",
		"joined", "joinedDirect", "parts", "name", "noMemory", "origin", "normalizedName", "observedAt", "owner", "position", "priorEnds", "priorTold", "properties", "provenance", "quote", "rationale", "registeredBy", "restoring",
		"scopeKeys", "searchLength", "searchName", "searchText", "singleValued", "slug", "source", "sourceId", "src", "symmetric", "tags", "taskId", "text", "threadId", "title",
		"doneAt", "doneSlot", "finishedAt", "holder", "markedAt", "marker", "markerCounts", "retryAt", "runId", "startedAt", "task", "term", "until",
		"to", "toId", "type", "undoneAt", "undoneBy", "updatedAt", "validFrom", "validTo", "value", "weight", "workspaceId",
	},
}

// scans are the queries that may read all nodes of a label, or join what has nothing in
// common, and why.
var scans = map[string]string{
	"edge_registry_lock": "at most 4,096 nodes, and only where an edge type is new",
	"migration_claim":    "one node",
	"migration_lock":     "one node",
	"migration_list":     "a node for each migration",
	"migration_record":   "a node for each migration",
	"migration_release":  "one node",
	"server_gauges":      "a node for each task and workspace, and what waits",
	"workspace_count":    "counts them all, from the database's own count",
}

var scan = regexp.MustCompile(`^(AllNodesScan|(Partitioned)?(Union)?NodeByLabels?Scan|(Und|D)irected\w*Relationship(Types?|s)Scan|DirectedAllRelationshipsScan|UndirectedAllRelationshipsScan)$`)

// seek finds a node by what is unique; a product of such rows is one row.
var seek = regexp.MustCompile(`^Node(Unique)?IndexSeek`)

// few are the labels of which there are never many.
var few = []string{"Migration", "MigrationLock", "RegisteredType", "Workspace"}

// filled gives the planner statistics of a database in use: of a nearly empty one it finds
// that reading all of it is as cheap as looking something up.
func filled(t *testing.T, store *cypher.Store) {
	t.Helper()
	const each, mark = 2_000, "ofThePlansTest"
	run := func(ctx context.Context, text string, params map[string]any) {
		_, _, err := store.Run(ctx, text, params)
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		run(context.Background(), "MATCH (n:"+mark+") CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 1000 ROWS", nil)
	})
	for _, label := range vocabulary["label"] {
		if !slices.Contains(few, label) {
			run(t.Context(), "UNWIND range(1, $n) AS i CREATE (n:"+mark+":"+label+" {id: $mark + i, workspaceId: $mark + i % 50})", map[string]any{"n": each, "mark": mark})
		}
	}
	for _, kind := range vocabulary["relationshipType"] {
		run(t.Context(), "MATCH (a:"+mark+":Entity) WITH a LIMIT $n CREATE (a)-[:"+kind+"]->(a)", map[string]any{"n": each})
	}
}

// Every query is planned as it is sent, with every value of its placeholders: without
// unknown names, deprecated features, products of unrelated rows, or scans of all there is.
func TestCorpus_Plans(t *testing.T) {
	t.Parallel()
	store := neo4jtest.Open(t)
	for kind, names := range vocabulary {
		for _, name := range names {
			_, _, err := store.Run(t.Context(), "CALL db.create"+map[string]string{"label": "Label", "relationshipType": "RelationshipType", "property": "Property"}[kind]+"($name)", map[string]any{"name": name})
			require.NoError(t, err)
		}
	}
	filled(t, store)
	texts := queries(t)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		for _, text := range store.Texts(name, texts[name]) {
			require.NotContains(t, text, "{{", name)
			summary, _, err := store.Run(t.Context(), "EXPLAIN "+text, nil)
			require.NoError(t, err, "%s\n%s", name, text)
			for _, n := range summary.Notifications() {
				if n.Code() != "Neo.ClientNotification.Statement.ParameterNotProvided" {
					t.Errorf("%s: %s: %s\n%s", name, n.Code(), n.Description(), text)
				}
			}
			if summary.Plan() == nil || scans[name] != "" {
				continue
			}
			for _, slow := range slowOperators(summary.Plan()) {
				t.Errorf("%s is planned with %s\n%s", name, slow, text)
			}
		}
	}
}

// slowOperators are the parts of a plan that read all there is.
func slowOperators(p neo4j.Plan) []string {
	var out []string
	switch name := operator(p); {
	case scan.MatchString(name):
		out = append(out, name)
	case name == "CartesianProduct":
		for _, child := range p.Children() {
			if !seek.MatchString(leaf(child)) {
				out = append(out, name+" with "+leaf(child))
			}
		}
	}
	for _, child := range p.Children() {
		out = append(out, slowOperators(child)...)
	}
	return out
}

func operator(p neo4j.Plan) string {
	name, _, _ := strings.Cut(p.Operator(), "@")
	return name
}

// leaf is where the rows of a plan come from.
func leaf(p neo4j.Plan) string {
	for len(p.Children()) > 0 {
		p = p.Children()[0]
	}
	return operator(p)
}

// Relationship types that a query writes or reads by name are the product's own: none
// may be given to edges (SPEC T20).
func TestT20_OwnRelationshipTypes(t *testing.T) {
	t.Parallel()
	list := regexp.MustCompile("\\[\\w*:([A-Z_|`]+)[*\\s\\]{]")
	for name, text := range queries(t) {
		for _, match := range list.FindAllStringSubmatch(text, -1) {
			for _, typ := range strings.Split(match[1], "|") {
				_, free := knowledge.RelationshipType(strings.ToLower(typ))
				require.False(t, free, "%s: an edge type could be stored as %s", name, typ)
			}
		}
	}
}
