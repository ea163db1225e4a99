package service

import (
	"context"
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
	// youngWorkspace is up to how many entries every few more make a difference.
	youngWorkspace = 200
	// youngLifetime is how long the statistics of a young workspace are believed.
	youngLifetime = time.Second
)

// recallStats are the statistics of one workspace.
type recallStats struct {
	sizes knowledge.EntrySizes
	words *knowledge.WorkspaceStats
	read  time.Time
}

func (s *recallStats) fresh(now time.Time) bool {
	lifetime := statsLifetime
	if s.sizes.Workspace <= youngWorkspace {
		lifetime = youngLifetime
	}
	return now.Sub(s.read) < lifetime
}

// statsCache keeps statistics by workspace. Old ones are answered while new ones are read,
// unless nothing is known yet.
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

// of are the statistics of a workspace, at most statsLifetime old.
func (c *statsCache) of(ctx context.Context, workspaceID string) (*recallStats, error) {
	if s, ok := c.byWS.Get(workspaceID); ok && s.fresh(time.Now()) {
		return s, nil
	}
	v, err, _ := c.flight.Do(workspaceID, func() (any, error) {
		if s, ok := c.byWS.Get(workspaceID); ok && s.fresh(time.Now()) {
			return s, nil
		}
		return c.read(ctx, workspaceID)
	})
	if err != nil {
		return nil, err
	}
	return v.(*recallStats), nil
}

func (c *statsCache) read(ctx context.Context, workspaceID string) (*recallStats, error) {
	sizes, err := c.search.EntrySizes(ctx, workspaceID)
	if err != nil {
		return nil, err
	}
	s := &recallStats{sizes: sizes, read: time.Now()}
	// A sample of a large workspace is as good when it has grown by a tenth.
	if old, ok := c.byWS.Get(workspaceID); ok && sizes.Workspace > youngWorkspace && similar(old.words.Documents(), sizes.Workspace) {
		s.words = old.words
	} else {
		sample, err := c.search.EntrySample(ctx, workspaceID, sampleSize)
		if err != nil {
			return nil, err
		}
		s.words = knowledge.NewWorkspaceStats(sample, sizes.Workspace)
	}
	c.byWS.Add(workspaceID, s)
	return s, nil
}

// similar tells whether two sizes differ by a tenth at most.
func similar(a, b int) bool { return max(a, b)-min(a, b) <= max(a, b)/10 }
