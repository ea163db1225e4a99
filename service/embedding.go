package service

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// Embedder makes vectors of texts. A text without anything to embed has a nil vector.
// Embed fails at once while the model is not there yet; Model is known from the start.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() knowledge.EmbeddingModel
}

// VectorStore keeps the vectors of entries, edges and observations.
type VectorStore interface {
	// SetEntryVectors passes over entries that are gone or say something else by now.
	SetEntryVectors(ctx context.Context, vectors []knowledge.EntryVector, model knowledge.EmbeddingModel) error
	EntriesAwaitingVector(ctx context.Context, model knowledge.EmbeddingModel, after string, limit int) ([]knowledge.EntryText, error)
	// FactsAwaitingVector are edges or observations; their text is Content.
	FactsAwaitingVector(ctx context.Context, kind knowledge.RecallKind, after string, limit int) ([]knowledge.EntryText, error)
	SetFactVectors(ctx context.Context, kind knowledge.RecallKind, vectors []knowledge.EntryVector, model knowledge.EmbeddingModel) error
	EnsureVectorIndex(ctx context.Context, model knowledge.EmbeddingModel) error
}

// How long a write waits for its vectors: a text that is not embedded by then is found
// by its words, and gets its vector in the background.
const (
	embedPatience    = 5 * time.Second
	embedWaitPerText = 250 * time.Millisecond
	embedWaitMax     = 25 * time.Second // below the time of a request (SPEC U)
)

// EmbeddingsConfig is what Embeddings needs.
type EmbeddingsConfig struct {
	Embedder Embedder                 // nil: switched off
	Model    knowledge.EmbeddingModel // of the vectors that callers bring, where Embedder is nil
	Store    VectorStore
	Clock    Clock
	Log      *slog.Logger
	// Patience is how long a question or a write waits for the embedder before it goes on
	// without; 0: 5 seconds. A command whose embedder is only now fetched has more.
	Patience time.Duration
}

// Embeddings gives entries their vectors: at once where the embedder answers in time,
// else in the background. It is safe for concurrent use.
type Embeddings struct {
	embedder Embedder
	model    knowledge.EmbeddingModel
	store    VectorStore
	clock    Clock
	log      *slog.Logger
	wake     chan struct{}
	patience time.Duration
}

// NewEmbeddings makes the use of an embedder. Run fills what is left open.
func NewEmbeddings(c EmbeddingsConfig) *Embeddings {
	e := &Embeddings{embedder: c.Embedder, model: c.Model, store: c.Store, clock: c.Clock, log: c.Log, wake: make(chan struct{}, 1), patience: cmp.Or(c.Patience, embedPatience)}
	if e.embedder != nil {
		e.model = e.embedder.Model()
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	return e
}

// On tells whether there is an embedder.
func (e *Embeddings) On() bool { return e.embedder != nil }

// Model is the model that vectors are of.
func (e *Embeddings) Model() knowledge.EmbeddingModel { return e.model }

// Query is the vector of a question. UNAVAILABLE where the embedder is off, not ready,
// or too slow; the cause is for the log.
func (e *Embeddings) Query(ctx context.Context, text string) ([]float32, error) {
	if e.embedder == nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the embedder is switched off")
	}
	vectors, err := e.embed(ctx, []string{text}, e.patience)
	if err != nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the embedder does not answer").Because(err)
	}
	if vectors[0] == nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "there is nothing to embed in the query")
	}
	return vectors[0], nil
}

// ForWrite are the vectors of texts that are about to be written: nil for those that
// have none yet. It never fails and never waits long.
func (e *Embeddings) ForWrite(ctx context.Context, texts []string) [][]float32 {
	none := make([][]float32, len(texts))
	if e.embedder == nil || len(texts) == 0 {
		return none
	}
	wait := max(e.patience, min(embedWaitMax, e.patience+time.Duration(len(texts))*embedWaitPerText))
	vectors, err := e.embed(ctx, texts, wait)
	if err != nil {
		e.log.WarnContext(ctx, "entries are written without their vectors, which follow in the background", slog.Int("entries", len(texts)), slog.Any("cause", err))
		return none
	}
	return vectors
}

// embed calls the embedder and trusts nothing of its answer.
func (e *Embeddings) embed(ctx context.Context, texts []string, wait time.Duration) ([][]float32, error) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	vectors, err := e.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, knowledge.Errorf(knowledge.CodeInternal, "the embedder answered %d vectors for %d texts", len(vectors), len(texts))
	}
	for _, v := range vectors {
		if v == nil {
			continue
		}
		if err := knowledge.CheckVector("embedding", v, e.model.Dimensions); err != nil {
			return nil, err
		}
	}
	return vectors, nil
}

