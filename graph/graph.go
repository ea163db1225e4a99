// Package graph executes GraphQL. All but its scalars is generated from schema/
// and gqlgen.yml.
package graph

//go:generate go tool gqlgen generate --config ../gqlgen.yml
