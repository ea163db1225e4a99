package llm

import (
	"errors"
	"math"

	"mneme/knowledge"
)

// ErrNoLocalEmbedder means that this build or this machine cannot run the
// local model: it was built without cgo, or ONNX Runtime is not to be had for
// the platform. Search by text works without it.
var ErrNoLocalEmbedder = errors.New("no local embedding model on this platform")

// ErrClosed is returned by an embedder that was closed.
var ErrClosed = errors.New("embedder is closed")

// Model says which model made a vector. Vectors of two models are comparable
// only when their Key is the same.
type Model = knowledge.EmbeddingModel

// normalize scales v to unit length, in place; false when it has no direction
// (all zeros) or holds a value that is not finite.
func normalize(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 || math.IsNaN(sum) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}
