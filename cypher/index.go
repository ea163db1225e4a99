package cypher

import (
	"context"
	_ "embed"
)

//go:embed queries/index_pending.cypher
var indexPending statement

// PendingIndexes are the names of the indexes that cannot be used yet, or not any more;
// UNAVAILABLE where the database does not answer.
func (s *Store) PendingIndexes(ctx context.Context) ([]string, error) {
	return read(ctx, s, indexPending, nil, func(r row) string { return r.text("name") })
}
