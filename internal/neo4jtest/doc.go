// Package neo4jtest gives tests a real Neo4j: the one that NEO4J_URI names, or
// else a local one that all test processes of a checkout share. A test without
// a database fails; none is skipped.
//
// The shared one is started by the first test that asks and is gone a few
// seconds after the last `go test` that used it has ended, however it ended:
//
//	<cache>/test-neo4j-<hash of the module's folder>/
//	  lock             held while a process joins
//	  data/            thrown away at each start, unless MNEME_TEST_NEO4J=keep
//	  users-<pid>/     who uses the Neo4j with this PID: a file for each
//	                   `go test`, named by its PID, and one named keep for
//	                   MNEME_TEST_NEO4J=keep, which leaves Neo4j up for the
//	                   next run
//
// Packages run as processes of their own with gaps between them, so what counts
// is the `go test` above them. Each brings a keeper along (keeper.sh), which
// waits for the users to end.
package neo4jtest
