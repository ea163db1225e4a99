package knowledge

import (
	"math"
	"strings"
)

// EmbeddingModel says which model makes vectors. Vectors of two models can be
// compared only when Key is the same (SPEC T18).
type EmbeddingModel struct {
	// Name is what people call the model.
	Name string
	// Hash is the SHA-256 of a local model's weights, or the provider's name of
	// the model with its dimensions.
	Hash string
	// Dimensions is the length of every vector.
	Dimensions int
	// Local means that no text leaves this process.
	Local bool
}

// Key is a word for the model that no other model has: letters, digits and underscores.
// It names the property and the index that hold the model's vectors.
func (m EmbeddingModel) Key() string {
	hash := joinRuns(strings.ToLower(m.Hash), '_')
	if len(hash) > modelHashLength {
		hash = hash[:modelHashLength]
	}
	return joinRuns(strings.ToLower(m.Name), '_') + "_" + hash
}

// modelHashLength is how much of a hash tells models of one name apart.
const modelHashLength = 12

// CheckVector rejects a vector that is not of the model's length, holds something
// that is not a number, or has no direction: INVALID_INPUT for the field (SPEC T10).
func CheckVector(field string, v []float32, dimensions int) error {
	if dimensions > 0 && len(v) != dimensions {
		return Invalid(field, "has %d numbers, the workspace's model makes %d", len(v), dimensions)
	}
	sum := 0.0
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	switch {
	case math.IsNaN(sum) || math.IsInf(sum, 0):
		return Invalid(field, "must hold finite numbers only")
	case sum == 0:
		return Invalid(field, "must not be all zeros")
	}
	return nil
}

// EmbeddingText is what a vector is made of for an entry (SPEC M5).
func EmbeddingText(title, content string) string { return title + ": " + content }
