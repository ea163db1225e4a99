//go:build !cgo

package codegraph

// addPythonParser leaves the files as nodes: the parser is written in C.
func addPythonParser(*Language) {}
