package service_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"mneme/codegraph"
	"mneme/cypher"
	"mneme/internal/neo4jtest"
	"mneme/knowledge"
	"mneme/service"
)

// codeBundle is a workspace and a folder of source.
type codeBundle struct {
	*bundle
	code  *service.Code
	dir   string
	cache *codegraph.MemoryCache
	scans int // that went beyond the digest
}

// engineAndCar is the example of SPEC P15.
const engineAndCar = `
-- engine.ts --
/** Turns fuel into motion. */
export class Engine { start(): void { ignite() } }
function ignite() {}
-- car.ts --
import { Engine } from './engine';
export class Car { engine = new Engine(); }
`

func withCode(t *testing.T, archive string) *codeBundle {
	t.Helper()
	return withCodeOn(t, neo4jtest.Open(t), archive)
}

func withCodeOn(t *testing.T, store *cypher.Store, archive string) *codeBundle {
	t.Helper()
	b := &codeBundle{bundle: setup(t), dir: filepath.Join(t.TempDir(), "cars"), cache: codegraph.NewMemoryCache()}
	b.all = service.New(service.Config{
		Store: store, Features: func(*knowledge.Workspace) []knowledge.Feature { return b.features }, Clock: b.clock.Now, NewID: newID,
		ScanCode: b.scan, ResolveCode: codegraph.Roots{b.dir}.Resolve,
	})
	b.code, b.entities = b.all.Code, b.all.Entities
	b.put(t, archive)
	return b
}

func (b *codeBundle) scan(ctx context.Context, r service.CodeScanRequest) (service.CodeScan, error) {
	s, err := codegraph.NewScan(ctx, r.Folder, codegraph.Options{Repository: r.Repository, Progress: r.Progress, Cache: b.cache})
	if errors.Is(err, codegraph.ErrNotAFolder) {
		return nil, knowledge.Invalid("path", "no folder")
	}
	if err != nil {
		return nil, err
	}
	return countedScan{s, b}, nil
}

type countedScan struct {
	*codegraph.Scan
	b *codeBundle
}

func (s countedScan) Index(ctx context.Context) (*knowledge.CodeIndex, error) {
	s.b.scans++
	return s.Scan.Index(ctx)
}

// put writes files.
func (b *codeBundle) put(t testing.TB, archive string) {
	t.Helper()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		path := filepath.Join(b.dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, f.Data, 0o600))
	}
}

func (b *codeBundle) index(t testing.TB) *service.CodeRun {
	t.Helper()
	run, err := b.code.Index(t.Context(), b.ws, service.CodeIndexRequest{Folder: b.dir})
	require.NoError(t, err)
	return run
}

func (b *codeBundle) clean(t testing.TB) *knowledge.CodeIndex {
	t.Helper()
	x, err := codegraph.Build(t.Context(), b.dir, codegraph.Options{})
	require.NoError(t, err)
	return x
}

// sameAsClean compares what is stored with a clean index of the folder.
func (b *codeBundle) sameAsClean(t require.TestingT, ctx context.Context, clean *knowledge.CodeIndex, because ...any) { //nolint:revive // the test comes first everywhere
	stored, err := b.code.Stored(ctx, b.ws, clean.Repository)
	require.NoError(t, err, because...)
	require.Equal(t, clean.Parts(), stored.Parts(), because...)
	require.Equal(t, clean.Packages, stored.Packages, because...)
	require.Equal(t, clean.Listing(), stored.Listing(), because...)
}
