package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"mneme/knowledge"
	"mneme/service"
)

const (
	// scaleBatch is how many items go into one call of the bulk path.
	scaleBatch = 1_000
	// DefaultSamples is how often each operation is measured.
	DefaultSamples = 200
	// scaleWarmUp is how often each read runs before it is measured: plans, pages, connections.
	scaleWarmUp = 10
	// bareBatches is how many batches are written bare, beside the product's.
	bareBatches = 50
	// scaleRemoveTimeout bounds the removal of the graph: a million edges take minutes.
	scaleRemoveTimeout = 30 * time.Minute
	// scaleSeed makes every measurement use the same graph and the same questions.
	scaleSeed = 7
)

// Scale measures the graph at two sizes, a tenth and the whole, beside the same
// statements sent straight through the driver.
type Scale struct {
	Services *service.Services
	Caller   knowledge.Caller
	Recorder *Recorder // told of every statement of Services
	Bare     Bare

	Entities, Edges int
	Samples         int // how often each operation is measured
	// Progress, where set, is told how many of a stage's items are done.
	Progress func(stage string, done, total int)
}

// ScaleResult is what was measured, the smaller size first.
type ScaleResult struct {
	Sizes []ScaleSize `json:"sizes"`
	// Growth is how many times as long as at a tenth each operation takes (p50).
	Growth map[string]float64 `json:"growth"`
}

// ScaleSize is what was measured at one size.
type ScaleSize struct {
	Entities  int       `json:"entities"`
	Edges     int       `json:"edges"`
	HubDegree int       `json:"hubDegree"`
	Bulk      []Rate    `json:"bulk"`
	Latencies []Latency `json:"latencies"`
}

// Rate is how many items a second are written in bulk.
type Rate struct {
	Name      string  `json:"name"`
	PerSecond float64 `json:"perSecond"`
	Bare      float64 `json:"barePerSecond"`
	Share     float64 `json:"share"` // of what the bare statements reach
}

// Latency is how long one operation takes, alone, and the same statements bare.
type Latency struct {
	Name    string  `json:"name"`
	P50     float64 `json:"p50Ms"`
	P95     float64 `json:"p95Ms"`
	BareP50 float64 `json:"bareP50Ms"`
	BareP95 float64 `json:"bareP95Ms"`
}

// Run measures. Its workspaces are removed again.
func (s *Scale) Run(ctx context.Context) (*ScaleResult, error) {
	out := &ScaleResult{Growth: map[string]float64{}}
	for _, part := range []int{10, 1} {
		size, err := s.size(ctx, max(2, s.Entities/part), max(1, s.Edges/part))
		if err != nil {
			return nil, err
		}
		out.Sizes = append(out.Sizes, *size)
	}
	for i, l := range out.Sizes[1].Latencies {
		if before := out.Sizes[0].Latencies[i].P50; before > 0 {
			out.Growth[l.Name] = l.P50 / before
		}
	}
	return out, nil
}

// scaleRun is the measurement of one size.
type scaleRun struct {
	*Scale
	graph  *scaleGraph
	random *rand.Rand
	to     service.Target
	ws     *knowledge.Workspace
	spare  *knowledge.Workspace // what is written bare
	ids    []string             // of the entities, by number
	hub    string
}

func (s *Scale) size(ctx context.Context, entities, edges int) (_ *ScaleSize, err error) {
	r := &scaleRun{Scale: s, graph: newScaleGraph(entities, edges, scaleSeed), random: rand.New(rand.NewPCG(scaleSeed, 1))} //nolint:gosec // a measurement that can be repeated
	if r.ws, err = s.workspace(ctx, "scale"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.remove(ctx, r.ws.Key)) }()
	if r.spare, err = s.workspace(ctx, "bare"); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.remove(ctx, r.spare.Key)) }()
	r.to = service.Target{Workspace: r.ws.Key, Caller: s.Caller}

	out := &ScaleSize{Entities: entities, Edges: edges}
	entitiesSent, entityRate, err := r.importEntities(ctx)
	if err != nil {
		return nil, err
	}
	links := r.graph.links()
	out.HubDegree = r.findHub(links)
	edgesSent, edgeRate, err := r.importEdges(ctx, links)
	if err != nil {
		return nil, err
	}
	if out.Latencies, err = r.latencies(ctx); err != nil {
		return nil, err
	}
	// The bare writes come last: they add to the entities that were measured.
	bareEntities, err := r.writeBare(ctx, entitiesSent)
	if err != nil {
		return nil, err
	}
	bareEdges, err := r.writeBare(ctx, edgesSent)
	if err != nil {
		return nil, err
	}
	out.Bulk = []Rate{newRate("entities", entityRate, bareEntities), newRate("edges", edgeRate, bareEdges)}
	return out, nil
}

