package bench

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
	"mneme/service"
)

const (
	// throughputSkew makes the n-th largest workspace 1/n^throughputSkew as large as the largest.
	throughputSkew = 1.2
	// throughputWords are how many words the texts are made of, the n-th used 1/n as often
	// as the first, and throughputLength how many one text has.
	throughputWords, throughputLength = 20_000, 24
	// throughputTopics are the directions around which the vectors lie; throughputSpread is
	// how far, as a share of the direction's length.
	throughputTopics, throughputSpread = 400, 0.7
	// topTen is how many of the nearest entries are compared with an exact scan.
	topTen = 10
)

// Throughput measures recall where many workspaces of very different sizes share a
// database.
type Throughput struct {
	Services *service.Services
	Caller   knowledge.Caller
	Recorder *Recorder // told of every statement of Services
	Bare     Bare

	Entries, Workspaces int
	Samples             int // how often recall is asked in each of the measured workspaces
	// Progress, where set, is told how many of a stage's items are done.
	Progress func(stage string, done, total int)
}

// ThroughputResult is what was measured in the smallest, a middle and the largest workspace.
type ThroughputResult struct {
	Entries    int            `json:"entries"`
	Workspaces int            `json:"workspaces"`
	Tenants    []TenantRecall `json:"tenants"`
}

// TenantRecall is how recall does in one workspace, without the embedding of the question.
type TenantRecall struct {
	Name    string `json:"name"`
	Entries int    `json:"entries"`
	// Latency is recall's, and that of its two searches sent bare, beside each other.
	Latency
	// RatioP50 and RatioP95 are recall's times by those of its searches.
	RatioP50 float64 `json:"ratioP50"`
	RatioP95 float64 `json:"ratioP95"`
	// TopTen is how much of the ten that are nearest to a question's vector, by an exact
	// scan, a recall by meaning alone finds, 0 to 1.
	TopTen float64 `json:"topTen"`
	// Short is how many recalls gave fewer hits than were asked for and are there.
	Short int `json:"short"`
}

// tenant is one of the workspaces.
type tenant struct {
	name    string // of those that are measured
	ws      *knowledge.Workspace
	size    int
	entries []tenantEntry // of those that are measured
}

type tenantEntry struct {
	id, text string
	vector   []float32
}

// throughputRun is one measurement.
type throughputRun struct {
	*Throughput
	random  *rand.Rand
	words   *rand.Zipf
	topics  [][]float32
	tenants []*tenant
}

// Run measures. Its workspaces are removed again.
func (m *Throughput) Run(ctx context.Context) (_ *ThroughputResult, err error) {
	random := rand.New(rand.NewPCG(scaleSeed, 2)) //nolint:gosec // a measurement that can be repeated
	r := &throughputRun{Throughput: m, random: random, words: rand.NewZipf(random, 1.07, 1, throughputWords-1)}
	for range throughputTopics {
		r.topics = append(r.topics, r.direction(nil))
	}
	defer func() {
		for _, t := range r.tenants {
			err = errors.Join(err, removeWorkspace(ctx, m.Services, m.Caller, t.ws.Key))
		}
	}()
	if err := r.fill(ctx); err != nil {
		return nil, err
	}
	out := &ThroughputResult{Entries: m.Entries, Workspaces: m.Workspaces}
	for _, t := range r.tenants {
		if t.name == "" {
			continue
		}
		measured, err := r.measure(ctx, t)
		if err != nil {
			return nil, fmt.Errorf("%s workspace: %w", t.name, err)
		}
		out.Tenants = append(out.Tenants, measured)
	}
	return out, nil
}

// direction is a unit vector, near to another where there is one.
func (r *throughputRun) direction(near []float32) []float32 {
	v := make([]float32, r.Services.Embeddings.Model().Dimensions)
	for i := range v {
		v[i] = float32(r.random.NormFloat64() / math.Sqrt(float64(len(v))))
		if near != nil {
			v[i] = near[i] + throughputSpread*v[i]
		}
	}
	length := math.Sqrt(dot(v, v))
	for i := range v {
		v[i] = float32(float64(v[i]) / length)
	}
	return v
}

