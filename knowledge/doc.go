// Package knowledge says what things are and decides what should happen to them.
//
// It holds the vocabulary of the product (workspaces, entities, edges,
// observations, entries, relations) and its rules as pure functions: values in,
// values out, with the moment of the decision given as an argument. It does no
// I/O, reads no clock and imports none of the other packages.
package knowledge
