package service

import (
	"context"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"mneme/knowledge"
)

// NameStore looks entities up by their names.
type NameStore interface {
	// MentionNames are the names and aliases that are among normalised keys, and those
	// that are one with a qualifier in brackets behind it.
	MentionNames(ctx context.Context, workspaceID string, keys []string) ([]knowledge.MentionName, error)
	// NamesSince are names that changed from a moment on, behind an entity of that moment.
	NamesSince(ctx context.Context, workspaceID string, since time.Time, after string, limit int) ([]knowledge.NameChange, error)
}

const (
	// directKeys is how many keys of a workspace are looked up one by one before a filter
	// of its names is worth reading: some half second of look-ups.
	directKeys = 20_000
	// namesPage is how many entities' names are read at once.
	namesPage = 5_000
	// namesOverlap is how long a change may take from its moment until it can be read.
	namesOverlap = 15 * time.Second
	// namesLifetime is after which time a filter is read anew, for changes with moments
	// of long ago, such as those of an import.
	namesLifetime = 10 * time.Minute
	// nameFilters is of how many workspaces filters are kept, and filteredNames of how
	// many names each: 40 bytes a name.
	nameFilters   = 64
	filteredNames = 500_000
)

// MentionFinder finds the entities that texts name. It is safe for concurrent use and
// knows what other servers write.
//
// A text is cut into all that may be a name, and that is looked up in the database, so
// that the number of names does not matter. Where many texts come, a filter of the
// workspace's names, brought up to date before each use, keeps most of it away.
type MentionFinder struct {
	store NameStore
	byWS  *lru.Cache[string, *workspaceNames]
}

// NewMentionFinder makes a finder.
func NewMentionFinder(store NameStore) *MentionFinder {
	cache, err := lru.New[string, *workspaceNames](nameFilters)
	if err != nil {
		panic(err) // only for a size below 1, and it is a constant
	}
	return &MentionFinder{store: store, byWS: cache}
}

// workspaceNames is what is known of the names of a workspace.
type workspaceNames struct {
	mu     sync.Mutex
	direct int                   // keys that were looked up without a filter
	filter *knowledge.NameFilter // nil: none yet
	read   time.Time             // when the filter was begun
	seen   time.Time             // the latest change in it
	after  string                // the entity of that change
}

// Find are the entities that each of the texts names, in order, each once. A nil finder finds none.
func (f *MentionFinder) Find(ctx context.Context, workspaceID string, texts []string) ([][]string, error) {
	if f == nil {
		return make([][]string, len(texts)), nil
	}
	var keys []string
	for _, text := range texts {
		keys = append(keys, knowledge.MentionKeys(text)...)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if len(keys) == 0 {
		return make([][]string, len(texts)), nil
	}
	keys, err := f.filtered(ctx, workspaceID, keys)
	if err != nil {
		return nil, err
	}
	var names []knowledge.MentionName
	for batch := range slices.Chunk(keys, namesPage) {
		found, err := f.store.MentionNames(ctx, workspaceID, batch)
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	return knowledge.MentionedIn(names, texts), nil
}

// filtered are the keys that may be names.
func (f *MentionFinder) filtered(ctx context.Context, workspaceID string, keys []string) ([]string, error) {
	fresh := &workspaceNames{}
	w, ok, _ := f.byWS.PeekOrAdd(workspaceID, fresh)
	if !ok {
		w = fresh
	}
	f.byWS.Get(workspaceID) // it was used
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if w.filter != nil && (now.Sub(w.read) > namesLifetime || w.filter.Size() > filteredNames) {
		w.filter = nil
	}
	if w.filter == nil {
		if w.direct += len(keys); w.direct < directKeys {
			return keys, nil
		}
		w.filter, w.read, w.seen, w.after = knowledge.NewNameFilter(), now, time.Time{}, ""
	}
	if err := f.update(ctx, workspaceID, w); err != nil {
		w.filter = nil
		return nil, err
	}
	return w.filter.Keep(keys), nil
}

// update reads the names that changed since the last time.
func (f *MentionFinder) update(ctx context.Context, workspaceID string, w *workspaceNames) error {
	since, after := w.seen, w.after
	if !since.IsZero() {
		since, after = since.Add(-namesOverlap), ""
	}
	for {
		changes, err := f.store.NamesSince(ctx, workspaceID, since, after, namesPage)
		if err != nil {
			return err
		}
		for _, c := range changes {
			w.filter.Add(c.Names...)
			since, after = c.At, c.EntityID
		}
		if since.After(w.seen) {
			w.seen, w.after = since, after
		}
		if len(changes) < namesPage {
			return nil
		}
	}
}
