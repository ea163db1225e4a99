package cypher

import (
	"context"
	_ "embed"
	"time"

	"mneme/knowledge"
)

//go:embed queries/mention_names.cypher
var mentionNames statement

// MentionNames are the names, with their entities, that are among normalised keys.
func (s *Store) MentionNames(ctx context.Context, workspaceID string, keys []string) ([]knowledge.MentionName, error) {
	return read(ctx, s, mentionNames, map[string]any{"ws": workspaceID, "keys": keys}, func(r row) knowledge.MentionName {
		return knowledge.MentionName{EntityID: r.text("id"), Name: r.text("name")}
	})
}

//go:embed queries/mention_names_since.cypher
var mentionNamesSince statement

// NamesSince are the names of entities that changed from a moment on, the oldest change
// first, behind an entity of that moment; at most limit entities.
func (s *Store) NamesSince(ctx context.Context, workspaceID string, since time.Time, after string, limit int) ([]knowledge.NameChange, error) {
	params := map[string]any{"ws": workspaceID, "since": since, "after": after, "limit": limit}
	return read(ctx, s, mentionNamesSince, params, func(r row) knowledge.NameChange {
		at, _ := r.value("updatedAt").(time.Time)
		return knowledge.NameChange{EntityID: r.text("id"), Names: r.texts("names"), At: at.UTC()}
	})
}
