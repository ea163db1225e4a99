package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// EntryStore keeps entries. What is locked stays as it is until the transaction ends.
type EntryStore interface {
	// LockKeys makes writers of the same keys wait for each other; keys are sorted.
	LockKeys(ctx context.Context, keys []string) error
	EntryTwins(ctx context.Context, workspaceID string, keys []knowledge.EntryKey) ([]*knowledge.Entry, error)
	// InsertEntries is CONFLICT where a contact is gone, which Atomically decides anew.
	InsertEntries(ctx context.Context, workspaceID string, writes []knowledge.EntryWrite, model knowledge.EmbeddingModel) error
	LockEntries(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
	UpdateEntry(ctx context.Context, w knowledge.EntryWrite, change knowledge.EntryChange, model knowledge.EmbeddingModel) error
	DeleteEntry(ctx context.Context, id string) (relations int, err error)
}

// EntryLister reads entries by id and in lists, newest first.
type EntryLister interface {
	EntriesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
	EntriesByRef(ctx context.Context, workspaceID string, refs []knowledge.EntryRef) ([][]*knowledge.Entry, error)
	Entries(ctx context.Context, workspaceID string, q knowledge.EntryListQuery) ([]*knowledge.Entry, error)
	CountEntries(ctx context.Context, workspaceID string, q knowledge.EntryListQuery) (int, error)
	EntriesOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q knowledge.EntryListQuery) (map[string][]*knowledge.Entry, error)
	CountEntriesOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q knowledge.EntryListQuery) (map[string]int, error)
	SupersededBy(ctx context.Context, workspaceID string, ids []string, now time.Time) (map[string]*knowledge.Entry, error)
	WorkspacesByID(ctx context.Context, ids []string) ([]*knowledge.Workspace, error)
}

// WorkspaceFinder gives the workspace of a key; NOT_FOUND (workspace) where there is none.
type WorkspaceFinder interface {
	Workspace(ctx context.Context, key string) (*knowledge.Workspace, error)
}

// Entries are the knowledge layer: entries and the relations between them.
type Entries struct {
	store      EntryStore
	lists      EntryLister
	relations  RelationStore
	supports   FactSupports
	workspaces WorkspaceFinder
	entities   EntityFinder
	embeddings *Embeddings
	mentions   *MentionFinder
	search     *EntrySearch
	expansions *Expansions
	tx         Transactor
	memory     *Memory
	features   func(*knowledge.Workspace) []knowledge.Feature
	clock      Clock
	newID      NewID
	log        *slog.Logger
}

// EntriesConfig is what Entries needs. Features tells a workspace's effective switches.
type EntriesConfig struct {
	Store      EntryStore
	Lists      EntryLister
	Relations  RelationStore
	Supports   FactSupports
	Workspaces WorkspaceFinder
	Entities   EntityFinder
	Embeddings *Embeddings
	Mentions   *MentionFinder
	Search     *EntrySearch
	Expansions *Expansions // nil: queries are not expanded
	Tx         Transactor
	Memory     *Memory // nil: nothing is held back
	Features   func(*knowledge.Workspace) []knowledge.Feature
	Clock      Clock
	NewID      NewID
	Log        *slog.Logger // nil: nothing is logged
}

// NewEntries makes the use cases of entries and relations.
func NewEntries(c EntriesConfig) *Entries {
	s := &Entries{
		store: c.Store, lists: c.Lists, relations: c.Relations, supports: c.Supports, workspaces: c.Workspaces,
		entities: c.Entities, embeddings: c.Embeddings, mentions: c.Mentions, search: c.Search, expansions: c.Expansions, tx: c.Tx, memory: c.Memory, features: c.Features, clock: c.Clock, newID: c.NewID, log: c.Log,
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	return s
}

// ByIDs are the entries of ids, those that exist in the workspace.
func (s *Entries) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entry, error) {
	found, err := s.lists.EntriesByID(ctx, workspaceID, ids)
	out := make(map[string]*knowledge.Entry, len(found))
	for _, e := range s.told(found) {
		out[e.ID] = e
	}
	return out, err
}

