package service

import (
	"context"
	"iter"
	"slices"
	"time"

	"mneme/knowledge"
)

// CodeWriter writes the code graph. What a method gets is written in the transaction of its context.
type CodeWriter interface {
	ClaimCode(ctx context.Context, c knowledge.CodeClaim) (digest string, held bool, err error)
	HoldCode(ctx context.Context, c knowledge.CodeClaim) (bool, error)
	ReleaseCode(ctx context.Context, c knowledge.CodeClaim) error
	// CodeParts are the stored files with the hashes of their parts; none for a part that is not whole.
	CodeParts(ctx context.Context, c knowledge.CodeClaim) ([]knowledge.CodePartState, error)
	BeginCode(ctx context.Context, c knowledge.CodeClaim) error
	// CutCode removes the edges of parts, and the symbols that they do not have any more.
	CutCode(ctx context.Context, c knowledge.CodeClaim, parts []*knowledge.CodePart) error
	// DropCode removes files with their symbols and edges.
	DropCode(ctx context.Context, c knowledge.CodeClaim, paths []string) error
	WriteCodePackages(ctx context.Context, c knowledge.CodeClaim, packages []knowledge.CodePackage) error
	WriteCodeFiles(ctx context.Context, c knowledge.CodeClaim, files []knowledge.CodeFile) error
	WriteCodeSymbols(ctx context.Context, c knowledge.CodeClaim, symbols []knowledge.CodeSymbol) error
	// WriteCodeEdges adds edges; both ends are stored.
	WriteCodeEdges(ctx context.Context, c knowledge.CodeClaim, edges []knowledge.CodeEdge) error
	SealCode(ctx context.Context, c knowledge.CodeClaim, parts []knowledge.CodePartState) error
	FinishCode(ctx context.Context, c knowledge.CodeClaim, r knowledge.CodeRepository, now time.Time) error
}

// Sizes of what one transaction writes.
const (
	codeBatch    = 2_500 // nodes or edges
	codePartsCut = 100   // files whose edges are removed
	// codeOnce is what one transaction may write as a whole: a save of an editor is seen whole or not at all.
	codeOnce = 4_000
)

// codeWrite is the writing of one plan.
type codeWrite struct {
	service  *Code
	claim    knowledge.CodeClaim
	progress func(knowledge.CodeProgress)
	done     int
	total    int
}

// write makes what is stored what an index has. A part has its hash only while all of it is stored, and the
// repository its digest, so that a run that is cut off is completed by the next.
func (s *Code) write(ctx context.Context, claim knowledge.CodeClaim, stored knowledge.CodeRepository, plan knowledge.CodePlan, progress func(knowledge.CodeProgress)) error {
	w := &codeWrite{service: s, claim: claim, progress: progress, total: plan.Rows()}
	all := func(ctx context.Context) error {
		w.done = 0 // the transaction may be run again
		return w.all(ctx, stored, plan)
	}
	if w.total <= codeOnce && len(plan.Changed)+len(plan.Removed) <= codePartsCut {
		return s.c.Tx.Atomically(ctx, all)
	}
	return all(ctx)
}

func (w *codeWrite) all(ctx context.Context, stored knowledge.CodeRepository, plan knowledge.CodePlan) error {
	writer := w.service.c.Writer
	written := slices.Concat(plan.Fresh, plan.Changed)
	steps := []func() error{
		func() error {
			return w.batch(ctx, 0, func(ctx context.Context) error { return writer.BeginCode(ctx, w.claim) })
		},
		func() error { return codeBatches(ctx, w, slices.Values(plan.Changed), codePartsCut, writer.CutCode) },
		func() error { return codeBatches(ctx, w, slices.Values(plan.Removed), codePartsCut, writer.DropCode) },
		func() error {
			return w.batch(ctx, 0, func(ctx context.Context) error {
				return writer.WriteCodePackages(ctx, w.claim, plan.Packages)
			})
		},
		func() error {
			files := ofParts(written, func(p *knowledge.CodePart) []knowledge.CodeFile { return []knowledge.CodeFile{p.File} })
			return codeBatches(ctx, w, files, codeBatch, writer.WriteCodeFiles)
		},
		func() error {
			symbols := ofParts(written, func(p *knowledge.CodePart) []knowledge.CodeSymbol { return p.Symbols })
			return codeBatches(ctx, w, symbols, codeBatch, writer.WriteCodeSymbols)
		},
		func() error {
			edges := ofParts(written, func(p *knowledge.CodePart) []knowledge.CodeEdge { return p.Edges })
			return codeBatches(ctx, w, edges, codeBatch, writer.WriteCodeEdges)
		},
		func() error {
			seals := ofParts(written, func(p *knowledge.CodePart) []knowledge.CodePartState {
				return []knowledge.CodePartState{{Path: p.File.Path, Hash: p.Hash}}
			})
			return codeBatches(ctx, w, seals, codeBatch, writer.SealCode)
		},
		func() error {
			return w.batch(ctx, 0, func(ctx context.Context) error {
				return writer.FinishCode(ctx, w.claim, stored, w.service.c.Clock())
			})
		},
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// ofParts are all things of one kind of parts.
func ofParts[T any](parts []*knowledge.CodePart, of func(*knowledge.CodePart) []T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, p := range parts {
			for _, item := range of(p) {
				if !yield(item) {
					return
				}
			}
		}
	}
}

// codeBatches writes a sequence in transactions of their own.
func codeBatches[T any](ctx context.Context, w *codeWrite, list iter.Seq[T], size int, write func(context.Context, knowledge.CodeClaim, []T) error) error {
	for chunk := range chunks(list, size) {
		if err := w.batch(ctx, len(chunk), func(ctx context.Context) error { return write(ctx, w.claim, chunk) }); err != nil {
			return err
		}
	}
	return nil
}

// batch is one transaction; it writes nothing where another run has the repository.
func (w *codeWrite) batch(ctx context.Context, rows int, write func(context.Context) error) error {
	err := w.service.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		held, err := w.service.hold(ctx, w.claim)
		if err != nil {
			return err
		}
		if !held {
			return knowledge.Errorf(knowledge.CodeConflict, "another run has taken the repository over").Because(errCodeLost)
		}
		return write(ctx)
	})
	if err != nil {
		return err
	}
	w.done = min(w.total, w.done+rows)
	w.progress(knowledge.CodeProgress{Stage: "write", Done: w.done, Total: w.total})
	return ctx.Err()
}

// storedRepository is what is noted of a repository that is stored as an index has it.
func storedRepository(x *knowledge.CodeIndex) knowledge.CodeRepository {
	r := knowledge.CodeRepository{
		Name: x.Repository, Digest: x.Digest, Files: len(x.Files), Symbols: len(x.Symbols), Edges: map[string]int{}, Languages: map[string]int{}, Counts: x.Report.Counts(),
	}
	for _, e := range x.Edges {
		r.Edges[string(e.Type)]++
	}
	for _, f := range x.Files {
		r.Languages[f.Language]++
	}
	return r
}
