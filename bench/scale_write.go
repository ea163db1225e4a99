package bench

import (
	"context"
	"fmt"
	"time"

	"mneme/knowledge"
)

// bareUpsert is how an application without the product would write an entity.
const bareUpsert = `MERGE (e:Entity {workspaceId: $ws, type: $type, normalizedName: $name, discriminator: ''})
ON CREATE SET e.id = $id, e.name = $name, e.createdAt = $now, e.confidence = 1.0
ON MATCH SET e.confidence = CASE WHEN e.confidence + 0.1 > 1.0 THEN 1.0 ELSE e.confidence + 0.1 END
SET e.updatedAt = $now, e.lastSeenAt = $now`

// upserts measures writing one entity, one that is there and one that is new, beside a bare MERGE.
func (r *scaleRun) upserts(ctx context.Context) ([]Latency, error) {
	var out []Latency
	for _, m := range []struct {
		name  string
		ws    string // where the bare one writes
		draft func(n int) knowledge.EntityDraft
	}{
		{"upsert, there", r.ws.ID, func(int) knowledge.EntityDraft { return r.graph.draft(r.random.IntN(r.graph.entities)) }},
		{"upsert, new", r.spare.ID, func(n int) knowledge.EntityDraft { return r.graph.draft(r.graph.entities + n) }},
	} {
		var ours, bare []time.Duration
		for n := range scaleWarmUp + r.Samples {
			draft := m.draft(n)
			took, err := timed(func() error {
				_, err := r.Services.Entities.Upsert(ctx, r.to, draft)
				return err
			})
			if err != nil {
				return nil, err
			}
			params := map[string]any{
				"ws": m.ws, "type": draft.Type, "name": knowledge.NormalizeName(draft.Name), "now": time.Now().UTC(),
				"id": fmt.Sprintf("%s_%d", r.spare.ID, n),
			}
			without, err := timed(func() error { return r.Bare.write(ctx, sent{text: bareUpsert, params: params}) })
			if err != nil {
				return nil, err
			}
			if n >= scaleWarmUp {
				ours, bare = append(ours, took), append(bare, without)
			}
			r.report("measuring "+m.name, n+1, scaleWarmUp+r.Samples)
		}
		out = append(out, Latency{
			Name: m.name, P50: milliseconds(percentile(ours, 50)), P95: milliseconds(percentile(ours, 95)),
			BareP50: milliseconds(percentile(bare, 50)), BareP95: milliseconds(percentile(bare, 95)),
		})
	}
	return out, nil
}
