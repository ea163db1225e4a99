package service

import "context"

// inBatch checks many drafts and runs those that are right in one transaction, all
// or nothing where it is atomic. run gives each its outcome, and an error only for what
// concerns all of them.
func inBatch[D, R any](ctx context.Context, tx Transactor, drafts []D, atomic bool, check func(D) (D, error),
	run func(ctx context.Context, drafts []D, right []int, out []Outcome[R]) error,
) ([]Outcome[R], error) {
	out, checked := make([]Outcome[R], len(drafts)), make([]D, len(drafts))
	var right []int
	for i, d := range drafts {
		if checked[i], out[i].Err = check(d); out[i].Err == nil {
			right = append(right, i)
		}
	}
	if len(right) == 0 || atomic && len(right) < len(drafts) {
		return out, nil
	}
	err := tx.Atomically(ctx, func(ctx context.Context) error {
		for _, i := range right { // the transaction may be run again
			out[i] = Outcome[R]{}
		}
		if err := run(ctx, checked, right, out); err != nil {
			return err
		}
		if atomic {
			return firstError(out)
		}
		return nil
	})
	if atomic && err != nil && firstError(out) != nil {
		return out, nil
	}
	return out, err
}

// Outcome is what became of one item of many: a value, or the error that it failed with.
type Outcome[T any] struct {
	Value T
	Err   error
}

// firstError is the first error of the outcomes, nil where all went well.
func firstError[T any](outcomes []Outcome[T]) error {
	for _, o := range outcomes {
		if o.Err != nil {
			return o.Err
		}
	}
	return nil
}
