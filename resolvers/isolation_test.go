package resolvers

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/vektah/gqlparser/v2/ast"
)

// call is one field with arguments that name things.
type call struct {
	query string
	// variables name things of a world by their ids. Where a call names things by id,
	// it is run with the ids of another world, and of none.
	variables func(ids map[string]string) map[string]any
	// byName says that nothing is named by id: names are the same in every world.
	byName bool
	// answersAlways says that things which are not there are no error.
	answersAlways bool
	// refused is the code where things are not there; NOT_FOUND where it is empty.
	refused string
	// modelled says that the call needs a language model, which these tests have not: it is
	// refused in every workspace alike, with FEATURE_DISABLED.
	modelled bool
	// hidden says that what the call changes is not shown by any field.
	hidden bool
	// alter is a variable that may be changed to make the call another one.
	alter string
}

func id(name string) func(map[string]string) map[string]any {
	return func(ids map[string]string) map[string]any { return map[string]any{"id": ids[name]} }
}

func same(variables map[string]any) func(map[string]string) map[string]any {
	return func(map[string]string) map[string]any { return variables }
}

func input(of func(ref func(string) map[string]any, ids map[string]string) map[string]any) func(map[string]string) map[string]any {
	return func(ids map[string]string) map[string]any {
		return map[string]any{"i": of(func(name string) map[string]any { return map[string]any{"id": ids[name]} }, ids)}
	}
}

// reads are the fields of a workspace that take an id, a reference or a name.
func reads() map[string]call {
	return map[string]call{
		"entity":  {query: `query($w: String!, $id: ID!){workspace(key: $w){entity(ref: {id: $id}){id name}}}`, variables: id("ada"), answersAlways: true},
		"resolve": {query: `query($w: String!){workspace(key: $w){resolve(name: "Countess"){id} other: resolve(name: "ada", type: "person"){id}}}`, byName: true, variables: same(nil)},
		"subgraph": {
			query:     `query($w: String!, $a: ID!, $b: ID!){workspace(key: $w){subgraph(refs: [{id: $a}, {id: $b}], hops: 3){entities{id name} edges{id fact} missing truncated}}}`,
			variables: func(ids map[string]string) map[string]any { return map[string]any{"a": ids["ada"], "b": ids["ben"]} }, answersAlways: true,
		},
		"shortestPath": {
			query:     `query($w: String!, $a: ID!, $b: ID!){workspace(key: $w){shortestPath(from: {id: $a}, to: {id: $b}){hops entities{id}}}}`,
			variables: func(ids map[string]string) map[string]any { return map[string]any{"a": ids["ben"], "b": ids["acme"]} },
		},
		"job":           {query: `query($w: String!, $id: ID!){workspace(key: $w){job(id: $id){id kind}}}`, variables: id("job"), answersAlways: true},
		"file":          {query: `query($w: String!, $id: ID!){workspace(key: $w){file(id: $id){id name entries{nodes{id}}}}}`, variables: id("file"), answersAlways: true},
		"entry":         {query: `query($w: String!, $id: ID!){workspace(key: $w){entry(id: $id){id title}}}`, variables: id("entry"), answersAlways: true},
		"entries":       {query: `query($w: String!, $id: ID!){workspace(key: $w){entries(filter: {contact: {id: $id}}){totalCount nodes{id title}}}}`, variables: id("ada")},
		"searchEntries": {query: `query($w: String!, $id: ID!){workspace(key: $w){searchEntries(query: "plan", filter: {contact: {id: $id}}){totalCount nodes{id title}}}}`, variables: id("ada")},
		"recall":        {query: `query($w: String!, $id: ID!){workspace(key: $w){recall(input: {query: "plan", scope: {contact: {id: $id}}, kinds: [ENTRY, EDGE, OBSERVATION], hops: 2}){hits{entry{id title}}}}}`, variables: id("ada"), refused: "INVALID_INPUT"},
		"ask":           {query: `query($w: String!, $id: ID!){workspace(key: $w){ask(input: {question: "Which plan is it?", scope: {contact: {id: $id}}}){text citations{entry{id} file{id}}}}}`, variables: id("ada"), modelled: true},
		"briefing":      {query: `query($w: String!, $id: ID!){workspace(key: $w){briefing(input: {subject: "The plan", message: "Which plan is the one that holds now?", scope: {contact: {id: $id}}}){text entries{entry{id title}} files{id name}}}}`, variables: id("ada"), refused: "INVALID_INPUT"},
		"context":       {query: `query($w: String!){workspace(key: $w){context(prompt: "who is Ada?"){text entities{id name} edges{id from{id} to{id}}}}}`, byName: true, variables: same(nil)},
		"expandQuery":   {query: `query($w: String!){workspace(key: $w){expandQuery(text: "who is ada of acme"){expanded triplets neighbors hints}}}`, byName: true, variables: same(nil)},
		"changes":       {query: `query($w: String!, $id: ID!){workspace(key: $w){changes(since: "2000-01-01T00:00:00Z", about: {id: $id}){nodes{kind}}}}`, variables: id("ada")},
		"entities":      {query: `query($w: String!){workspace(key: $w){entities(filter: {nameContains: "a", taskId: "task-1"}){totalCount nodes{id}}}}`, byName: true, variables: same(nil)},
		"code.search":   {query: `query($w: String!){workspace(key: $w){code{search(query: "ignite"){node{... on CodeSymbol{id name file{id path}}}}}}}`, byName: true, variables: same(nil)},
		"search":        {query: `query($w: String!){workspace(key: $w){search(query: "ada"){totalCount nodes{id}}}}`, byName: true, variables: same(nil)},
	}
}

