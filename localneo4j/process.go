package localneo4j

import (
	"context"
	"errors"
	"time"
)

const (
	endInterval = 20 * time.Millisecond
	// endTimeout is the time a process gets to stop by itself; Neo4j needs half
	// a second, more when it has much to write.
	endTimeout = 30 * time.Second
)

// process is one process of the operating system for ever: the identifiers
// (PIDs) are used again, with another start.
type process struct {
	pid   int
	start string // from processStart
}

// alive is false for a process that has ended, also when another has its PID by now.
func (p process) alive() bool {
	return p.pid > 0 && p.start != "" && processStart(p.pid) == p.start
}

// end asks the process to stop and waits until it is gone; after endTimeout it
// kills it. A ctx that is done ends the wait with its error.
func (p process) end(ctx context.Context) (killed bool, err error) {
	if !p.alive() {
		return false, nil
	}
	if err := terminate(p.pid); err != nil && p.alive() {
		return false, err
	}
	gone := func() (bool, error) { return !p.alive(), nil }
	limited, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	err = poll(limited, endInterval, gone)
	if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
		return false, err
	}
	if err := kill(p.pid); err != nil && p.alive() {
		return false, err
	}
	return true, poll(ctx, endInterval, gone)
}
