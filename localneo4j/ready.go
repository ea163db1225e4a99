package localneo4j

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

const (
	readyInterval = 100 * time.Millisecond
	watchInterval = 500 * time.Millisecond
	probeTimeout  = 10 * time.Second
)

// waitReady waits until the process of r answers a query. Its errors are
// ErrExited, ErrNotReady after timeout, ErrPassword, and ctx's.
func waitReady(ctx context.Context, timeout time.Duration, h home, r record, password string) error {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var last error
	err := poll(limited, readyInterval, func() (bool, error) {
		if !r.process().alive() {
			return false, fmt.Errorf("%w before it answered (pid %d)", ErrExited, r.PID)
		}
		last = probe(limited, r.uri(), password)
		var n4 *neo4j.Neo4jError
		if errors.As(last, &n4) && n4.Code == "Neo.ClientError.Security.Unauthorized" {
			return false, fmt.Errorf("%w: put the right one into %s, or remove %s to begin anew", ErrPassword, h.passwordFile(), h)
		}
		return last == nil, nil
	})
	if err != nil && errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return fmt.Errorf("%w within %s (pid %d, %s): %w", ErrNotReady, timeout, r.PID, r.uri(), last)
	}
	return err
}

// probe does what a client does: handshake, log-in and a query on the default database.
func probe(ctx context.Context, uri, password string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := dial(ctx, uri); err != nil { // the driver's own refusal takes longer
		return err
	}
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(Username, password, ""))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, driver.Close(ctx)) }()
	if err := driver.VerifyConnectivity(ctx); err != nil {
		return err
	}
	_, err = neo4j.ExecuteQuery(ctx, driver, "RETURN 1", nil, neo4j.EagerResultTransformer,
		neo4j.ExecuteQueryWithReadersRouting(), neo4j.ExecuteQueryWithDatabase("neo4j"))
	return err
}

func dial(ctx context.Context, uri string) error {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", uri[len("bolt://"):])
	if err != nil {
		return err
	}
	return conn.Close()
}

// poll calls done until it returns true or an error, or ctx is done.
func poll(ctx context.Context, every time.Duration, done func() (bool, error)) error {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticker.C:
		}
	}
}
