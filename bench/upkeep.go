package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/oklog/ulid/v2"
	"golang.org/x/sync/errgroup"

	"mneme/cypher"
	"mneme/knowledge"
	"mneme/service"
)

// What a workspace that is maintained is made of.
const (
	upkeepPerContact = 100 // entries about one contact
	upkeepExpiring   = 20  // every so many-th entry expires
	upkeepRepeated   = 50  // every so many-th entry says what the one before it says
	upkeepRelated    = 10  // every so many-th entry has a relation to the one before it
	upkeepWriters    = 4
	upkeepChunk      = 500
	upkeepAge        = 40 * 24 * time.Hour
	heapSample       = 50 * time.Millisecond
)

// Upkeep measures maintenance on a workspace of many entries, at a tenth of the size and at
// the whole, and what recall feels of it.
type Upkeep struct {
	Store   *cypher.Store
	Model   knowledge.EmbeddingModel // of the vectors that are made up
	Entries int
	Samples int // recalls at rest
	// Indexed: the vectors are indexed and recall looks at all entries. Without, it looks at
	// those of one contact at a time, whose vectors are compared one by one.
	Indexed bool
	// Progress, where set, is told how many of a stage's items are done.
	Progress func(stage string, done, total int)
}

// UpkeepResult is what was measured.
type UpkeepResult struct {
	Sizes []UpkeepSize `json:"sizes"`
	// Growth is how many times more an entry costs at the whole size than at a tenth, by task.
	Growth map[string]float64 `json:"growth"`
}

// UpkeepSize is a workspace of one size.
type UpkeepSize struct {
	Entries     int          `json:"entries"`
	RestP95     float64      `json:"recallAtRestP95Ms"`
	ImportASec  float64      `json:"importASecond"`
	Maintenance []UpkeepTask `json:"tasks"`
}

// UpkeepTask is a run of a task.
type UpkeepTask struct {
	Task      string         `json:"task"`
	Seconds   float64        `json:"seconds"`
	PerEntry  float64        `json:"microsecondsAnEntry"`
	PeakHeap  float64        `json:"peakHeapMB"` // of this process, recall's own included
	RecallP95 float64        `json:"recallP95Ms"`
	Recalls   int            `json:"recalls"`
	Counts    map[string]int `json:"counts"`
}

// upkeepRun is a workspace while it is measured. Its clock goes on with every look at it, as
// a real one does, and is moved by hand to let the entries age.
type upkeepRun struct {
	*Upkeep
	begin    time.Time
	looks    atomic.Int64
	aged     atomic.Int64 // a duration
	services *service.Services
	contacts []string
	ws       *knowledge.Workspace
	to       service.Target
}

// Run measures both sizes. What was written is removed afterwards.
func (u *Upkeep) Run(ctx context.Context) (*UpkeepResult, error) {
	result := &UpkeepResult{Growth: map[string]float64{}}
	for _, size := range []int{u.Entries / 10, u.Entries} {
		measured, err := u.size(ctx, size)
		if err != nil {
			return nil, err
		}
		result.Sizes = append(result.Sizes, *measured)
	}
	for i, task := range result.Sizes[1].Maintenance {
		result.Growth[task.Task] = task.PerEntry / result.Sizes[0].Maintenance[i].PerEntry
	}
	return result, nil
}

func (u *Upkeep) size(ctx context.Context, entries int) (_ *UpkeepSize, err error) {
	r := &upkeepRun{Upkeep: u, begin: time.Now().UTC().Truncate(time.Microsecond).Add(-upkeepAge)}
	newID := func(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }
	r.services = service.New(service.Config{
		Store: u.Store, Embeddings: service.EmbeddingsConfig{Model: u.Model}, Clock: r.now, NewID: newID,
		Features: func(*knowledge.Workspace) []knowledge.Feature {
			return knowledge.EffectiveFeatures(knowledge.Deployment{}, nil)
		},
	})
	caller := knowledge.Caller{Name: "bench", Actor: knowledge.ActorManual}
	if r.ws, err = r.services.Workspaces.Create(ctx, caller, newID("bench"), ""); err != nil {
		return nil, err
	}
	r.to = service.Target{Workspace: r.ws.Key, Caller: caller}
	defer func() {
		_, gone := r.services.Workspaces.Clear(context.WithoutCancel(ctx), r.to, service.ClearRequest{Confirm: r.ws.Key})
		err = errors.Join(err, gone)
	}()
	if u.Indexed {
		if err := u.Store.EnsureVectorIndex(ctx, u.Model); err != nil {
			return nil, err
		}
	}
	began := time.Now()
	if err := r.fill(ctx, entries); err != nil {
		return nil, err
	}
	out := &UpkeepSize{Entries: entries, ImportASec: float64(entries) / time.Since(began).Seconds()}
	r.aged.Store(int64(upkeepAge))
	rest, err := r.recalls(ctx, func(n int) bool { return n < u.Samples })
	if err != nil {
		return nil, err
	}
	out.RestP95 = milliseconds(percentile(rest, 95))
	for _, task := range []knowledge.MaintenanceTask{knowledge.TaskExpiry, knowledge.TaskEntryDecay, knowledge.TaskDedup} {
		u.tell(string(task), len(out.Maintenance), 3)
		measured, err := r.measure(ctx, task, entries)
		if err != nil {
			return nil, err
		}
		out.Maintenance = append(out.Maintenance, *measured)
	}
	return out, nil
}

func (r *upkeepRun) now() time.Time {
	return r.begin.Add(time.Duration(r.aged.Load()) + time.Duration(r.looks.Add(1))*time.Millisecond)
}

func (u *Upkeep) tell(stage string, done, total int) {
	if u.Progress != nil {
		u.Progress(stage, done, total)
	}
}

