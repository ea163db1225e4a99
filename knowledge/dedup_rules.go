package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
)

// Numbers of deduplication (SPEC N4, N5, N7, N8).
const (
	MaxDedupEntries   = 200   // of one contact that are compared
	dedupSimilarity   = 0.95  // the cosine from which two entries say the same
	maxDedupContent   = 4_000 // characters of joined content
	MaxDedupRelations = 500   // from so many in one direction on an entry stays for later
)

// Cosine is the cosine of two vectors; 0 for empty ones, ones of unequal length, and zeros.
func Cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, normA, normB float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		dot, normA, normB = dot+x*y, normA+x*x, normB+y*y
	}
	if normA == 0 || normB == 0 {
		return 0
	}
	return dot / math.Sqrt(normA*normB)
}

// DedupEntry is an entry with what is compared of it.
type DedupEntry struct {
	ID         string
	Type       EntryType
	Confidence float64
	Hash       string     // of the text that the vector was made of
	ExpiresAt  *time.Time // entries that expire at different moments stay apart
	Vector     []float32
}

// DedupClusters are the groups of entries that say the same (SPEC N5, N6, N10): of one type,
// each near to another of its group. The first of a group is the one that stays; the others
// follow in the same order. apart are pairs that somebody told apart, by saying that one
// contradicts or supersedes the other; they never meet in a group.
func DedupClusters(entries []DedupEntry, apart [][2]string) [][]DedupEntry {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b DedupEntry) int {
		return cmp.Or(cmp.Compare(b.Confidence, a.Confidence), strings.Compare(a.ID, b.ID))
	})
	group := make([]int, len(entries)) // by entry: the group it is in, named by its first
	members := make([][]int, len(entries))
	for i := range entries {
		group[i], members[i] = i, []int{i}
	}
	barred := func(a, b []int) bool {
		return slices.ContainsFunc(apart, func(pair [2]string) bool {
			in := func(list []int, id string) bool {
				return slices.ContainsFunc(list, func(i int) bool { return entries[i].ID == id })
			}
			return in(a, pair[0]) && in(b, pair[1]) || in(a, pair[1]) && in(b, pair[0])
		})
	}
	for i := range entries {
		for j := i + 1; j < len(entries); j++ {
			a, b := min(group[i], group[j]), max(group[i], group[j])
			if a == b || !mayJoin(entries[i], entries[j]) || Cosine(entries[i].Vector, entries[j].Vector) < dedupSimilarity || barred(members[a], members[b]) {
				continue
			}
			for _, k := range members[b] {
				group[k] = a
			}
			members[a], members[b] = append(members[a], members[b]...), nil
		}
	}
	var out [][]DedupEntry
	for _, list := range members {
		if len(list) < 2 {
			continue
		}
		slices.Sort(list)
		cluster := make([]DedupEntry, len(list))
		for i, k := range list {
			cluster[i] = entries[k]
		}
		out = append(out, cluster)
	}
	return out
}

func mayJoin(a, b DedupEntry) bool {
	return a.Type == b.Type && (a.ExpiresAt == nil) == (b.ExpiresAt == nil) && (a.ExpiresAt == nil || a.ExpiresAt.Equal(*b.ExpiresAt))
}

// JoinedParts are what the content of an entry that took up others is made of, in order, and
// which of them rest on a writer's own word. The others rest on the documents, tasks and
// messages that support them, and go with these (SPEC T5).
type JoinedParts struct {
	Texts  []string
	Direct []string
}

// parts is what an entry's content is made of: what it took up, unless it was edited since.
func (e *Entry) parts() []string {
	if len(e.Joined.Texts) > 0 && strings.Join(e.Joined.Texts, "\n") == e.Content {
		return slices.Clone(e.Joined.Texts)
	}
	return []string{e.Content}
}

// WithoutParts is the entry without those parts of its content that nothing supports any
// more, and whether that is another one: never of an entry that was edited since, and never
// without any content. Where its own first words go, its title goes with them.
func (e *Entry) WithoutParts(supported []string, now time.Time) (*Entry, bool) {
	if len(e.Joined.Texts) == 0 || strings.Join(e.Joined.Texts, "\n") != e.Content {
		return e, false
	}
	left := slices.DeleteFunc(slices.Clone(e.Joined.Texts), func(text string) bool {
		return !slices.Contains(supported, text) && !slices.Contains(e.Joined.Direct, text)
	})
	if len(left) == 0 || len(left) == len(e.Joined.Texts) {
		return e, false
	}
	out := *e
	if left[0] != e.Joined.Texts[0] {
		out.Title = Caption(left[0])
	}
	out.Joined.Texts, out.Content = left, strings.Join(left, "\n")
	out.ContentHash, out.UpdatedAt, out.Embedding = ContentHash(out.Title, out.Content), now, nil
	return &out, true
}