func dot(a, b []float32) float64 {
	sum := 0.0
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// word is the n-th word of a made-up language.
func word(n uint64) string {
	var b strings.Builder
	for n += throughputWords; n > 0; n /= 80 {
		b.WriteByte("bdfgklmnprstvwxz"[n%16])
		b.WriteByte("aeiou"[n/16%5])
	}
	return b.String()
}

func (r *throughputRun) text(words int) string {
	all := make([]string, words)
	for i := range all {
		all[i] = word(r.words.Uint64())
	}
	return strings.Join(all, " ")
}

// sizes of the workspaces, the largest first; they sum to the number of entries.
func (m *Throughput) sizes() []int {
	sum := 0.0
	for n := range m.Workspaces {
		sum += math.Pow(float64(n+1), -throughputSkew)
	}
	sizes, rest := make([]int, m.Workspaces), m.Entries
	for n := m.Workspaces - 1; n >= 0; n-- {
		sizes[n] = max(1, int(float64(m.Entries)*math.Pow(float64(n+1), -throughputSkew)/sum))
		if n == 0 {
			sizes[n] = max(1, rest)
		}
		rest -= sizes[n]
	}
	return sizes
}

// fill makes the workspaces and writes their entries through the product.
func (r *throughputRun) fill(ctx context.Context) error {
	sizes, done := r.sizes(), 0
	names := map[int]string{len(sizes) - 1: "smallest", len(sizes) / 2: "middle", 0: "largest"}
	for n, size := range slices.Backward(sizes) {
		ws, err := r.Services.Workspaces.Create(ctx, r.Caller, fmt.Sprintf("bench-tenant-%x-%d", time.Now().UnixNano(), n), "Measurement: a tenant")
		if err != nil {
			return err
		}
		t := &tenant{name: names[n], ws: ws, size: size}
		r.tenants = append(r.tenants, t)
		for from := 0; from < size; from += scaleBatch {
			if err := r.write(ctx, t, min(scaleBatch, size-from)); err != nil {
				return err
			}
			done += min(scaleBatch, size-from)
			r.report("writing entries", done, r.Entries)
		}
	}
	return nil
}

func (r *throughputRun) report(stage string, done, total int) {
	if r.Progress != nil {
		r.Progress(stage, done, total)
	}
}

func (r *throughputRun) write(ctx context.Context, t *tenant, n int) error {
	drafts := make([]knowledge.EntryDraft, n)
	for i := range drafts {
		vector := r.direction(r.topics[r.random.IntN(len(r.topics))])
		drafts[i] = knowledge.EntryDraft{
			Type: knowledge.EntryFact, Source: knowledge.SourceManual, Title: r.text(4), Content: r.text(throughputLength), Confidence: 0.8, Embedding: &vector,
		}
	}
	made, err := r.Services.Entries.CreateMany(ctx, service.Target{Workspace: t.ws.Key, Caller: r.Caller}, drafts, true)
	if err != nil {
		return err
	}
	for i, m := range made {
		if m.Err != nil {
			return m.Err
		}
		if t.name != "" {
			t.entries = append(t.entries, tenantEntry{m.Value.Entry.ID, drafts[i].Content, *drafts[i].Embedding})
		}
	}
	return nil
}

// question is one that an entry answers: some of its words, and a vector near to its own.
func (r *throughputRun) question(t *tenant) knowledge.RecallQuery {
	e := t.entries[r.random.IntN(len(t.entries))]
	words := strings.Fields(e.text)
	from := r.random.IntN(len(words) - 5)
	return knowledge.RecallQuery{
		Query: strings.Join(words[from:from+5], " "), Embedding: r.direction(e.vector),
		Scope: knowledge.ScopeRef{OrgWide: true}, Limit: topTen, Hops: 1, NeighborBudget: knowledge.DefaultBudget, Ranking: knowledge.RankingBest,
	}
}

// searches are the statements that search, one for each leg.
var searches = []string{"entry_search_vector", "entry_search_vector_all", "entry_search_vector_index", "entry_search_text"}

// measure asks in one workspace, each time followed by the same searches bare.
func (r *throughputRun) measure(ctx context.Context, t *tenant) (TenantRecall, error) {
	out := TenantRecall{Name: t.name, Entries: t.size, Latency: Latency{Name: "recall"}}
	var ours, bare []time.Duration
	found, wanted := 0, 0
	for n := range scaleWarmUp + r.Samples {
		q := r.question(t)
		var answer *knowledge.Recall
		var took time.Duration
		noted, err := r.Recorder.during(func() (err error) {
			took, err = timed(func() (err error) {
				answer, err = r.Services.Recall.Recall(ctx, t.ws, q)
				return err
			})
			return err
		}, searches...)
		if err != nil {
			return out, err
		}
		without, err := timed(func() error { return r.beside(ctx, noted) })
		if err != nil {
			return out, err
		}
		if n < scaleWarmUp {
			continue
		}
		ours, bare = append(ours, took), append(bare, without)
		if len(answer.Hits) < min(topTen, t.size) {
			out.Short++
		}
		both, all, err := r.compare(ctx, t, q)
		if err != nil {
			return out, err
		}
		found, wanted = found+both, wanted+all
		r.report("asking in the "+t.name, n-scaleWarmUp+1, r.Samples)
	}
	out.P50, out.P95 = milliseconds(percentile(ours, 50)), milliseconds(percentile(ours, 95))
	out.BareP50, out.BareP95 = milliseconds(percentile(bare, 50)), milliseconds(percentile(bare, 95))
	out.RatioP50, out.RatioP95 = out.P50/out.BareP50, out.P95/out.BareP95
	out.TopTen = float64(found) / float64(wanted)
	return out, nil
}

// beside runs statements at the same time, as recall does.
func (r *throughputRun) beside(ctx context.Context, statements []sent) error {
	group, ctx := errgroup.WithContext(ctx)
	for _, s := range statements {
		group.Go(func() error { return r.Bare.read(ctx, []sent{s}) })
	}
	return group.Wait()
}

// compare counts how many of those that are nearest to a question's vector a recall by
// meaning alone finds.
func (r *throughputRun) compare(ctx context.Context, t *tenant, q knowledge.RecallQuery) (found, all int, err error) {
	flat := false
	q.Query, q.Expand, q.Ranking = "", &flat, knowledge.RankingRRF
	answer, err := r.Services.Recall.Recall(ctx, t.ws, q)
	if err != nil {
		return 0, 0, err
	}
	nearest := slices.Clone(t.entries)
	scores := make(map[string]float64, len(nearest))
	for _, e := range nearest {
		scores[e.id] = dot(e.vector, q.Embedding)
	}
	slices.SortFunc(nearest, func(a, b tenantEntry) int { return cmp.Compare(scores[b.id], scores[a.id]) })
	nearest = nearest[:min(topTen, len(nearest))]
	for _, e := range nearest {
		if slices.ContainsFunc(answer.Hits, func(h *knowledge.RecallHit) bool { return h.Entry() != nil && h.Entry().ID == e.id }) {
			found++
		}
	}
	return found, len(nearest), nil
}
