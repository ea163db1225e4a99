package service_test

import (
	"context"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/service"
)

// SPEC O18: the statements of a Cypher export make the graph anew, every text as it was.
func TestO18_CypherLoads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	_, x := b.exportJSON(t, b.ws.Key)
	text := b.export(t, b.ws.Key, service.ExportRequest{Format: knowledge.ExportCypher, At: knowledge.TimePoint{IncludeHistory: true}})
	_, err := b.workspaces.Clear(t.Context(), b.to, service.ClearRequest{Confirm: b.ws.Key, KeepWorkspace: true})
	require.NoError(t, err)
	ids := make([]string, 0, len(x.Entities))
	for _, e := range x.Entities {
		ids = append(ids, e.ID)
	}
	run := bareQueries(t)
	defer run("MATCH (e:Entity) WHERE e.id IN $ids OPTIONAL MATCH (n:Entry|Observation)--(e) DETACH DELETE n, e", map[string]any{"ids": ids})
	for _, statement := range strings.Split(strings.TrimSpace(text), ";\n") {
		if !strings.HasPrefix(statement, "CREATE CONSTRAINT") { // this database has its own
			run(strings.TrimSuffix(statement, ";"), nil)
		}
	}
	rows := run("MATCH (e:Entity) WHERE e.id IN $ids RETURN e.id AS id, e.name AS name, e.description AS description, labels(e) AS labels", map[string]any{"ids": ids})
	require.Len(t, rows, len(x.Entities))
	for _, row := range rows {
		for _, e := range x.Entities {
			if e.ID == row["id"] {
				assert.Equal(t, e.Name, row["name"])
				if e.Description != nil {
					assert.Equal(t, *e.Description, row["description"], "every character is what it was")
				}
				assert.Contains(t, row["labels"], knowledge.EntityLabel(e.Type), "T20")
			}
		}
	}
	rows = run("MATCH (a:Entity)-[r]->(b:Entity) WHERE a.id IN $ids RETURN r.id AS id, type(r) AS type, r.name AS name, r.validFrom AS validFrom, a.id AS from, b.id AS to", map[string]any{"ids": ids})
	require.Len(t, rows, len(x.Edges))
	for _, row := range rows {
		for _, e := range x.Edges {
			if e.ID == row["id"] {
				assert.Equal(t, []any{e.From, e.To, e.Fact}, []any{row["from"], row["to"], row["name"]})
			}
		}
	}
	rows = run("MATCH (n:Entry)-[:ABOUT]->(e:Entity) WHERE e.id IN $ids RETURN n.content AS content, COUNT { (n)-[:ENTRY_CONTRADICTS|ENTRY_SUPERSEDES]-() } AS relations", map[string]any{"ids": ids})
	require.Len(t, rows, 2)
	rows = run("MATCH (o:Observation)-[:OBSERVED_ON]->(e:Entity) WHERE e.id IN $ids RETURN o.text AS text", map[string]any{"ids": ids})
	assert.Len(t, rows, len(x.Observations))
}

// bareQueries runs statements through the driver, as somebody does who has no Mneme.
func bareQueries(t *testing.T) func(statement string, params map[string]any) []map[string]any {
	t.Helper()
	uri, user, password := neo4jtest.Connect(t)
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(user, password, ""))
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, driver.Close(context.WithoutCancel(t.Context()))) })
	return func(statement string, params map[string]any) []map[string]any {
		result, err := neo4j.ExecuteQuery(t.Context(), driver, statement, params, neo4j.EagerResultTransformer)
		require.NoError(t, err, statement)
		var rows []map[string]any
		for _, record := range result.Records {
			rows = append(rows, record.AsMap())
		}
		return rows
	}
}

// SPEC O17: quotes and backslashes are escaped; one line an edge.
func TestO17_DOT(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, d := range []knowledge.EdgeDraft{
		{From: b.concept(t, `Wet`), To: b.concept(t, "gateway"), Type: "Feeds  Into!"},
		{From: b.concept(t, `a "b" \`), To: b.concept(t, "two\nlines"), Type: "uses"},
	} {
		_, err := b.edges.Assert(t.Context(), b.to, d)
		require.NoError(t, err)
	}
	b.concept(t, "Isolé 🚀")
	text := b.export(t, b.ws.Key, service.ExportRequest{Format: knowledge.ExportDOT})
	assert.Equal(t, `digraph mneme {
  rankdir=LR;
  "Wet" -> "gateway" [label="feeds_into"];
  "a \"b\" \\" -> "two\nlines" [label="uses"];
  "Isolé 🚀";
}
`, text)
}

func (b *bundle) concept(t *testing.T, name string) knowledge.EntityRef {
	t.Helper()
	u, err := b.entities.Upsert(t.Context(), b.to, knowledge.EntityDraft{Type: "concept", Name: name})
	require.NoError(t, err)
	return knowledge.EntityRef{ID: u.Entity.ID}
}

// graphML is a GraphML file as its readers see it.
type graphML struct {
	Keys []struct {
		ID   string `xml:"id,attr"`
		For  string `xml:"for,attr"`
		Name string `xml:"attr.name,attr"`
		Type string `xml:"attr.type,attr"`
	} `xml:"key"`
	Graph struct {
		Nodes []struct {
			ID   string    `xml:"id,attr"`
			Data []xmlData `xml:"data"`
		} `xml:"node"`
		Edges []struct {
			Source string    `xml:"source,attr"`
			Target string    `xml:"target,attr"`
			Data   []xmlData `xml:"data"`
		} `xml:"edge"`
	} `xml:"graph"`
}

type xmlData struct {
	Key  string `xml:"key,attr"`
	Text string `xml:",chardata"`
}

// SPEC O18: GraphML is well-formed, declares every key that it uses, and names every end.
func TestO18_GraphML(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.story(t)
	text := b.export(t, b.ws.Key, service.ExportRequest{Format: knowledge.ExportGraphML})
	var g graphML
	require.NoError(t, xml.Unmarshal([]byte(text), &g))
	keys := map[string]bool{}
	for _, k := range g.Keys {
		keys[k.ID] = true
	}
	nodes := map[string]bool{}
	for _, n := range g.Graph.Nodes {
		nodes[n.ID] = true
		for _, d := range n.Data {
			assert.True(t, keys[d.Key], d.Key)
		}
	}
	assert.Len(t, nodes, 5)
	require.NotEmpty(t, g.Graph.Edges)
	for _, e := range g.Graph.Edges {
		assert.True(t, nodes[e.Source] && nodes[e.Target])
		for _, d := range e.Data {
			assert.True(t, keys[d.Key], d.Key)
		}
	}
	assert.Contains(t, text, "&lt;b&gt;", "texts are escaped")
}
