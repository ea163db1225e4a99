//go:build !unix

package neo4jtest

import "os/exec"

// detach has nothing to do: without a local Neo4j there is nothing to keep.
func detach(*exec.Cmd) {}
