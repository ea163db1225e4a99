package service

import "mneme/knowledge"

// forwardPages reads one page forward of each of several lists at once; fetch gives the rows
// by list. Every list has a page, an empty one where nothing was found.
func forwardPages[T any](ids []string, page knowledge.PageRequest, fetch func(from *knowledge.Cursor, limit int) (map[string][]T, error), cursor func(T) knowledge.Cursor) (map[string]*knowledge.Page[T], error) {
	if page.Last {
		return nil, knowledge.Invalid("last", "this list is read forward only: first and after")
	}
	out := make(map[string]*knowledge.Page[T], len(ids))
	var rows map[string][]T
	for _, id := range ids {
		one, err := pageOf(page, func(from *knowledge.Cursor, limit int) ([]T, error) {
			if rows != nil {
				return rows[id], nil
			}
			found, err := fetch(from, limit)
			if err != nil {
				return nil, err
			}
			rows = found
			return rows[id], nil
		}, cursor)
		if err != nil {
			return nil, err
		}
		out[id] = one
	}
	return out, nil
}
