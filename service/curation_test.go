package service_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *bundle) curation() *service.Curation {
	return service.NewCuration(service.CurationConfig{Workspaces: b.store, Entities: b.entities, Duplicates: b.store})
}

// requireCode asserts that an error is ours, of a code, and blames a field.
func requireCode(t *testing.T, err error, code knowledge.Code, field string) {
	t.Helper()
	var ours *knowledge.Error
	require.True(t, errors.As(err, &ours), "%v", err)
	require.Equal(t, code, ours.Code, ours.Message)
	require.Equal(t, field, ours.Field, ours.Message)
}
