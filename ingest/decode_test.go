package ingest_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
	"mneme/knowledge"
)

func at(t *testing.T, text string) *time.Time {
	t.Helper()
	moment, err := time.Parse(time.RFC3339Nano, text)
	require.NoError(t, err)
	return &moment
}

func TestChat(t *testing.T) {
	t.Parallel()
	got, err := ingest.NewChat().Decode([]byte(`{"conversation": 7, "session": "2", "id": "7/2:1", "speaker": " Zoë ", "sentAt": "2024-02-29T23:30:00+02:00", "text": " Look! ", "caption": "a lake", "mood": "glad"}`))
	require.NoError(t, err)
	assert.Equal(t, knowledge.EntryDraft{
		Type: knowledge.EntryFact, Source: knowledge.SourceChat, SourceID: "7/2:1", ThreadID: "7/2", Confidence: 0.8,
		Title: "Zoë, 29 February 2024 21:30", Content: "Look!\nPicture: a lake",
		Mentions: []knowledge.EntityRef{{Name: "Zoë", Type: "person"}}, ValidFrom: at(t, "2024-02-29T21:30:00Z"),
	}, got)
}

func TestChat_EveryTurnIsAnEntryOfItsOwn(t *testing.T) {
	t.Parallel()
	chat := ingest.NewChat()
	hashes := map[string]bool{}
	for _, line := range []string{
		`{"id": 1, "speaker": "A", "sentAt": "2024-01-01T00:00:00Z", "text": "Thanks!"}`,
		`{"id": 2, "speaker": "A", "sentAt": "2024-01-01T00:00:00Z", "text": "Thanks!"}`,
		`{"id": 3, "speaker": "a", "sentAt": "2024-01-01T00:00:00Z", "text": "thanks!  "}`,
		`{"id": 4, "speaker": "B", "text": "Thanks!"}`,
		`{"id": 5, "speaker": "B", "text": "Thanks!"}`,
	} {
		draft, err := chat.Decode([]byte(line))
		require.NoError(t, err)
		hashes[knowledge.ContentHash(draft.Title, draft.Content)] = true // K19, by which K21 joins entries
	}
	assert.Len(t, hashes, 5)
}

func TestDecode_WrongLines(t *testing.T) {
	t.Parallel()
	chat := func(line []byte) (any, error) { return ingest.NewChat().Decode(line) }
	entry := func(line []byte) (any, error) { return ingest.DecodeEntry(line) }
	graph := func(line []byte) (any, error) { return ingest.DecodeGraph(line) }
	observation := func(line []byte) (any, error) { return ingest.DecodeObservation(line) }
	relation := func(line []byte) (any, error) { return ingest.DecodeRelation(line) }
	for name, tc := range map[string]struct {
		decode func([]byte) (any, error)
		line   string
		field  string
	}{
		"no JSON":                     {chat, `hello`, ""},
		"cut off":                     {entry, `{"title": "a`, ""},
		"a list":                      {entry, `["a"]`, ""},
		"two objects":                 {entry, `{"title": "a"} {}`, ""},
		"a turn without id":           {chat, `{"speaker": "A", "text": "x"}`, "id"},
		"a turn without speaker":      {chat, `{"id": "1", "speaker": " ", "text": "x"}`, "speaker"},
		"a turn that says nothing":    {chat, `{"id": "1", "speaker": "A", "text": " "}`, "text"},
		"a turn on no day":            {chat, `{"id": "1", "speaker": "A", "text": "x", "sentAt": "2024-02-30T00:00:00Z"}`, "sentAt"},
		"a turn at a day, not a time": {chat, `{"id": "1", "speaker": "A", "text": "x", "sentAt": "2024-02-28"}`, "sentAt"},
		"a number for a date":         {entry, `{"title": "a", "content": "b", "validTo": 1700000000}`, "validTo"},
		"an unknown field":            {entry, `{"title": "a", "contents": "b"}`, "contents"},
		"a text for a number":         {entry, `{"title": "a", "confidence": "high"}`, "confidence"},
		"a text for a list":           {entry, `{"title": "a", "tags": "x, y"}`, "tags"},
		"K6 an unknown type":          {entry, `{"title": "a", "type": "RUMOUR"}`, "type"},
		"K6 an unknown source":        {entry, `{"title": "a", "source": "FAX"}`, "source"},
		"an unknown writer":           {graph, `{"type": "person", "name": "a", "source": "ROOT"}`, "source"},
		"an edge with a bad end":      {graph, `{"from": {"nome": "a"}, "to": {"name": "b"}, "type": "uses"}`, "nome"},
		"an edge with a bad date":     {graph, `{"from": {"name": "a"}, "to": {"name": "b"}, "type": "uses", "validFrom": "soon"}`, "validFrom"},
		"an observation, bad date":    {observation, `{"entity": {"name": "a"}, "text": "x", "observedAt": ""}`, "observedAt"},
		"a relation without type":     {relation, `{"from": {"id": "a"}, "to": {"sourceId": "b"}}`, "type"},
		"a relation of unknown type":  {relation, `{"from": {"id": "a"}, "to": {"sourceId": "b"}, "type": "HATES"}`, "type"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := tc.decode([]byte(tc.line))
			var wrong *knowledge.Error
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, knowledge.CodeInvalidInput, wrong.Code)
			assert.Equal(t, tc.field, wrong.Field, wrong.Message)
		})
	}
}

