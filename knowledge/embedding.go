package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"regexp"
	"strconv"
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
	sum := sha256.Sum256([]byte(m.Hash))
	return joinRuns(strings.ToLower(m.Name), '_') + "_" + strconv.Itoa(m.Dimensions) + "_" + hex.EncodeToString(sum[:modelHashBytes])
}

// modelHashBytes is how much of a hash tells models of one name apart.
const modelHashBytes = 4

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

// EmbeddingText is what a vector is made of for an entry (SPEC M5): title and content. Dates
// and times are left out of the title: they draw together what was said on one day, which
// is not what it means, and are found by words.
func EmbeddingText(title, content string) string {
	title = strings.Trim(CollapseSpace(titleDates.ReplaceAllString(title, " ")), " ,;:-–")
	if title == "" {
		return content
	}
	return title + ": " + content
}

// titleDates are dates and times as they are written in titles.
var titleDates = regexp.MustCompile(`(?i)\b(?:\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:z|[+-]\d{2}:?\d{2})?)?` +
	`|\d{1,2}(?:st|nd|rd|th|\.)? (?:` + monthNames + `)\.?,? \d{4}` +
	`|(?:` + monthNames + `)\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}` +
	`|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d{2})` +
	`|\d{1,2}:\d{2}(?::\d{2})?(?: ?[ap]\.?m\b\.?)?)`)

const monthNames = `jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?`
