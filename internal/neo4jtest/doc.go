// Package neo4jtest gives tests a real Neo4j.
package neo4jtest
