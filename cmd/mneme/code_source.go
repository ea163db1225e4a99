package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"path/filepath"

	"mneme/codegraph"
	"mneme/knowledge"
	"mneme/service"
)

// codeSource reads folders of source; what it learns of single files it keeps in the cache folder, one file a
// repository.
type codeSource struct {
	cacheDir string
	log      *slog.Logger
}

func (c codeSource) scan(ctx context.Context, r service.CodeScanRequest) (service.CodeScan, error) {
	sum := sha256.Sum256([]byte(r.Folder + "\x00" + r.Repository))
	cache := codegraph.OpenFileCache(filepath.Join(c.cacheDir, "code", hex.EncodeToString(sum[:8])+".facts"))
	scan, err := codegraph.NewScan(ctx, r.Folder, codegraph.Options{Repository: r.Repository, Cache: cache, Progress: r.Progress})
	if errors.Is(err, codegraph.ErrNotAFolder) {
		return nil, knowledge.Invalid("path", "%s is not a folder that can be read", r.Folder)
	}
	if err != nil {
		return nil, err
	}
	return &cachedScan{Scan: scan, cache: cache, log: c.log}, nil
}

// cachedScan keeps what an index has learned.
type cachedScan struct {
	*codegraph.Scan
	cache *codegraph.FileCache
	log   *slog.Logger
}

// Index implements service.CodeScan.
func (s *cachedScan) Index(ctx context.Context) (*knowledge.CodeIndex, error) {
	index, err := s.Scan.Index(ctx)
	if err != nil {
		return nil, err
	}
	if err := s.cache.Save(); err != nil {
		s.log.WarnContext(ctx, "what was learned of the source is not kept for the next run", slog.Any("cause", err))
	}
	return index, nil
}