func newRate(name string, ours, bare float64) Rate {
	return Rate{Name: name, PerSecond: ours, Bare: bare, Share: ours / bare}
}

func (s *Scale) workspace(ctx context.Context, what string) (*knowledge.Workspace, error) {
	return s.Services.Workspaces.Create(ctx, s.Caller, fmt.Sprintf("bench-%s-%x", what, time.Now().UnixNano()), "Measurement: "+what)
}

func (s *Scale) remove(ctx context.Context, key string) error {
	return removeWorkspace(ctx, s.Services, s.Caller, key)
}

// removeWorkspace removes a workspace with all that is in it, also when the measurement was ended.
func removeWorkspace(ctx context.Context, all *service.Services, by knowledge.Caller, key string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scaleRemoveTimeout)
	defer cancel()
	_, err := all.Workspaces.Clear(ctx, service.Target{Workspace: key, Caller: by}, service.ClearRequest{Confirm: key})
	return err
}

func (s *Scale) report(stage string, done, total int) {
	if s.Progress != nil {
		s.Progress(stage, done, total)
	}
}

// importEntities writes all entities through the product, and gives some of the
// statements that it sent and the rate.
func (r *scaleRun) importEntities(ctx context.Context) ([]sent, float64, error) {
	var took time.Duration
	batch := func(from, to int) error {
		drafts := make([]knowledge.EntityDraft, 0, to-from)
		for n := from; n < to; n++ {
			drafts = append(drafts, r.graph.draft(n))
		}
		t, err := timed(func() error {
			made, err := r.Services.Entities.UpsertMany(ctx, r.to, drafts, true)
			if err != nil {
				return err
			}
			for _, m := range made {
				if m.Err != nil {
					return m.Err
				}
				r.ids = append(r.ids, m.Value.Entity.ID)
			}
			return nil
		})
		took += t
		return err
	}
	noted, err := r.inBatches("entities", r.graph.entities, batch, "entity_create")
	return noted, float64(r.graph.entities) / took.Seconds(), err
}

func (r *scaleRun) importEdges(ctx context.Context, links []link) ([]sent, float64, error) {
	var took time.Duration
	kinds := scaleEdgeTypes()
	batch := func(from, to int) error {
		drafts := make([]knowledge.EdgeDraft, 0, to-from)
		for _, l := range links[from:to] {
			drafts = append(drafts, knowledge.EdgeDraft{From: knowledge.EntityRef{ID: r.ids[l.from]}, To: knowledge.EntityRef{ID: r.ids[l.to]}, Type: kinds[l.kind]})
		}
		t, err := timed(func() error {
			made, err := r.Services.Edges.AssertMany(ctx, r.to, drafts, true)
			if err != nil {
				return err
			}
			for _, m := range made {
				if m.Err != nil {
					return m.Err
				}
			}
			return nil
		})
		took += t
		return err
	}
	noted, err := r.inBatches("edges", len(links), batch, "edge_create")
	return noted, float64(len(links)) / took.Seconds(), err
}

// inBatches runs through total items and gives the statements of one name that the first batches sent.
func (r *scaleRun) inBatches(what string, total int, batch func(from, to int) error, name string) ([]sent, error) {
	var noted []sent
	for from := 0; from < total; from += scaleBatch {
		to := min(from+scaleBatch, total)
		do := func() error { return batch(from, to) }
		if from/scaleBatch >= bareBatches {
			if err := do(); err != nil {
				return nil, err
			}
			r.report("writing "+what, to, total)
			continue
		}
		some, err := r.Recorder.during(do, name)
		if err != nil {
			return nil, err
		}
		noted = append(noted, some...)
		r.report("writing "+what, to, total)
	}
	return noted, nil
}

// findHub remembers the entity with the most edges and gives their number.
func (r *scaleRun) findHub(links []link) int {
	degrees := make([]int, r.graph.entities)
	for _, l := range links {
		degrees[l.from]++
		degrees[l.to]++
	}
	hub := 0
	for n := range degrees {
		if degrees[n] > degrees[hub] {
			hub = n
		}
	}
	r.hub = r.ids[hub]
	return degrees[hub]
}

// writeBare sends statements that create nodes or edges once more, under ids of their
// own and for the spare workspace, straight through the driver; it gives the rate.
func (r *scaleRun) writeBare(ctx context.Context, statements []sent) (float64, error) {
	rows := 0
	var took time.Duration
	for i, s := range statements {
		again, n := r.renamed(s)
		t, err := timed(func() error { return r.Bare.write(ctx, again) })
		if err != nil {
			return 0, err
		}
		rows, took = rows+n, took+t
		r.report("writing bare", i+1, len(statements))
	}
	return float64(rows) / took.Seconds(), nil
}

