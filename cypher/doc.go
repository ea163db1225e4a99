// Package cypher stores knowledge in Neo4j: one statement a file under queries/,
// one typed Go function each.
//
// # Graph model
//
//	(:Workspace {id, key, name})
//	(:Entity:<Type> {id, workspaceId, type, name, normalizedName, discriminator, slug})
//	(:Identity {workspaceId, kind, value})-[:IDENTIFIES]->(:Entity)
//	(:Alias {workspaceId, key, name})-[:ALIAS_OF {name}]->(:Entity)
//	(:Entity)-[:<EDGE_TYPE> {id, workspaceId, validFrom, validTo, …}]->(:Entity)
//	(:Fact {id, workspaceId, src, dst, type, currentKey, name})-[:SUPPORTED_BY]->(:Document|:Task|:Message)
//	(:Observation {id, workspaceId, name, text})-[:OBSERVED_ON]->(:Entity)
//	(:Entry {id, workspaceId, title, content})-[:ABOUT|:MENTIONS]->(:Entity)
//	(:Entry)-[:ENTRY_<TYPE> {id, workspaceId}]->(:Entry)
//	(:Merge {id, workspaceId, at, keepId, entityIds, archive}), (:Redirect {id, workspaceId, to})
//	(:CodeRepository {workspaceId, name, digest, owner, leaseUntil})
//	(:CodeNode:CodeFile {id, workspaceId, repository, path, partHash}), (:CodeNode:CodeSymbol {id, fileId, qualifiedName, slug}),
//	(:CodeNode:CodePackage {id, importPath}), joined by CODE_IMPORTS_FILE, CODE_DEFINES, CODE_EXTENDS, …
//	(:MaintenanceState {workspaceId, task, holder, until, term}), (:MaintenanceRun {id, workspaceId, task, slot})
//
// An edge is stored twice, always together: as a relationship of its own type, for
// walking, and as a Fact node, for everything else (finding it by id, by document,
// by text, and the uniqueness of the current one).
//
// # Transactions
//
// Atomically runs a function in one managed write transaction and hands it a
// context; every Store method that gets this context takes part in the
// transaction. A method called with any other context runs by itself.
package cypher
