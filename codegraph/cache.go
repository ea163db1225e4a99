package codegraph

import "sync"

// Cache keeps what was computed from contents alone, by a key that holds the hash of all of it. Values
// are opaque. A cache may forget; it must never return another key's value. It is used by several
// goroutines at once.
type Cache interface {
	// Get returns the value of a key, false if there is none.
	Get(key string) ([]byte, bool)
	// Put keeps a value. It must not change value.
	Put(key string, value []byte)
}

// MemoryCache is a Cache that lasts as long as the process: a watcher's, for instance.
type MemoryCache struct {
	mu     sync.RWMutex
	values map[string][]byte
}

// NewMemoryCache returns an empty cache.
func NewMemoryCache() *MemoryCache { return &MemoryCache{values: map[string][]byte{}} }

// Get returns the value of a key, false if there is none.
func (c *MemoryCache) Get(key string) ([]byte, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.values[key]
	return v, ok
}

// Put keeps a value.
func (c *MemoryCache) Put(key string, value []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.values[key] = value
}
