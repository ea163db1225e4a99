package mavencache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// manifestName is the file in a fetched folder that lists all others.
const manifestName = "manifest.json"

type manifest struct {
	PomSHA256 string         `json:"pomSha256"`
	Files     []manifestFile `json:"files"`
}

type manifestFile struct {
	Path   string `json:"path"` // slash-separated, relative to the folder
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Verify reads every file in dir and returns nil when they are exactly those
// that were fetched with this pom. A folder that does not exist gives
// os.ErrNotExist, every other deviation ErrDamaged with the name of a file
// that is missing, changed or too many.
func Verify(dir string, pom []byte) error {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	want, err := readManifest(dir)
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrDamaged, dir, err)
	}
	if want.PomSHA256 != sum(pom) {
		return fmt.Errorf("%w %s: fetched with another pom.xml", ErrDamaged, dir)
	}
	have, err := list(dir)
	if err != nil {
		return fmt.Errorf("%w %s: %w", ErrDamaged, dir, err)
	}
	if name, reason := compare(want.Files, have); name != "" {
		return fmt.Errorf("%w %s: %s %s", ErrDamaged, dir, name, reason)
	}
	return nil
}

// Jars returns the full paths of the .jar files in a fetched folder, sorted.
func Jars(dir string) ([]string, error) {
	m, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	jars := []string{}
	for _, f := range m.Files {
		if strings.HasSuffix(f.Path, ".jar") {
			jars = append(jars, filepath.Join(dir, filepath.FromSlash(f.Path)))
		}
	}
	return jars, nil
}

// compare returns the first file by name that differs, and how; "" when none does.
func compare(want, have []manifestFile) (name, reason string) {
	found := make(map[string]manifestFile, len(have))
	for _, f := range have {
		found[f.Path] = f
	}
	for _, w := range want {
		h, ok := found[w.Path]
		switch {
		case !ok:
			return w.Path, "is missing"
		case h != w:
			return w.Path, fmt.Sprintf("is changed (%d bytes where %d are expected, or another sha256)", h.Bytes, w.Bytes)
		}
		delete(found, w.Path)
	}
	for path := range found {
		return path, "does not belong there"
	}
	return "", ""
}

func readManifest(dir string) (manifest, error) {
	var m manifest
	raw, err := os.ReadFile(filepath.Join(dir, manifestName)) //nolint:gosec // the cache folder is the caller's
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		return m, fmt.Errorf("%s is unreadable: %w", manifestName, err)
	}
	return m, nil
}

// writeManifest lists dir as it is now. The files are synced before, so that
// the folder that gets its final name is whole after a power cut as well.
func writeManifest(dir string, pom []byte) error {
	files, err := list(dir)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return errors.New("nothing was fetched")
	}
	raw, err := json.MarshalIndent(manifest{PomSHA256: sum(pom), Files: files}, "", "  ")
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := syncFile(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
			return err
		}
	}
	path := filepath.Join(dir, manifestName)
	if err := os.WriteFile(path, raw, 0o644); err != nil { //nolint:gosec // public content
		return err
	}
	return syncFile(path)
}

// list returns all files under dir but the manifest, sorted by path, hashed by all processors.
func list(dir string) ([]manifestFile, error) {
	files := []manifestFile{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil || rel == manifestName {
			return err
		}
		files = append(files, manifestFile{Path: filepath.ToSlash(rel)})
		return nil
	})
	if err != nil {
		return nil, err
	}
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i := range files {
		g.Go(func() (err error) {
			f := &files[i]
			f.Bytes, f.SHA256, err = hashFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b manifestFile) int { return strings.Compare(a.Path, b.Path) })
	return files, nil
}

func hashFile(path string) (bytes int64, digest string, err error) {
	f, err := os.Open(path) //nolint:gosec // the cache folder is the caller's
	if err != nil {
		return 0, "", err
	}
	defer func() { _ = f.Close() }() // only read
	h := sha256.New()
	bytes, err = io.Copy(h, f)
	return bytes, hex.EncodeToString(h.Sum(nil)), err
}

func syncFile(path string) (err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0) //nolint:gosec // the cache folder is the caller's
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
