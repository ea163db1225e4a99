package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/erase_merges.cypher
var eraseMerges statement

//go:embed queries/erase_archives.cypher
var eraseArchives statement

//go:embed queries/erase_archive_set.cypher
var eraseArchiveSet statement

//go:embed queries/erase_written.cypher
var eraseWritten statement

//go:embed queries/erase_records.cypher
var eraseRecords statement

// records are the labels of what tells of work that was done, with what their indexes
// know them by.
var records = []struct{ label, indexed string }{{"JobItem", "workspaceId"}, {"Job", "createdAt"}, {"Extraction", "workspaceId"}}

// EraseWritten removes the mails that an entity wrote, and what rested on them alone
// (SPEC T5); it is taken out of others' mails.
func (s *Store) EraseWritten(ctx context.Context, workspaceID, entityID string) (knowledge.DeleteCounts, error) {
	var counts knowledge.DeleteCounts
	written, err := read(ctx, s, eraseWritten, map[string]any{"ws": workspaceID, "id": entityID}, func(r row) string { return r.text("id") })
	if err != nil {
		return counts, err
	}
	if len(written) > 0 {
		if counts, err = s.withdraw(ctx, workspaceID, "Message", written); err != nil {
			return counts, err
		}
	}
	return counts, s.EraseMessages(ctx, workspaceID, entityID)
}

// EraseTraces removes what would speak of an entity after it was deleted: the merges
// that it was part of with all that they kept, what the merges of others kept of edges
// with it, old ids that lead to it, answers that were kept for repeats, and the words of
// records of work that hold one of the texts (SPEC T19).
func (s *Store) EraseTraces(ctx context.Context, workspaceID, entityID string, texts []string) error {
	old, err := s.OldIDs(ctx, workspaceID, entityID)
	if err != nil {
		return err
	}
	ids := slices.Concat(old, []string{entityID})
	for _, record := range records {
		text := strings.NewReplacer("{{label}}", record.label, "{{indexed}}", record.indexed).Replace(string(eraseRecords))
		params := map[string]any{"ws": workspaceID, "texts": slices.Concat(texts, ids)}
		if _, err := runText(ctx, s, eraseRecords, text, params, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite); err != nil {
			return err
		}
	}
	if err := exec(ctx, s, eraseMerges, map[string]any{"ws": workspaceID, "ids": ids}); err != nil {
		return err
	}
	if err := exec(ctx, s, mergeRedirectsDrop, map[string]any{"ws": workspaceID, "ids": ids}); err != nil {
		return err
	}
	if err := s.eraseArchived(ctx, workspaceID, ids); err != nil {
		return err
	}
	return s.ForgetAnswers(ctx, workspaceID, ids)
}

func (s *Store) eraseArchived(ctx context.Context, workspaceID string, ids []string) error {
	type merge struct{ id, archive string }
	merges, err := write(ctx, s, eraseArchives, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) merge { return merge{r.text("id"), r.text("archive")} })
	if err != nil {
		return err
	}
	for _, m := range merges {
		var archive mergeArchive
		if err := json.Unmarshal([]byte(m.archive), &archive); err != nil {
			return err
		}
		archive.forget(ids)
		text, err := json.Marshal(archive)
		if err != nil {
			return err
		}
		if err := exec(ctx, s, eraseArchiveSet, map[string]any{"id": m.id, "archive": string(text)}); err != nil {
			return err
		}
	}
	return nil
}

// forget removes what the archive keeps of other entities: edges with them, and their
// places in the lists of whom entries are about.
func (a *mergeArchive) forget(ids []string) {
	gone := map[string]bool{} // edges
	a.After = slices.DeleteFunc(a.After, func(line stateLine) bool {
		if !slices.Contains(ids, line.Far) {
			return false
		}
		gone[line.ID] = true
		return true
	})
	a.Dropped = slices.DeleteFunc(a.Dropped, func(e archivedEdge) bool {
		return slices.Contains(ids, textOf(e.Fact.Props["src"])) || slices.Contains(ids, textOf(e.Fact.Props["dst"]))
	})
	a.Moved = slices.DeleteFunc(a.Moved, func(e archivedMove) bool { return gone[e.ID] })
	a.Changed = slices.DeleteFunc(a.Changed, func(e archivedChange) bool { return gone[e.ID] })
	a.Supports = slices.DeleteFunc(a.Supports, func(s archivedSupport) bool { return gone[s.ID] })
	a.Direct = slices.DeleteFunc(a.Direct, func(d archivedDirect) bool { return gone[d.ID] })
	erased := func(id string) bool { return slices.Contains(ids, id) }
	for i, e := range a.Entries {
		a.Entries[i].Before = slices.DeleteFunc(e.Before, erased)
		a.Entries[i].After = slices.DeleteFunc(e.After, erased)
	}
}
