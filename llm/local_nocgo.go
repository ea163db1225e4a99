//go:build !cgo

package llm

import (
	"context"
	"fmt"
)

// Local is the local embedder, which needs cgo; in a build without it none is ever made.
type Local struct{}

// OpenLocal returns ErrNoLocalEmbedder: this build has no cgo.
func OpenLocal(context.Context, LocalConfig) (*Local, error) {
	return nil, fmt.Errorf("%w: built without cgo", ErrNoLocalEmbedder)
}

// Model describes the model, as LocalModel does.
func (*Local) Model() Model { return LocalModel() }

// Embed returns ErrNoLocalEmbedder.
func (*Local) Embed(context.Context, []string) ([][]float32, error) {
	return nil, ErrNoLocalEmbedder
}

// Close does nothing.
func (*Local) Close() error { return nil }