// FoldEntries is an entry with what others add that say the same (SPEC N7): their content
// on lines of their own unless it is contained, contacts, mentions and tags united in order.
// Confidence and all dates stay. added are the parts of its content that each of the others
// gave, by its id.
func FoldEntries(survivor *Entry, losers []*Entry, now time.Time) (folded *Entry, added map[string][]string) {
	out := *survivor
	out.Joined.Texts, added = survivor.parts(), map[string][]string{}
	out.Tags, out.ContactIDs, out.MentionIDs = slices.Clone(survivor.Tags), slices.Clone(survivor.ContactIDs), slices.Clone(survivor.MentionIDs)
	for _, l := range losers {
		before := out.Content
		out.Content = joinedContent(before, strings.TrimSpace(l.Content))
		if more, appended := strings.CutPrefix(out.Content, before+"\n"); appended {
			added[l.ID] = []string{more}
			if parts := l.parts(); strings.Join(parts, "\n") == more {
				added[l.ID] = parts
			}
			out.Joined.Texts = append(out.Joined.Texts, added[l.ID]...)
		}
		out.Tags = append(out.Tags, l.Tags...)
		out.ContactIDs = append(out.ContactIDs, l.ContactIDs...)
		out.MentionIDs = append(out.MentionIDs, l.MentionIDs...)
		out.AccessCount += l.AccessCount
		if l.LastAccessedAt != nil && (out.LastAccessedAt == nil || l.LastAccessedAt.After(*out.LastAccessedAt)) {
			out.LastAccessedAt = l.LastAccessedAt
		}
	}
	out.Tags, out.ContactIDs, out.MentionIDs = distinct(out.Tags), distinct(out.ContactIDs), distinct(out.MentionIDs)
	out.ContentHash = ContentHash(out.Title, out.Content)
	out.UpdatedAt = now
	return &out, added
}

// joinedContent never shortens what stays: what would go beyond the limit is cut off.
func joinedContent(content, more string) string {
	if more == "" || strings.Contains(content, more) || len([]rune(content)) >= maxDedupContent {
		return content
	}
	return truncateRunes(content+"\n"+more, maxDedupContent)
}

// RelationMoves say what becomes of relations when entries become one. The relations of
// the entries that go are all removed before; Moved are those of them that are made anew,
// with their ids, and Folded those of the one that stays that took up equal ones.
type RelationMoves struct {
	Moved  []*Relation
	Folded []*Relation
}

// MoveRelations decides it (SPEC N8, K17): relations inside the group go, parallel ones
// become one, of which that of the entry that stays is kept, else the first.
func MoveRelations(survivorID string, loserIDs []string, ofSurvivor, ofLosers []*Relation, now time.Time) RelationMoves {
	type key struct {
		from, to string
		t        RelationType
	}
	stays := map[key]*Relation{}
	changed := map[key]bool{}
	for _, r := range ofSurvivor {
		stays[key{r.FromID, r.ToID, r.Type}] = r
	}
	var moves RelationMoves
	var order, folded []key
	moved := func(id string) string {
		if slices.Contains(loserIDs, id) {
			return survivorID
		}
		return id
	}
	for _, r := range ofLosers {
		at := *r
		at.FromID, at.ToID = moved(r.FromID), moved(r.ToID)
		if at.FromID == at.ToID {
			continue
		}
		k := key{at.FromID, at.ToID, at.Type}
		kept := stays[k]
		if kept == nil {
			stays[k] = &at
			order = append(order, k)
			continue
		}
		joined := FoldRelation(*kept, at, now)
		if SameEvidence(joined, *kept) {
			continue
		}
		stays[k] = &joined
		if !slices.Contains(order, k) && !changed[k] {
			changed[k] = true
			folded = append(folded, k)
		}
	}
	for _, k := range order {
		moves.Moved = append(moves.Moved, stays[k])
	}
	for _, k := range folded {
		moves.Folded = append(moves.Folded, stays[k])
	}
	return moves
}
