package service

import (
	"context"
	"math"
	"slices"
	"strconv"
	"strings"

	"mneme/knowledge"
)

// DuplicateStore reads what entities are compared by.
type DuplicateStore interface {
	NameCards(ctx context.Context, workspaceID string, types []string, limit int) ([]knowledge.NameCard, error)
}

// DuplicateQuery looks for entities that may be one.
type DuplicateQuery struct {
	Types    []string
	MinScore float64
}

// Duplicates lists groups of entities that may be one, best score first (SPEC T7).
// LIMIT_EXCEEDED (types) where there are more entities than can be compared at once.
func (s *Curation) Duplicates(ctx context.Context, workspaceID string, q DuplicateQuery, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Duplicate], error) {
	if math.IsNaN(q.MinScore) || q.MinScore < 0 || q.MinScore > 1 {
		return nil, knowledge.Invalid("minScore", "must be a number from 0 to 1")
	}
	types := make([]string, 0, len(q.Types))
	for _, t := range q.Types {
		types = append(types, knowledge.TypeKey(t))
	}
	if len(types) > knowledge.MaxEntityTypes {
		return nil, knowledge.Limit("types", "names more than %d types", knowledge.MaxEntityTypes)
	}
	found, err := pageOf(page, func(from *knowledge.Cursor, limit int) ([]knowledge.DuplicateGroup, error) {
		cards, err := s.c.Duplicates.NameCards(ctx, workspaceID, types, knowledge.MaxDuplicateScan+1)
		if err != nil {
			return nil, err
		}
		if len(cards) > knowledge.MaxDuplicateScan {
			return nil, knowledge.Limit("types", "more than %d entities are to be compared; ask for some types only", knowledge.MaxDuplicateScan)
		}
		return groupsAfter(knowledge.FindDuplicates(cards, q.MinScore), from, page.Last, limit)
	}, groupCursor)
	if err != nil {
		return nil, err
	}
	return s.duplicatePage(ctx, workspaceID, found)
}

// groupsAfter are the groups behind a position, whether its own group is still there or not.
func groupsAfter(groups []knowledge.DuplicateGroup, from *knowledge.Cursor, backward bool, limit int) ([]knowledge.DuplicateGroup, error) {
	order := knowledge.CompareGroups
	if backward {
		slices.Reverse(groups)
		order = func(a, b knowledge.DuplicateGroup) int { return knowledge.CompareGroups(b, a) }
	}
	if from != nil {
		score, err := strconv.ParseFloat(from.Key, 64)
		if err != nil {
			return nil, knowledge.Invalid("after", "is not a cursor of this list")
		}
		at := knowledge.DuplicateGroup{Score: score, IDs: strings.Fields(from.ID)}
		groups = slices.DeleteFunc(groups, func(g knowledge.DuplicateGroup) bool { return order(g, at) <= 0 })
	}
	return groups[:min(limit, len(groups))], nil
}

func groupCursor(g knowledge.DuplicateGroup) knowledge.Cursor {
	return knowledge.Cursor{Key: strconv.FormatFloat(g.Score, 'g', -1, 64), ID: strings.Join(g.IDs, " ")}
}

// duplicatePage looks the entities of a page up. One that was deleted since it was
// compared is left out, and a group of which nothing but one is left with it.
func (s *Curation) duplicatePage(ctx context.Context, workspaceID string, found *knowledge.Page[knowledge.DuplicateGroup]) (*knowledge.Page[*knowledge.Duplicate], error) {
	var ids []string
	for _, g := range found.Items {
		ids = append(ids, g.IDs...)
	}
	entities, err := s.c.Entities.ByIDs(ctx, workspaceID, ids)
	if err != nil {
		return nil, err
	}
	out := &knowledge.Page[*knowledge.Duplicate]{HasNextPage: found.HasNextPage, HasPreviousPage: found.HasPreviousPage}
	for i, g := range found.Items {
		d := &knowledge.Duplicate{Score: g.Score, Reasons: g.Reasons}
		for _, id := range g.IDs {
			if e := entities[id]; e != nil && e.ID == id {
				d.Entities = append(d.Entities, e)
			}
		}
		if len(d.Entities) < 2 {
			continue
		}
		slices.SortStableFunc(d.Entities, func(a, b *knowledge.Entity) int { return a.CreatedAt.Compare(b.CreatedAt) })
		out.Items, out.Cursors = append(out.Items, d), append(out.Cursors, found.Cursors[i])
	}
	return out, nil
}
