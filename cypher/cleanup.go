package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/cleanup_unkeyed.cypher
var cleanupUnkeyed statement

//go:embed queries/cleanup_namesakes.cypher
var cleanupNamesakes statement

//go:embed queries/cleanup_unkey.cypher
var cleanupUnkey statement

//go:embed queries/cleanup_candidates.cypher
var cleanupCandidates statement

//go:embed queries/cleanup_unprotected.cypher
var cleanupUnprotected statement

//go:embed queries/cleanup_employments.cypher
var cleanupEmployments statement

//go:embed queries/cleanup_repeated.cypher
var cleanupRepeated statement

//go:embed queries/cleanup_observation_supports.cypher
var cleanupObservationSupports statement

// UnkeyedEntities are the entities of a workspace that are not unique by their name, as
// older imports left them.
func (s *Store) UnkeyedEntities(ctx context.Context, workspaceID string) ([]knowledge.CleanupEntity, error) {
	return read(ctx, s, cleanupUnkeyed, map[string]any{"ws": workspaceID}, scanCleanup)
}

// Namesakes are the entities that have the plain key of the types and names of others.
func (s *Store) Namesakes(ctx context.Context, workspaceID string, of []knowledge.CleanupEntity) ([]knowledge.CleanupEntity, error) {
	seen := map[[2]string]bool{}
	var rows []any
	for _, e := range of {
		if key := [2]string{e.TypeKey, knowledge.NormalizeName(e.Name)}; !seen[key] {
			seen[key] = true
			rows = append(rows, map[string]any{"type": key[0], "key": key[1]})
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	return read(ctx, s, cleanupNamesakes, map[string]any{"ws": workspaceID, "rows": rows}, scanCleanup)
}

func scanCleanup(r row) knowledge.CleanupEntity {
	return knowledge.CleanupEntity{Entity: scanEntity(r), Degree: r.int("degree"), Keyed: r.bool("keyed")}
}

// UnkeyEntities takes their keys away from entities that are about to go into others.
func (s *Store) UnkeyEntities(ctx context.Context, workspaceID string, entities []knowledge.CleanupEntity) error {
	rows := make([]any, len(entities))
	for i, e := range entities {
		rows[i] = map[string]any{"id": e.ID, "key": knowledge.NormalizeName(e.Name)}
	}
	return exec(ctx, s, cleanupUnkey, map[string]any{"ws": workspaceID, "rows": rows})
}

// AutomaticEntities are the automatic entities of a type, without aliases, identities and times.
func (s *Store) AutomaticEntities(ctx context.Context, workspaceID, typeKey string) ([]*knowledge.Entity, error) {
	return read(ctx, s, cleanupCandidates, map[string]any{"ws": workspaceID, "type": typeKey}, func(r row) *knowledge.Entity { return entityOf(r.props("e"), nil) })
}

// UnprotectedEntities are those of some entities that only the machine spoke of (SPEC H6),
// and that no entry is about.
func (s *Store) UnprotectedEntities(ctx context.Context, workspaceID string, ids []string) ([]string, error) {
	return read(ctx, s, cleanupUnprotected, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) string { return r.text("id") })
}

// AutomaticEmployments are the automatic works_at edges to some organisations, of all times.
func (s *Store) AutomaticEmployments(ctx context.Context, workspaceID string, ids []string) ([]string, error) {
	return read(ctx, s, cleanupEmployments, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) string { return r.text("id") })
}

// EntitiesWithRepeats are the entities that have observations of one text.
func (s *Store) EntitiesWithRepeats(ctx context.Context, workspaceID string) ([]string, error) {
	return read(ctx, s, cleanupRepeated, map[string]any{"ws": workspaceID}, func(r row) string { return r.text("id") })
}

// AllObservationsOf are all observations of entities.
func (s *Store) AllObservationsOf(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Observation, error) {
	return read(ctx, s, mergeObservationsOf, map[string]any{"ws": workspaceID, "ids": ids}, scanObservation)
}

// DropObservations removes observations that say what others say, which take up what
// they rest on.
func (s *Store) DropObservations(ctx context.Context, workspaceID string, drops []knowledge.ObservationDrop) (int, error) {
	rows, ids := make([]any, len(drops)), make([]string, len(drops))
	for i, d := range drops {
		rows[i], ids[i] = map[string]any{"id": d.ID, "into": d.Into}, d.ID
	}
	if err := exec(ctx, s, cleanupObservationSupports, map[string]any{"rows": rows}); err != nil {
		return 0, err
	}
	return s.DeleteObservations(ctx, workspaceID, ids)
}
