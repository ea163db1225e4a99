package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/file_by_path.cypher
var fileByPath statement

//go:embed queries/file_write.cypher
var fileWrite statement

//go:embed queries/file_list.cypher
var fileList statement

//go:embed queries/file_below.cypher
var fileBelow statement

//go:embed queries/file_by_ids.cypher
var fileByIDs statement

//go:embed queries/file_count.cypher
var fileCount statement

//go:embed queries/file_entries.cypher
var fileEntries statement

//go:embed queries/file_unsupport.cypher
var fileUnsupport statement

//go:embed queries/file_delete.cypher
var fileDelete statement

// LockFile is the file of a path, locked until the transaction ends; nil where there is none.
func (s *Store) LockFile(ctx context.Context, workspaceID, path string) (*knowledge.SourceFile, error) {
	rows, err := write(ctx, s, fileByPath, map[string]any{"ws": workspaceID, "path": path}, scanFile)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// WriteFile stores a new or changed file.
func (s *Store) WriteFile(ctx context.Context, f *knowledge.SourceFile) error {
	return exec(ctx, s, fileWrite, map[string]any{"ws": f.WorkspaceID, "path": f.Path, "props": map[string]any{
		"id": f.ID, "name": f.Name, "mediaType": f.MediaType, "title": ptrValue(f.Title), "summary": ptrValue(f.Summary), "contentHash": f.ContentHash,
		"createdAt": f.CreatedAt, "updatedAt": f.UpdatedAt,
	}})
}

// Files are a workspace's files, newest first, behind a position.
func (s *Store) Files(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.SourceFile, error) {
	return read(ctx, s, fileList, behind(map[string]any{"ws": workspaceID, "limit": limit}, from), scanFile)
}

// FilesBelow are the files whose paths begin with a prefix, behind a path, by path.
func (s *Store) FilesBelow(ctx context.Context, workspaceID, prefix, after string, limit int) ([]*knowledge.SourceFile, error) {
	return read(ctx, s, fileBelow, map[string]any{"ws": workspaceID, "prefix": prefix, "after": after, "limit": limit}, scanFile)
}

// FilesByID are the files of ids that a workspace holds.
func (s *Store) FilesByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.SourceFile, error) {
	return read(ctx, s, fileByIDs, map[string]any{"ws": workspaceID, "ids": ids}, scanFile)
}

// CountFiles is the number of a workspace's files.
func (s *Store) CountFiles(ctx context.Context, workspaceID string) (int, error) {
	return s.count(ctx, fileCount, map[string]any{"ws": workspaceID})
}

// EntriesOfFile are the entries that rest on a file: id, title and hash of each.
func (s *Store) EntriesOfFile(ctx context.Context, workspaceID, id string) ([]*knowledge.Entry, error) {
	return read(ctx, s, fileEntries, map[string]any{"ws": workspaceID, "id": id}, func(r row) *knowledge.Entry {
		return &knowledge.Entry{ID: r.text("id"), Title: r.text("title"), ContentHash: r.text("hash")}
	})
}

// DropFileSupport takes a file's support away from entries and gives those that rest on
// nothing any more.
func (s *Store) DropFileSupport(ctx context.Context, workspaceID, id string, entryIDs []string) ([]string, error) {
	left, err := write(ctx, s, fileUnsupport, map[string]any{"ws": workspaceID, "id": id, "entries": entryIDs}, func(r row) string { return r.text("id") })
	if err != nil {
		return nil, err
	}
	return left, s.dropParts(ctx, workspaceID, entryIDs)
}

// DeleteFile removes a file; what rested on it is to be taken from it before.
func (s *Store) DeleteFile(ctx context.Context, workspaceID, id string) error {
	return exec(ctx, s, fileDelete, map[string]any{"ws": workspaceID, "id": id})
}

func scanFile(r row) *knowledge.SourceFile {
	p := r.props("f")
	return &knowledge.SourceFile{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), Path: p.text("path"), Name: p.text("name"), MediaType: p.text("mediaType"),
		Title: p.textPtr("title"), Summary: p.textPtr("summary"), ContentHash: p.text("contentHash"), CreatedAt: p.time("createdAt"), UpdatedAt: p.time("updatedAt"),
	}
}
