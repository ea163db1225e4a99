package codegraph

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/sync/errgroup"
)

// ErrNotAFolder means that the root of a scan is no folder that can be read.
var ErrNotAFolder = errors.New("not a folder that can be read")

// Reasons why something found by the walk is no node at all; Report.Left counts them.
const (
	LeftIgnored  = "ignored"
	LeftSymlink  = "symbolic link"
	LeftSpecial  = "not a regular file"
	LeftBadName  = "name is not UTF-8"
	LeftNoSource = "not source"
	LeftTooMany  = "beyond the most files"
)

// Limits of a scan.
const (
	DefaultMaxFiles = 50_000
	maxHashed       = 64 << 20 // bytes; a larger file is told from another by its size alone
	maxDepth        = 200      // folders below folders
)

// Options say how a folder is indexed. The zero value is complete.
type Options struct {
	Repository string         // the name in the graph; default: that of the folder
	Languages  []Language     // default: Languages()
	Cache      Cache          // default: none
	Workers    int            // default: GOMAXPROCS
	MaxFiles   int            // default: DefaultMaxFiles
	Progress   func(Progress) // called by one goroutine at a time; default: none
}

// Scan is what a folder holds at one moment: the source files and their hashes. Close it after use.
type Scan struct {
	options  Options
	registry *registry
	root     *os.Root
	files    []*file // by path
	folders  []string
	left     map[string]int
	problems []Problem
	unread   bool // something could not be read, and may be readable later
}

// file is one source file of a scan.
type file struct {
	path     string
	entry    registryEntry
	size     int64
	hash     string
	encoding string
	skipped  string
	facts    Facts
	reused   bool
}

// NewScan walks the folder and hashes its source files. What cannot be read is a problem of the scan, not
// an error; the error wraps ErrNotAFolder when the root itself cannot be read, and is that of ctx when
// ctx ends.
func NewScan(ctx context.Context, folder string, options Options) (*Scan, error) {
	s, err := walked(ctx, folder, options)
	if err != nil {
		return nil, err
	}
	// A folder comes before a file whose name goes on with a dot, paths are compared as texts.
	slices.SortFunc(s.files, func(a, b *file) int { return strings.Compare(a.path, b.path) })
	if err := s.hashAll(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// walked is a scan that has found its files and has not read them yet.
func walked(ctx context.Context, folder string, options Options) (*Scan, error) {
	absolute, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAFolder, err)
	}
	root, err := os.OpenRoot(absolute)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotAFolder, err)
	}
	options = options.withDefaults(absolute)
	s := &Scan{options: options, registry: newRegistry(options.Languages), root: root, left: map[string]int{}}
	if err := s.walk(ctx, ".", ignoreRules{}, 0); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return s, nil
}

func (o Options) withDefaults(root string) Options {
	if o.Repository == "" {
		o.Repository = filepath.Base(root)
	}
	if o.Languages == nil {
		o.Languages = Languages()
	}
	if o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxFiles < 1 {
		o.MaxFiles = DefaultMaxFiles
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	return o
}

// Close frees the folder.
func (s *Scan) Close() error { return s.root.Close() }

// Digest identifies what was scanned: with the same digest an index is the same. It is empty when a
// file could not be read, because then a later scan may see more.
func (s *Scan) Digest() string {
	if s.unread {
		return ""
	}
	h := newDigest()
	for _, l := range s.options.Languages {
		h.add(l.Name, l.Version)
	}
	h.add(s.options.Repository, strconv.Itoa(s.options.MaxFiles))
	for _, f := range s.files {
		h.add(f.path, f.hash, strconv.FormatInt(f.size, 10))
	}
	return h.sum()
}

// walk descends in the order of names, so that a limit cuts the same files each time.
func (s *Scan) walk(ctx context.Context, folder string, rules ignoreRules, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if depth > maxDepth {
		s.problem(folder, "too deep")
		return nil
	}
	entries, err := s.list(folder)
	if err != nil {
		if folder == "." {
			return fmt.Errorf("%w: %w", ErrNotAFolder, err)
		}
		s.unreadable(folder, err)
		return nil
	}
	s.folders = append(s.folders, folder)
	rules = rules.with(s.root, folder)
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if entry.IsDir() {
			if !utf8.ValidString(name) {
				s.left[LeftBadName]++
				continue
			}
			if isPruned(name) || rules.match(name, true) {
				s.left[LeftIgnored]++
				continue
			}
			if err := s.walk(ctx, name, rules, depth+1); err != nil {
				return err
			}
			continue
		}
		s.visit(name, entry, rules)
	}
	return nil
}

