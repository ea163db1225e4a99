package service_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func (b *bundle) named(t *testing.T, typ string, names ...string) []string {
	t.Helper()
	ids := make([]string, 0, len(names))
	for _, name := range names {
		ids = append(ids, b.upsert(t, b.to, knowledge.EntityDraft{Type: typ, Name: name}).Entity.ID)
	}
	return ids
}

func TestT7_Duplicates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.curation()
	b.named(t, "place", "New York", "Berlin", "Paris")
	b.named(t, "technology", "SqliteStore", "sqlite-store", "Sqlite Store")
	b.upsert(t, b.to, knowledge.EntityDraft{Type: "place", Name: "New York City", Aliases: []string{"NYC"}})
	b.named(t, "concept", "NYC", "sqlitestore")
	for _, mail := range []string{"a@x.io", "b@x.io"} {
		b.upsert(t, b.to, knowledge.EntityDraft{Type: "person", Name: "Li Na", Identities: []knowledge.ContactIdentity{{Kind: "email", Value: mail}}})
	}
	other := setup(t)
	other.named(t, "place", "New Yorc", "Berlin!", "Paris")
	all, err := c.Duplicates(t.Context(), b.ws.ID, service.DuplicateQuery{MinScore: 0.8}, knowledge.PageRequest{First: 20})
	require.NoError(t, err)
	require.Len(t, all.Items, 1, "never across types, workspaces, or conflicting identities")
	group := all.Items[0]
	require.Equal(t, []string{"SqliteStore", "sqlite-store", "Sqlite Store"}, []string{group.Entities[0].Name, group.Entities[1].Name, group.Entities[2].Name}, "oldest first")
	require.NotEmpty(t, group.Reasons)

	b.named(t, "place", "NYC ")
	places, err := c.Duplicates(t.Context(), b.ws.ID, service.DuplicateQuery{MinScore: 0.8, Types: []string{"Place", "person"}}, knowledge.PageRequest{First: 20})
	require.NoError(t, err)
	require.Empty(t, places.Items, "the upsert found the entity by its alias")
}

func TestT7_DuplicatesPageStably(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.curation()
	for i := range 7 {
		b.named(t, "tool", fmt.Sprintf("kestrel%c queue", 'a'+i), fmt.Sprintf("Kestrel%c-Queue", 'A'+i))
	}
	query := service.DuplicateQuery{MinScore: 0.94}
	page, err := c.Duplicates(t.Context(), b.ws.ID, query, knowledge.PageRequest{First: 3})
	require.NoError(t, err)
	require.Len(t, page.Items, 3)
	require.True(t, page.HasNextPage)
	seen := map[string]bool{}
	gone := page.Items[2].Entities[0].ID
	_, err = b.entities.Delete(t.Context(), b.to, gone)
	require.NoError(t, err, "the last group of the page is gone, and the next page begins behind it nevertheless")
	for {
		for _, d := range page.Items {
			require.Len(t, d.Entities, 2)
			require.False(t, seen[d.Entities[0].ID])
			seen[d.Entities[0].ID] = true
		}
		if !page.HasNextPage {
			break
		}
		page, err = c.Duplicates(t.Context(), b.ws.ID, query, knowledge.PageRequest{First: 3, After: &page.Cursors[len(page.Cursors)-1]})
		require.NoError(t, err)
	}
	require.Len(t, seen, 7)
}

func TestDuplicates_BadInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.curation()
	for _, score := range []float64{-0.1, 1.1, math.NaN()} {
		_, err := c.Duplicates(t.Context(), b.ws.ID, service.DuplicateQuery{MinScore: score}, knowledge.PageRequest{First: 20})
		requireCode(t, err, knowledge.CodeInvalidInput, "minScore")
	}
	for _, first := range []int{0, 101} {
		_, err := c.Duplicates(t.Context(), b.ws.ID, service.DuplicateQuery{MinScore: 0.8}, knowledge.PageRequest{First: first})
		requireCode(t, err, knowledge.CodeInvalidInput, "first")
	}
	_, err := c.Duplicates(t.Context(), b.ws.ID, service.DuplicateQuery{MinScore: 0.8}, knowledge.PageRequest{First: 5, After: &knowledge.Cursor{Key: "x", ID: "y"}})
	requireCode(t, err, knowledge.CodeInvalidInput, "after")
}
