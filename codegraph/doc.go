// Package codegraph turns a folder of source code into a graph of files, symbols, packages and the
// connections between them.
//
// It works from the source alone: no database, no compiler, no installed dependencies, no network.
// A run has four steps:
//
//	Scan     walks the folder, reads and hashes what is source (walk.go, ignore.go, decode.go)
//	extract  each file's facts, in parallel; they depend on its bytes alone, so they are cached (facts.go)
//	resolve  a language at a time, facts of all files become edges (resolve_*.go)
//	Index    sorted, so that the same source gives the same bytes
//
// Languages are entries of one registry (registry.go). What an index owes to one file is a part with a hash
// (knowledge.CodePart), so that a store writes only what has changed.
package codegraph