// fill writes contacts, entries and relations.
func (r *upkeepRun) fill(ctx context.Context, entries int) error {
	contacts := make([]knowledge.EntityDraft, max(1, entries/upkeepPerContact))
	for i := range contacts {
		contacts[i] = knowledge.EntityDraft{Type: knowledge.TypePerson, Name: fmt.Sprintf("Contact %d", i)}
	}
	for chunk := range slices.Chunk(contacts, upkeepChunk) {
		made, err := r.services.Entities.UpsertMany(ctx, r.to, chunk, true)
		if err != nil {
			return err
		}
		for _, m := range made {
			r.contacts = append(r.contacts, m.Value.Entity.ID)
		}
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(upkeepWriters)
	for start := 0; start < entries; start += upkeepChunk {
		r.tell("writing", start, entries) // here, not beside each other
		group.Go(func() error { return r.write(ctx, start, min(start+upkeepChunk, entries)) })
	}
	return group.Wait()
}

func (r *upkeepRun) write(ctx context.Context, from, to int) error {
	random := rand.New(rand.NewPCG(uint64(from), 1)) //nolint:gosec // a benchmark's data
	drafts := make([]knowledge.EntryDraft, 0, to-from)
	for i := from; i < to; i++ {
		vector := randomVector(random, r.Model.Dimensions)
		if i%upkeepRepeated == 1 && i > from {
			vector = *drafts[len(drafts)-1].Embedding
		}
		d := knowledge.EntryDraft{
			Type: knowledge.EntryFact, Source: knowledge.SourceManual, Title: fmt.Sprintf("entry %d", i), Content: randomText(random), Confidence: 0.8, Embedding: &vector,
			Contacts: []knowledge.EntityRef{{ID: r.contacts[i/upkeepPerContact%len(r.contacts)]}},
		}
		if i%upkeepExpiring == 7 {
			days := 10.0
			d.ExpiresInDays = &days
		}
		drafts = append(drafts, d)
	}
	made, err := r.services.Entries.CreateMany(ctx, r.to, drafts, true)
	if err != nil {
		return err
	}
	var relations []*knowledge.Relation
	for i := 1; i < len(made); i++ {
		if i%upkeepRelated == 7 {
			relations = append(relations, &knowledge.Relation{
				ID: made[i].Value.Entry.ID + "_r", WorkspaceID: r.ws.ID, FromID: made[i].Value.Entry.ID, ToID: made[i-1].Value.Entry.ID, Type: knowledge.RelationSupports,
				Confidence: 1, ConfidenceTag: knowledge.TagExtracted, Provenance: knowledge.ProvenanceManual, CreatedAt: r.begin, UpdatedAt: r.begin,
			})
		}
	}
	return r.Store.InsertRelations(ctx, relations)
}

func randomVector(random *rand.Rand, dimensions int) []float32 {
	v := make([]float32, dimensions)
	for i := range v {
		v[i] = float32(random.NormFloat64())
	}
	return v
}

func randomText(random *rand.Rand) string {
	words := make([]string, 24)
	for i := range words {
		words[i] = fmt.Sprintf("word%d", int(1/(random.Float64()+5e-5)))
	}
	return strings.Join(words, " ")
}

// recalls asks recall one question after the other.
func (r *upkeepRun) recalls(ctx context.Context, again func(n int) bool) ([]time.Duration, error) {
	random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // a benchmark's questions
	var took []time.Duration
	for n := 0; again(n); n++ {
		scope := knowledge.ScopeRef{OrgWide: true}
		if !r.Indexed {
			scope = knowledge.ScopeRef{Contact: &knowledge.EntityRef{ID: r.contacts[random.IntN(len(r.contacts))]}}
		}
		q := knowledge.RecallQuery{Query: fmt.Sprintf("word%d word%d", random.IntN(50)+2, random.IntN(500)+50), Embedding: randomVector(random, r.Model.Dimensions), Scope: scope, Limit: 10}
		began := time.Now()
		if _, err := r.services.Recall.Recall(ctx, r.ws, q); err != nil {
			return nil, err
		}
		took = append(took, time.Since(began))
	}
	return took, nil
}

// measure runs a task while recall is asked.
func (r *upkeepRun) measure(ctx context.Context, task knowledge.MaintenanceTask, entries int) (*UpkeepTask, error) {
	runtime.GC()
	done := make(chan struct{})
	out := &UpkeepTask{Task: strings.ToUpper(string(task)), Counts: map[string]int{}}
	var group errgroup.Group
	group.Go(func() error {
		defer close(done)
		began := time.Now()
		run, err := r.services.Upkeep.Run(ctx, r.to, service.MaintenanceCall{Task: task, Force: true})
		if err != nil {
			return err
		}
		out.Seconds = time.Since(began).Seconds()
		out.PerEntry = out.Seconds * 1e6 / float64(entries)
		for _, c := range run.Counts {
			out.Counts[c.Key] = c.Count
		}
		return nil
	})
	group.Go(func() error {
		took, err := r.recalls(ctx, func(int) bool {
			select {
			case <-done:
				return false
			default:
				return true
			}
		})
		out.RecallP95, out.Recalls = milliseconds(percentile(took, 95)), len(took)
		return err
	})
	group.Go(func() error {
		out.PeakHeap = peakHeap(done)
		return nil
	})
	return out, group.Wait()
}

// peakHeap is the largest heap in MB that was seen until done.
func peakHeap(done <-chan struct{}) float64 {
	ticker := time.NewTicker(heapSample)
	defer ticker.Stop()
	var most uint64
	for {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		most = max(most, m.HeapInuse)
		select {
		case <-done:
			return float64(most) / 1e6
		case <-ticker.C:
		}
	}
}
