package resolvers

import (
	"errors"
	"testing"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/stretchr/testify/require"

	"mneme/graph/model"
	"mneme/knowledge"
	"mneme/service"
)

func omittable[T any](v T) graphql.Omittable[T] { return graphql.OmittableOf(v) }

// A24, K7: what a patch leaves out or gives as null stays; an empty text or list clears.
func TestPatches_LeaveOutAndClear(t *testing.T) {
	t.Parallel()
	require.Equal(t, knowledge.EntityPatch{ID: "x"}, entityPatch(model.UpdateEntityInput{ID: "x"}))
	require.Equal(t, knowledge.EntityPatch{ID: "x"}, entityPatch(model.UpdateEntityInput{
		ID: "x", Name: omittable[*string](nil), Aliases: omittable[[]string](nil), Description: omittable[*string](nil), Source: omittable[*knowledge.Actor](nil),
	}))
	empty := ""
	cleared := entityPatch(model.UpdateEntityInput{ID: "x", Aliases: omittable([]string{}), Description: omittable(&empty)})
	require.Equal(t, &[]string{}, cleared.Aliases)
	require.Equal(t, &empty, cleared.Description)

	require.Equal(t, knowledge.EntryPatch{ID: "x"}, entryPatch(model.UpdateEntryInput{ID: "x"}))
	require.Equal(t, knowledge.EntryPatch{ID: "x"}, entryPatch(model.UpdateEntryInput{
		ID: "x", Tags: omittable[[]string](nil), Contacts: omittable[[]*knowledge.EntityRef](nil), Mentions: omittable[[]*knowledge.EntityRef](nil),
	}))
	never := entryPatch(model.UpdateEntryInput{ID: "x", ExpiresAt: omittable[*time.Time](nil), Contacts: omittable([]*knowledge.EntityRef{}), Mentions: omittable([]*knowledge.EntityRef{{ID: "y"}})})
	require.NotNil(t, never.ExpiresAt)
	require.Nil(t, *never.ExpiresAt)
	require.Equal(t, &[]knowledge.EntityRef{}, never.Contacts)
	require.Equal(t, &[]knowledge.EntityRef{{ID: "y"}}, never.Mentions)

	off := false
	require.Equal(t, service.WorkspacePatch{}, workspacePatch(model.UpdateWorkspaceInput{Memory: omittable[*model.MemorySettingsInput](nil), Features: omittable[[]*model.FeatureInput](nil)}))
	require.Equal(t, service.WorkspacePatch{
		Memory: service.MemoryPatch{AutoCapture: &off}, Features: map[knowledge.FeatureName]bool{knowledge.FeatureGraph: false},
	}, workspacePatch(model.UpdateWorkspaceInput{
		Memory:   omittable(&model.MemorySettingsInput{AutoCapture: omittable(&off)}),
		Features: omittable([]*model.FeatureInput{{Name: knowledge.FeatureGraph}}),
	}))
}

// K19: no vector is one that the server makes, an empty one is none.
func TestVector_NoneAndEmpty(t *testing.T) {
	t.Parallel()
	require.Nil(t, vector(nil))
	require.Equal(t, &[]float32{}, vector([]float64{}))
	require.Equal(t, &[]float32{0.5, -1}, vector([]float64{0.5, -1}))
}

func TestLoadPayload_NullsForWhatFailed(t *testing.T) {
	t.Parallel()
	id := "ent_1"
	p := loadPayload(&service.LoadResult{
		Created: 1, Entities: []string{id, ""},
		Errors: []service.ItemError{{List: "entities", Index: 1, Err: knowledge.Invalid("name", "must not be blank")}},
	})
	require.Equal(t, []*string{&id, nil}, p.Entities)
	require.Empty(t, p.Edges)
	require.NotNil(t, p.Edges)
	field := "name"
	require.Equal(t, []*model.ItemError{{List: "entities", Index: 1, Code: knowledge.CodeInvalidInput, Field: &field, Message: "must not be blank"}}, p.Errors)
}

// O15: no way is null, an end that is not there is an error.
func TestUnlessNoPath(t *testing.T) {
	t.Parallel()
	require.NoError(t, unlessNoPath(knowledge.NotFound("", "no way")))
	require.Error(t, unlessNoPath(knowledge.NotFound("from", "no such entity")))
	require.Error(t, unlessNoPath(errors.New("broken")))
}
