package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// ReembedStore reads what has no vector of a model, and keeps vectors.
type ReembedStore interface {
	TextsToEmbed(ctx context.Context, kind knowledge.RecallKind, workspaceID string, model knowledge.EmbeddingModel, from *knowledge.Cursor, limit int) ([]knowledge.UnembeddedText, error)
	SetEntryVectors(ctx context.Context, vectors []knowledge.EntryVector, model knowledge.EmbeddingModel) error
	SetFactVectors(ctx context.Context, kind knowledge.RecallKind, vectors []knowledge.EntryVector, model knowledge.EmbeddingModel) error
	EnsureVectorIndex(ctx context.Context, model knowledge.EmbeddingModel) error
}

const (
	reembedWait = 4 * time.Minute // below the time of a step
	// countWithout are texts that nothing can be made of.
	countWithout = "withoutVector"
)

// reembedKinds are what has vectors, and how they are counted.
func reembedKinds() []struct {
	kind  knowledge.RecallKind
	count string
} {
	return []struct {
		kind  knowledge.RecallKind
		count string
	}{{knowledge.RecallEntry, "entries"}, {knowledge.RecallObservation, "observations"}, {knowledge.RecallEdge, "edges"}}
}

// reembed is REEMBED: a step is a page of what may lack a vector of the model in use.
type reembed struct {
	store      ReembedStore
	embeddings *Embeddings
}

// AddReembed adds the task REEMBED (SPEC T18): vectors of the model in use for everything
// that has one of another model, or waits for one. Vectors of other models stay, so that
// servers that still use one of these find what they found.
func (s *Upkeep) AddReembed(store ReembedStore, embeddings *Embeddings) {
	s.tasks[knowledge.TaskReembed] = upkeepTask{plan: reembed{store, embeddings}.plan, counts: []string{countProcessed, "entries", "observations", "edges", countWithout}}
}

// reembedPosition is how far REEMBED got for a model: the kind by its number, and where in it.
type reembedPosition struct {
	Model string
	Kind  int
	At    *knowledge.Cursor
}

func (r reembed) plan(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
	at, err := cursorOf[reembedPosition](run)
	if err != nil {
		return nil, err
	}
	if key := r.embeddings.Model().Key(); at.Model != key {
		at = reembedPosition{Model: key} // what another model came past, this one did not
	}
	rehearsal := run.record.Outcome == knowledge.OutcomeDryRun
	if !rehearsal && at.Kind == 0 && at.At == nil {
		if err := r.store.EnsureVectorIndex(ctx, r.embeddings.Model()); err != nil {
			return nil, err
		}
	}
	kind := reembedKinds()[at.Kind]
	texts, err := r.store.TextsToEmbed(ctx, kind.kind, run.ws.ID, r.embeddings.Model(), at.At, fillBatch)
	if err != nil {
		return nil, err
	}
	done := stepDone{}
	done.count(countProcessed, len(texts))
	var missing []knowledge.EntryText
	for _, t := range texts {
		at.At = &knowledge.Cursor{Key: t.CreatedAt.Format(time.RFC3339Nano), ID: t.ID}
		if t.Missing {
			missing = append(missing, t.EntryText)
		}
	}
	if len(texts) < fillBatch {
		at = reembedPosition{Model: at.Model, Kind: at.Kind + 1}
		done.last = at.Kind == len(reembedKinds())
	}
	done.cursor = cursorText(at)
	if rehearsal || len(missing) == 0 {
		done.count(kind.count, len(missing))
		return func(context.Context) (stepDone, error) { return done, nil }, nil
	}
	vectors, err := r.embeddings.vectorsFor(ctx, kind.kind, missing, reembedWait)
	if err != nil {
		return nil, err
	}
	done.count(kind.count, len(vectors))
	done.count(countWithout, len(missing)-len(vectors))
	return func(ctx context.Context) (stepDone, error) {
		if kind.kind == knowledge.RecallEntry {
			return done, r.store.SetEntryVectors(ctx, vectors, r.embeddings.Model())
		}
		return done, r.store.SetFactVectors(ctx, kind.kind, vectors, r.embeddings.Model())
	}, nil
}