func TestDecodeInputs(t *testing.T) {
	t.Parallel()
	half, days := 0.5, 30.0
	kind := "a lake"
	for name, tc := range map[string]struct {
		decode func([]byte) (any, error)
		line   string
		want   any
	}{
		"K5 an entry's presets": {
			func(l []byte) (any, error) { return ingest.DecodeEntry(l) }, `{"title": "a", "content": "b"}`,
			knowledge.EntryDraft{Type: knowledge.EntryFact, Title: "a", Content: "b", Source: knowledge.SourceManual, Confidence: 0.8},
		},
		"an entry with everything": {
			func(l []byte) (any, error) { return ingest.DecodeEntry(l) },
			`{"type": "ACTION_ITEM", "title": "a", "content": "b", "source": "email", "sourceId": "m1", "threadId": "t", "confidence": 0.5, "tags": ["x"],
			  "contacts": [{"id": "ent_1"}], "mentions": [{"name": "N", "type": "person"}, {"identity": {"kind": "email", "value": "a@b.example"}}],
			  "expiresInDays": 30, "validFrom": "2026-01-01T00:00:00.1234567Z", "docId": "d", "taskId": "k", "embedding": []}`,
			knowledge.EntryDraft{
				Type: knowledge.EntryActionItem, Title: "a", Content: "b", Source: knowledge.SourceEmail, SourceID: "m1", ThreadID: "t", Confidence: 0.5,
				Tags: []string{"x"}, Contacts: []knowledge.EntityRef{{ID: "ent_1"}},
				Mentions: []knowledge.EntityRef{
					{Name: "N", Type: "person"},
					{Identity: &knowledge.ContactIdentity{Kind: "email", Value: "a@b.example"}},
				},
				ExpiresInDays: &days, ValidFrom: at(t, "2026-01-01T00:00:00.123456Z"), DocID: "d", TaskID: "k", Embedding: &[]float32{},
			},
		},
		"an entity": {
			func(l []byte) (any, error) { return ingest.DecodeGraph(l) },
			`{"type": "place", "name": "Como", "aliases": ["Lario"], "identities": [{"kind": "geo", "value": "1"}], "description": "a lake", "properties": {"depth": 410}, "confidence": 0.5, "source": "AGENT"}`,
			ingest.GraphItem{Entity: &knowledge.EntityDraft{
				Type: "place", Name: "Como", Aliases: []string{"Lario"}, Identities: []knowledge.ContactIdentity{{Kind: "geo", Value: "1"}},
				Description: &kind, Properties: map[string]any{"depth": 410.0}, Confidence: &half, Source: knowledge.ActorAgent,
			}},
		},
		"an edge": {
			func(l []byte) (any, error) { return ingest.DecodeGraph(l) },
			`{"from": {"name": "A"}, "to": {"id": "ent_2"}, "type": "part of", "fact": "A is in B.", "validFrom": "2026-01-01T01:00:00+01:00", "validTo": "2026-02-01T00:00:00Z"}`,
			ingest.GraphItem{Edge: &knowledge.EdgeDraft{
				From: knowledge.EntityRef{Name: "A"}, To: knowledge.EntityRef{ID: "ent_2"}, Type: "part of", Fact: "A is in B.",
				ValidFrom: at(t, "2026-01-01T00:00:00Z"), ValidTo: at(t, "2026-02-01T00:00:00Z"),
			}},
		},
		"an observation": {
			func(l []byte) (any, error) { return ingest.DecodeObservation(l) }, `{"entity": {"name": "A"}, "text": "x", "observedAt": "2026-01-01T00:00:00Z"}`,
			knowledge.ObservationDraft{Entity: knowledge.EntityRef{Name: "A"}, Text: "x", ObservedAt: at(t, "2026-01-01T00:00:00Z")},
		},
		"a relation": {
			func(l []byte) (any, error) { return ingest.DecodeRelation(l) }, `{"from": {"sourceId": "a"}, "to": {"id": "ery_1"}, "type": "SUPERSEDES"}`,
			knowledge.RelationDraft{From: knowledge.EntryRef{SourceID: "a"}, To: knowledge.EntryRef{ID: "ery_1"}, Type: knowledge.RelationSupersedes, Confidence: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.decode([]byte(tc.line))
			require.NoError(t, err)
			assert.Equal(t, tc.want, got)
		})
	}
}

// FuzzDecode feeds every reader with anything: it answers with a draft or with an error of ours.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"id": 1, "speaker": "A", "sentAt": "2024-01-01T00:00:00Z", "text": "x", "caption": null}`, `{"conversation": {}, "id": []}`,
		`{"title": "a", "content": "b", "contacts": [{"identity": {}}]}`, `{"from": null, "to": {}}`, `{"name": "\ud800", "properties": {"a": [[[]]]}}`, `nul`, `1e999`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		_, chat := ingest.NewChat().Decode(line)
		_, entry := ingest.DecodeEntry(line)
		_, graph := ingest.DecodeGraph(line)
		_, observation := ingest.DecodeObservation(line)
		_, relation := ingest.DecodeRelation(line)
		for _, err := range []error{chat, entry, graph, observation, relation} {
			if err != nil {
				assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), "%v", err)
			}
		}
	})
}