// renamed is a statement whose rows have other ids and keys.
func (r *scaleRun) renamed(s sent) (sent, int) {
	rows, _ := s.params["rows"].([]any)
	if rows == nil {
		for _, row := range asMaps(s.params["rows"]) {
			rows = append(rows, row)
		}
	}
	out := make([]any, 0, len(rows))
	for _, row := range rows {
		m, _ := row.(map[string]any)
		out = append(out, r.renamedRow(m))
	}
	params := map[string]any{"ws": r.spare.ID, "rows": out}
	return sent{s.name, s.text, params}, len(out)
}

func asMaps(v any) []map[string]any { m, _ := v.([]map[string]any); return m }

func (r *scaleRun) renamedRow(row map[string]any) map[string]any {
	out := make(map[string]any, len(row))
	for key, value := range row {
		switch text, isText := value.(string); {
		case key == "props":
			props, _ := value.(map[string]any)
			value = r.renamedRow(props)
		case key == "workspaceId":
			value = r.spare.ID
		case isText && slices.Contains([]string{"id", "currentKey", "endedKey"}, key):
			value = text + "b"
		}
		out[key] = value
	}
	return out
}

// latency measures one operation: Samples times, each followed by the same
// statements bare. Every sample gets a number to choose its subjects by.
func (r *scaleRun) latency(ctx context.Context, name string, do func(n int) error) (Latency, error) {
	var ours, bare []time.Duration
	for n := range scaleWarmUp + r.Samples {
		var took time.Duration
		noted, err := r.Recorder.during(func() error {
			var err error
			took, err = timed(func() error { return do(n) })
			return err
		})
		if err != nil {
			return Latency{}, fmt.Errorf("%s: %w", name, err)
		}
		without, err := timed(func() error { return r.Bare.read(ctx, noted) })
		if err != nil {
			return Latency{}, fmt.Errorf("%s, bare: %w", name, err)
		}
		if n >= scaleWarmUp {
			ours, bare = append(ours, took), append(bare, without)
		}
		r.report("measuring "+name, n+1, scaleWarmUp+r.Samples)
	}
	return Latency{
		Name: name, P50: milliseconds(percentile(ours, 50)), P95: milliseconds(percentile(ours, 95)),
		BareP50: milliseconds(percentile(bare, 50)), BareP95: milliseconds(percentile(bare, 95)),
	}, nil
}

func (r *scaleRun) someID() string { return r.ids[r.random.IntN(len(r.ids))] }

// measuredRead is one read with its name.
type measuredRead struct {
	name string
	do   func(n int) error
}

func (r *scaleRun) latencies(ctx context.Context) ([]Latency, error) {
	var out []Latency
	for _, m := range r.reads(ctx) {
		l, err := r.latency(ctx, m.name, m.do)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	upserts, err := r.upserts(ctx)
	if err != nil {
		return nil, err
	}
	return append(out, upserts...), nil
}

// reads are the reads that are measured.
func (r *scaleRun) reads(ctx context.Context) []measuredRead {
	out := []measuredRead{{"search", func(int) error {
		_, err := r.Services.Entities.Search(ctx, r.ws.ID, r.graph.name(r.random.IntN(r.graph.entities)), nil, knowledge.PageRequest{First: 20})
		return err
	}}}
	for hops := 1; hops <= knowledge.MaxHops; hops++ {
		out = append(out,
			measuredRead{fmt.Sprintf("neighbours, %d hops", hops), func(int) error { return r.neighbors(ctx, r.someID(), hops) }},
			measuredRead{fmt.Sprintf("neighbours of the hub, %d hops", hops), func(int) error { return r.neighbors(ctx, r.hub, hops) }},
		)
	}
	return append(out,
		measuredRead{"subgraph of 20", func(int) error {
			refs := make([]knowledge.EntityRef, 20)
			for i := range refs {
				refs[i] = knowledge.EntityRef{ID: r.someID()}
			}
			_, err := r.Services.Navigation.Subgraph(ctx, r.ws.ID, service.SubgraphQuery{Refs: refs, Hops: 1})
			return err
		}},
		measuredRead{"shortest path", func(int) error {
			from, to := knowledge.EntityRef{ID: r.someID()}, knowledge.EntityRef{ID: r.someID()}
			_, err := r.Services.Navigation.ShortestPath(ctx, r.ws.ID, service.PathQuery{From: from, To: to, MaxHops: knowledge.MaxPathHops, Direction: knowledge.Both})
			if knowledge.IsNotFound(err) {
				return nil
			}
			return err
		}},
	)
}

func (r *scaleRun) neighbors(ctx context.Context, root string, hops int) error {
	_, err := r.Services.Navigation.Neighbors(ctx, r.ws.ID, service.NeighborQuery{Root: root, Hops: hops, Direction: knowledge.Both, First: knowledge.MaxNeighbors})
	return err
}
