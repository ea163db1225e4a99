//go:build !cgo

package llm

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOpenLocal_WithoutCgo(t *testing.T) {
	t.Parallel()
	_, err := OpenLocal(t.Context(), LocalConfig{CacheDir: t.TempDir()})
	require.ErrorIs(t, err, ErrNoLocalEmbedder)
}
