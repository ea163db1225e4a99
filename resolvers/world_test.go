package resolvers

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"

	"mneme/knowledge"
	"mneme/service"
)

// world is a workspace that holds one of everything. Two worlds are filled alike: the
// same names, identities, source ids, tasks and documents; only their ids differ.
type world struct {
	*api
	ids map[string]string // by what they are
}

func (a *api) fill(t *testing.T) *world {
	t.Helper()
	w := &world{api: &api{store: a.store, handler: a.handler, wide: a.wide, key: a.workspace(t)}, ids: map[string]string{}}
	name := func(name string) map[string]any { return map[string]any{"name": name} }
	source := func(id string) map[string]any { return map[string]any{"sourceId": id} }
	d := w.do(t, `mutation($w: String!, $i: LoadInput!){load(workspace: $w, input: $i){entities edges observations entries relations errors{list index message}}}`, map[string]any{"i": map[string]any{
		"atomic": true,
		"entities": []any{
			map[string]any{
				"type": "person", "name": "Ada", "aliases": []any{"Countess"}, "taskId": "task-1", "description": "wrote the first program",
				"identities": []any{map[string]any{"kind": "email", "value": "ada@mneme.example"}},
			},
			map[string]any{"type": "person", "name": "Ben"},
			map[string]any{"type": "organization", "name": "Acme"},
			map[string]any{"type": "person", "name": "Twin"},
			map[string]any{"type": "person", "name": "Twin the second"},
			map[string]any{"type": "person", "name": "Twin the third"},
		},
		"edges": []any{
			map[string]any{"from": name("Ada"), "to": name("Acme"), "type": "works_at", "docId": "doc-1"},
			map[string]any{"from": name("Ben"), "to": name("Ada"), "type": "knows", "docId": "doc-2"},
		},
		"observations": []any{map[string]any{"entity": name("Ada"), "text": "Ada prefers tea.", "taskId": "task-1"}},
		"entries": []any{
			map[string]any{
				"title": "Plan", "content": "The plan of Ada is ready.", "sourceId": "src-1", "threadId": "th-1",
				"contacts": []any{name("Ada")}, "mentions": []any{name("Acme")}, "docId": "doc-1",
			},
			map[string]any{"title": "Answer", "content": "Ben answers the plan.", "sourceId": "src-2", "contacts": []any{name("Ben")}},
		},
		"relations": []any{map[string]any{"from": source("src-2"), "to": source("src-1"), "type": "SUPPORTS"}},
	}})
	for list, names := range map[string][]string{
		"entities": {"ada", "ben", "acme", "twin", "other twin", "triplet"}, "edges": {"edge", "other edge"},
		"observations": {"observation"}, "entries": {"entry", "other entry"}, "relations": {"relation"},
	} {
		for i, name := range names {
			w.ids[name] = at(t, d, "load", list, i).(string)
		}
	}
	d = w.do(t, `query($w: String!){workspace(key: $w){id}}`, nil)
	w.ids["workspace"] = at(t, d, "workspace", "id").(string)
	d = w.do(t, `mutation($w: String!, $k: ID!, $m: [ID!]!){mergeEntities(workspace: $w, keep: $k, merge: $m){mergeId}}`,
		map[string]any{"k": w.ids["twin"], "m": []any{w.ids["other twin"]}})
	w.ids["merge"] = at(t, d, "mergeEntities", "mergeId").(string)
	w.fillSources(t)
	return w
}

// fillSources adds a mail, a file and a job.
func (w *world) fillSources(t *testing.T) {
	t.Helper()
	r := wire(w.store)
	ws, err := r.Workspaces.Get(t.Context(), w.key)
	require.NoError(t, err)
	caller := knowledge.Caller{Name: "local", Actor: knowledge.ActorManual}
	mail, err := r.Intake.ImportMail(t.Context(), ws, caller, &knowledge.Mail{
		Kind: knowledge.MailReceived, MessageID: "m1@mneme.example", Subject: "Plan", Text: "The mail of Ada.", From: knowledge.MailAddress{Name: "Ada", Address: "ada@mneme.example"},
		To: []knowledge.MailAddress{{Name: "Cy", Address: "cy@mneme.example"}},
	}, nil)
	require.NoError(t, err)
	file, err := r.Intake.ImportFile(t.Context(), ws, caller, service.FileContent{
		Path: "/plans/a.txt", Name: "a.txt", Hash: "h1", Text: &knowledge.FileText{MediaType: "text/plain", Sections: []knowledge.FileSection{{Text: "What the file says."}}},
	}, nil)
	require.NoError(t, err)
	w.ids["message"], w.ids["file"] = mail.Message.ID, file.File.ID
	w.fillCode(t, r.Code, ws)
	d := w.do(t, `mutation($w: String!){startImport(workspace: $w, input: {path: "box", format: MAIL}){job{id}}}`, nil)
	w.ids["job"] = at(t, d, "startImport", "job", "id").(string)
}

