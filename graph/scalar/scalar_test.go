package scalar_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"

	"mneme/graph/scalar"
	"mneme/knowledge"
)

func written(m graphql.Marshaler) string {
	var b bytes.Buffer
	m.MarshalGQL(&b)
	return b.String()
}

func TestDateTime(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-03-01T12:00:00Z":             "2026-03-01T12:00:00Z",
		"2026-03-01T12:00:00+02:00":        "2026-03-01T10:00:00Z",
		"2026-03-01T23:30:00-01:30":        "2026-03-02T01:00:00Z",
		"2026-03-01T12:00:00.123456789Z":   "2026-03-01T12:00:00.123456Z",
		"2026-03-01T12:00:00.1Z":           "2026-03-01T12:00:00.1Z",
		"0001-01-01T00:00:00Z":             "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59.999999Z":      "9999-12-31T23:59:59.999999Z",
		"2024-02-29T00:00:00Z":             "2024-02-29T00:00:00Z",
		"2026-03-01T00:00:00.000000+00:00": "2026-03-01T00:00:00Z",
	} {
		got, err := scalar.UnmarshalDateTime(in)
		require.NoError(t, err, in)
		require.Equal(t, `"`+want+`"`, written(scalar.MarshalDateTime(got)), in)
		again, err := scalar.UnmarshalDateTime(want)
		require.NoError(t, err)
		require.True(t, got.Equal(again), in)
	}
	for _, in := range []any{
		"2026-03-01", "2026-03-01T12:00:00", "12:00:00Z", "2026-03-01 12:00:00Z", "2026-02-29T00:00:00Z", "2026-13-01T00:00:00Z",
		"2026-03-01T24:00:00Z", "2026-03-01T1:00:00Z", "2026-03-01T12:00:00,5Z", "2026-03-01T12:00:00+25:00", "2026-03-01T12:00:00+24:00", "2026-03-01T12:00:60Z", "yesterday", "", " 2026-03-01T12:00:00Z",
		"0001-01-01T00:00:00+02:00", "9999-12-31T23:59:59-02:00", "+2026-03-01T12:00:00Z", 17, nil, true, time.Now(), json.Number("17"),
	} {
		_, err := scalar.UnmarshalDateTime(in)
		require.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), "%v", in)
	}
}

func FuzzDateTime(f *testing.F) {
	f.Add("2026-03-01T12:00:00+02:00")
	f.Fuzz(func(t *testing.T, in string) {
		got, err := scalar.UnmarshalDateTime(in)
		if err != nil {
			return
		}
		var out string
		require.NoError(t, json.Unmarshal([]byte(written(scalar.MarshalDateTime(got))), &out))
		again, err := scalar.UnmarshalDateTime(out)
		require.NoError(t, err, out)
		require.True(t, got.Equal(again))
	})
}

// nested wraps a value in as many objects.
func nested(depth int, v any) any {
	for range depth {
		v = map[string]any{"a": v}
	}
	return v
}

func TestJSON(t *testing.T) {
	t.Parallel()
	got, err := scalar.UnmarshalJSON(map[string]any{
		"whole": json.Number("9007199254740993"), "part": json.Number("0.5"), "text": "x", "list": []any{json.Number("1"), nil, true},
		"object": map[string]any{"n": int64(7)},
	})
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"whole": int64(9007199254740993), "part": 0.5, "text": "x", "list": []any{int64(1), nil, true}, "object": map[string]any{"n": int64(7)},
	}, got)
	require.JSONEq(t, `{"whole":9007199254740993,"part":0.5,"text":"x","list":[1,null,true],"object":{"n":7}}`, written(scalar.MarshalJSON(got)))
	require.Equal(t, "{}", written(scalar.MarshalJSON(nil)))
	require.Equal(t, "{}", written(scalar.MarshalJSON(map[string]any{"f": func() {}})))

	_, err = scalar.UnmarshalJSON(nested(knowledge.MaxPropertiesDepth, 1))
	require.NoError(t, err)
	for name, c := range map[string]struct {
		in   any
		code knowledge.Code
	}{
		"text":           {"{}", knowledge.CodeInvalidInput},
		"list":           {[]any{}, knowledge.CodeInvalidInput},
		"null":           {nil, knowledge.CodeInvalidInput},
		"too deep":       {nested(knowledge.MaxPropertiesDepth+1, 1), knowledge.CodeLimitExceeded},
		"too deep lists": {nested(knowledge.MaxPropertiesDepth, []any{1}), knowledge.CodeLimitExceeded},
		"too large":      {map[string]any{"t": strings.Repeat("x", knowledge.MaxPropertiesBytes)}, knowledge.CodeLimitExceeded},
		"no JSON":        {map[string]any{"f": math.NaN()}, knowledge.CodeInvalidInput},
	} {
		_, err := scalar.UnmarshalJSON(c.in)
		require.Equal(t, c.code, knowledge.CodeOf(err), name)
	}
}

func TestFloat32(t *testing.T) {
	t.Parallel()
	for _, in := range []any{0.5, json.Number("0.5"), float32(0.5)} {
		got, err := scalar.UnmarshalFloat32(in)
		if _, single := in.(float32); single {
			require.Error(t, err)
			continue
		}
		require.NoError(t, err)
		require.InDelta(t, 0.5, got, 0)
	}
	require.Equal(t, "0.5", written(scalar.MarshalFloat32(0.5)))
	for _, in := range []any{1e300, -1e300, json.Number("1e400"), math.NaN(), "x", map[string]any{}} {
		_, err := scalar.UnmarshalFloat32(in)
		require.Error(t, err, "%v", in)
	}
}