// writes are all mutations.
func writes() map[string]call {
	deletion := func(field, name string) call {
		return call{
			query:     `mutation($w: String!, $id: ID!, $k: String){` + field + `(workspace: $w, id: $id, idempotencyKey: $k){deleted entities edges observations entries relations}}`,
			variables: id(name), answersAlways: true, alter: "id",
		}
	}
	return map[string]call{
		"createWorkspace": {
			query: `mutation($n: String!, $k: String){createWorkspace(input: {key: $n}, idempotencyKey: $k){workspace{id key name}}}`, byName: true, hidden: true, alter: "n",
			variables: func(map[string]string) map[string]any { return map[string]any{"n": newID("t")} },
		},
		"updateWorkspace": {
			query: `mutation($w: String!, $n: String!, $k: String){updateWorkspace(workspace: $w, input: {name: $n}, idempotencyKey: $k){workspace{id name}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "Another name"}),
		},
		"clearWorkspace": {
			query:  `mutation($w: String!, $k: String, $dry: Boolean! = false){clearWorkspace(workspace: $w, confirm: $w, dryRun: $dry, idempotencyKey: $k){deleted entities edges observations entries relations}}`,
			byName: true, variables: same(nil), alter: "dry",
		},
		"createEntityType": {
			query: `mutation($w: String!, $n: String!, $k: String){createEntityType(workspace: $w, input: {key: $n}, idempotencyKey: $k){entityType{id key}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "gadget"}),
		},
		"createEdgeType": {
			query: `mutation($w: String!, $n: String!, $k: String){createEdgeType(workspace: $w, input: {key: $n, singleValued: true}, idempotencyKey: $k){edgeType{key singleValued}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "lives_in"}),
		},
		"upsertEntity": {
			query:  `mutation($w: String!, $n: String!, $k: String){upsertEntity(workspace: $w, input: {type: "person", name: $n, identities: [{kind: "email", value: "ada@mneme.example"}]}, idempotencyKey: $k){created entity{id name confidence}}}`,
			byName: true, alter: "n", variables: same(map[string]any{"n": "Ada"}),
		},
		"updateEntity": {
			query: `mutation($w: String!, $i: UpdateEntityInput!, $k: String){updateEntity(workspace: $w, input: $i, idempotencyKey: $k){entity{id name}}}`, alter: "i.description",
			variables: input(func(_ func(string) map[string]any, ids map[string]string) map[string]any {
				return map[string]any{"id": ids["ada"], "description": "changed"}
			}),
		},
		"mergeEntities": {
			query: `mutation($w: String!, $a: ID!, $b: ID!, $k: String){mergeEntities(workspace: $w, keep: $a, merge: [$b], idempotencyKey: $k){merged mergeId entity{id}}}`, alter: "b",
			variables: func(ids map[string]string) map[string]any {
				return map[string]any{"a": ids["twin"], "b": ids["triplet"]}
			},
		},
		"unmergeEntities":   {query: `mutation($w: String!, $id: ID!, $k: String){unmergeEntities(workspace: $w, mergeId: $id, idempotencyKey: $k){entities{id name}}}`, variables: id("merge"), alter: "id"},
		"eraseContact":      {query: `mutation($w: String!, $id: ID!, $k: String){eraseContact(workspace: $w, id: $id, confirm: "Ada", idempotencyKey: $k){deleted entities entries}}`, variables: id("ada"), alter: "id"},
		"deleteEntity":      deletion("deleteEntity", "ada"),
		"deleteEdge":        deletion("deleteEdge", "edge"),
		"deleteObservation": deletion("deleteObservation", "observation"),
		"deleteEntry":       deletion("deleteEntry", "entry"),
		"deleteRelation":    deletion("deleteRelation", "relation"),
		"deleteTask": {
			query: `mutation($w: String!, $n: String!, $k: String){deleteTask(workspace: $w, taskId: $n, idempotencyKey: $k){deleted entities edges observations entries relations}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "task-1"}),
		},
		"createEdge": {
			query: `mutation($w: String!, $i: CreateEdgeInput!, $k: String){createEdge(workspace: $w, input: $i, idempotencyKey: $k){created edge{id fact}}}`, alter: "i.type",
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"from": ref("ada"), "to": ref("ben"), "type": "admires"}
			}),
		},
		"invalidateEdge": {
			query: `mutation($w: String!, $i: InvalidateEdgeInput!, $k: String){invalidateEdge(workspace: $w, input: $i, idempotencyKey: $k){created edge{id current}}}`, alter: "i.id",
			variables: input(func(_ func(string) map[string]any, ids map[string]string) map[string]any {
				return map[string]any{"id": ids["edge"]}
			}),
		},
		"invalidateDocument": {
			query: `mutation($w: String!, $n: String!, $k: String){invalidateDocument(workspace: $w, docId: $n, idempotencyKey: $k){count edges{id}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "doc-2"}),
		},
		"addObservation": {
			query: `mutation($w: String!, $i: AddObservationInput!, $k: String){addObservation(workspace: $w, input: $i, idempotencyKey: $k){created observation{id text}}}`, alter: "i.text",
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"entity": ref("ben"), "text": "Ben prefers coffee."}
			}),
		},
		"load": {
			query: `mutation($w: String!, $i: LoadInput!, $k: String){load(workspace: $w, input: $i, idempotencyKey: $k){created matched edges observations entries relations errors{list index code field message}}}`, alter: "i.observations.0.text", answersAlways: true,
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{
					"edges":        []any{map[string]any{"from": ref("ada"), "to": ref("ben"), "type": "loads"}},
					"observations": []any{map[string]any{"entity": ref("ada"), "text": "loaded"}},
					"entries":      []any{map[string]any{"title": "Loaded", "content": "loaded", "contacts": []any{ref("ada")}}},
					"relations":    []any{map[string]any{"from": ref("entry"), "to": ref("other entry"), "type": "CAUSES"}},
				}
			}),
		},
		"createEntry": {
			query: `mutation($w: String!, $i: CreateEntryInput!, $k: String){createEntry(workspace: $w, input: $i, idempotencyKey: $k){created merged entry{id title confidence}}}`, alter: "i.title",
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"title": "New", "content": "Something new.", "contacts": []any{ref("ada")}, "mentions": []any{ref("acme")}}
			}),
		},
		"updateEntry": {
			query: `mutation($w: String!, $i: UpdateEntryInput!, $k: String){updateEntry(workspace: $w, input: $i, idempotencyKey: $k){entry{id title}}}`, alter: "i.title",
			variables: input(func(ref func(string) map[string]any, ids map[string]string) map[string]any {
				return map[string]any{"id": ids["entry"], "title": "Changed plan", "mentions": []any{ref("ben")}}
			}),
		},
		"validateEntry": {query: `mutation($w: String!, $id: ID!, $k: String){validateEntry(workspace: $w, id: $id, idempotencyKey: $k){entry{id confidence lastValidatedAt}}}`, variables: id("entry"), alter: "id"},
		"endEntry": {
			query: `mutation($w: String!, $i: EndEntryInput!, $k: String){endEntry(workspace: $w, input: $i, idempotencyKey: $k){entry{id title content}}}`, alter: "i.replacement",
			variables: input(func(_ func(string) map[string]any, ids map[string]string) map[string]any {
				return map[string]any{"id": ids["entry"], "replacement": "The plan is off."}
			}),
		},
		"remember": {
			query: `mutation($w: String!, $i: RememberInput!, $k: String){remember(workspace: $w, input: $i, idempotencyKey: $k){entries{created entry{id title contacts{id}}} entities{created entity{id}} relations{relation{id}} superseded{id} job{id} skipped}}`, alter: "i.text",
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"text": "Prefers trains to planes.", "about": []any{ref("ada")}, "type": "PREFERENCE", "createMissing": false}
			}),
		},
		"indexCode": {
			query: `mutation($w: String!, $n: String!, $k: String){indexCode(workspace: $w, input: {path: $n}, idempotencyKey: $k){job{id state}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "cars"}),
		},
		"startImport": {
			query: `mutation($w: String!, $n: String!, $k: String){startImport(workspace: $w, input: {path: $n, format: MAIL}, idempotencyKey: $k){job{id state}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "box"}),
		},
		"runMaintenance": {
			query: `mutation($w: String!, $dry: Boolean! = false, $k: String){runMaintenance(workspace: $w, input: {task: EXPIRY, dryRun: $dry}, idempotencyKey: $k){task outcome counts{key count}}}`, byName: true, alter: "dry",
			variables: same(nil),
		},
		"cancelJob": {query: `mutation($w: String!, $id: ID!, $k: String){cancelJob(workspace: $w, id: $id, idempotencyKey: $k){job{id state}}}`, variables: id("job"), alter: "id"},
		"extractFromMessage": {
			query: `mutation($w: String!, $i: MessageInput!, $k: String){extractFromMessage(workspace: $w, input: $i, idempotencyKey: $k){alreadyExtracted entries{entry{id}}}}`, modelled: true,
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"messageId": "m-1", "body": "The plan is to ship the engine in spring.", "contacts": []any{ref("ada")}}
			}),
		},
		"extractFromFile": {
			query: `mutation($w: String!, $i: FileInput!, $k: String){extractFromFile(workspace: $w, input: $i, idempotencyKey: $k){alreadyExtracted entries{entry{id}} entities{id} edges{id}}}`, modelled: true,
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"fileId": "f-1", "name": "plan.txt", "data": "VGhlIHBsYW4gaXMgdG8gc2hpcCB0aGUgZW5naW5lIGluIHNwcmluZy4=", "contacts": []any{ref("ada")}}
			}),
		},
		"startBackfill": {query: `mutation($w: String!, $k: String){startBackfill(workspace: $w, input: {}, idempotencyKey: $k){job{id kind}}}`, modelled: true, variables: same(nil)},
		"beginTask": {
			query: `mutation($w: String!, $n: String!, $k: String){beginTask(workspace: $w, input: {taskId: "task-9", prompt: $n}, idempotencyKey: $k){taskId noMemory}}`, byName: true, alter: "n", hidden: true,
			variables: same(map[string]any{"n": "Do it. <no-memory>"}),
		},
		"extractFromText": {
			query: `mutation($w: String!, $n: String!, $k: String){extractFromText(workspace: $w, input: {text: $n}, idempotencyKey: $k){entities{created entity{id name}}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "Moved the cache to Redis, see cmd/server/main.go."}),
		},
		"ingestMailboxEvent": {
			query: `mutation($w: String!, $n: String!, $k: String){ingestMailboxEvent(workspace: $w, input: {type: "received", id: "event-1", contactName: "Ada", contactEmail: "ada@mneme.example", summary: $n}, idempotencyKey: $k){duplicate person{id name} observations{id text}}}`, byName: true, alter: "n",
			variables: same(map[string]any{"n": "Ada asks for the plan."}),
		},
		"createRelation": {
			query: `mutation($w: String!, $i: CreateRelationInput!, $k: String){createRelation(workspace: $w, input: $i, idempotencyKey: $k){created relation{id type}}}`, alter: "i.rationale",
			variables: input(func(ref func(string) map[string]any, _ map[string]string) map[string]any {
				return map[string]any{"from": ref("entry"), "to": ref("other entry"), "type": "CAUSES", "rationale": "why"}
			}),
		},
	}
}

