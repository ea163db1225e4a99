package knowledge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Numbers of scoped expansion (SPEC N15).
const (
	expansionEnough     = 3    // relations from which an entry is joined well enough
	expansionNearest    = 5    // others that one entry is joined to at most
	expansionSimilarity = 0.80 // the cosine from which one shared mention is enough
	expansionWeight     = 0.3
	expansionConfidence = 0.75 // it is inferred, not guessed (SPEC K18)
)

// OriginExpansion marks the relations that scoped expansion made, by which they can be
// removed as a whole.
const OriginExpansion = "scoped_expansion"

// ExpansionEntry is an entry of one scope as expansion sees it.
type ExpansionEntry struct {
	ID         string
	CreatedAt  time.Time
	MentionIDs []string
	Relations  int
	Vector     []float32 // nil: none
}

// ExpansionLink is a relation that expansion makes, from the earlier entry to the later.
type ExpansionLink struct {
	From, To   string
	Shared     int // mentioned entities
	Similarity float64
}

// ExpansionLinks are the links to be made among entries of one scope, which are given
// oldest first: each entry of fewer than 3 relations, those that it is given here counted,
// is joined to the nearest 5 of those that share two mentioned entities with it, or one and
// are alike. Pairs that are related already stay as they are.
func ExpansionLinks(entries []ExpansionEntry, related [][2]string) []ExpansionLink {
	joined := make(map[[2]string]bool, len(related))
	for _, pair := range related {
		joined[pairOf(pair[0], pair[1])] = true
	}
	mentioning := map[string][]int{}
	relations := make([]int, len(entries))
	for i, e := range entries {
		relations[i] = e.Relations
		for _, id := range e.MentionIDs {
			mentioning[id] = append(mentioning[id], i)
		}
	}
	var links []ExpansionLink
	for i, e := range entries {
		if relations[i] >= expansionEnough {
			continue
		}
		for _, c := range expansionCandidates(entries, i, mentioning, joined) {
			joined[pairOf(e.ID, entries[c.other].ID)] = true
			relations[i]++
			relations[c.other]++
			first, second := entries[min(i, c.other)].ID, entries[max(i, c.other)].ID
			links = append(links, ExpansionLink{From: first, To: second, Shared: c.shared, Similarity: c.similarity})
		}
	}
	return links
}

type expansionCandidate struct {
	other, shared int
	similarity    float64
}

// expansionCandidates are the nearest entries that one may be joined to.
func expansionCandidates(entries []ExpansionEntry, of int, mentioning map[string][]int, joined map[[2]string]bool) []expansionCandidate {
	shared := map[int]int{}
	for _, id := range distinct(entries[of].MentionIDs) {
		for _, other := range mentioning[id] {
			shared[other]++
		}
	}
	delete(shared, of)
	var out []expansionCandidate
	for other, n := range shared {
		if joined[pairOf(entries[of].ID, entries[other].ID)] {
			continue
		}
		similarity := Cosine(entries[of].Vector, entries[other].Vector)
		if n >= 2 || similarity >= expansionSimilarity {
			out = append(out, expansionCandidate{other, n, similarity})
		}
	}
	slices.SortFunc(out, func(a, b expansionCandidate) int {
		return cmp.Or(cmp.Compare(b.similarity, a.similarity), cmp.Compare(b.shared, a.shared), cmp.Compare(a.other, b.other))
	})
	return out[:min(len(out), expansionNearest)]
}

func pairOf(a, b string) [2]string {
	if strings.Compare(a, b) > 0 {
		a, b = b, a
	}
	return [2]string{a, b}
}

// Relation is the relation that the link stands for. Its reason names nobody, so that
// nothing is left in it of who is erased.
func (l ExpansionLink) Relation(workspaceID, id string, now time.Time) *Relation {
	why := fmt.Sprintf("both mention %d entities", l.Shared)
	if l.Shared < 2 {
		why = fmt.Sprintf("both mention an entity and are alike (%.2f)", l.Similarity)
	}
	weight := expansionWeight
	return &Relation{
		ID: id, WorkspaceID: workspaceID, Type: RelationRelatesTo, FromID: l.From, ToID: l.To, ConfidenceTag: TagInferred, Confidence: expansionConfidence,
		Weight: &weight, Provenance: ProvenanceDeterministic, Rationale: &why, Origin: OriginExpansion, CreatedAt: now, UpdatedAt: now,
	}
}

// UnembeddedText is something that a vector is made of, and whether one is missing.
type UnembeddedText struct {
	EntryText
	CreatedAt time.Time
	Missing   bool
}
