package cypher

import (
	"context"
	_ "embed"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/upkeep_stale_guesses.cypher
var upkeepStaleGuesses statement

//go:embed queries/expansion_undo.cypher
var expansionUndo statement

//go:embed queries/expansion_entries.cypher
var expansionEntries statement

//go:embed queries/expansion_entries_general.cypher
var expansionEntriesGeneral statement

//go:embed queries/reembed_entries.cypher
var reembedEntries statement

//go:embed queries/reembed_facts.cypher
var reembedFacts statement

// DropStaleGuesses removes those relations from some entries that a model guessed, was
// not sure of, and that were made before a moment (SPEC N11).
func (s *Store) DropStaleGuesses(ctx context.Context, workspaceID string, ids []string, before time.Time) (int, error) {
	return s.deleted(ctx, upkeepStaleGuesses, map[string]any{"ws": workspaceID, "ids": ids, "before": before})
}

// DropOrigin removes the relations from some entries that one origin made.
func (s *Store) DropOrigin(ctx context.Context, workspaceID string, ids []string, origin string) (int, error) {
	return s.deleted(ctx, expansionUndo, map[string]any{"ws": workspaceID, "ids": ids, "origin": origin})
}

func (s *Store) deleted(ctx context.Context, st statement, params map[string]any) (int, error) {
	rows, err := write(ctx, s, st, params, func(r row) int { return r.int("deleted") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// EntriesOfScope are the entries about a contact, or about nobody where it is empty, that
// hold without an end, oldest first, with whom they mention and how many relations they have.
func (s *Store) EntriesOfScope(ctx context.Context, workspaceID, contactID string, now time.Time, from *knowledge.Cursor, limit int) ([]knowledge.ExpansionEntry, error) {
	st, params := expansionEntries, map[string]any{"ws": workspaceID, "contactId": contactID, "now": now, "limit": limit}
	if contactID == "" {
		st = expansionEntriesGeneral
		delete(params, "contactId")
	}
	return page(ctx, s, st, "n", params, from, func(r row) knowledge.ExpansionEntry {
		n := r.props("n")
		return knowledge.ExpansionEntry{ID: n.text("id"), CreatedAt: n.time("createdAt"), MentionIDs: r.texts("mentionIds"), Relations: r.int("relations")}
	})
}

// TextsToEmbed are entries, edges or observations of a workspace, oldest first, with what
// a vector is made of where one of a model is missing.
func (s *Store) TextsToEmbed(ctx context.Context, kind knowledge.RecallKind, workspaceID string, model knowledge.EmbeddingModel, from *knowledge.Cursor, limit int) ([]knowledge.UnembeddedText, error) {
	st, params := reembedEntries, map[string]any{"ws": workspaceID, "limit": limit, "modelKey": model.Key()}
	if kind != knowledge.RecallEntry {
		st, params = reembedFacts, map[string]any{"ws": workspaceID, "limit": limit, "vector": vectorProperty(model)}
	}
	position, err := fromPosition("n", from, true, params)
	if err != nil {
		return nil, err
	}
	text := strings.NewReplacer("{{from}}", position, "{{kind}}", kindOf(kind).label).Replace(string(st))
	return runText(ctx, s, st, text, params, func(r row) knowledge.UnembeddedText {
		at, _ := r.value("createdAt").(time.Time)
		return knowledge.UnembeddedText{
			CreatedAt: at.UTC(), Missing: r.bool("missing"),
			EntryText: knowledge.EntryText{ID: r.text("id"), Hash: r.text("hash"), Title: r.text("title"), Content: r.text("content")},
		}
	}, neo4j.AccessModeRead)
}
