package ingest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mneme/knowledge"
)

// Root is the folder that paths from callers must lie in.
type Root struct{ dir string }

// NewRoot makes a root of a folder; an empty one lets no path through.
func NewRoot(dir string) Root { return Root{dir: dir} }

// Resolve is the real path that a caller's path means: below the root, symbolic links
// followed. FORBIDDEN where no root is set, INVALID_INPUT (path) for one that is not below
// it or does not exist; which of the two, nobody learns.
func (r Root) Resolve(path string) (string, error) {
	if r.dir == "" {
		return "", &knowledge.Error{Code: knowledge.CodeForbidden, Field: "path", Message: "this server reads no files: MNEME_IMPORT_ROOT is not set"}
	}
	root, err := filepath.Abs(r.dir)
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		return "", knowledge.Errorf(knowledge.CodeUnavailable, "the import root cannot be read").Because(err)
	}
	if strings.ContainsRune(path, 0) {
		return "", knowledge.Invalid("path", "must be a path without NUL characters")
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil || resolved != root && !strings.HasPrefix(resolved, root+string(filepath.Separator)) {
		return "", knowledge.Invalid("path", "there is no such file or folder under the import root")
	}
	return resolved, nil
}

// Mails reads mail files, mailbox files and folders of them, Maildir among them.
type Mails struct{}

// mailFile is one file that holds mails.
type mailFile struct {
	path, name string
	box        bool
}

// CountMails is how many mails a path holds; INVALID_INPUT (path) where there is no such
// file or folder, or no mail in it.
func (m Mails) CountMails(ctx context.Context, path string) (int, error) {
	files, err := mailFiles(ctx, path)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, f := range files {
		if !f.box {
			n++
			continue
		}
		for range m.box(ctx, f) {
			n++
		}
	}
	if n == 0 {
		return 0, knowledge.Invalid("path", "there is no mail in it: .eml files, mailbox files and Maildir folders are read")
	}
	return n, nil
}

// Mails reads the mails of a path, in the order of their files' names. A mail is known by
// its file and its place in it.
func (m Mails) Mails(ctx context.Context, path string) iter.Seq[knowledge.MailItem] {
	return func(yield func(knowledge.MailItem) bool) {
		files, err := mailFiles(ctx, path)
		if err != nil {
			yield(knowledge.MailItem{Key: filepath.Base(path), Err: err})
			return
		}
		for _, f := range files {
			if ctx.Err() != nil {
				return
			}
			if !f.box {
				if !yield(readMailFile(f)) {
					return
				}
				continue
			}
			n := 0
			for one := range m.box(ctx, f) {
				n++
				item := knowledge.MailItem{Key: fmt.Sprintf("%s#%07d", f.name, n), Err: one.Err}
				if item.Err == nil {
					item.Mail, item.Err = ParseMail(bytes.NewReader(one.Raw))
				}
				if !yield(item) {
					return
				}
			}
		}
	}
}

func readMailFile(f mailFile) knowledge.MailItem {
	item := knowledge.MailItem{Key: f.name}
	in, err := os.Open(f.path)
	if err != nil {
		item.Err = knowledge.Invalid("", "the file cannot be read").Because(err)
		return item
	}
	item.Mail, item.Err = ParseMail(in)
	_ = in.Close() // only read
	return item
}

func (m Mails) box(ctx context.Context, f mailFile) iter.Seq[MboxMessage] {
	return func(yield func(MboxMessage) bool) {
		in, err := os.Open(f.path)
		if err != nil {
			yield(MboxMessage{Err: knowledge.Invalid("", "the file cannot be read").Because(err)})
			return
		}
		defer func() { _ = in.Close() }() // only read
		for one := range Mbox(in) {
			if ctx.Err() != nil || !yield(one) {
				return
			}
		}
	}
}

func mailFiles(ctx context.Context, path string) ([]mailFile, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, knowledge.Invalid("path", "there is no such file or folder").Because(err)
	}
	if !info.IsDir() {
		return []mailFile{{path: path, name: filepath.Base(path), box: isMailbox(path)}}, nil
	}
	var files []mailFile
	err = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "tmp" && p != path:
			return filepath.SkipDir // Maildir: not delivered yet
		case !d.Type().IsRegular():
			return nil
		}
		name, err := filepath.Rel(path, p)
		if err != nil {
			return err
		}
		folder := filepath.Base(filepath.Dir(p))
		switch ext := strings.ToLower(filepath.Ext(p)); {
		case ext == ".mbox", ext == ".mbx", ext == "" && isMailbox(p):
			files = append(files, mailFile{path: p, name: name, box: true})
		case ext == ".eml", ext == ".emlx", folder == "cur", folder == "new":
			files = append(files, mailFile{path: p, name: name})
		}
		return nil
	})
	if err != nil {
		return nil, unreadable(err)
	}
	return files, nil
}

