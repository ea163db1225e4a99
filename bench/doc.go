// Package bench measures the product through its own use cases: how well it finds what
// questions ask for, how fast it is beside the database alone, and whether what it says
// of the past is true. Each program returns a result that prints as a table or as JSON.
package bench
