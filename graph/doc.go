// Package graph executes GraphQL. All but its scalars is generated from schema/
// and gqlgen.yml: run `make generate`.
package graph
