package cypher

import (
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/entry_lock_keys.cypher
var entryLockKeys statement

//go:embed queries/entry_twins.cypher
var entryTwins statement

//go:embed queries/entry_create.cypher
var entryCreate statement

//go:embed queries/entry_link.cypher
var entryLink statement

//go:embed queries/entry_lock.cypher
var entryLock statement

//go:embed queries/entry_update.cypher
var entryUpdate statement

//go:embed queries/entry_unlink.cypher
var entryUnlink statement

//go:embed queries/entry_delete.cypher
var entryDelete statement

//go:embed queries/entry_drop_contact.cypher
var entryDropContact statement

//go:embed queries/entry_only_about.cypher
var entryOnlyAbout statement

//go:embed queries/entry_mark_accessed.cypher
var entryMarkAccessed statement

//go:embed queries/entry_set_vectors.cypher
var entrySetVectors statement

// entryProjection is an entry as it is read: without its vectors and its analysed
// text, which are large.
const entryProjection = `n {.id, .workspaceId, .type, .title, .content, .source, .sourceId, .threadId, .tags, .contactIds,
  .confidence, .baseConfidence, .lastValidatedAt, .accessCount, .lastAccessedAt, .expiresAt, .validFrom, .validTo,
  .invalidatedAt, .priorEnds, .priorTold, .contentHash, .joined, .joinedDirect, .embeddingModel, .embeddingKey, .embeddingDimensions, .embeddingAt,
  .createdAt, .updatedAt} AS n, [(n)-[:MENTIONS]->(m:Entity) | m.id] AS mentionIds`

// entryText fills the placeholders that statements on entries share; at is the moment of
// the filter, where there is one.
func entryText(st statement, at knowledge.TimePoint, more ...string) string {
	filter := strings.ReplaceAll(entryFilter, "{{visible}}", strings.ReplaceAll(visible(at), "r.", "n."))
	return strings.NewReplacer(append([]string{"{{entry}}", entryProjection, "{{filter}}", filter}, more...)...).Replace(string(st))
}

// LockKeys makes writers of the same keys wait for each other until their transactions end.
func (s *Store) LockKeys(ctx context.Context, keys []string) error {
	return exec(ctx, s, entryLockKeys, map[string]any{"keys": keys})
}

// EntryTwins are the stored entries that new ones may repeat (SPEC K20, K21).
func (s *Store) EntryTwins(ctx context.Context, workspaceID string, keys []knowledge.EntryKey) ([]*knowledge.Entry, error) {
	rows := make([]any, len(keys))
	for i, k := range keys {
		rows[i] = map[string]any{"source": string(k.Source), "sourceId": nullable(k.SourceID), "title": k.Title, "hash": k.Hash}
	}
	return runText(ctx, s, entryTwins, entryText(entryTwins, knowledge.TimePoint{}), map[string]any{"ws": workspaceID, "keys": rows}, scanEntry, neo4j.AccessModeRead)
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// InsertEntries stores new entries with their links and vectors; CONFLICT where a
// contact or a mentioned entity is not there any more.
func (s *Store) InsertEntries(ctx context.Context, workspaceID string, writes []knowledge.EntryWrite, model knowledge.EmbeddingModel) error {
	rows := make([]any, len(writes))
	links := make([]any, 0, len(writes))
	for i, w := range writes {
		rows[i] = map[string]any{"id": w.Entry.ID, "props": entryProps(w, model)}
		if len(w.Entry.ContactIDs)+len(w.Entry.MentionIDs) > 0 {
			links = append(links, linkRow(w.Entry.ID, w.Entry.ContactIDs, w.GivenMentions(), w.AutoMentionIDs))
		}
	}
	if err := exec(ctx, s, entryCreate, map[string]any{"rows": rows}); err != nil {
		return err
	}
	if err := s.linkEntries(ctx, workspaceID, links); err != nil {
		return err
	}
	return s.SetEntryVectors(ctx, vectorsOf(writes), model)
}

// linkRow is an entry with the contacts and mentions to be joined to it.
func linkRow(id string, contacts, given, found []string) map[string]any {
	mentions := make([]any, 0, len(given)+len(found))
	for _, mentioned := range given {
		mentions = append(mentions, map[string]any{"id": mentioned, "auto": false})
	}
	for _, mentioned := range found {
		mentions = append(mentions, map[string]any{"id": mentioned, "auto": true})
	}
	return map[string]any{"id": id, "contacts": orEmpty(contacts), "mentions": mentions}
}

// linkEntries makes the links of rows. An entity that was deleted meanwhile cannot be a
// contact: the transaction is decided anew. It is simply no mention any more.
func (s *Store) linkEntries(ctx context.Context, workspaceID string, rows []any) error {
	if len(rows) == 0 {
		return nil
	}
	want := 0
	for _, r := range rows {
		want += len(r.(map[string]any)["contacts"].([]string))
	}
	got, err := write(ctx, s, entryLink, map[string]any{"ws": workspaceID, "rows": rows}, func(r row) int { return r.int("about") })
	if err != nil {
		return err
	}
	if len(got) != 1 || got[0] != want {
		return errGone
	}
	return nil
}

func vectorsOf(writes []knowledge.EntryWrite) []knowledge.EntryVector {
	var out []knowledge.EntryVector
	for _, w := range writes {
		if w.Vector != nil {
			out = append(out, knowledge.EntryVector{ID: w.Entry.ID, Hash: w.Entry.ContentHash, Vector: w.Vector, At: w.Entry.UpdatedAt})
		}
	}
	return out
}

// SetEntryVectors stores vectors that a model made of entries. Where an entry is gone,
// or says something else by now, nothing is stored.
func (s *Store) SetEntryVectors(ctx context.Context, vectors []knowledge.EntryVector, model knowledge.EmbeddingModel) error {
	if len(vectors) == 0 {
		return nil
	}
	rows := make([]any, len(vectors))
	for i, v := range vectors {
		rows[i] = map[string]any{"id": v.ID, "hash": v.Hash, "vector": floats(v.Vector)}
	}
	return exec(ctx, s, entrySetVectors, map[string]any{
		"rows": rows, "key": vectorProperty(model), "model": model.Name, "modelKey": model.Key(), "dimensions": model.Dimensions, "at": vectors[0].At,
	})
}

func floats(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// LockEntries are the entries of ids that exist, locked until the transaction ends.
func (s *Store) LockEntries(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error) {
	return runText(ctx, s, entryLock, entryText(entryLock, knowledge.TimePoint{}), map[string]any{"ws": workspaceID, "ids": ids}, scanEntry, neo4j.AccessModeWrite)
}

// UpdateEntry stores an edited entry. Its links are made anew as far as the change says
// so, and a vector of another text is forgotten.
func (s *Store) UpdateEntry(ctx context.Context, w knowledge.EntryWrite, change knowledge.EntryChange, model knowledge.EmbeddingModel) error {
	props := entryProps(w, model)
	if change.Reworded {
		for _, key := range []string{"embeddingModel", "embeddingKey", "embeddingDimensions", "embeddingAt"} {
			props[key] = nil
		}
	} else {
		delete(props, "awaitsVector")
		delete(props, "searchText")
		delete(props, "searchLength")
	}
	params := map[string]any{"id": w.Entry.ID, "props": props, "reworded": change.Reworded, "vectors": vectorPrefix}
	if err := exec(ctx, s, entryUpdate, params); err != nil {
		return err
	}
	if change.Contacts || change.Mentions || change.AutoMentions {
		if err := exec(ctx, s, entryUnlink, map[string]any{"id": w.Entry.ID, "contacts": change.Contacts, "mentions": change.Mentions, "auto": change.AutoMentions}); err != nil {
			return err
		}
		var contacts, given []string
		if change.Contacts {
			contacts = w.Entry.ContactIDs
		}
		if change.Mentions {
			given = w.GivenMentions()
		}
		if err := s.linkEntries(ctx, w.Entry.WorkspaceID, []any{linkRow(w.Entry.ID, contacts, given, w.AutoMentionIDs)}); err != nil {
			return err
		}
	}
	return s.SetEntryVectors(ctx, vectorsOf([]knowledge.EntryWrite{w}), model)
}

// DeleteEntry removes an entry and its relations, the relations in batches (SPEC K8).
func (s *Store) DeleteEntry(ctx context.Context, id string) (relations int, err error) {
	for {
		drained, err := s.drainRelations(ctx, id)
		relations += drained
		if err != nil || drained < relationBatch {
			if err == nil {
				err = exec(ctx, s, entryDelete, map[string]any{"id": id})
			}
			return relations, err
		}
	}
}

// DropContact takes an entity out of the entries that are about it. One that was about
// nobody else is deleted with its relations, never made general (SPEC R8).
func (s *Store) DropContact(ctx context.Context, workspaceID, entityID string) (entries, relations int, err error) {
	params := map[string]any{"ws": workspaceID, "entityId": entityID}
	ids, err := read(ctx, s, entryOnlyAbout, params, func(r row) string { return r.text("id") })
	if err != nil {
		return 0, 0, err
	}
	for _, id := range ids {
		n, err := s.DeleteEntry(ctx, id)
		relations += n
		if err != nil {
			return entries, relations, err
		}
		entries++
	}
	return entries, relations, exec(ctx, s, entryDropContact, params)
}

// MarkAccessed counts recalls of entries (SPEC G15).
func (s *Store) MarkAccessed(ctx context.Context, marks []knowledge.AccessMark) error {
	rows := make([]any, len(marks))
	for i, m := range marks {
		rows[i] = map[string]any{"ws": m.WorkspaceID, "id": m.EntryID, "count": m.Count, "at": m.At}
	}
	return exec(ctx, s, entryMarkAccessed, map[string]any{"rows": rows})
}

// entryProps are the stored properties of an entry; null where it has none.
func entryProps(w knowledge.EntryWrite, model knowledge.EmbeddingModel) map[string]any {
	e := w.Entry
	ends, told := make([]time.Time, len(e.PriorEnds)), make([]time.Time, len(e.PriorEnds))
	for i, p := range e.PriorEnds {
		ends[i], told[i] = openEnd, p.ToldAt
		if p.At != nil {
			ends[i] = *p.At
		}
	}
	props := map[string]any{
		"id": e.ID, "workspaceId": e.WorkspaceID, "type": string(e.Type), "title": e.Title, "content": e.Content, "source": string(e.Source),
		"sourceId": ptrValue(e.SourceID), "threadId": ptrValue(e.ThreadID), "tags": orEmpty(e.Tags), "contactIds": orEmpty(e.ContactIDs),
		"confidence": e.Confidence, "baseConfidence": e.BaseConfidence, "lastValidatedAt": e.LastValidatedAt,
		"expiresAt": ptrValue(e.ExpiresAt), "validFrom": ptrValue(e.ValidFrom), "validTo": ptrValue(e.ValidTo),
		"invalidatedAt": ptrValue(e.InvalidatedAt), "priorEnds": ends, "priorTold": told,
		"contentHash": e.ContentHash, "createdAt": e.CreatedAt, "updatedAt": e.UpdatedAt,
		"scopeKeys": strings.Join(knowledge.ScopeKeys(e.ContactIDs), " "), "filterKeys": filterKeys(e), "searchText": w.SearchText, "searchLength": len(strings.Fields(w.SearchText)),
		"awaitsVector": nil,
	}
	if w.AwaitsVector {
		props["awaitsVector"] = model.Key()
	}
	return props
}

func scanEntry(r row) *knowledge.Entry {
	e := entryOf(r.props("n"))
	e.MentionIDs = r.texts("mentionIds")
	return e
}

func entryOf(p props) *knowledge.Entry {
	e := &knowledge.Entry{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), Type: knowledge.EntryType(p.text("type")), Title: p.text("title"), Content: p.text("content"),
		Source: knowledge.EntrySource(p.text("source")), SourceID: p.textPtr("sourceId"), ThreadID: p.textPtr("threadId"),
		Tags: p.texts("tags"), ContactIDs: p.texts("contactIds"), MentionIDs: []string{},
		Confidence: p.float("confidence"), BaseConfidence: p.float("baseConfidence"), LastValidatedAt: p.time("lastValidatedAt"),
		AccessCount: p.int("accessCount"), LastAccessedAt: p.timePtr("lastAccessedAt"), ExpiresAt: p.timePtr("expiresAt"),
		ValidFrom: p.timePtr("validFrom"), ValidTo: p.timePtr("validTo"), InvalidatedAt: p.timePtr("invalidatedAt"),
		ContentHash: p.text("contentHash"), CreatedAt: p.time("createdAt"), UpdatedAt: p.time("updatedAt"),
		PriorEnds: priorEndsOf(p), Joined: knowledge.JoinedParts{Texts: slices.Concat(p.texts("joined")), Direct: slices.Concat(p.texts("joinedDirect"))},
	}
	if model := p.text("embeddingModel"); model != "" {
		e.Embedding = &knowledge.EmbeddingInfo{Model: model, Key: p.text("embeddingKey"), Dimensions: p.int("embeddingDimensions"), GeneratedAt: p.time("embeddingAt")}
	}
	return e
}

func priorEndsOf(p props) []knowledge.PriorEnd {
	ends, _ := p["priorEnds"].([]any)
	told, _ := p["priorTold"].([]any)
	var out []knowledge.PriorEnd
	for i := range min(len(ends), len(told)) {
		end, _ := ends[i].(time.Time)
		at, _ := told[i].(time.Time)
		prior := knowledge.PriorEnd{ToldAt: at.UTC()}
		if !end.Equal(openEnd) {
			end = end.UTC()
			prior.At = &end
		}
		out = append(out, prior)
	}
	return out
}
