package codegraph

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"maps"
	"slices"
	"strconv"
)

// sortedKeys are the keys of a map in order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// digest hashes lists of texts so that no two different lists are written alike.
type digest struct{ h hash.Hash }

func newDigest() digest { return digest{sha256.New()} }

func (d digest) add(parts ...string) {
	for _, part := range parts {
		d.h.Write([]byte(strconv.Itoa(len(part)) + ":" + part))
	}
	d.h.Write([]byte{'\n'})
}

func (d digest) sum() string { return hex.EncodeToString(d.h.Sum(nil)) }
