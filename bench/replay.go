package bench

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// Recorder notes the statements that the product sends, so that the same can be sent
// straight through the driver and timed beside it. It is safe for concurrent use.
type Recorder struct {
	mu   sync.Mutex
	keep func(name string) bool // nil: nothing is noted
	sent []sent
}

// sent is one statement with its parameters.
type sent struct {
	name, text string
	params     map[string]any
}

// Note is what the store's Trace is to be set to.
func (r *Recorder) Note(name, text string, params map[string]any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.keep != nil && r.keep(name) {
		r.sent = append(r.sent, sent{name, text, params})
	}
}

// during gives the statements of the names that are sent while do runs; of all without names.
func (r *Recorder) during(do func() error, names ...string) ([]sent, error) {
	r.set(func(name string) bool { return len(names) == 0 || slices.Contains(names, name) })
	err := do()
	r.mu.Lock()
	defer r.mu.Unlock()
	noted := r.sent
	r.keep, r.sent = nil, nil
	return noted, err
}

func (r *Recorder) set(keep func(string) bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.keep, r.sent = keep, nil
}

// Bare is the database without the product.
type Bare struct {
	Driver   neo4j.DriverWithContext
	Database string
}

// read runs statements one after the other and takes in what they answer.
func (b Bare) read(ctx context.Context, statements []sent) error {
	for _, s := range statements {
		if err := b.run(ctx, s, neo4j.AccessModeRead); err != nil {
			return err
		}
	}
	return nil
}

// write runs one statement in a managed transaction, as an application would.
func (b Bare) write(ctx context.Context, s sent) (err error) {
	session := b.Driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: b.Database})
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	_, err = session.ExecuteWrite(ctx, func(tx neo4j.ManagedTransaction) (any, error) {
		result, err := tx.Run(ctx, s.text, s.params)
		if err != nil {
			return nil, err
		}
		return result.Consume(ctx)
	})
	return err
}

func (b Bare) run(ctx context.Context, s sent, mode neo4j.AccessMode) (err error) {
	session := b.Driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: b.Database, AccessMode: mode})
	defer func() { err = errors.Join(err, session.Close(ctx)) }()
	result, err := session.Run(ctx, s.text, s.params)
	if err != nil {
		return err
	}
	_, err = result.Collect(ctx)
	return err
}

// timed is how long do takes.
func timed(do func() error) (time.Duration, error) {
	start := time.Now()
	err := do()
	return time.Since(start), err
}
