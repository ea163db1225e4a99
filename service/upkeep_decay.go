package service

import (
	"context"
	"fmt"
	"time"

	"mneme/knowledge"
)

// DecayStore reads and lowers confidences, and removes what has expired.
type DecayStore interface {
	EntitiesInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entity, error)
	FadeEntities(ctx context.Context, workspaceID string, fades []knowledge.Fade, before time.Time) (int, error)
	EntriesInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entry, error)
	FadeEntries(ctx context.Context, workspaceID string, fades []knowledge.Fade, now time.Time) (int, error)
	ExpiredEntries(ctx context.Context, workspaceID string, now, key time.Time, id string, limit int) ([]*knowledge.Entry, error)
	// TearDownEntry removes at most 500 relations a direction, and the entry when fewer were left (SPEC N2).
	TearDownEntry(ctx context.Context, workspaceID, id string, now time.Time) (relations int, gone bool, err error)
}

// teardownBudget is how many relations one step removes at most, give or take an entry's.
const teardownBudget = 5_000

// Counts of decay and expiry.
const (
	countProcessed = "processed"
	countDecayed   = "decayed"
	countExpired   = "expired"
	countRelations = "relations"
	countKeys      = "idempotencyKeys"
)

// decay are ENTITY_DECAY, ENTRY_DECAY and EXPIRY.
type decay struct {
	store  DecayStore
	keys   *Idempotency
	batch  int
	policy knowledge.EntityDecayPolicy
}

// AddDecay adds the tasks ENTITY_DECAY (SPEC G3–G9), ENTRY_DECAY (G10–G15, N1, N3) and
// EXPIRY (N2), which also forgets the idempotency keys that have expired (T8). The zero
// policy is the product's.
func (s *Upkeep) AddDecay(store DecayStore, keys *Idempotency, policy knowledge.EntityDecayPolicy) {
	if policy == (knowledge.EntityDecayPolicy{}) {
		policy = knowledge.DefaultEntityDecay()
	}
	d := decay{store: store, keys: keys, batch: s.c.Batch, policy: policy}
	s.tasks[knowledge.TaskEntityDecay] = upkeepTask{plan: d.entities, counts: []string{countProcessed, countDecayed}}
	s.tasks[knowledge.TaskEntryDecay] = upkeepTask{plan: d.entries, counts: []string{countProcessed, countDecayed, countExpired, countRelations}}
	s.tasks[knowledge.TaskExpiry] = upkeepTask{plan: d.expiry, counts: []string{countProcessed, countExpired, countRelations, countKeys}}
}

func (d decay) entities(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
	from, err := cursorOf[*knowledge.Cursor](run)
	if err != nil {
		return nil, err
	}
	entities, err := d.store.EntitiesInOrder(ctx, run.ws.ID, from, d.batch)
	if err != nil {
		return nil, err
	}
	done := stepDone{cursor: run.record.Cursor, last: len(entities) < d.batch}
	var fades []knowledge.Fade
	for _, e := range entities {
		done.cursor = cursorText(knowledge.Cursor{Key: e.CreatedAt.Format(time.RFC3339Nano), ID: e.ID})
		if to, changed := knowledge.EntityDecay(e, d.policy, run.now()); changed {
			fades = append(fades, knowledge.Fade{ID: e.ID, Was: e.Confidence, To: to})
			done.examples = append(done.examples, fadeExample(e.Name, e.Confidence, to))
		}
	}
	return func(ctx context.Context) (stepDone, error) {
		changed, err := d.store.FadeEntities(ctx, run.ws.ID, fades, run.now().Add(-d.policy.Grace))
		done.counts = []knowledge.Count{{Key: countProcessed, Count: len(entities)}, {Key: countDecayed, Count: changed}}
		return done, err
	}, nil
}

func fadeExample(name string, was, to float64) string {
	return fmt.Sprintf("%q fades from %.3f to %.3f", knowledge.Caption(name), was, to)
}

func (d decay) entries(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
	from, err := cursorOf[*knowledge.Cursor](run)
	if err != nil {
		return nil, err
	}
	entries, err := d.store.EntriesInOrder(ctx, run.ws.ID, from, d.batch)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (stepDone, error) {
		done := stepDone{cursor: run.record.Cursor, last: len(entries) < d.batch}
		torn, err := d.tearDown(ctx, run, entries, &done)
		if err != nil {
			return done, err
		}
		var fades []knowledge.Fade
		for _, e := range entries[:torn] {
			done.cursor = cursorText(entryCursor(e))
			if to, changed := knowledge.EntryDecay(e, run.now()); changed && !e.Expired(run.now()) {
				fades = append(fades, knowledge.Fade{ID: e.ID, Was: e.Confidence, To: to, ValidatedAt: e.LastValidatedAt})
				done.examples = append(done.examples, fadeExample(e.Title, e.Confidence, to))
			}
		}
		changed, err := d.store.FadeEntries(ctx, run.ws.ID, fades, run.now())
		done.counts = append(done.counts, knowledge.Count{Key: countDecayed, Count: changed})
		return done, err
	}, nil
}

// tearDown removes those of some entries that have expired, until the step is full. It
// gives how many of the entries it came past; where those are not all, there is another step.
func (d decay) tearDown(ctx context.Context, run *upkeepRun, entries []*knowledge.Entry, done *stepDone) (int, error) {
	expired, relations, past := 0, 0, 0
	for _, e := range entries {
		if relations >= teardownBudget {
			done.last = false
			break
		}
		past++
		if !e.Expired(run.now()) {
			continue
		}
		n, gone, err := d.store.TearDownEntry(ctx, run.ws.ID, e.ID, run.now())
		if err != nil {
			return past, err
		}
		relations += n
		if gone {
			expired++
			done.examples = append(done.examples, fmt.Sprintf("%q has expired and goes", knowledge.Caption(e.Title)))
		}
	}
	done.counts = append(done.counts, knowledge.Count{Key: countProcessed, Count: past}, knowledge.Count{Key: countExpired, Count: expired}, knowledge.Count{Key: countRelations, Count: relations})
	return past, nil
}

// expiryPosition is how far EXPIRY got.
type expiryPosition struct {
	At time.Time
	ID string
}

func (d decay) expiry(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
	from, err := cursorOf[expiryPosition](run)
	if err != nil {
		return nil, err
	}
	pruned := 0
	if run.record.Cursor == "" && run.record.Outcome != knowledge.OutcomeDryRun {
		if pruned, err = d.keys.Prune(ctx, run.ws.ID); err != nil { // in transactions of its own: there may be many
			return nil, err
		}
	}
	entries, err := d.store.ExpiredEntries(ctx, run.ws.ID, run.now(), from.At, from.ID, d.batch)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (stepDone, error) {
		done := stepDone{cursor: cursorText(from), last: len(entries) < d.batch, counts: []knowledge.Count{{Key: countKeys, Count: pruned}}}
		past, err := d.tearDown(ctx, run, entries, &done)
		if err == nil && past > 0 {
			done.cursor = cursorText(expiryPosition{At: *entries[past-1].ExpiresAt, ID: entries[past-1].ID})
		}
		return done, err
	}, nil
}
