package service_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

// told are changes as text: kind, actor, and what of.
func (b *bundle) told(t *testing.T, q service.ChangeQuery, first int) []string {
	t.Helper()
	var out []string
	page := knowledge.PageRequest{First: first}
	for {
		got, err := b.curation().Changes(t.Context(), b.ws.ID, q, page)
		require.NoError(t, err)
		for _, c := range got.Items {
			what := ""
			switch item := c.Item.(type) {
			case *knowledge.Edge:
				what = item.Fact
			case *knowledge.Observation:
				what = item.Text
			case *knowledge.Entry:
				what = item.Title
			}
			if c.Entity != nil {
				what = c.Entity.Name
			}
			out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", c.Kind, c.Actor, what)))
		}
		if !got.HasNextPage {
			return out
		}
		page.After = &got.Cursors[len(got.Cursors)-1]
	}
}

func TestT24_Changes(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	c := b.curation()
	step := func() time.Time { b.clock.advance(time.Minute); return b.clock.Now() }
	start := b.clock.Now()
	rosa, nyc, city := b.named(t, "person", "Rosa")[0], b.named(t, "place", "NYC")[0], b.named(t, "place", "New York City")[0]
	edge := b.join(t, rosa, "visited", nyc)
	first := step()
	b.remark(t, rosa, "tall")
	entry, err := b.entries.Create(t.Context(), b.agent, b.draft("likes tea", "x", about(b.lookUp(t, rosa))))
	require.NoError(t, err)
	second := step()
	_, err = b.edges.Invalidate(t.Context(), b.to, knowledge.EdgeEnd{ID: edge.ID})
	require.NoError(t, err)
	step()
	_, err = b.entries.End(t.Context(), b.to, entry.Entry.ID, nil, nil)
	require.NoError(t, err)
	step()
	m, err := c.Merge(t.Context(), b.agent, city, []string{nyc}, false)
	require.NoError(t, err)
	step()
	_, err = c.Unmerge(t.Context(), b.to, m.MergeID)
	require.NoError(t, err)
	step()
	_, err = c.EraseContact(t.Context(), b.to, b.named(t, "person", "Tom")[0], "Tom", false)
	require.NoError(t, err)
	other := setup(t)
	other.join(t, other.named(t, "person", "x")[0], "knows", other.named(t, "person", "y")[0])

	all := []string{
		"erased manual", "unmerged manual New York City", "merged agent New York City", "ended agent likes tea", "ended manual Rosa visited NYC",
		"asserted manual tall", "asserted agent likes tea", "asserted manual Rosa visited NYC",
	}
	for _, size := range []int{100, 3, 1} {
		require.Equal(t, all, b.told(t, service.ChangeQuery{Since: start}, size), "pages of %d", size)
	}
	require.Equal(t, all[:5], b.told(t, service.ChangeQuery{Since: second}, 50), "since counts itself")
	require.Equal(t, all[5:7], b.told(t, service.ChangeQuery{Since: first, Until: &second}, 50), "until does not")
	require.Empty(t, b.told(t, service.ChangeQuery{Since: b.clock.Now().Add(time.Hour)}, 50))
	aboutIt := func(id string) []string {
		return b.told(t, service.ChangeQuery{Since: start, About: &knowledge.EntityRef{ID: id}}, 2)
	}
	require.Equal(t, all[3:], aboutIt(rosa))
	require.Equal(t, []string{all[1], all[2], all[4], all[7]}, aboutIt(nyc))
	require.Equal(t, all[1:3], aboutIt(city))

	later, err := c.Merge(t.Context(), b.to, b.named(t, "place", "Gotham")[0], []string{city}, false)
	require.NoError(t, err)
	require.Equal(t, []string{"merged manual Gotham", "unmerged manual Gotham", "merged agent Gotham"}, aboutIt(later.Entity.ID), "what was merged into it took its history along")
}

func TestT24_ChangesOfOneMoment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ids := b.named(t, "concept", "a", "b", "c", "d", "e")
	for _, from := range ids {
		for _, to := range ids {
			if from != to {
				b.join(t, from, "uses", to)
			}
		}
		b.remark(t, from, "remark on "+from)
	}
	whole := b.told(t, service.ChangeQuery{Since: b.clock.Now()}, 100)
	require.Len(t, whole, 25)
	for _, size := range []int{1, 4, 24, 25} {
		require.Equal(t, whole, b.told(t, service.ChangeQuery{Since: b.clock.Now()}, size))
	}
}

func TestChanges_BadInput(t *testing.T) {
	t.Parallel()
	b := setup(t)
	early, page := b.clock.Now().Add(-time.Second), knowledge.PageRequest{First: 5}
	for _, bad := range []struct {
		name  string
		query service.ChangeQuery
		page  knowledge.PageRequest
		code  knowledge.Code
		field string
	}{
		{"until before since", service.ChangeQuery{Since: b.clock.Now(), Until: &early}, page, knowledge.CodeInvalidInput, "until"},
		{"unknown entity", service.ChangeQuery{About: &knowledge.EntityRef{ID: "ent_none"}}, page, knowledge.CodeNotFound, "about"},
		{"no reference", service.ChangeQuery{About: &knowledge.EntityRef{}}, page, knowledge.CodeInvalidInput, "about"},
		{"a cursor of another list", service.ChangeQuery{}, knowledge.PageRequest{First: 5, After: &knowledge.Cursor{Key: "x"}}, knowledge.CodeInvalidInput, "after"},
		{"no size", service.ChangeQuery{}, knowledge.PageRequest{}, knowledge.CodeInvalidInput, "first"},
	} {
		_, err := b.curation().Changes(t.Context(), b.ws.ID, bad.query, bad.page)
		requireCode(t, err, bad.code, bad.field)
	}
}
