package cypher

import (
	"cmp"
	"context"
	_ "embed"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/upkeep_entities.cypher
var upkeepEntities statement

//go:embed queries/upkeep_entities_fade.cypher
var upkeepEntitiesFade statement

//go:embed queries/upkeep_entries.cypher
var upkeepEntries statement

//go:embed queries/upkeep_entries_expired.cypher
var upkeepEntriesExpired statement

//go:embed queries/upkeep_entries_fade.cypher
var upkeepEntriesFade statement

//go:embed queries/upkeep_entry_drain.cypher
var upkeepEntryDrain statement

// page runs a statement that lists by creation, oldest first, from a position on.
func page[T any](ctx context.Context, s *Store, st statement, alias string, params map[string]any, from *knowledge.Cursor, scan func(row) T) ([]T, error) {
	position, err := fromPosition(alias, from, true, params)
	if err != nil {
		return nil, err
	}
	return runText(ctx, s, st, strings.ReplaceAll(string(st), "{{from}}", position), params, scan, neo4j.AccessModeRead)
}

// EntitiesInOrder are entities of a workspace as far as decay goes by it, oldest first.
func (s *Store) EntitiesInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entity, error) {
	return page(ctx, s, upkeepEntities, "e", map[string]any{"ws": workspaceID, "limit": limit}, from, func(r row) *knowledge.Entity { return entityOf(r.props("e"), nil) })
}

// FadeEntities lowers confidences and tells how many: those of entities that were not
// seen since a moment and that nobody changed since it was decided.
func (s *Store) FadeEntities(ctx context.Context, workspaceID string, fades []knowledge.Fade, before time.Time) (int, error) {
	if len(fades) == 0 {
		return 0, nil
	}
	rows, err := write(ctx, s, upkeepEntitiesFade, map[string]any{"ws": workspaceID, "rows": fadeRows(fades), "before": before}, func(r row) string { return r.text("id") })
	return len(rows), err
}

// EntriesInOrder are entries of a workspace as far as decay and expiry go by it, oldest first.
func (s *Store) EntriesInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entry, error) {
	return page(ctx, s, upkeepEntries, "n", map[string]any{"ws": workspaceID, "limit": limit}, from, func(r row) *knowledge.Entry { return entryOf(r.props("n")) })
}

// ExpiredEntries are entries of a workspace that have expired, by when, behind a moment and an id.
func (s *Store) ExpiredEntries(ctx context.Context, workspaceID string, now, key time.Time, id string, limit int) ([]*knowledge.Entry, error) {
	params := map[string]any{"ws": workspaceID, "now": now, "key": key, "id": id, "limit": limit}
	return read(ctx, s, upkeepEntriesExpired, params, func(r row) *knowledge.Entry { return entryOf(r.props("n")) })
}

// FadeEntries lowers confidences and tells how many: those of entries that nobody
// validated or edited since it was decided.
func (s *Store) FadeEntries(ctx context.Context, workspaceID string, fades []knowledge.Fade, now time.Time) (int, error) {
	if len(fades) == 0 {
		return 0, nil
	}
	rows, err := write(ctx, s, upkeepEntriesFade, map[string]any{"ws": workspaceID, "rows": fadeRows(fades), "now": now}, func(r row) string { return r.text("id") })
	return len(rows), err
}

// fadeRows are sorted, so that writers take their locks in one order.
func fadeRows(fades []knowledge.Fade) []any {
	fades = slices.Clone(fades)
	slices.SortFunc(fades, func(a, b knowledge.Fade) int { return cmp.Compare(a.ID, b.ID) })
	rows := make([]any, len(fades))
	for i, f := range fades {
		rows[i] = map[string]any{"id": f.ID, "was": f.Was, "to": f.To, "validatedAt": f.ValidatedAt}
	}
	return rows
}

// TearDownEntry removes up to 500 relations in each direction of an entry that has
// expired, and the entry with its links once fewer are left (SPEC N2).
func (s *Store) TearDownEntry(ctx context.Context, workspaceID, id string, now time.Time) (relations int, gone bool, err error) {
	type drained struct{ out, in int }
	params := map[string]any{"ws": workspaceID, "id": id, "now": now, "limit": relationBatch}
	rows, err := write(ctx, s, upkeepEntryDrain, params, func(r row) drained { return drained{r.int("outgoing"), r.int("incoming")} })
	if err != nil || len(rows) == 0 {
		return 0, false, err
	}
	d := rows[0]
	if d.out < relationBatch && d.in < relationBatch {
		return d.out + d.in, true, exec(ctx, s, entryDelete, map[string]any{"id": id})
	}
	return d.out + d.in, false, nil
}
