package cypher

import (
	"encoding/json"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestRawProps_KeepTheirTypes(t *testing.T) {
	t.Parallel()
	scalar := rapid.OneOf(
		rapid.Just[any](nil), rapid.Map(rapid.String(), func(s string) any { return s }), rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }), rapid.Map(rapid.Float64(), func(f float64) any { return f }),
		rapid.Map(rapid.Int64Range(-1e15, 1e15), func(n int64) any { return time.UnixMicro(n).UTC() }),
	)
	value := rapid.OneOf(scalar, rapid.Map(rapid.SliceOf(scalar), func(list []any) any { return append([]any{}, list...) }))
	rapid.Check(t, func(t *rapid.T) {
		in := rawProps(rapid.MapOf(rapid.String(), value).Draw(t, "props"))
		text, err := json.Marshal(in)
		require.NoError(t, err)
		var out rawProps
		require.NoError(t, json.Unmarshal(text, &out))
		require.Equal(t, in, out)
	})
}

func TestRawProps_Edges(t *testing.T) {
	t.Parallel()
	in := rawProps{"inf": math.Inf(1), "whole": 3.0, "int": int64(3), "zone": time.Date(2026, 1, 1, 2, 0, 0, 5000, time.FixedZone("x", 7200))}
	text, err := json.Marshal(in)
	require.NoError(t, err)
	var out rawProps
	require.NoError(t, json.Unmarshal(text, &out))
	require.Equal(t, rawProps{"inf": math.Inf(1), "whole": 3.0, "int": int64(3), "zone": time.Date(2026, 1, 1, 0, 0, 0, 5000, time.UTC)}, out)
	_, err = json.Marshal(rawProps{"x": struct{}{}})
	require.ErrorContains(t, err, "property x")
	require.Error(t, json.Unmarshal([]byte(`{"x":{}}`), &out))
	require.Error(t, json.Unmarshal([]byte(`{"x":{"int":"a"}}`), &out))
	require.Error(t, json.Unmarshal([]byte(`{"x":{"blob":"a"}}`), &out))
}
