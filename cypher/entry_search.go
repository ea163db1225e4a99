package cypher

import (
	"context"
	_ "embed"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/entry_search_text.cypher
var entrySearchText statement

//go:embed queries/entry_search_vector.cypher
var entrySearchVector statement

//go:embed queries/entry_search_vector_all.cypher
var entrySearchVectorAll statement

//go:embed queries/entry_search_vector_index.cypher
var entrySearchVectorIndex statement

//go:embed queries/entry_sizes.cypher
var entrySizes statement

//go:embed queries/entry_version.cypher
var entryVersion statement

//go:embed queries/entry_contact_size.cypher
var entryContactSize statement

//go:embed queries/entry_sample.cypher
var entrySample statement

//go:embed queries/entry_vector_gaps.cypher
var entryVectorGaps statement

//go:embed queries/entry_awaiting.cypher
var entryAwaiting statement

const (
	// longText is from how many bytes on an analysed text is not read whole.
	longText = 40_000
	// maxIndexFetch is how many neighbours a vector index is asked for at most: beyond
	// that, looking at every entry is as quick.
	maxIndexFetch = 5_000
	// indexedPerHit is how many of what is wanted the first question to the index is to
	// bring in: half would do, and each neighbour more costs.
	indexedPerHit = 0.75
	// minIndexFetch is the fewest: the index is quantized, and rescoring 100 makes up for it.
	minIndexFetch = 100
	// maxTextFetch is how many candidates the full-text index is asked for at most.
	maxTextFetch = 20_000
	// vectorPrefix begins the properties that hold vectors, one for each model.
	vectorPrefix = "vector_"
	// vectorIndexPrefix begins the names of the indexes of those.
	vectorIndexPrefix = "entry_vector_"
)

func vectorProperty(m knowledge.EmbeddingModel) string { return vectorPrefix + m.Key() }

// scopeCondition is that an entry n is inside a scope, and about somebody where that is
// asked. It takes the parameters of selectionParams.
const scopeCondition = `($orgWide OR size(n.contactIds) = 0 OR $scopeContact IN n.contactIds) AND ($aboutId = '' OR $aboutId IN n.contactIds)`

func searchText(st statement, at knowledge.TimePoint, more ...string) string {
	return entryText(st, at, append([]string{"{{scope}}", scopeCondition}, more...)...)
}

func selectionParams(sel knowledge.EntrySelection) map[string]any {
	params := entryFilterParams(sel.WorkspaceID, sel.Filter, sel.At, sel.Now)
	params["orgWide"], params["scopeContact"], params["aboutId"] = sel.Scope.OrgWide, sel.Scope.ContactID, sel.AboutID
	return params
}

// Words of filterKeys: the type, and the days on which an entry begins, ends and expires.
const (
	keyType    = "t_"
	keyStarts  = "s_"
	keyEnds    = "e_"
	keyExpires = "x_"
	dayFormat  = "20060102"
	never      = "99999999"
	always     = "00000000"
)

// filterKeys are the words by which the full-text index knows an entry's workspace, type
// and times. Days are coarse: the query's condition on the entry itself is exact.
func filterKeys(e *knowledge.Entry) string {
	return strings.Join([]string{
		e.WorkspaceID, keyType + string(e.Type), keyStarts + dayOf(e.ValidFrom, always), keyEnds + dayOf(e.ValidTo, never), keyExpires + dayOf(e.ExpiresAt, never),
	}, " ")
}

func dayOf(t *time.Time, or string) string {
	if t == nil {
		return or
	}
	return t.UTC().Format(dayFormat)
}

// selectionFilters are the selection as far as the full-text index can apply it.
func selectionFilters(sel knowledge.EntrySelection) []knowledge.IndexFilter {
	filters := []knowledge.IndexFilter{{Field: "filterKeys", Values: []string{sel.WorkspaceID}}}
	keys := sel.Scope.Keys()
	if sel.AboutID != "" {
		keys = []string{sel.AboutID}
	}
	if keys != nil {
		filters = append(filters, knowledge.IndexFilter{Field: "scopeKeys", Values: keys})
	}
	if len(sel.Filter.Types) > 0 {
		types := words(sel.Filter.Types)
		for i := range types {
			types[i] = keyType + types[i]
		}
		filters = append(filters, knowledge.IndexFilter{Field: "filterKeys", Values: types})
	}
	return append(filters, timeFilters(sel)...)
}

func timeFilters(sel knowledge.EntrySelection) []knowledge.IndexFilter {
	var filters []knowledge.IndexFilter
	if !sel.Filter.IncludeExpired {
		filters = append(filters, knowledge.IndexFilter{Field: "filterKeys", From: keyExpires + sel.Now.UTC().Format(dayFormat), To: keyExpires + never})
	}
	if sel.At.IncludeHistory || sel.At.KnownAt != nil {
		return filters // an end that was told later is not known yet, so the index's ends do not count
	}
	asOf := sel.At.Moment(sel.Now).UTC().Format(dayFormat)
	return append(filters,
		knowledge.IndexFilter{Field: "filterKeys", From: keyStarts + always, To: keyStarts + asOf},
		knowledge.IndexFilter{Field: "filterKeys", From: keyEnds + asOf, To: keyEnds + never})
}

// SearchEntryTexts are candidates for terms: at least enough of them where there are so
// many, inside the selection. Which they are depends on the statistics that are given,
// not on other workspaces; their order means nothing.
func (s *Store) SearchEntryTexts(ctx context.Context, sel knowledge.EntrySelection, terms []knowledge.Term, stats knowledge.LexicalStats, enough int) ([]knowledge.EntryTextHit, error) {
	query := knowledge.CandidateQuery(selectionFilters(sel), "searchText", terms, stats)
	if query == "" {
		return nil, nil
	}
	params := selectionParams(sel)
	params["query"], params["long"], params["tokens"] = query, longText, knowledge.StatTokens(terms)
	for limit := enough; ; limit *= 4 {
		params["limit"] = min(limit, maxTextFetch)
		rows, err := runText(ctx, s, entrySearchText, searchText(entrySearchText, sel.At), params, scanTextHits, neo4j.AccessModeRead)
		if err != nil || len(rows) == 0 {
			return nil, err
		}
		if len(rows[0].hits) >= enough || rows[0].raw < limit || limit >= maxTextFetch {
			return rows[0].hits, nil
		}
	}
}

type textHits struct {
	raw  int
	hits []knowledge.EntryTextHit
}

func scanTextHits(r row) textHits {
	out := textHits{raw: r.int("raw")}
	for _, p := range r.list("hits") {
		out.hits = append(out.hits, knowledge.EntryTextHit{ID: p.text("id"), Text: p.text("text"), Length: p.int("length"), Thread: p.text("thread")})
	}
	return out
}

// partSource is where a part of a scope is read from.
func partSource(p knowledge.ScopePart) string {
	switch p {
	case knowledge.PartContact:
		return "(:Entity {id: CASE $aboutId WHEN '' THEN $scopeContact ELSE $aboutId END})<-[:ABOUT]-(n:Entry {workspaceId: $ws})"
	case knowledge.PartGeneral:
		return "(n:Entry {workspaceId: $ws, scopeKeys: 'general'})"
	default:
		return "(n:Entry {workspaceId: $ws})"
	}
}

// partCondition is that an entry n belongs to a part of a scope.
func partCondition(p knowledge.ScopePart) string {
	switch p {
	case knowledge.PartContact:
		return "size(n.contactIds) > 0"
	case knowledge.PartGeneral:
		return "size(n.contactIds) = 0"
	default:
		return "true"
	}
}

// nearestPerHit is how many of the nearest entries are looked at for each that is wanted.
const nearestPerHit = 4

// NearestEntries are the entries of a part of a scope that are nearest to a vector, by
// looking at every one. Entries without a vector of the model are passed over.
//
// Most entries fit whatever is asked, so the nearest are found first, by their vectors
// alone, and then checked. Only where too many of them do not fit is each checked before.
func (s *Store) NearestEntries(ctx context.Context, q knowledge.EntryVectorQuery) ([]knowledge.EntryVectorHit, error) {
	params := selectionParams(q.Selection)
	params["key"], params["dimensions"], params["vector"], params["limit"] = vectorProperty(q.Model), q.Model.Dimensions, floats(q.Vector), q.Limit
	params["nearest"] = nearestPerHit * q.Limit
	rows, err := runText(ctx, s, entrySearchVector, searchText(entrySearchVector, q.Selection.At, "{{source}}", partSource(q.Part)), params, scanVectorHits, neo4j.AccessModeRead)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	if len(rows[0].hits) >= q.Limit || rows[0].raw < nearestPerHit*q.Limit {
		return rows[0].hits, nil
	}
	delete(params, "nearest")
	return runText(ctx, s, entrySearchVectorAll, searchText(entrySearchVectorAll, q.Selection.At, "{{source}}", partSource(q.Part)), params, func(r row) knowledge.EntryVectorHit {
		return knowledge.EntryVectorHit{ID: r.text("id"), Similarity: cosine(r.float("score")), Thread: r.text("thread")}
	}, neo4j.AccessModeRead)
}

// cosine turns the database's similarity, (1 + cosine)/2, into the cosine.
func cosine(score float64) float64 { return 2*score - 1 }

// NearestIndexed is NearestEntries through the vector index: share is which part of all
// entries the scope's part is, 0 to 1. It gives false where the index could not find
// enough, or is not there: then looking at every entry is the way.
func (s *Store) NearestIndexed(ctx context.Context, q knowledge.EntryVectorQuery, share float64) ([]knowledge.EntryVectorHit, bool, error) {
	params := selectionParams(q.Selection)
	params["index"], params["key"], params["vector"], params["limit"] = vectorIndexPrefix+q.Model.Key(), vectorProperty(q.Model), floats(q.Vector), q.Limit
	return s.indexed(ctx, entrySearchVectorIndex, searchText(entrySearchVectorIndex, q.Selection.At, "{{part}}", partCondition(q.Part)), params, q.Limit, share)
}

// indexed asks a vector index for ever more neighbours, until enough of them fit.
func (s *Store) indexed(ctx context.Context, st statement, text string, params map[string]any, limit int, share float64) ([]knowledge.EntryVectorHit, bool, error) {
	enough := (limit + 1) / 2 // what the index gives is the nearest there are, as far as it goes
	for k := max(minIndexFetch, int(indexedPerHit*float64(limit)/max(share, 1e-6))); k <= maxIndexFetch; k *= 4 {
		params["k"] = k
		rows, err := runText(ctx, s, st, text, params, scanVectorHits, neo4j.AccessModeRead)
		if missingIndex(err) {
			return nil, false, nil
		}
		if err != nil || len(rows) == 0 {
			return nil, false, err
		}
		if hits := rows[0]; len(hits.hits) >= enough || hits.raw < k {
			slices.SortFunc(hits.hits, knowledge.CompareVectorHits)
			return hits.hits[:min(limit, len(hits.hits))], hits.raw >= k, nil
		}
	}
	return nil, false, nil
}

func missingIndex(err error) bool {
	var e *neo4j.Neo4jError
	return errors.As(err, &e) && e.Code == codeProcedureFailed
}

type vectorHits struct {
	raw  int
	hits []knowledge.EntryVectorHit
}

func scanVectorHits(r row) vectorHits {
	out := vectorHits{raw: r.int("raw")}
	for _, p := range r.list("hits") {
		out.hits = append(out.hits, knowledge.EntryVectorHit{ID: p.text("id"), Similarity: cosine(p.float("score")), Thread: p.text("thread")})
	}
	return out
}

// EntrySizes are numbers of entries, by which a search chooses its way.
func (s *Store) EntrySizes(ctx context.Context, workspaceID string) (knowledge.EntrySizes, error) {
	rows, err := read(ctx, s, entrySizes, map[string]any{"ws": workspaceID}, func(r row) knowledge.EntrySizes {
		return knowledge.EntrySizes{Database: r.int("database"), Workspace: r.int("workspace"), General: r.int("general")}
	})
	if err != nil || len(rows) == 0 {
		return knowledge.EntrySizes{}, err
	}
	return rows[0], nil
}

// EntryVersion is what changes whenever the entries of a workspace do. It looks at every
// one of them, and is for small workspaces.
func (s *Store) EntryVersion(ctx context.Context, workspaceID string) (knowledge.EntryVersion, error) {
	rows, err := read(ctx, s, entryVersion, map[string]any{"ws": workspaceID}, func(r row) knowledge.EntryVersion {
		at, _ := r.value("changedAt").(time.Time)
		return knowledge.EntryVersion{Count: r.int("count"), ChangedAt: at.UTC()}
	})
	if err != nil || len(rows) == 0 {
		return knowledge.EntryVersion{}, err
	}
	return rows[0], nil
}

// ContactSize is how many entries are about a contact.
func (s *Store) ContactSize(ctx context.Context, workspaceID, contactID string) (int, error) {
	rows, err := read(ctx, s, entryContactSize, map[string]any{"ws": workspaceID, "contactId": contactID}, func(r row) int { return r.int("count") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// sampledText is how much of a text counts for statistics, in bytes.
const sampledText = 4_000

// EntrySample are the analysed texts of the newest entries, cut where they are long.
func (s *Store) EntrySample(ctx context.Context, workspaceID string, limit int) ([]knowledge.EntryTextHit, error) {
	return read(ctx, s, entrySample, map[string]any{"ws": workspaceID, "limit": limit, "long": sampledText}, func(r row) knowledge.EntryTextHit {
		return knowledge.EntryTextHit{Text: r.text("text"), Length: r.int("length")}
	})
}

// VectorGaps are the entries that a model's vector search cannot find: how many wait for
// their vector, and the name of another model that made some; empty where there is none.
func (s *Store) VectorGaps(ctx context.Context, workspaceID string, model knowledge.EmbeddingModel) (awaiting int, otherModel string, err error) {
	_, err = read(ctx, s, entryVectorGaps, map[string]any{"ws": workspaceID, "modelKey": model.Key()}, func(r row) struct{} {
		awaiting, otherModel = r.int("awaiting"), r.text("otherModel")
		return struct{}{}
	})
	return awaiting, otherModel, err
}

// EntriesAwaitingVector are entries of all workspaces that wait for a vector of a model, by id, behind one.
func (s *Store) EntriesAwaitingVector(ctx context.Context, model knowledge.EmbeddingModel, after string, limit int) ([]knowledge.EntryText, error) {
	return read(ctx, s, entryAwaiting, map[string]any{"modelKey": model.Key(), "after": after, "limit": limit}, func(r row) knowledge.EntryText {
		return knowledge.EntryText{ID: r.text("id"), Hash: r.text("hash"), Title: r.text("title"), Content: r.text("content")}
	})
}

// EnsureVectorIndex makes the indexes of a model's vectors, where they are not there.
func (s *Store) EnsureVectorIndex(ctx context.Context, model knowledge.EmbeddingModel) error {
	for _, of := range []struct{ label, prefix string }{
		{"Entry", vectorIndexPrefix}, {"Fact", kindOf(knowledge.RecallEdge).indexPrefix}, {"Observation", kindOf(knowledge.RecallObservation).indexPrefix},
	} {
		if err := s.ensureVectorIndex(ctx, of.label, of.prefix+model.Key(), model); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) ensureVectorIndex(ctx context.Context, label, name string, model knowledge.EmbeddingModel) error {
	// The key is letters, digits and underscores only, and what else is in the statement is fixed.
	text := strings.NewReplacer("{{label}}", label, "{{name}}", name, "{{property}}", vectorProperty(model), "{{dimensions}}", strconv.Itoa(model.Dimensions)).Replace(vectorIndex)
	return s.translate("vector index", s.schema(ctx, text))
}

// vectorIndex makes an index; schema statements take no names as parameters.
const vectorIndex = "CREATE VECTOR INDEX `{{name}}` IF NOT EXISTS FOR (n:{{label}}) ON n.`{{property}}` " +
	"OPTIONS {indexConfig: {`vector.dimensions`: {{dimensions}}, `vector.similarity_function`: 'cosine'}}"
