package llm

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oneVector is a stand-in for the model, to inject failures before it.
type oneVector struct{ closed *bool }

func (oneVector) Embed(context.Context, []string) ([][]float32, error) {
	return [][]float32{{1}}, nil
}

func (o oneVector) Close() error { *o.closed = true; return nil }

var silent = slog.New(slog.DiscardHandler)

func TestLazyLocal_L2_NotReadyWhileOpening(t *testing.T) {
	t.Parallel()
	release, closed := make(chan struct{}), false
	l := startLazy(t.Context(), silent, &backoff.ZeroBackOff{}, func(context.Context) (embedder, error) {
		<-release
		return oneVector{&closed}, nil
	})
	assert.False(t, l.Ready())
	_, err := l.Embed(t.Context(), []string{"x"})
	require.ErrorIs(t, err, ErrNotReady)
	assert.Equal(t, 384, l.Model().Dimensions)

	close(release)
	require.NoError(t, l.Wait(t.Context()))
	assert.True(t, l.Ready())
	v, err := l.Embed(t.Context(), []string{"x"})
	require.NoError(t, err)
	assert.Len(t, v, 1)
	require.NoError(t, l.Close())
	require.NoError(t, l.Close())
	assert.True(t, closed)
}

func TestLazyLocal_TriesAgain(t *testing.T) {
	t.Parallel()
	attempts, closed, opened := 0, false, make(chan struct{})
	cause := errors.New("no network")
	l := startLazy(t.Context(), silent, &backoff.ZeroBackOff{}, func(context.Context) (embedder, error) {
		attempts++
		if attempts < 3 {
			return nil, cause
		}
		close(opened)
		return oneVector{&closed}, nil
	})
	<-opened
	<-l.done
	require.NoError(t, l.Err())
	assert.Equal(t, 3, attempts)
	require.NoError(t, l.Close())
}

func TestLazyLocal_SaysWhyItIsNotReady(t *testing.T) {
	t.Parallel()
	cause := errors.New("no network")
	l := startLazy(t.Context(), silent, backoff.NewConstantBackOff(time.Hour), func(context.Context) (embedder, error) {
		return nil, cause
	})
	err := l.Wait(t.Context())
	require.ErrorIs(t, err, ErrNotReady)
	require.ErrorIs(t, err, cause)
	require.NoError(t, l.Close(), "also while it waits for the next attempt")
}

func TestLazyLocal_GivesUpWhereThereIsNone(t *testing.T) {
	t.Parallel()
	l := startLazy(t.Context(), silent, &backoff.ZeroBackOff{}, func(context.Context) (embedder, error) {
		return nil, ErrNoLocalEmbedder
	})
	<-l.done
	require.ErrorIs(t, l.Err(), ErrNoLocalEmbedder)
	require.NoError(t, l.Close())
}

func TestLazyLocal_CloseEndsOpening(t *testing.T) {
	t.Parallel()
	l := startLazy(t.Context(), silent, &backoff.ZeroBackOff{}, func(ctx context.Context) (embedder, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, l.Wait(ctx), context.Canceled)
	require.NoError(t, l.Close())
	require.ErrorIs(t, l.Err(), context.Canceled)
}
