package service

import (
	"context"
	"fmt"
	"path"
	"strings"
	"time"

	"mneme/knowledge"
)

// FileStore keeps the files that entries came from.
type FileStore interface {
	// LockFile is the file of a path, locked until the transaction ends; nil where there is none.
	LockFile(ctx context.Context, workspaceID, path string) (*knowledge.SourceFile, error)
	WriteFile(ctx context.Context, f *knowledge.SourceFile) error
	Files(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.SourceFile, error)
	FilesBelow(ctx context.Context, workspaceID, prefix, after string, limit int) ([]*knowledge.SourceFile, error)
	FilesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.SourceFile, error)
	CountFiles(ctx context.Context, workspaceID string) (int, error)
	// EntriesOfFile are the entries that rest on a file: id, title and hash of each.
	EntriesOfFile(ctx context.Context, workspaceID, id string) ([]*knowledge.Entry, error)
	// DropFileSupport gives those of the entries that rest on nothing any more.
	DropFileSupport(ctx context.Context, workspaceID, id string, entryIDs []string) ([]string, error)
	DeleteFile(ctx context.Context, workspaceID, id string) error
}

// Files are the files that entries came from.
type Files struct {
	store   FileStore
	entries *Entries
}

// NewFiles makes the reading of stored files.
func NewFiles(store FileStore, entries *Entries) *Files {
	return &Files{store: store, entries: entries}
}

// List pages through a workspace's files, newest first.
func (s *Files) List(ctx context.Context, workspaceID string, page knowledge.PageRequest) (*knowledge.Page[*knowledge.SourceFile], error) {
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.SourceFile, error) {
		return s.store.Files(ctx, workspaceID, from, limit)
	}, func(f *knowledge.SourceFile) knowledge.Cursor {
		return knowledge.Cursor{Key: f.CreatedAt.Format(time.RFC3339Nano), ID: f.ID}
	})
}

// Count is the number of a workspace's files.
func (s *Files) Count(ctx context.Context, workspaceID string) (int, error) {
	return s.store.CountFiles(ctx, workspaceID)
}

// Get is a file by its id; NOT_FOUND where there is none.
func (s *Files) Get(ctx context.Context, workspaceID, id string) (*knowledge.SourceFile, error) {
	found, err := s.ByIDs(ctx, workspaceID, []string{id})
	if err != nil {
		return nil, err
	}
	if found[id] == nil {
		return nil, knowledge.NotFound("id", "there is no file %q", id)
	}
	return found[id], nil
}

// ByIDs are the files of ids, those that exist in the workspace.
func (s *Files) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.SourceFile, error) {
	found, err := s.store.FilesByID(ctx, workspaceID, ids)
	out := make(map[string]*knowledge.SourceFile, len(found))
	for _, f := range found {
		out[f.ID] = f
	}
	return out, err
}

// FileContent is a file as an import read it.
type FileContent struct {
	Path     string // by which it is known again
	Name     string
	Hash     string // of its bytes
	Text     *knowledge.FileText
	Contacts []knowledge.EntityRef // whom its entries are about; none makes them general
}

// ImportFile stores a file that a person has imported, with an entry for each of its
// chunks. Chunks that were there before stay as they are; those that are gone are taken
// away, unless something else supports them (SPEC T5). A file that carries the opt-out
// marker, or that the settings forbid, is skipped, and what an earlier version of it gave
// is taken away. done, where it is not nil, is called in the transaction that writes.
func (s *Intake) ImportFile(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, c FileContent, done func(context.Context, *knowledge.FileImport) error) (*knowledge.FileImport, error) {
	out := &knowledge.FileImport{}
	verdict := s.c.Memory.judge(ctx, ws, []memoryWrite{{kind: knowledge.WriteImport, texts: fileTexts(c)}})[0]
	if out.Skipped = skipped(verdict); out.Skipped != nil && *out.Skipped == string(knowledge.CodeMemoryDisabled) {
		return out, called(ctx, done, out)
	}
	fresh := s.c.NewID(knowledge.PrefixSourceFile)
	if known, err := s.c.Files.FilesBelow(ctx, ws.ID, c.Path, "", 1); err != nil {
		return nil, err
	} else if len(known) > 0 && known[0].Path == c.Path {
		fresh = known[0].ID
	}
	var drafts []knowledge.EntryDraft
	if out.Skipped == nil && ws.Memory.KeepsText() {
		drafts = chunkDrafts(fresh, c)
	}
	batch, err := s.c.Entries.prepare(ctx, ws, auto(by), drafts)
	if err != nil {
		return nil, err
	}
	if err := firstError(batch.outcomes()); err != nil {
		return nil, err
	}
	s.c.Entries.embed(ctx, batch.right()) // before the transaction: the embedder may be slow
	skip := out.Skipped
	err = s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		*out = knowledge.FileImport{Skipped: skip}
		if err := s.writeFile(ctx, ws, c, fresh, batch, out); err != nil {
			return err
		}
		return called(ctx, done, out)
	})
	if err == nil {
		s.c.Entries.settle(batch)
	}
	return out, err
}

