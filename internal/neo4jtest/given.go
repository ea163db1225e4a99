package neo4jtest

import (
	"os"
	"testing"
)

// connect is the database that the environment names.
func connect(tb testing.TB) (uri, user, password string) {
	tb.Helper()
	if uri = os.Getenv("NEO4J_URI"); uri == "" {
		tb.Fatal("no database: set NEO4J_URI and NEO4J_PASSWORD")
	}
	return uri, "neo4j", os.Getenv("NEO4J_PASSWORD")
}
