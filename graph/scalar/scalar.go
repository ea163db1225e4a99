// Package scalar holds what the generated code cannot make by itself: the
// scalars of the API and the counter of a connection.
package scalar

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"time"

	"github.com/99designs/gqlgen/graphql"

	"mneme/knowledge"
)

// Counter counts the whole of a list, when that is asked for.
type Counter func(ctx context.Context) (int, error)

// rfc3339 is the form of a moment. The time package takes hours of one digit, commas and
// offsets of a day as well (go.dev/issue/54580).
var rfc3339 = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$`)

// MarshalDateTime writes a moment in RFC 3339, in UTC, with as many fractional digits as it has.
func MarshalDateTime(t time.Time) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, strconv.Quote(t.UTC().Format(time.RFC3339Nano)))
	})
}

// UnmarshalDateTime reads a moment in RFC 3339 with an offset, as UTC cut to the
// microsecond. A date alone, a time without an offset and a year outside 1 to
// 9999 are INVALID_INPUT.
func UnmarshalDateTime(v any) (time.Time, error) {
	s, ok := v.(string)
	t, err := time.Parse(time.RFC3339Nano, s)
	if !ok || err != nil || !rfc3339.MatchString(s) {
		return time.Time{}, knowledge.Invalid("", "must be a moment in RFC 3339 with an offset, as in 2026-03-01T12:00:00Z")
	}
	t = t.UTC().Truncate(time.Microsecond)
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, knowledge.Invalid("", "must be in the years 1 to 9999")
	}
	return t, nil
}

// MarshalJSON writes an object; nil is an empty one.
func MarshalJSON(m map[string]any) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		b, err := json.Marshal(m)
		if m == nil || err != nil {
			b = []byte("{}")
		}
		_, _ = w.Write(b)
	})
}

// UnmarshalJSON reads an object. Anything else is INVALID_INPUT; an object that
// is nested deeper than MaxPropertiesDepth or takes more than MaxPropertiesBytes
// is LIMIT_EXCEEDED.
func UnmarshalJSON(v any) (map[string]any, error) {
	m, ok := v.(map[string]any)
	if !ok {
		return nil, knowledge.Invalid("", "must be a JSON object")
	}
	if !within(m, knowledge.MaxPropertiesDepth) {
		return nil, knowledge.Limit("", "is nested deeper than %d", knowledge.MaxPropertiesDepth)
	}
	b, err := json.Marshal(m)
	if err != nil {
		return nil, knowledge.Invalid("", "must be a JSON object")
	}
	if len(b) > knowledge.MaxPropertiesBytes {
		return nil, knowledge.Limit("", "takes more than %d bytes", knowledge.MaxPropertiesBytes)
	}
	return plain(m).(map[string]any), nil
}

// within tells whether objects and lists nest at most depth deep.
func within(v any, depth int) bool {
	switch v := v.(type) {
	case map[string]any:
		for _, child := range v {
			if depth == 0 || !within(child, depth-1) {
				return false
			}
		}
		return depth > 0
	case []any:
		for _, child := range v {
			if depth == 0 || !within(child, depth-1) {
				return false
			}
		}
		return depth > 0
	default:
		return true
	}
}

// plain turns the decoder's numbers into int64 where they are whole and into
// float64 otherwise, which is what the store keeps.
func plain(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for key, child := range v {
			out[key] = plain(child)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, child := range v {
			out[i] = plain(child)
		}
		return out
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	default:
		return v
	}
}

// MarshalFloat32 writes a number of a vector.
func MarshalFloat32(f float32) graphql.Marshaler {
	return graphql.WriterFunc(func(w io.Writer) {
		_, _ = io.WriteString(w, strconv.FormatFloat(float64(f), 'g', -1, 32))
	})
}

// UnmarshalFloat32 reads a number of a vector. What is not finite as a float32 is INVALID_INPUT.
func UnmarshalFloat32(v any) (float32, error) {
	f, err := graphql.UnmarshalFloat(v)
	if err != nil {
		return 0, fmt.Errorf("number of a vector: %w", err)
	}
	if n := float64(float32(f)); math.IsNaN(n) || math.IsInf(n, 0) {
		return 0, knowledge.Invalid("", "must be a finite number")
	}
	return float32(f), nil
}