func fileTexts(c FileContent) []string {
	texts := []string{c.Name, c.Text.Title}
	for _, section := range c.Text.Sections {
		texts = append(texts, section.Heading, section.Lead, section.Text)
	}
	return texts
}

func (s *Intake) writeFile(ctx context.Context, ws *knowledge.Workspace, c FileContent, id string, batch *entryBatch, out *knowledge.FileImport) error {
	now := s.c.Clock()
	stored, err := s.c.Files.LockFile(ctx, ws.ID, c.Path)
	if err != nil {
		return err
	}
	f := &knowledge.SourceFile{ID: id, WorkspaceID: ws.ID, Path: c.Path, Name: c.Name, MediaType: c.Text.MediaType, ContentHash: c.Hash, CreatedAt: now, UpdatedAt: now}
	if c.Text.Title != "" {
		f.Title = &c.Text.Title
	}
	if stored != nil {
		if stored.ID != id {
			return knowledge.Errorf(knowledge.CodeConflict, "another import stored the file meanwhile; try once more")
		}
		f.CreatedAt, f.Summary = stored.CreatedAt, stored.Summary
	}
	if out.Skipped != nil { // what it said before is taken back
		if stored == nil {
			return nil
		}
		out.Removed, err = s.takeAway(ctx, ws.ID, id, nil)
		if err != nil {
			return err
		}
		return s.c.Files.DeleteFile(ctx, ws.ID, id)
	}
	if err := s.c.Files.WriteFile(ctx, f); err != nil {
		return err
	}
	out.File = f
	keep := map[string]bool{}
	for _, it := range batch.right() {
		keep[it.entry.Title+"\n"+it.entry.ContentHash] = true
	}
	if out.Removed, err = s.takeAway(ctx, ws.ID, id, keep); err != nil {
		return err
	}
	if err := s.c.Entries.write(ctx, batch); err != nil {
		return err
	}
	for _, it := range batch.right() {
		if it.save.Created {
			out.Created++
		} else {
			out.Kept++
		}
	}
	return nil
}

// takeAway takes a file's support from its entries but those to keep, and deletes those
// that are left with none; it says how many.
func (s *Intake) takeAway(ctx context.Context, workspaceID, fileID string, keep map[string]bool) (int, error) {
	entries, err := s.c.Files.EntriesOfFile(ctx, workspaceID, fileID)
	if err != nil {
		return 0, err
	}
	var gone []string
	for _, e := range entries {
		if !keep[e.Title+"\n"+e.ContentHash] {
			gone = append(gone, e.ID)
		}
	}
	if len(gone) == 0 {
		return 0, nil
	}
	orphans, err := s.c.Files.DropFileSupport(ctx, workspaceID, fileID, gone)
	if err != nil {
		return 0, err
	}
	for _, id := range orphans {
		if _, err := s.c.Entries.store.DeleteEntry(ctx, id); err != nil {
			return 0, err
		}
	}
	return len(orphans), nil
}

// RemoveFile removes a file with what rested on it alone.
func (s *Intake) RemoveFile(ctx context.Context, workspaceID, path string, done func(context.Context, *knowledge.FileImport) error) (*knowledge.FileImport, error) {
	out := &knowledge.FileImport{}
	err := s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		*out = knowledge.FileImport{}
		stored, err := s.c.Files.LockFile(ctx, workspaceID, path)
		if err != nil {
			return err
		}
		if stored != nil {
			if out.Removed, err = s.takeAway(ctx, workspaceID, stored.ID, nil); err != nil {
				return err
			}
			if err := s.c.Files.DeleteFile(ctx, workspaceID, stored.ID); err != nil {
				return err
			}
		}
		return called(ctx, done, out)
	})
	return out, err
}

// chunkDrafts are the entries of a file's chunks, each with its place in the file.
func chunkDrafts(fileID string, c FileContent) []knowledge.EntryDraft {
	subject := c.Text.Title
	if subject == "" {
		subject = path.Base(c.Name)
	}
	seen := map[string]int{}
	var drafts []knowledge.EntryDraft
	for _, chunk := range knowledge.Chunks(c.Text.Sections, knowledge.ApproximateTokens) {
		title := knowledge.Ellipsis(subject, knowledge.MaxTagLength)
		if chunk.Heading != "" {
			title += ": " + knowledge.Ellipsis(chunk.Heading, 2*knowledge.MaxTagLength)
		}
		if chunk.Place != "" {
			title += ", " + chunk.Place
		}
		if seen[title]++; seen[title] > 1 {
			title = fmt.Sprintf("%s (%d)", title, seen[title])
		}
		drafts = append(drafts, knowledge.EntryDraft{
			Type: knowledge.EntryFact, Title: strings.TrimSpace(title), Content: chunk.Text, Source: knowledge.SourceFileText, SourceID: fileID,
			Confidence: knowledge.DefaultEntryConfidence, Contacts: c.Contacts, DocID: fileID,
		})
	}
	return drafts
}
