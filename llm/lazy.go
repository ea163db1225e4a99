package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// ErrNotReady means that the embedder is still being opened: fetched, or loaded.
var ErrNotReady = errors.New("the embedding model is not loaded yet")

// The pauses between attempts to open the local embedder, when one failed for
// want of a network, say.
const (
	firstReopen   = 30 * time.Second
	longestReopen = 10 * time.Minute
)

// LazyLocal is the local embedder, opened in the background, so that a server
// answers before the model is there. It is safe for concurrent use.
type LazyLocal struct {
	stop  context.CancelFunc
	done  chan struct{} // closed when the background goroutine has ended
	tried chan struct{} // closed when the first attempt has ended

	mu    sync.RWMutex
	local embedder // nil until opened
	err   error    // of the last attempt
}

// embedder is what LazyLocal needs of Local.
type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Close() error
}

// StartLocal begins to open the local embedder and returns at once. Attempts
// that fail are repeated, after 30 s and then ever more, up to 10 min, unless
// the platform cannot run the model. Close ends it, and so does ctx.
func StartLocal(ctx context.Context, c LocalConfig) *LazyLocal {
	c = c.withDefaults()
	between := backoff.NewExponentialBackOff()
	between.InitialInterval, between.MaxInterval, between.Multiplier = firstReopen, longestReopen, 2
	return startLazy(ctx, c.Log, between, func(ctx context.Context) (embedder, error) {
		local, err := OpenLocal(ctx, c)
		if err != nil {
			return nil, err
		}
		return local, nil
	})
}

func startLazy(ctx context.Context, log *slog.Logger, between backoff.BackOff, open func(context.Context) (embedder, error)) *LazyLocal {
	ctx, stop := context.WithCancel(ctx)
	l := &LazyLocal{stop: stop, done: make(chan struct{}), tried: make(chan struct{}), err: ErrNotReady}
	go func() {
		defer close(l.done)
		first := sync.OnceFunc(func() { close(l.tried) })
		// The outcome is kept by each attempt, for Err and Embed.
		_, _ = backoff.Retry(ctx, func() (struct{}, error) {
			defer first()
			local, err := open(ctx)
			l.keep(local, err)
			if errors.Is(err, ErrNoLocalEmbedder) {
				log.WarnContext(ctx, "no local embedding model, search works on text alone", slog.Any("cause", err))
				return struct{}{}, backoff.Permanent(err)
			}
			return struct{}{}, err
		}, backoff.WithBackOff(between), backoff.WithMaxElapsedTime(0), backoff.WithNotify(func(err error, pause time.Duration) {
			log.WarnContext(ctx, "embedding model is not available, trying again", slog.Any("cause", err), slog.Duration("pause", pause))
		}))
	}()
	return l
}

func (l *LazyLocal) keep(local embedder, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("%w: %w", ErrNotReady, err)
	}
	l.local, l.err = local, err
}

// Model describes the model, also before it is loaded.
func (l *LazyLocal) Model() Model { return LocalModel() }

// Ready reports whether Embed works.
func (l *LazyLocal) Ready() bool { return l.Err() == nil }

// Err is nil when Embed works, ErrNotReady while the first attempt to open the
// model runs, and afterwards ErrNotReady with the cause of the last failure.
func (l *LazyLocal) Err() error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.err
}

// Wait returns when the first attempt to open the model has ended, with Err, or with ctx's error.
func (l *LazyLocal) Wait(ctx context.Context) error {
	select {
	case <-l.tried:
		return l.Err()
	case <-l.done:
		return l.Err()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Embed is that of Local; until the model is there it returns Err at once.
func (l *LazyLocal) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	l.mu.RLock()
	local, err := l.local, l.err
	l.mu.RUnlock()
	if err != nil {
		return nil, err
	}
	return local.Embed(ctx, texts)
}

// Close stops opening, waits for it, and closes the model. Closing twice is harmless.
func (l *LazyLocal) Close() error {
	l.stop()
	<-l.done
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.local == nil {
		return nil
	}
	return l.local.Close()
}
