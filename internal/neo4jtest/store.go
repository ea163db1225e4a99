package neo4jtest

import (
	"context"
	"sync"
	"testing"
	"time"

	"mneme/cypher"
)

// opened is the store of this test process: connected and migrated once.
var opened struct {
	sync.Once
	store *cypher.Store
	err   error
}

// migrationLimit is how long a test waits for the migration, its own or another
// process's; it takes seconds.
const migrationLimit = 8 * time.Minute

// Open is the store of the test database, migrated. It is shared by the tests of a
// process and closed with it; each test works in a workspace of its own.
func Open(tb testing.TB) *cypher.Store {
	tb.Helper()
	uri, user, password := Connect(tb)
	opened.Do(func() {
		opened.store, opened.err = cypher.Open(context.Background(), cypher.Config{URI: uri, Username: user, Password: password})
		if opened.err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), migrationLimit)
			defer cancel()
			opened.err = opened.store.Migrate(ctx)
		}
	})
	if opened.err != nil {
		tb.Fatalf("open the test database: %v", opened.err)
	}
	return opened.store
}
