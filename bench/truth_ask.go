package bench

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// askAll asks for every source what held at each of its moments, as known now and at
// some earlier moments.
func (r *truthRun) askAll(ctx context.Context) (*TruthResult, error) {
	out := &TruthResult{}
	for n := range truthSources {
		name := sourceName(n)
		moments := append(r.past.moments(name), r.Clock())
		if err := r.ask(ctx, name, moments, nil, out); err != nil {
			return nil, err
		}
		for range truthInstants {
			known := r.instants[r.random.IntN(len(r.instants))]
			if err := r.ask(ctx, name, moments, &known, out); err != nil {
				return nil, err
			}
		}
		r.report("asking", n+1, truthSources)
	}
	return out, nil
}

// ask compares what the API answers for a source with what is right; known nil is now.
func (r *truthRun) ask(ctx context.Context, name string, moments []time.Time, known *time.Time, out *TruthResult) error {
	by := r.Clock()
	if known != nil {
		by = *known
	}
	for some := range slices.Chunk(moments, truthAtOnce) {
		answers, err := r.answers(ctx, name, some, known)
		if err != nil {
			return err
		}
		for i, asOf := range some {
			r.compare(r.past.truths(name, asOf, by), answers[i], known != nil, out)
		}
	}
	return nil
}

func (r *truthRun) compare(right, answered map[factKey]bool, past bool, out *TruthResult) {
	missing, extra := 0, 0
	for key := range right {
		if !answered[key] {
			missing++
		}
	}
	for key := range answered {
		if !right[key] {
			extra++
		}
	}
	out.Cases++
	if !past {
		out.WronglyEnded += missing
		out.WronglyCurrent += extra
		return
	}
	if missing+extra > 0 {
		out.KnownAtWrong++
	}
}

// answers are the facts of a source at some moments, in one operation.
func (r *truthRun) answers(ctx context.Context, name string, moments []time.Time, known *time.Time) ([]map[factKey]bool, error) {
	var fields strings.Builder
	at := ""
	if known != nil {
		at = fmt.Sprintf(", knownAt: %q", known.Format(time.RFC3339Nano))
	}
	for i, asOf := range moments {
		fmt.Fprintf(&fields, " m%d: edges(direction: OUTGOING, first: 100, at: {asOf: %q%s}) { nodes { type to { name } } }", i, asOf.Format(time.RFC3339Nano), at)
	}
	var data struct {
		Workspace struct {
			Entity map[string]struct {
				Nodes []struct {
					Type string
					To   struct{ Name string }
				}
			}
		}
	}
	query := "query($w: String!, $id: ID!) { workspace(key: $w) { entity(ref: {id: $id}) {" + fields.String() + " } } }"
	if err := r.API.Do(ctx, query, map[string]any{"w": r.key, "id": r.ids[name]}, &data); err != nil {
		return nil, err
	}
	out := make([]map[factKey]bool, len(moments))
	for i := range moments {
		out[i] = map[factKey]bool{}
		for _, e := range data.Workspace.Entity[fmt.Sprintf("m%d", i)].Nodes {
			out[i][factKey{name, e.To.Name, e.Type}] = true
		}
	}
	return out, nil
}
