//go:build cgo

package llm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"
)

// runtimeMu guards ONNX Runtime's environment, of which its bindings keep one a
// process. It is made by the first OpenLocal and stays: unloading gains
// nothing, since every embedder uses the same library.
var runtimeMu sync.Mutex

// Local embeds with bge-small-en-v1.5 (int8) in this process. It is safe for
// concurrent use.
//
// One session serves all goroutines, without threads of its own: a text is one
// run, and texts run side by side. Measured against two sessions, and against
// one that splits each text over two threads, that is the fastest on two cores
// and the smallest.
type Local struct {
	session *ort.DynamicAdvancedSession
	tokens  *wordPiece
	threads int
	running *semaphore.Weighted // one a text, first come first served: a query waits for one text of a bulk, not for all

	mu     sync.RWMutex // held for reading while a text runs, for writing by Close
	closed bool
}

// OpenLocal opens the local model, fetching its files when the cache does not
// hold them. ErrNoLocalEmbedder when it cannot run here; ErrModelMismatch when
// its files are not what they must be; otherwise the errors of a fetch
// (mavencache.Err…).
func OpenLocal(ctx context.Context, c LocalConfig) (*Local, error) {
	if c.CacheDir == "" {
		return nil, errors.New("open the local embedder: no cache folder given")
	}
	c = c.withDefaults()
	cache, err := newModelCache(c)
	if err != nil {
		return nil, err
	}
	if err := cache.ensure(ctx); err != nil {
		return nil, err
	}
	vocabulary, err := os.ReadFile(cache.path(vocabularyFile))
	if err != nil {
		return nil, fmt.Errorf("open the local embedder: %w", err)
	}
	tokens, err := newWordPiece(vocabulary, localMaxTokens)
	if err != nil {
		return nil, fmt.Errorf("open the local embedder: %w", err)
	}
	if err := startRuntime(cache.path(cache.parts[0].name)); err != nil {
		return nil, err
	}
	session, err := newSession(cache.path(modelFile))
	if err != nil {
		return nil, fmt.Errorf("open the local embedder: %w", err)
	}
	return &Local{session: session, tokens: tokens, threads: c.Threads, running: semaphore.NewWeighted(int64(c.Threads))}, nil
}

// startRuntime loads ONNX Runtime, once a process.
func startRuntime(library string) error {
	runtimeMu.Lock()
	defer runtimeMu.Unlock()
	if ort.IsInitialized() {
		return nil
	}
	ort.SetSharedLibraryPath(library)
	if err := ort.InitializeEnvironment(ort.WithLogLevelError()); err != nil {
		// The file is the right one, so this system cannot load it (another libc, say).
		return fmt.Errorf("%w: %w", ErrNoLocalEmbedder, err)
	}
	if err := ort.DisableTelemetry(); err != nil {
		return fmt.Errorf("switch off the telemetry of ONNX Runtime: %w", err)
	}
	return nil
}

func newSession(path string) (_ *ort.DynamicAdvancedSession, err error) {
	options, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, options.Destroy()) }()
	err = errors.Join(
		options.SetIntraOpNumThreads(1),
		options.SetInterOpNumThreads(1),
		// A pattern is kept for every length of text. The arena stays on:
		// without it two texts of 512 tokens took 500 MB, with it 150.
		options.SetMemPattern(false),
	)
	if err != nil {
		return nil, err
	}
	return ort.NewDynamicAdvancedSession(path,
		[]string{"input_ids", "attention_mask", "token_type_ids"}, []string{"last_hidden_state"}, options)
}

// Model describes the model, as LocalModel does.
func (l *Local) Model() Model { return LocalModel() }

// Embed returns a vector for each text, in order. What exceeds 512 tokens of a
// text does not count. A text without any token has a nil vector. A vector
// depends on its text only, never on the others. When ctx ends, the texts that
// are running (a fraction of a second each) are the last ones, and its error is
// returned; ErrClosed after Close.
func (l *Local) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(l.threads)
	for i, text := range texts {
		if running.Err() != nil {
			break
		}
		group.Go(func() (err error) {
			vectors[i], err = l.embedOne(running, text)
			return err
		})
	}
	if err := errors.Join(group.Wait(), ctx.Err()); err != nil {
		return nil, err
	}
	return vectors, nil
}

func (l *Local) embedOne(ctx context.Context, text string) ([]float32, error) {
	if err := l.running.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer l.running.Release(1)
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closed {
		return nil, ErrClosed
	}
	ids := l.tokens.encode(text)
	if len(ids) <= 2 {
		return nil, nil
	}
	return l.run(ids)
}

// run feeds one text to the model. Always one: the int8 activations are scaled
// by the whole batch, so in a batch a vector would depend on its neighbours
// and on the padding.
func (l *Local) run(ids []int64) (_ []float32, err error) {
	n := int64(len(ids))
	attend := make([]int64, n)
	for i := range attend {
		attend[i] = 1
	}
	values := make([]ort.Value, 0, 4)
	defer func() {
		for _, v := range values {
			err = errors.Join(err, v.Destroy())
		}
	}()
	for _, input := range [][]int64{ids, attend, make([]int64, n)} {
		tensor, err := ort.NewTensor(ort.NewShape(1, n), input)
		if err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		values = append(values, tensor)
	}
	hidden, err := ort.NewEmptyTensor[float32](ort.NewShape(1, n, localDimensions))
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	values = append(values, hidden)
	if err := l.session.Run(values[:3], values[3:]); err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	// CLS pooling: the first token's state stands for the text.
	vector := make([]float32, localDimensions)
	copy(vector, hidden.GetData())
	if !normalize(vector) {
		return nil, errors.New("embed: the model gave a vector without direction")
	}
	return vector, nil
}

// Close waits for the running texts and frees the model. Closing twice is harmless.
func (l *Local) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.session.Destroy()
}
