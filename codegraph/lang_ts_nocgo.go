//go:build !cgo

package codegraph

// addTypescriptParser leaves the files as nodes: the parser is written in C.
func addTypescriptParser(*Language) {}