// A field without a case here would escape the tests of isolation and idempotency.
func TestR1_EveryFieldHasACase(t *testing.T) {
	t.Parallel()
	schema := served()
	for _, f := range schema.Mutation.Fields {
		assert.Contains(t, writes(), f.Name, "Mutation.%s needs a case in writes", f.Name)
	}
	for _, f := range schema.Types["Workspace"].Fields {
		if namesThings(schema, f) {
			assert.Contains(t, reads(), f.Name, "Workspace.%s needs a case in reads", f.Name)
		}
	}
	for name, def := range own(schema) {
		if def.Kind != ast.Object || name == "Query" || name == "Mutation" || name == "Workspace" || name == "Subscription" { // subscriptions: TestR1_Subscriptions
			continue
		}
		for _, f := range def.Fields {
			if name == "CodeGraph" && namesThings(schema, f) {
				assert.Contains(t, reads(), "code."+f.Name, "CodeGraph.%s needs a case in reads", f.Name)
				continue
			}
			assert.False(t, namesThings(schema, f), "%s.%s takes an id: isolation is tested for fields of Workspace and Mutation only", name, f.Name)
		}
	}
}

// namesThings tells whether an argument of a field holds an id, a reference or a name.
func namesThings(schema *ast.Schema, f *ast.FieldDefinition) bool {
	var names func(t *ast.Type) bool
	names = func(t *ast.Type) bool {
		def := schema.Types[t.Name()]
		switch {
		case def.Name == "ID", def.Name == "EntityRef", def.Name == "EntryRef":
			return true
		case def.Kind == ast.InputObject:
			for _, field := range def.Fields {
				if names(field.Type) || strings.HasSuffix(strings.ToLower(field.Name), "name") {
					return true
				}
			}
		}
		return false
	}
	for _, arg := range f.Arguments {
		if names(arg.Type) || arg.Name == "name" || arg.Name == "query" {
			return true
		}
	}
	return false
}