// Wake tells Run that there is something to fill.
func (e *Embeddings) Wake() {
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

const (
	fillBatch    = 32
	fillInterval = 30 * time.Second // how soon what another server left open is seen
)

// Run prepares the database for the model and then fills missing vectors, whenever there
// is something to fill, until the context ends. It returns nil then. What it did not get
// to stays marked in the database.
func (e *Embeddings) Run(ctx context.Context) error {
	if err := e.store.EnsureVectorIndex(ctx, e.model); err != nil && ctx.Err() == nil {
		e.log.WarnContext(ctx, "the vector index could not be made; search looks at every entry", slog.Any("cause", err))
	}
	if e.embedder == nil {
		<-ctx.Done()
		return nil
	}
	ticker := time.NewTicker(fillInterval)
	defer ticker.Stop()
	for {
		if _, err := e.fillAll(ctx, politely); err != nil && ctx.Err() == nil {
			e.log.DebugContext(ctx, "vectors are not filled yet", slog.Any("cause", err))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-e.wake:
		case <-ticker.C:
		}
	}
}

// politeness is how much of the machine the background may take.
type politeness bool

// Politely leaves half of the time to others while edges and observations are filled, of
// which an import can leave a million; at once is for those who wait for it.
const (
	politely politeness = true
	atOnce   politeness = false
)

// Fill makes all missing vectors of all workspaces, in batches, and says how many it made.
func (e *Embeddings) Fill(ctx context.Context) (int, error) { return e.fillAll(ctx, atOnce) }

func (e *Embeddings) fillAll(ctx context.Context, p politeness) (int, error) {
	if e.embedder == nil {
		return 0, nil
	}
	total := 0
	for _, kind := range []knowledge.RecallKind{knowledge.RecallEntry, knowledge.RecallObservation, knowledge.RecallEdge} {
		n, err := e.fillKind(ctx, kind, p)
		total += n
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

func (e *Embeddings) fillKind(ctx context.Context, kind knowledge.RecallKind, p politeness) (int, error) {
	filled, after := 0, ""
	for {
		began := time.Now()
		texts, err := e.awaiting(ctx, kind, after)
		if err != nil || len(texts) == 0 {
			return filled, err
		}
		after = texts[len(texts)-1].ID
		n, err := e.fill(ctx, kind, texts)
		filled += n
		if err != nil {
			return filled, err
		}
		if p == politely && kind != knowledge.RecallEntry {
			if err := pause(ctx, time.Since(began)); err != nil {
				return filled, err
			}
			// Entries that were written meanwhile go first.
			if n, err := e.fillKind(ctx, knowledge.RecallEntry, p); err != nil {
				return filled + n, err
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (e *Embeddings) awaiting(ctx context.Context, kind knowledge.RecallKind, after string) ([]knowledge.EntryText, error) {
	if kind == knowledge.RecallEntry {
		return e.store.EntriesAwaitingVector(ctx, e.model, after, fillBatch)
	}
	return e.store.FactsAwaitingVector(ctx, kind, after, fillBatch)
}

func (e *Embeddings) fill(ctx context.Context, kind knowledge.RecallKind, texts []knowledge.EntryText) (int, error) {
	made, err := e.vectorsFor(ctx, kind, texts, time.Minute)
	if err != nil {
		return 0, err
	}
	if kind == knowledge.RecallEntry {
		return len(made), e.store.SetEntryVectors(ctx, made, e.model)
	}
	return len(made), e.store.SetFactVectors(ctx, kind, made, e.model)
}

// vectorsFor makes the vectors of stored texts; a text without anything to embed has none.
// UNAVAILABLE where there is no embedder.
func (e *Embeddings) vectorsFor(ctx context.Context, kind knowledge.RecallKind, texts []knowledge.EntryText, wait time.Duration) ([]knowledge.EntryVector, error) {
	if e.embedder == nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the embedder is switched off")
	}
	inputs := make([]string, len(texts))
	for i, t := range texts {
		inputs[i] = t.Content
		if kind == knowledge.RecallEntry {
			inputs[i] = knowledge.EmbeddingText(t.Title, t.Content)
		}
	}
	vectors, err := e.embed(ctx, inputs, wait)
	if err != nil {
		return nil, err
	}
	now := e.clock()
	var made []knowledge.EntryVector
	for i, v := range vectors {
		if v != nil {
			made = append(made, knowledge.EntryVector{ID: texts[i].ID, Hash: texts[i].Hash, Vector: v, At: now})
		}
	}
	return made, nil
}
