package service

import (
	"slices"

	"mneme/knowledge"
)

// pageOf reads one page of an ordered list. fetch reads up to limit rows behind a
// position, in the page's own way: backward pages are fetched nearest first. One row
// more than the page holds is read, to know whether there is another page.
//
// A page that begins behind a cursor has a page before it: the cursor's own row.
func pageOf[T any](page knowledge.PageRequest, fetch func(from *knowledge.Cursor, limit int) ([]T, error), cursor func(T) knowledge.Cursor) (*knowledge.Page[T], error) {
	if page.First < 1 || page.First > knowledge.MaxPage {
		return nil, knowledge.Invalid(map[bool]string{true: "last", false: "first"}[page.Last], "must be from 1 to %d", knowledge.MaxPage)
	}
	from := page.After
	if page.Last {
		from = page.Before
	}
	items, err := fetch(from, page.First+1)
	if err != nil {
		return nil, err
	}
	more := len(items) > page.First
	items = items[:min(len(items), page.First)]
	out := &knowledge.Page[T]{HasNextPage: more, HasPreviousPage: page.After != nil}
	if page.Last {
		slices.Reverse(items)
		out.HasNextPage, out.HasPreviousPage = page.Before != nil, more
	}
	out.Items = items
	for _, item := range items {
		out.Cursors = append(out.Cursors, cursor(item))
	}
	return out, nil
}

// slicePage cuts a page out of a list that is there as a whole, such as search results.
func slicePage[T any](page knowledge.PageRequest, all []T, cursor func(T) knowledge.Cursor) (*knowledge.Page[T], error) {
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]T, error) {
		list := slices.Clone(all)
		if page.Last {
			slices.Reverse(list)
		}
		if from != nil {
			i := slices.IndexFunc(list, func(item T) bool { return cursor(item).ID == from.ID })
			if i < 0 {
				return nil, knowledge.Invalid("after", "is not a cursor of this list any more")
			}
			list = list[i+1:]
		}
		return list[:min(limit, len(list))], nil
	}, cursor)
}
