package knowledge

import (
	"hash/fnv"
	"slices"
	"time"
)

// NameChange is an entity whose names may have changed, with all its names.
type NameChange struct {
	EntityID string
	Names    []string
	At       time.Time
}

// NameFilter tells which keys may be the name of an entity, so that only those few are
// looked up. It never denies a name that was added; it may admit one that nobody has any more.
type NameFilter struct{ hashes map[uint64]struct{} }

// NewNameFilter makes an empty filter.
func NewNameFilter() *NameFilter { return &NameFilter{hashes: make(map[uint64]struct{})} }

// Add admits the names of an entity, and those without their qualifier in brackets.
func (f *NameFilter) Add(names ...string) {
	for _, name := range names {
		f.hashes[hashOf(NormalizeName(name))] = struct{}{}
		if bare, ok := BareName(name); ok {
			f.hashes[hashOf(NormalizeName(bare))] = struct{}{}
		}
	}
}

// Size is how many names are admitted.
func (f *NameFilter) Size() int { return len(f.hashes) }

// Keep are the keys that may be names.
func (f *NameFilter) Keep(keys []string) []string {
	var kept []string
	for _, key := range keys {
		if _, ok := f.hashes[hashOf(key)]; ok {
			kept = append(kept, key)
		}
	}
	return kept
}

func hashOf(s string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(s)) // never fails
	return h.Sum64()
}

// MentionText is what of an entry is searched for names.
func MentionText(title, content string) string { return title + "\n" + content }

// MentionedIn are the entities that texts name, each once and in order, by text. names are
// those that may stand in the texts.
func MentionedIn(names []MentionName, texts []string) [][]string {
	out := make([][]string, len(texts))
	if len(names) == 0 {
		return out
	}
	index := NewMentionIndex(names)
	for i, text := range texts {
		for _, m := range index.Find(text) {
			out[i] = append(out[i], m.EntityID)
		}
		out[i] = distinct(out[i])
	}
	return out
}

// OtherMentions are the entities that an entry's text names and that are neither its
// contacts nor among its mentions yet.
func OtherMentions(e *Entry, named []string) []string {
	return slices.DeleteFunc(slices.Clone(named), func(id string) bool {
		return slices.Contains(e.ContactIDs, id) || slices.Contains(e.MentionIDs, id)
	})
}
