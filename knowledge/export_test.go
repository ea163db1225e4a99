package knowledge_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// SPEC O18: an id that is taken is mapped to one of the same kind and time, the same every
// time, another one in another workspace; what is no id becomes one.
func TestO18_MappedID(t *testing.T) {
	t.Parallel()
	id := "ent_01m8mxnpg6ntrgz9q55j9sbpvy"
	require.True(t, knowledge.IsID("ent", id))
	mapped := knowledge.MappedID("ent", "ws_1", id)
	assert.True(t, knowledge.IsID("ent", mapped), mapped)
	assert.Equal(t, id[:14], mapped[:14])
	assert.NotEqual(t, id, mapped)
	assert.Equal(t, mapped, knowledge.MappedID("ent", "ws_1", id))
	assert.NotEqual(t, mapped, knowledge.MappedID("ent", "ws_2", id))
	for _, none := range []string{"", "x", "obs_01m8mxnpg6ntrgz9q55j9sbpvy", "ent_01M8MXNPG6NTRGZ9Q55J9SBPVY", "ent_01m8mxnpg6ntrgz9q55j9sbpv", "ent_01m8mxnpg6ntrgz9q55j9sbpvu"} {
		assert.False(t, knowledge.IsID("ent", none), none)
		assert.True(t, knowledge.IsID("ent", knowledge.MappedID("ent", "ws_1", none)), none)
	}
}

func TestO18_Formats(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"json", " DOT ", "Mermaid", "graphml", "CYPHER"} {
		f, err := knowledge.ExportFormatOf(name)
		require.NoError(t, err, name)
		assert.NotEmpty(t, f.MediaType())
		assert.NotEmpty(t, f.Extension())
	}
	_, err := knowledge.ExportFormatOf("pdf")
	assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err))
}

// SPEC O18: what an import does not take, and which field is to blame.
func TestO18_WrongThings(t *testing.T) {
	t.Parallel()
	now := `"2026-01-01T00:00:00Z"`
	entity := func(more string) func() error {
		return func() error {
			var x knowledge.ExportedEntity
			require.NoError(t, json.Unmarshal([]byte(`{"id":"e1","type":"concept","name":"N","source":"MANUAL","confidence":1,"createdAt":`+now+`,"updatedAt":`+now+`,"lastSeenAt":`+now+more+`}`), &x))
			_, err := x.Entity("ws")
			return err
		}
	}
	edge := func(more string) func() error {
		return func() error {
			var x knowledge.ExportedEdge
			require.NoError(t, json.Unmarshal([]byte(`{"id":"f1","type":"uses","from":"a","to":"b","source":"AUTO","confidence":1,"createdAt":`+now+more+`}`), &x))
			_, err := x.Edge("ws")
			return err
		}
	}
	for name, c := range map[string]struct {
		read  func() error
		field string
	}{
		"right":                      {entity(``), ""},
		"no id":                      {entity(`,"id":" "`), "id"},
		"no name":                    {entity(`,"name":" "`), "name"},
		"a confidence of 2":          {entity(`,"confidence":2`), "confidence"},
		"a writer that is none":      {entity(`,"source":"GOD"`), "source"},
		"a description's, too":       {entity(`,"descriptionSource":"GOD"`), "descriptionSource"},
		"no time":                    {entity(`,"updatedAt":"0001-01-01T00:00:00Z"`), "updatedAt"},
		"an identity without value":  {entity(`,"identities":[{"kind":"email","value":" "}]`), "identities.0.value"},
		"a right edge":               {edge(``), ""},
		"B8 an edge to itself":       {edge(`,"to":"a"`), "to"},
		"B9 an end before the start": {edge(`,"validFrom":` + now + `,"validTo":"2025-01-01T00:00:00Z"`), "validTo"},
	} {
		err := c.read()
		if c.field == "" {
			require.NoError(t, err, name)
			continue
		}
		var ours *knowledge.Error
		require.ErrorAs(t, err, &ours, name)
		assert.Equal(t, c.field, ours.Field, name)
	}
}

// SPEC B6: an edge of an export without a start began when it was told.
func TestO18_EdgeWithoutStart(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	e, err := knowledge.ExportedEdge{ID: "f", Type: "Depends On", From: "a", To: "b", Source: "agent", CreatedAt: at}.Edge("ws")
	require.NoError(t, err)
	assert.Equal(t, at, *e.ValidFrom)
	assert.Equal(t, "depends_on", e.Type)
}
