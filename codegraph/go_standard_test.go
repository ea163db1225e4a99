package codegraph

import (
	"go/token"
	"go/types"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestP7_StandardTypesAreWhole(t *testing.T) {
	t.Parallel()
	entries, err := standardSources.ReadDir("standard")
	require.NoError(t, err)
	packages := standardPackages(token.NewFileSet())
	assert.Len(t, packages, len(entries), "each can be checked")
	closer := packages["io"].Scope().Lookup("ReadSeeker").Type().Underlying().(*types.Interface)
	assert.True(t, types.Implements(types.NewPointer(packages["bytes"].Scope().Lookup("Reader").Type()), closer))
	assert.False(t, types.Implements(packages["bytes"].Scope().Lookup("Reader").Type(), closer))
}
