// Package ingest turns bytes into knowledge: it reads files of JSON lines (chat turns,
// entries, entities, edges and what else the API takes) as drafts that the services
// check and write. It knows no database, and nothing that it reads is trusted: a line
// is bounded in length and is wrong by itself, without stopping the ones after it.
package ingest
