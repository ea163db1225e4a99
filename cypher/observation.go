package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/observation_match.cypher
var observationMatch statement

//go:embed queries/observation_create.cypher
var observationCreate statement

//go:embed queries/observation_raise.cypher
var observationRaise statement

//go:embed queries/observation_touch.cypher
var observationTouch statement

//go:embed queries/observation_delete.cypher
var observationDelete statement

//go:embed queries/observation_by_ids.cypher
var observationByIDs statement

//go:embed queries/observation_of_entities.cypher
var observationOfEntities statement

//go:embed queries/observation_count.cypher
var observationCount statement

// LockObservations locks the entities of additions, in the order of their ids, and
// gives the stored observations that these could mean, oldest first (SPEC C3, C6).
func (s *Store) LockObservations(ctx context.Context, adds []*knowledge.Observation) ([]*knowledge.Observation, error) {
	ids, keys := make([]string, 0, len(adds)), make([]any, 0, len(adds))
	for _, o := range adds {
		ids = append(ids, o.EntityID)
		keys = append(keys, map[string]any{"entityId": o.EntityID, "fingerprint": o.Fingerprint, "content": knowledge.ContentFingerprint(o.Text)})
	}
	if err := s.lockEntities(ctx, ids); err != nil {
		return nil, err
	}
	return read(ctx, s, observationMatch, map[string]any{"keys": keys}, scanObservation)
}

// WriteObservations stores new observations, sources that stronger writers took over,
// and when the entities of new ones were seen. CONFLICT where an entity is not there
// any more, which Atomically decides anew.
func (s *Store) WriteObservations(ctx context.Context, _ string, w knowledge.ObservationWrites) error {
	if len(w.Raised) > 0 {
		rows := make([]any, 0, len(w.Raised))
		for _, o := range w.Raised {
			rows = append(rows, map[string]any{"id": o.ID, "source": string(o.Source)})
		}
		if err := exec(ctx, s, observationRaise, map[string]any{"rows": rows}); err != nil {
			return err
		}
	}
	if len(w.Created) == 0 {
		return nil
	}
	rows := make([]any, 0, len(w.Created))
	for _, c := range w.Created {
		rows = append(rows, map[string]any{"entityId": c.Observation.EntityID, "props": observationProps(c)})
	}
	made, err := write(ctx, s, observationCreate, map[string]any{"rows": rows}, func(r row) int { return r.int("created") })
	if err != nil {
		return err
	}
	if len(made) != 1 || made[0] != len(rows) {
		return errGone
	}
	return exec(ctx, s, observationTouch, map[string]any{"ids": w.Touched, "at": w.SeenAt})
}

// DeleteObservations removes observations of a workspace, and gives the number that was there.
func (s *Store) DeleteObservations(ctx context.Context, workspaceID string, ids []string) (int, error) {
	if len(ids) == 0 {
		return 0, nil
	}
	rows, err := write(ctx, s, observationDelete, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) int { return r.int("deleted") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// ObservationsByID are the observations of ids, those that exist in the workspace.
func (s *Store) ObservationsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Observation, error) {
	return read(ctx, s, observationByIDs, map[string]any{"ws": workspaceID, "ids": ids}, scanObservation)
}

// ObservationsOf are the observations of each of some entities behind a position, by
// entity: newest first, at most limit of each.
func (s *Store) ObservationsOf(ctx context.Context, workspaceID string, entityIDs []string, from *knowledge.ObservationPosition, limit int) (map[string][]*knowledge.Observation, error) {
	params := map[string]any{"ws": workspaceID, "ids": entityIDs, "limit": limit, "from": nil}
	if from != nil {
		params["from"] = map[string]any{"observedAt": from.ObservedAt, "id": from.ID}
	}
	rows, err := read(ctx, s, observationOfEntities, params, scanObservation)
	out := make(map[string][]*knowledge.Observation, len(entityIDs))
	for _, o := range rows {
		out[o.EntityID] = append(out[o.EntityID], o)
	}
	return out, err
}

// CountObservationsOf are the numbers of entities' observations, by entity.
func (s *Store) CountObservationsOf(ctx context.Context, workspaceID string, entityIDs []string) (map[string]int, error) {
	rows, err := read(ctx, s, observationCount, map[string]any{"ws": workspaceID, "ids": entityIDs}, func(r row) knowledge.Count {
		return knowledge.Count{Key: r.text("id"), Count: r.int("count")}
	})
	return countsByKey(rows), err
}

func scanObservation(r row) *knowledge.Observation {
	p := r.props("o")
	return &knowledge.Observation{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), EntityID: p.text("entityId"), Text: p.text("text"), Source: knowledge.Actor(p.text("source")),
		Fingerprint: p.text("fingerprint"), ObservedAt: p.time("observedAt"), CreatedAt: p.time("createdAt"),
	}
}

func observationProps(c knowledge.ObservationCreated) map[string]any {
	o := c.Observation
	p := map[string]any{
		"id": o.ID, "workspaceId": o.WorkspaceID, "entityId": o.EntityID, "name": knowledge.Caption(o.Text), "text": o.Text, "source": string(o.Source),
		"fingerprint": o.Fingerprint, "contentFingerprint": knowledge.ContentFingerprint(o.Text), "searchText": knowledge.Analyze(o.Text), "awaitsVector": true,
		"observedAt": o.ObservedAt, "createdAt": o.CreatedAt,
	}
	if c.Direct {
		p["directSource"], p["directAt"] = string(o.Source), o.CreatedAt
	}
	return p
}
