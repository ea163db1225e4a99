package service

import (
	"context"
	"time"
)

// heartbeat calls renew again and again, until the context ends, done is closed, or renew
// says that it is over.
func heartbeat(ctx context.Context, every time.Duration, done <-chan struct{}, renew func() (over bool)) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-done:
			return
		case <-ticker.C:
		}
		if renew() {
			return
		}
	}
}
