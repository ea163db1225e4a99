package codegraph

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// maxCacheFile bounds what is read of a cache file, in bytes.
const maxCacheFile = 1 << 30

// FileCache is a Cache that is kept in one file between runs: Save writes what was used since it was opened, so
// that what no file of the repository needs any more goes by itself.
type FileCache struct {
	path string

	mu   sync.Mutex
	old  map[string][]byte
	used map[string][]byte
	new  bool // something is used that the file does not hold
}

// OpenFileCache reads a cache file. One that is not there, or damaged, is an empty cache.
func OpenFileCache(path string) *FileCache {
	return &FileCache{path: path, old: readCacheFile(path), used: map[string][]byte{}}
}

// readCacheFile checks the hash at the beginning of the file against the rest.
func readCacheFile(path string) map[string][]byte {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxCacheFile {
		return nil
	}
	raw, err := os.ReadFile(path) //nolint:gosec // a file of our own cache folder
	if err != nil || len(raw) < sha256.Size {
		return nil
	}
	sum := sha256.Sum256(raw[sha256.Size:])
	if !bytes.Equal(sum[:], raw[:sha256.Size]) {
		return nil
	}
	var values map[string][]byte
	if err := gob.NewDecoder(bytes.NewReader(raw[sha256.Size:])).Decode(&values); err != nil {
		return nil
	}
	return values
}

// Get returns the value of a key, false if there is none.
func (c *FileCache) Get(key string) ([]byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.used[key]; ok {
		return v, true
	}
	v, ok := c.old[key]
	if ok {
		c.used[key] = v
	}
	return v, ok
}

// Put keeps a value.
func (c *FileCache) Put(key string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used[key], c.new = value, true
}

// Save writes what was used. Readers see the old file or the new one, never a part.
func (c *FileCache) Save() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.new && len(c.used) == len(c.old) {
		return nil
	}
	body, err := encode(c.used)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(c.path), filepath.Base(c.path)+".*")
	if err != nil {
		return fmt.Errorf("cache file: %w", err)
	}
	_, err = file.Write(append(sum[:], body...))
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(file.Name(), c.path)
	}
	if err != nil {
		_ = os.Remove(file.Name()) // the error before says more
		return fmt.Errorf("cache file: %w", err)
	}
	c.old, c.used, c.new = c.used, map[string][]byte{}, false
	return nil
}