func unreadable(err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return knowledge.Invalid("path", "the folder cannot be read").Because(err)
}

// isMailbox tells whether a file begins as a mailbox file does.
func isMailbox(path string) bool {
	in, err := os.Open(path) //nolint:gosec // only paths below the import root come here
	if err != nil {
		return false
	}
	defer func() { _ = in.Close() }() // only read
	start := make([]byte, 512)
	n, _ := io.ReadFull(in, start) // a short file is read as far as it goes
	line, _, _ := bytes.Cut(bytes.TrimLeft(bytes.TrimPrefix(start[:n], []byte("\xef\xbb\xbf")), "\r\n"), []byte("\n"))
	return fromLine.Match(line)
}

// Documents finds and reads documents.
type Documents struct{ files *Files }

// NewDocuments makes a reader of documents. The caller closes it.
func NewDocuments() *Documents { return &Documents{files: NewFiles()} }

// Close ends what reading needed.
func (d *Documents) Close() error { return d.files.Close() }

// FilesIn are the documents of a path by their paths: hidden files and folders are passed
// over, symbolic links are not followed. The prefix is that of a folder's files; a single
// file has none.
func (d *Documents) FilesIn(ctx context.Context, path string) ([]knowledge.FileItem, string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, "", knowledge.Invalid("path", "is no path").Because(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, "", knowledge.Invalid("path", "there is no such file or folder").Because(err)
	}
	if !info.IsDir() {
		return []knowledge.FileItem{{Path: path, Name: filepath.Base(path)}}, "", nil
	}
	var items []knowledge.FileItem
	err = filepath.WalkDir(path, func(p string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && p != path
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			return err
		case entry.IsDir() && (hidden || entry.Name() == "node_modules"):
			return filepath.SkipDir
		case hidden || !entry.Type().IsRegular() || strings.HasPrefix(entry.Name(), "~$"):
			return nil
		case !slices.Contains(Extensions(), strings.ToLower(filepath.Ext(p))):
			return nil
		}
		name, err := filepath.Rel(path, p)
		items = append(items, knowledge.FileItem{Path: p, Name: filepath.ToSlash(name)})
		return err
	})
	if err != nil {
		return nil, "", unreadable(err)
	}
	return items, path + string(filepath.Separator), nil
}

// HashFile is the SHA-256 of a file's bytes, in hex.
func (d *Documents) HashFile(_ context.Context, item knowledge.FileItem) (string, error) {
	data, err := readBounded(item.Path)
	if err != nil {
		return "", err
	}
	return hashOf(data), nil
}

// ReadFile is what a file says, with the hash of its bytes.
func (d *Documents) ReadFile(ctx context.Context, item knowledge.FileItem) (*knowledge.FileText, string, error) {
	data, err := readBounded(item.Path)
	if err != nil {
		return nil, "", err
	}
	text, err := d.files.Read(ctx, item.Name, data)
	return text, hashOf(data), err
}

// ReadData is what a file says that is not on this machine. Where its name tells no kind
// that is read, its media type does.
func (d *Documents) ReadData(ctx context.Context, name, mediaType string, data []byte) (*knowledge.FileText, error) {
	if !slices.Contains(Extensions(), strings.ToLower(filepath.Ext(name))) {
		mediaType, _, _ = strings.Cut(strings.ToLower(mediaType), ";")
		for _, ext := range Extensions() {
			if mediaTypeOf(ext, nil) == strings.TrimSpace(mediaType) {
				name += ext
				break
			}
		}
	}
	return d.files.Read(ctx, name, data)
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func readBounded(path string) ([]byte, error) {
	in, err := os.Open(path) //nolint:gosec // only paths below the import root come here
	if err != nil {
		return nil, knowledge.Invalid("", "the file cannot be read").Because(err)
	}
	defer func() { _ = in.Close() }() // only read
	data, err := io.ReadAll(io.LimitReader(in, MaxFile+1))
	if err != nil {
		return nil, knowledge.Invalid("", "the file cannot be read").Because(err)
	}
	if len(data) > MaxFile {
		return nil, knowledge.Limit("", "the file is larger than %d MiB", MaxFile>>20)
	}
	return data, nil
}