// told completes entries with what is known only here: whether their vectors are of the model in use.
func (s *Entries) told(entries []*knowledge.Entry) []*knowledge.Entry {
	for _, e := range entries {
		if e.Embedding != nil {
			e.Embedding.Stale = e.Embedding.Key != s.embeddings.Model().Key()
		}
	}
	return entries
}

// Browse is List for those who read: empty where ai_knowledge is off (SPEC Q3).
func (s *Entries) Browse(ctx context.Context, ws *knowledge.Workspace, filter knowledge.EntryFilter, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Entry], error) {
	if !knowledge.FeatureOn(s.features(ws), knowledge.FeatureAIKnowledge) {
		return emptyPage[*knowledge.Entry](page)
	}
	return s.List(ctx, ws.ID, filter, at, page)
}

// BrowseCount is how many entries Browse has in all.
func (s *Entries) BrowseCount(ctx context.Context, ws *knowledge.Workspace, filter knowledge.EntryFilter, at knowledge.TimePoint) (int, error) {
	if !knowledge.FeatureOn(s.features(ws), knowledge.FeatureAIKnowledge) {
		return 0, nil
	}
	return s.Count(ctx, ws.ID, filter, at)
}

func emptyPage[T any](page knowledge.PageRequest) (*knowledge.Page[T], error) {
	return pageOf(page, func(*knowledge.Cursor, int) ([]T, error) { return []T{}, nil }, func(T) knowledge.Cursor { return knowledge.Cursor{} })
}

// List pages through entries, newest first (SPEC K10), whatever the switches say. Expired ones are left out unless
// the filter wants them, and so is what does not hold at the moment that is asked about.
func (s *Entries) List(ctx context.Context, workspaceID string, filter knowledge.EntryFilter, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Entry], error) {
	q, err := s.listQuery(ctx, workspaceID, filter, at)
	if err != nil {
		return nil, err
	}
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.Entry, error) {
		q.From, q.Backward, q.Limit = from, page.Last, limit
		found, err := s.lists.Entries(ctx, workspaceID, *q)
		return s.told(found), err
	}, entryCursor)
}

func entryCursor(e *knowledge.Entry) knowledge.Cursor {
	return knowledge.Cursor{Key: e.CreatedAt.Format(time.RFC3339Nano), ID: e.ID}
}

// Count is the number of entries that fit a filter.
func (s *Entries) Count(ctx context.Context, workspaceID string, filter knowledge.EntryFilter, at knowledge.TimePoint) (int, error) {
	q, err := s.listQuery(ctx, workspaceID, filter, at)
	if err != nil {
		return 0, err
	}
	return s.lists.CountEntries(ctx, workspaceID, *q)
}

func (s *Entries) listQuery(ctx context.Context, workspaceID string, f knowledge.EntryFilter, at knowledge.TimePoint) (*knowledge.EntryListQuery, error) {
	if err := checkEntryFilter(f); err != nil {
		return nil, err
	}
	q := &knowledge.EntryListQuery{Filter: f, At: at, Now: s.clock()}
	if f.Contact != nil {
		contact, err := s.contact(ctx, workspaceID, *f.Contact)
		if err != nil {
			return nil, knowledge.InField("filter.contact", err)
		}
		q.ContactID = contact.ID
	}
	return q, nil
}

// contact is the entity that a reference names.
func (s *Entries) contact(ctx context.Context, workspaceID string, ref knowledge.EntityRef) (*knowledge.Entity, error) {
	return findOne(ctx, s.entities, workspaceID, ref)
}

func findOne(ctx context.Context, finder EntityFinder, workspaceID string, ref knowledge.EntityRef) (*knowledge.Entity, error) {
	found, errs, err := finder.FindMany(ctx, workspaceID, []knowledge.EntityRef{ref})
	if err != nil {
		return nil, err
	}
	return found[0], errs[0]
}

