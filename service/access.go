package service

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"mneme/knowledge"
)

// AccessStore counts recalls of entries; ids that are gone are passed over.
type AccessStore interface {
	MarkAccessed(ctx context.Context, marks []knowledge.AccessMark) error
}

const (
	accessInterval = 2 * time.Second
	accessBatch    = 500
	// accessLimit bounds what waits: beyond it recalls are not counted, which costs
	// nothing but a number.
	accessLimit = 20_000
	// accessFlush is how long the last marks may take when everything ends.
	accessFlush = 5 * time.Second
)

// AccessMarks counts recalls of entries in the background, in batches (SPEC G15, L9).
// It is safe for concurrent use; a nil one counts nothing.
type AccessMarks struct {
	store   AccessStore
	log     *slog.Logger
	full    chan struct{}
	mu      sync.Mutex
	waiting map[accessKey]*knowledge.AccessMark
}

type accessKey struct{ workspaceID, entryID string }

// NewAccessMarks makes the queue; Run empties it.
func NewAccessMarks(store AccessStore, log *slog.Logger) *AccessMarks {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &AccessMarks{store: store, log: log, full: make(chan struct{}, 1), waiting: make(map[accessKey]*knowledge.AccessMark)}
}

// Add notes that an entry was recalled.
func (a *AccessMarks) Add(workspaceID, entryID string, at time.Time) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	key := accessKey{workspaceID, entryID}
	m := a.waiting[key]
	if m == nil {
		if len(a.waiting) >= accessLimit {
			return
		}
		m = &knowledge.AccessMark{WorkspaceID: workspaceID, EntryID: entryID}
		a.waiting[key] = m
	}
	m.Count++
	if at.After(m.At) {
		m.At = at
	}
	if len(a.waiting) >= accessBatch {
		select {
		case a.full <- struct{}{}:
		default:
		}
	}
}

// Run writes what waits, now and then, until the context ends, and once more then.
func (a *AccessMarks) Run(ctx context.Context) error {
	ticker := time.NewTicker(accessInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), accessFlush)
			defer cancel()
			return a.Flush(last)
		case <-a.full:
		case <-ticker.C:
		}
		if err := a.Flush(ctx); err != nil && ctx.Err() == nil {
			a.log.WarnContext(ctx, "recalls could not be counted", slog.Any("cause", err))
		}
	}
}

// Flush writes what waits. What cannot be written is forgotten.
func (a *AccessMarks) Flush(ctx context.Context) error {
	a.mu.Lock()
	marks := make([]knowledge.AccessMark, 0, len(a.waiting))
	for _, m := range a.waiting {
		marks = append(marks, *m)
	}
	clear(a.waiting)
	a.mu.Unlock()
	slices.SortFunc(marks, func(x, y knowledge.AccessMark) int { return strings.Compare(x.EntryID, y.EntryID) })
	for batch := range slices.Chunk(marks, accessBatch) {
		if err := a.store.MarkAccessed(ctx, batch); err != nil {
			return err
		}
	}
	return nil
}