func (s *Scan) list(folder string) ([]fs.DirEntry, error) {
	f, err := s.root.Open(folder)
	if err != nil {
		return nil, err
	}
	defer closeRead(f)
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

func (s *Scan) visit(name string, entry fs.DirEntry, rules ignoreRules) {
	found, isSource := s.registry.find(name)
	switch {
	case !utf8.ValidString(name):
		s.left[LeftBadName]++
	case rules.match(name, false) && !s.registry.settings[path.Base(name)]:
		s.left[LeftIgnored]++
	case entry.Type()&fs.ModeSymlink != 0:
		s.left[LeftSymlink]++
	case !entry.Type().IsRegular():
		s.left[LeftSpecial]++
	case !isSource:
		s.left[LeftNoSource]++
	case len(s.files) >= s.options.MaxFiles:
		s.left[LeftTooMany]++
	default:
		s.files = append(s.files, &file{path: name, entry: found})
		s.options.Progress(Progress{Stage: "scan", Done: len(s.files)})
	}
}

// hashAll hashes every file and drops those that cannot be read.
func (s *Scan) hashAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.options.Workers)
	failures := make([]error, len(s.files))
	for i, f := range s.files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			f.size, f.hash, failures[i] = s.hash(f.path)
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	kept := s.files[:0]
	for i, f := range s.files {
		if failures[i] != nil {
			s.unreadable(f.path, failures[i])
			continue
		}
		kept = append(kept, f)
	}
	s.files = kept
	return nil
}

func (s *Scan) hash(name string) (int64, string, error) {
	f, size, err := s.open(name)
	if err != nil {
		return 0, "", err
	}
	defer closeRead(f)
	if size > maxHashed {
		return size, "", nil
	}
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxHashed))
	return n, sum(h), err
}

// open opens a regular file below the root; a link that leads out of it is an error of os.Root.
func (s *Scan) open(name string) (*os.File, int64, error) {
	info, err := s.root.Lstat(name)
	if err != nil {
		return nil, 0, err
	}
	if !info.Mode().IsRegular() {
		return nil, 0, errors.New(LeftSpecial)
	}
	f, err := s.root.Open(name)
	return f, info.Size(), err
}

var errChanged = errors.New("changed while it was read")

// read returns the bytes of a file as they were hashed; errChanged if they are no longer there.
func (s *Scan) read(f *file) ([]byte, error) {
	opened, _, err := s.open(f.path)
	if err != nil {
		return nil, err
	}
	defer closeRead(opened)
	raw, err := io.ReadAll(io.LimitReader(opened, maxHashed))
	if err != nil {
		return nil, err
	}
	h := sha256.New()
	h.Write(raw)
	if sum(h) != f.hash {
		return nil, errChanged
	}
	return raw, nil
}

// closeRead closes what was only read: there is nothing to lose.
func closeRead(f *os.File) { _ = f.Close() }

func sum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// unreadable records a problem of reading: the digest does not stand for what is there.
func (s *Scan) unreadable(name string, err error) {
	s.unread = true
	s.problem(name, reason(err))
}

func (s *Scan) problem(name, message string) {
	s.problems = append(s.problems, Problem{Path: name, Message: message})
}

// reason is an error without the path, which the problem names already.
func reason(err error) string {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err.Error()
	}
	return err.Error()
}