// fillCode adds a repository of source, in which Acme is a type too.
func (w *world) fillCode(t *testing.T, code *service.Code, ws *knowledge.Workspace) {
	t.Helper()
	dir := t.TempDir()
	for name, body := range map[string]string{
		"go.mod":           "module example.com/cars\n",
		"engine/engine.go": "package engine\n\ntype Engine struct{}\n\nfunc (e *Engine) Start() { Ignite() }\n\nfunc Ignite() {}\n",
		"acme.go":          "package cars\n\nimport \"example.com/cars/engine\"\n\ntype Acme struct{ engine.Engine }\n\ntype Starter interface{ Start() }\n",
	} {
		writeFile(t, dir, name, body)
	}
	_, err := code.Index(t.Context(), ws, service.CodeIndexRequest{Folder: dir, Repository: "cars"})
	require.NoError(t, err)
	w.ids["code file"] = knowledge.CodeFileID(ws.ID, "cars", "acme.go")
	w.ids["code symbol"] = knowledge.CodeSymbolID(ws.ID, "cars", "acme.go", "Acme", knowledge.CodeKindType)
	w.ids["code package"] = knowledge.CodePackageID(ws.ID, "cars", "example.com/cars/engine")
}

func writeFile(t *testing.T, dir, name, body string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
	require.NoError(t, os.WriteFile(path, []byte(body), 0o600))
}

// missing has an id of the right form for everything, and nothing behind it.
func missing() *world {
	ids := map[string]string{}
	for name, prefix := range map[string]string{
		"workspace": "ws", "ada": "ent", "ben": "ent", "acme": "ent", "twin": "ent", "other twin": "ent", "triplet": "ent",
		"edge": "edg", "other edge": "edg", "observation": "obs", "entry": "ery", "other entry": "ery", "relation": "rel", "merge": "mrg", "message": "msg", "file": "src", "job": "job",
	} {
		ids[name] = newID(prefix)
	}
	return &world{ids: ids}
}

// timePattern finds moments.
var timePattern = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)

// idPattern finds whatever looks like an id of ours.
var idPattern = regexp.MustCompile(`\b(?:t|ws|typ|ent|edg|obs|ery|rel|mrg|evt|job|fil|sym|pkg)_[0-9a-z]{8,}\b`)

// masked is a text in which the ids of a world are replaced by what they are.
func (w *world) masked(text string) string {
	for _, name := range slices.Sorted(maps.Keys(w.ids)) {
		text = strings.ReplaceAll(text, w.ids[name], "<"+name+">")
	}
	return text
}

// snapshot is all that a workspace shows, as text.
func (w *world) snapshot(t *testing.T) string {
	t.Helper()
	got := post(t, w.wide, snapshotQuery(served()), map[string]any{"w": w.key})
	require.Empty(t, got.Errors)
	b, err := json.MarshalIndent(got.Data, "", " ")
	require.NoError(t, err)
	return string(b)
}

// snapshotDepth is how far a snapshot follows the fields: list, connection, node, and what hangs on it.
const snapshotDepth = 6

// snapshotQuery asks a workspace for every field that needs no argument, and for all
// changes. It is made from the schema, so that a new field is in it.
func snapshotQuery(schema *ast.Schema) string {
	return `query($w: String!){workspace(key: $w)` + selection(schema, "Workspace", snapshotDepth, nil) + `}`
}

// notInSnapshots are fields that change by reading, and cursors, which are made of what they stand beside.
var notInSnapshots = []string{"accessCount", "lastAccessedAt", "cursor", "startCursor", "endCursor"}

func selection(schema *ast.Schema, typeName string, depth int, above []string) string {
	def := schema.Types[typeName]
	if def.Kind == ast.Union || def.Kind == ast.Interface {
		var b strings.Builder
		for i, member := range schema.GetPossibleTypes(def) {
			b.WriteString("... on " + member.Name + aliased(selection(schema, member.Name, depth, above), i) + " ")
		}
		return "{__typename " + b.String() + "}"
	}
	var b strings.Builder
	for _, f := range def.Fields {
		args, ok := snapshotArguments(f)
		if !ok || strings.HasPrefix(f.Name, "__") || slices.Contains(notInSnapshots, f.Name) {
			continue
		}
		inner := ""
		switch schema.Types[f.Type.Name()].Kind {
		case ast.Object, ast.Union, ast.Interface:
			if depth == 0 || slices.Contains(above, f.Type.Name()) || f.Name == "nodes" && strings.HasSuffix(typeName, "Connection") {
				continue
			}
			inner = selection(schema, f.Type.Name(), depth-1, append(above[:len(above):len(above)], typeName))
			if inner == "{}" {
				continue
			}
		}
		b.WriteString(f.Name + args + inner + " ")
	}
	return "{" + strings.TrimSpace(b.String()) + "}"
}

// aliased keeps equal names of different types apart, which one answer could not hold.
func aliased(selection string, member int) string {
	if member == 0 {
		return selection
	}
	return "{id}"
}

// snapshotArguments are what a field is asked with; false where it needs what a snapshot does not have.
func snapshotArguments(f *ast.FieldDefinition) (string, bool) {
	if f.Name == "changes" {
		return `(since: "2000-01-01T00:00:00Z")`, true
	}
	for _, arg := range f.Arguments {
		if arg.Type.NonNull && arg.DefaultValue == nil {
			return "", false
		}
	}
	return "", true
}