// R1: nothing of another workspace can be read, changed, counted or told apart from what is not there.
func TestR1_AnotherWorkspaceIsNotThere(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	own, other, none := a.fill(t), a.fill(t), missing()
	ownBefore, otherBefore := own.snapshot(t), other.snapshot(t)
	require.Equal(t, own.masked(firstOf(ownBefore)), other.masked(firstOf(otherBefore)))

	check := func(name string, c call) {
		if c.byName {
			return
		}
		foreign := own.try(t, c.query, c.variables(other.ids))
		unknown := own.try(t, c.query, c.variables(none.ids))
		assert.Equal(t, none.masked(unknown.Body), other.masked(foreign.Body), name)
		want := "NOT_FOUND"
		if c.refused != "" {
			want = c.refused
		}
		if c.modelled {
			want = "FEATURE_DISABLED"
		}
		if !c.answersAlways {
			assert.Equal(t, want, foreign.code(), "%s: %s", name, foreign.Body)
		}
		for _, id := range idPattern.FindAllString(other.masked(foreign.Body), -1) {
			require.NotContains(t, otherBefore, id, "%s: %s", name, foreign.Body)
		}
	}
	for name, c := range reads() {
		check("Workspace."+name, c)
	}
	require.Equal(t, ownBefore, own.snapshot(t))
	for name, c := range writes() {
		check("Mutation."+name, c)
	}
	require.Equal(t, otherBefore, other.snapshot(t), "another workspace was changed")
}

// firstOf is a snapshot without what is made anew in every workspace: ids and times.
func firstOf(snapshot string) string {
	return timePattern.ReplaceAllString(idPattern.ReplaceAllString(snapshot, "ID"), "TIME")
}

// The same calls find something in the own workspace, and nothing of another one.
func TestR1_ReadsOfTheOwnWorkspace(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	own, other := a.fill(t), a.fill(t)
	otherBefore := other.snapshot(t)
	for name, c := range reads() {
		t.Run("R1 Workspace."+name, func(t *testing.T) {
			t.Parallel()
			got := own.try(t, c.query, c.variables(own.ids))
			if c.modelled {
				require.Equal(t, "FEATURE_DISABLED", got.code(), got.Body)
				return
			}
			require.Empty(t, got.Errors, got.Body)
			require.Regexp(t, `"(id|kind)":"|"hops":|"hints":\["`, got.Body, "the case finds nothing")
			requireNothingOf(t, otherBefore, got.Body)
		})
	}
}

// requireNothingOf proves that an answer holds no id of another world.
func requireNothingOf(t *testing.T, snapshot, body string) {
	t.Helper()
	for _, id := range idPattern.FindAllString(body, -1) {
		require.NotContains(t, snapshot, id)
	}
}
