package service

import (
	"context"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"

	"mneme/knowledge"
)

const (
	// sampleSize is how many of a workspace's entries are read for its statistics; they
	// are exact for workspaces of up to that many.
	sampleSize = 2_000
	// statsWorkspaces is of how many workspaces the statistics are kept: some 300 KB each.
	statsWorkspaces = 128
	// statsLifetime is how long statistics are believed. What they decide, the weight of a
	// word and the way of a search, changes little within that time.
	statsLifetime = 20 * time.Second
	// youngWorkspace is up to how many entries every further one makes a difference; whether
	// there is one is asked each time.
	youngWorkspace = 200
)

// recallStats are the statistics of one workspace.
type recallStats struct {
	sizes knowledge.EntrySizes
	words *knowledge.WorkspaceStats
	read  time.Time
	// version is that of a young workspace whose statistics these are.
	version knowledge.EntryVersion

	gaps   sync.Mutex
	gapsOf string // the key of the model for which other is known
	other  string // the name of another model that made some vectors; empty: none
}

func (s *recallStats) young() bool { return s.sizes.Workspace <= youngWorkspace }

// statsCache keeps statistics by workspace.
type statsCache struct {
	search Searcher
	byWS   *lru.Cache[string, *recallStats]
	flight singleflight.Group
}

func newStatsCache(search Searcher) *statsCache {
	cache, err := lru.New[string, *recallStats](statsWorkspaces)
	if err != nil {
		panic(err) // only for a size below 1, and it is a constant
	}
	return &statsCache{search: search, byWS: cache}
}

// otherModel is the name of another model than the given one that made some of a
// workspace's vectors; empty where there is none.
func (c *statsCache) otherModel(ctx context.Context, workspaceID string, model knowledge.EmbeddingModel) (string, error) {
	s, err := c.of(ctx, workspaceID)
	if err != nil {
		return "", err
	}
	s.gaps.Lock()
	defer s.gaps.Unlock()
	if s.gapsOf == model.Key() {
		return s.other, nil
	}
	_, other, err := c.search.VectorGaps(ctx, workspaceID, model)
	if err == nil {
		s.gapsOf, s.other = model.Key(), other
	}
	return other, err
}

// of are the statistics of a workspace: those of this moment for a young one, else at
// most statsLifetime old.
func (c *statsCache) of(ctx context.Context, workspaceID string) (*recallStats, error) {
	s, ok := c.byWS.Get(workspaceID)
	if ok && !s.young() && time.Since(s.read) < statsLifetime {
		return s, nil
	}
	var version knowledge.EntryVersion
	if ok && s.young() {
		var err error
		if version, err = c.search.EntryVersion(ctx, workspaceID); err != nil || version == s.version && time.Since(s.read) < statsLifetime {
			return s, err
		}
	}
	v, err, _ := c.flight.Do(workspaceID+" "+version.ChangedAt.String(), func() (any, error) { return c.read(ctx, workspaceID) })
	if err != nil {
		return nil, err
	}
	return v.(*recallStats), nil
}

func (c *statsCache) read(ctx context.Context, workspaceID string) (*recallStats, error) {
	s := &recallStats{read: time.Now()}
	var err error
	if s.sizes, err = c.search.EntrySizes(ctx, workspaceID); err != nil {
		return nil, err
	}
	if s.young() {
		// Before the texts, so that a change between the two is seen next time.
		if s.version, err = c.search.EntryVersion(ctx, workspaceID); err != nil {
			return nil, err
		}
	}
	// The sample of a large workspace does until it has grown by a tenth.
	if old, ok := c.byWS.Get(workspaceID); ok && !s.young() && !old.young() && similar(old.words.Documents(), s.sizes.Workspace) {
		s.words = old.words
	} else {
		sample, err := c.search.EntrySample(ctx, workspaceID, sampleSize)
		if err != nil {
			return nil, err
		}
		s.words = knowledge.NewWorkspaceStats(sample, s.sizes.Workspace)
	}
	c.byWS.Add(workspaceID, s)
	return s, nil
}

// similar tells whether two sizes differ by a tenth at most.
func similar(a, b int) bool { return max(a, b)-min(a, b) <= max(a, b)/10 }
