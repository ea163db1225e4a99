//go:build cgo

package llm

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// testCacheDir is the cache that the product uses, so that the model is fetched once.
func testCacheDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv("MNEME_CACHE_DIR"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	return filepath.Join(dir, "mneme")
}

func openLocal(t testing.TB) *Local {
	t.Helper()
	l, err := OpenLocal(t.Context(), LocalConfig{CacheDir: testCacheDir(t)})
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, l.Close()) })
	return l
}

func TestLocal_K3_VectorsOfUnitLength(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	vectors, err := l.Embed(t.Context(), []string{"short", "日本語", strings.Repeat("a long text that is cut ", 400), "\U0001f680"})
	require.NoError(t, err)
	require.Len(t, vectors, 4)
	for _, v := range vectors {
		require.Len(t, v, 384)
		require.InDelta(t, 1, math.Sqrt(cosine(v, v)), 1e-6)
	}
	assert.Equal(t, Model{
		Name: "bge-small-en-v1.5-int8", Hash: "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4",
		Dimensions: 384, Local: true,
	}, l.Model())
}

func TestLocal_MeaningIsNear(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	v, err := l.Embed(t.Context(), []string{
		"Who is responsible for the payment service?",
		"Maria owns billing: she is the lead of the payments team.",
		"The office plants are watered on Tuesdays.",
	})
	require.NoError(t, err)
	assert.Greater(t, cosine(v[0], v[1]), cosine(v[0], v[2])+0.1)
	assert.Greater(t, cosine(v[0], v[1]), 0.65)
}

func TestLocal_VectorDoesNotDependOnOthers(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	texts := []string{"one", strings.Repeat("quite a bit longer than the others ", 30), "a third text", "one", "last"}
	together, err := l.Embed(t.Context(), texts)
	require.NoError(t, err)
	for i, text := range texts {
		alone, err := l.Embed(t.Context(), []string{text})
		require.NoError(t, err)
		require.Equal(t, alone[0], together[i], "text %d", i)
	}
	assert.Equal(t, together[0], together[3])
}

func TestLocal_SameVectorFromManyGoroutines(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	texts := []string{"the deployment failed at night", "rollback finished", "nobody noticed"}
	want, err := l.Embed(t.Context(), texts)
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			got, err := l.Embed(t.Context(), texts)
			if assert.NoError(t, err) {
				assert.Equal(t, want, got)
			}
		})
	}
	wg.Wait()
}

func TestLocal_OnlyTheFirst512TokensCount(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	full := strings.Repeat("word ", 510)
	v, err := l.Embed(t.Context(), []string{full, full + "and something else entirely", strings.Repeat("word ", 509)})
	require.NoError(t, err)
	assert.Equal(t, v[0], v[1])
	assert.NotEqual(t, v[0], v[2])
}

func TestLocal_TextWithoutTokensHasNoVector(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	v, err := l.Embed(t.Context(), []string{"", "text", " \n\t ", "\u200b\x00"})
	require.NoError(t, err)
	require.Len(t, v, 4)
	assert.Nil(t, v[0])
	assert.NotNil(t, v[1])
	assert.Nil(t, v[2])
	assert.Nil(t, v[3])
	none, err := l.Embed(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, none)
}

func TestLocal_CancelledContext(t *testing.T) {
	t.Parallel()
	l := openLocal(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		// Some minutes of work, unless it stops early.
		_, err := l.Embed(ctx, make10000Texts())
		done <- err
	}()
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)

	_, err := l.Embed(ctx, []string{"text"})
	require.ErrorIs(t, err, context.Canceled)
}

func make10000Texts() []string {
	texts := make([]string, 10_000)
	for i := range texts {
		texts[i] = strings.Repeat("a text that takes a while ", 80)
	}
	return texts
}

func TestLocal_CloseWaitsAndEnds(t *testing.T) {
	t.Parallel()
	l, err := OpenLocal(t.Context(), LocalConfig{CacheDir: testCacheDir(t)})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			v, err := l.Embed(t.Context(), []string{"a text among others"})
			if err != nil {
				assert.ErrorIs(t, err, ErrClosed)
				return
			}
			assert.Len(t, v[0], 384)
		})
	}
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	wg.Wait()
	_, err = l.Embed(t.Context(), []string{"text"})
	require.ErrorIs(t, err, ErrClosed)
}

func TestOpenLocal_RefusesNoCacheFolder(t *testing.T) {
	t.Parallel()
	_, err := OpenLocal(t.Context(), LocalConfig{})
	require.ErrorContains(t, err, "cache folder")
}

func BenchmarkLocal(b *testing.B) {
	l := openLocal(b)
	for name, text := range map[string]string{
		"short":     "I moved the review to Friday because Ana is travelling this week",
		"200tokens": strings.Repeat("the team decided to keep the old queue ", 25)[:39*25-1],
		"512tokens": strings.Repeat("the team decided to keep the old queue ", 70),
	} {
		b.Run(name, func(b *testing.B) {
			batch := make([]string, 64)
			for i := range batch {
				batch[i] = text
			}
			texts := 0
			for b.Loop() {
				_, err := l.Embed(b.Context(), batch)
				require.NoError(b, err)
				texts += len(batch)
			}
			b.ReportMetric(float64(texts)/b.Elapsed().Seconds(), "texts/s")
		})
	}
}

func TestStartLocal_OpensTheModel(t *testing.T) {
	t.Parallel()
	l := StartLocal(t.Context(), LocalConfig{CacheDir: testCacheDir(t)})
	require.NoError(t, l.Wait(t.Context()))
	v, err := l.Embed(t.Context(), []string{"text"})
	require.NoError(t, err)
	assert.Len(t, v[0], 384)
	require.NoError(t, l.Close())
}
