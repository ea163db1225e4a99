package main

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"mneme/llm"
)

// embedder turns texts into vectors, and says whether it can yet.
type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() llm.Model
	// Err is nil where Embed works.
	Err() error
	// Wait returns when the first attempt to get ready has ended, with Err.
	Wait(ctx context.Context) error
	Close() error
}

// embedder is the one that the settings ask for. A server's gets ready in the background
// from now on; a command's when it is first used, and is waited for then.
func (c Config) embedder(ctx context.Context, log *slog.Logger, progress fetchProgress, patient bool) (embedder, error) {
	switch c.Embedder {
	case embedderOff:
		return noEmbedder{}, nil
	case embedderOpenAI:
		remote, err := llm.OpenOpenAI(llm.OpenAIConfig{APIKey: c.OpenAIKey, BaseURL: c.OpenAIBaseURL, Model: c.ModelEmbed, Log: log})
		if err != nil {
			return nil, err
		}
		return remoteEmbedder{remote}, nil
	}
	start := func() *llm.LazyLocal {
		return llm.StartLocal(ctx, llm.LocalConfig{CacheDir: c.CacheDir, Log: log, Progress: progress("the embedding model")})
	}
	if patient {
		return &patientEmbedder{start: sync.OnceValue(start)}, nil
	}
	return start(), nil
}

// errEmbedderOff is why there are no vectors where none are wanted.
var errEmbedderOff = errors.New("the embedder is switched off (MNEME_EMBEDDER=off)")

// noEmbedder is the embedder of a deployment that wants none.
type noEmbedder struct{}

func (noEmbedder) Embed(context.Context, []string) ([][]float32, error) { return nil, errEmbedderOff }
func (noEmbedder) Model() llm.Model                                     { return llm.Model{} }
func (noEmbedder) Err() error                                           { return errEmbedderOff }
func (noEmbedder) Wait(context.Context) error                           { return errEmbedderOff }
func (noEmbedder) Close() error                                         { return nil }

// remoteEmbedder is a provider's, of which nothing is known before it is asked.
type remoteEmbedder struct{ *llm.OpenAI }

func (remoteEmbedder) Err() error                 { return nil }
func (remoteEmbedder) Wait(context.Context) error { return nil }

// patientEmbedder is the local one for a command: it is fetched and loaded when the
// command first needs a vector, which then waits for it.
type patientEmbedder struct {
	start func() *llm.LazyLocal
	mu    sync.Mutex
	local *llm.LazyLocal // nil until started
}

func (e *patientEmbedder) started() *llm.LazyLocal {
	local := e.start()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.local = local
	return local
}

func (e *patientEmbedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	local := e.started()
	if err := local.Wait(ctx); err != nil {
		return nil, err
	}
	return local.Embed(ctx, texts)
}

func (e *patientEmbedder) Model() llm.Model               { return llm.LocalModel() }
func (e *patientEmbedder) Err() error                     { return e.started().Err() }
func (e *patientEmbedder) Wait(ctx context.Context) error { return e.started().Wait(ctx) }

func (e *patientEmbedder) Close() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.local == nil {
		return nil
	}
	return e.local.Close()
}