func checkEntryFilter(f knowledge.EntryFilter) error {
	if err := checkEntryTypes("filter.types", f.Types); err != nil {
		return err
	}
	for _, source := range f.Sources {
		if !source.Valid() {
			return knowledge.Invalid("filter.sources", "%q is not a source of entries", source)
		}
	}
	if len(f.Tags) > knowledge.MaxTags {
		return knowledge.Limit("filter.tags", "has more than %d tags", knowledge.MaxTags)
	}
	if f.MinConfidence != nil {
		if err := knowledge.CheckConfidence("filter.minConfidence", *f.MinConfidence); err != nil {
			return err
		}
	}
	for _, id := range append([]string{f.ThreadID, f.SourceID}, f.Tags...) {
		if err := knowledge.CheckText("filter", id, knowledge.MaxIDLength); err != nil {
			return err
		}
	}
	return nil
}

func checkEntryTypes(field string, types []knowledge.EntryType) error {
	for _, t := range types {
		if !t.Valid() {
			return knowledge.Invalid(field, "%q is not a type of entry", t)
		}
	}
	return nil
}

// EntityEntryQuery selects entries of an entity; no types means all.
type EntityEntryQuery struct {
	Types []knowledge.EntryType
	At    knowledge.TimePoint
}

func (s *Entries) ofEntityQuery(q EntityEntryQuery) (knowledge.EntryListQuery, error) {
	list := knowledge.EntryListQuery{Filter: knowledge.EntryFilter{Types: q.Types}, At: q.At, Now: s.clock()}
	return list, checkEntryTypes("types", q.Types)
}

// OfEntities pages through the entries that have an entity as contact or mention it, complete and newest
// first, for each of several entities; a page for every id, empty for what is not there. A cursor goes with a single id.
func (s *Entries) OfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EntityEntryQuery, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Entry], error) {
	list, err := s.ofEntityQuery(q)
	if err != nil {
		return nil, err
	}
	on, err := s.readable(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	if !on {
		return forwardPages(entityIDs, page, func(*knowledge.Cursor, int) (map[string][]*knowledge.Entry, error) {
			return map[string][]*knowledge.Entry{}, nil
		}, entryCursor)
	}
	return forwardPages(entityIDs, page, func(from *knowledge.Cursor, limit int) (map[string][]*knowledge.Entry, error) {
		list.From, list.Limit = from, limit
		found, err := s.lists.EntriesOfEntities(ctx, workspaceID, entityIDs, list)
		for _, entries := range found {
			s.told(entries)
		}
		return found, err
	}, entryCursor)
}

// CountOfEntities are the numbers of entries that OfEntities has in all, by entity id.
func (s *Entries) CountOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EntityEntryQuery) (map[string]int, error) {
	list, err := s.ofEntityQuery(q)
	if err != nil {
		return nil, err
	}
	if on, err := s.readable(ctx, workspaceID); err != nil || !on {
		return map[string]int{}, err
	}
	return s.lists.CountEntriesOfEntities(ctx, workspaceID, entityIDs, list)
}

// readable tells whether the knowledge layer of a workspace may be read in lists (SPEC Q3).
func (s *Entries) readable(ctx context.Context, workspaceID string) (bool, error) {
	found, err := s.lists.WorkspacesByID(ctx, []string{workspaceID})
	if err != nil || len(found) == 0 {
		return false, err
	}
	return knowledge.FeatureOn(s.features(found[0]), knowledge.FeatureAIKnowledge), nil
}

// Supports are what entries rest on, by entry id, oldest first.
func (s *Entries) Supports(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Support, error) {
	return s.supports.SupportsOf(ctx, workspaceID, knowledge.SupportedEntry, ids)
}

// SupersededBy are the newest entries that supersede the given ones, by the id of the superseded.
func (s *Entries) SupersededBy(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entry, error) {
	found, err := s.lists.SupersededBy(ctx, workspaceID, ids, s.clock())
	for _, e := range found {
		s.told([]*knowledge.Entry{e})
	}
	return found, err
}
