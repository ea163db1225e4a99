package service

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// LeaseStore keeps leases. TakeLease and RenewLease give the term, and whether the
// holder's term still runs; a lease whose term is over is never given back by its holder.
type LeaseStore interface {
	LockMaintenance(ctx context.Context, workspaceID, key string) (knowledge.MaintenanceState, error)
	TakeLease(ctx context.Context, l knowledge.Lease, run string) (term int, err error)
	RenewLease(ctx context.Context, l knowledge.Lease) (bool, error)
	ReleaseLease(ctx context.Context, l knowledge.Lease, retryAt *time.Time) error
}

// ErrHeld says that somebody else has a lease.
var ErrHeld error = knowledge.Errorf(knowledge.CodeConflict, "another server is at it")

// errTermOver says that a lease was taken over by somebody else.
var errTermOver = errors.New("the lease was taken over")

// leases takes leases and keeps them.
type leases struct {
	store LeaseStore
	tx    Transactor
	clock Clock
	log   *slog.Logger
}

// HeldLease is a lease while it is held. It is renewed until it is released.
type HeldLease struct {
	lease knowledge.Lease
	in    leases
	done  chan struct{}
	beat  errgroup.Group
	after func() // nil: nothing is to be done after it was given back
}

// hold takes a lease for a while and keeps it from then on; ErrHeld where somebody else has it.
func (s leases) hold(ctx context.Context, key, holder string, length time.Duration) (*HeldLease, error) {
	now := s.clock()
	lease := knowledge.Lease{Key: key, Holder: holder, Until: now.Add(length)}
	err := s.tx.Atomically(ctx, func(ctx context.Context) error {
		state, err := s.store.LockMaintenance(ctx, lease.WorkspaceID, key)
		if err != nil {
			return err
		}
		if state.Held(holder, now) {
			return ErrHeld
		}
		lease.Term, err = s.store.TakeLease(ctx, lease, "")
		return err
	})
	if err != nil {
		return nil, err
	}
	return s.keep(ctx, lease, length), nil
}

// keep renews a lease until it is released or its term is over, whatever becomes of ctx:
// who holds it finishes what is in hand.
func (s leases) keep(ctx context.Context, lease knowledge.Lease, length time.Duration) *HeldLease {
	h := &HeldLease{lease: lease, in: s, done: make(chan struct{})}
	ctx = context.WithoutCancel(ctx)
	h.beat.Go(func() error {
		heartbeat(ctx, max(length/3, time.Millisecond), h.done, func() bool { return h.renew(ctx, length) })
		return nil
	})
	return h
}

// renew lengthens the lease; it tells whether the term is over.
func (h *HeldLease) renew(ctx context.Context, length time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	lease := h.lease
	lease.Until = h.in.clock().Add(length)
	held, err := h.in.store.RenewLease(ctx, lease)
	if err != nil {
		h.in.log.WarnContext(ctx, "a lease was not renewed", slog.String("lease", lease.Key), slog.Any("cause", err))
		return false
	}
	return !held
}

// stop ends the renewing and waits for it. It is called once.
func (h *HeldLease) stop() {
	close(h.done)
	_ = h.beat.Wait() // it gives no error
}

// Release gives the lease back. It is called once.
func (h *HeldLease) Release(ctx context.Context) error {
	h.stop()
	if h.after != nil {
		defer h.after()
	}
	return h.in.store.ReleaseLease(ctx, h.lease, nil)
}
