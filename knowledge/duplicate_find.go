package knowledge

import (
	"cmp"
	"hash/maphash"
	"slices"
	"strings"
	"unicode/utf8"
)

// How many names of one key are compared with each other: more that have a word or a
// misspelling in common say nothing, and of more with an exact key the oldest are taken.
const (
	maxLooseBlock = 16
	maxExactBlock = 50
)

// maxGroup bounds a group: more than a merge takes in help nobody.
const maxGroup = MaxMerged

// blockKey is a property that two names must share to be compared at all.
type blockKey struct {
	hash  uint64
	exact bool
	index int
}

// pair is two names, by index, that may be of one entity.
type pair struct {
	a, b    int
	score   float64
	reasons []string
}

// FindDuplicates are the groups of entities that may be one and score at least minScore,
// the best first. Only names with a common key are compared: slug, letters, words,
// alias, identity value, one misspelling, or a word that few others have. So the work
// grows with the number of names, not with its square.
func FindDuplicates(cards []NameCard, minScore float64) []DuplicateGroup {
	cards = slices.Clone(cards)
	slices.SortFunc(cards, func(a, b NameCard) int { return strings.Compare(a.ID, b.ID) })
	names := make([]comparedName, len(cards))
	var keys []blockKey
	seed := maphash.MakeSeed()
	for i, card := range cards {
		names[i] = compared(card)
		keys = append(keys, keysOf(&names[i], i, seed)...)
	}
	slices.SortFunc(keys, func(a, b blockKey) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.index, b.index)) })
	return grouped(names, pairsOf(names, keys, minScore))
}

func keysOf(n *comparedName, index int, seed maphash.Seed) []blockKey {
	var out []blockKey
	var hash maphash.Hash
	hash.SetSeed(seed)
	add := func(kind, value string, exact bool, more ...string) {
		if value == "" && len(more) == 0 {
			return
		}
		hash.Reset()
		for _, part := range []string{kind, "\x00", n.Type, "\x00", value} {
			_, _ = hash.WriteString(part) // never fails
		}
		for _, part := range more {
			_, _ = hash.WriteString(part)
		}
		out = append(out, blockKey{hash: hash.Sum64(), exact: exact, index: index})
	}
	add("name", n.key, true)
	for _, alias := range n.aliases {
		add("name", alias, true)
	}
	add("slug", n.slug, true)
	add("letters", n.letters, true)
	add("words", strings.Join(slices.Sorted(slices.Values(n.words)), " "), true)
	for _, i := range n.Identities {
		add("identity", i.Value, true)
	}
	significant := slices.DeleteFunc(slices.Clone(n.words), func(w string) bool { return additions[w] || utf8.RuneCountInString(w) == 1 })
	add("words", strings.Join(slices.Sorted(slices.Values(significant)), " "), true)
	for _, word := range significant {
		add("word", word, false)
	}
	if count := utf8.RuneCountInString(n.letters); count >= minNearLetters && count <= maxNearLetters {
		// Two names one change apart share what is left when each loses a letter.
		add("spelling", n.letters, false)
		for at, r := range n.letters {
			add("spelling", n.letters[:at], false, n.letters[at+utf8.RuneLen(r):])
		}
	}
	return out
}

// pairsOf compares the names of each key with each other, best pairs first.
func pairsOf(names []comparedName, keys []blockKey, minScore float64) []pair {
	found := map[[2]int]bool{}
	var out []pair
	for len(keys) > 0 {
		end := 1
		for end < len(keys) && keys[end].hash == keys[0].hash {
			end++
		}
		block := slices.CompactFunc(keys[:end:end], func(a, b blockKey) bool { return a.index == b.index })
		keys = keys[end:]
		if !block[0].exact && len(block) > maxLooseBlock {
			continue
		}
		block = block[:min(len(block), maxExactBlock)]
		for i, x := range block {
			for _, y := range block[i+1:] {
				at := [2]int{x.index, y.index}
				score, reasons := duplicateScore(&names[at[0]], &names[at[1]])
				if score > 0 && score >= minScore && !found[at] {
					found[at] = true
					out = append(out, pair{at[0], at[1], score, reasons})
				}
			}
		}
	}
	slices.SortFunc(out, func(p, q pair) int {
		return cmp.Or(cmp.Compare(q.score, p.score), cmp.Compare(p.a, q.a), cmp.Compare(p.b, q.b))
	})
	return out
}

// grouped joins pairs into groups in which each may be one with each of the others; a
// pair that does not fit into a group stands by itself.
func grouped(names []comparedName, pairs []pair) []DuplicateGroup {
	of := make(map[[2]int]pair, len(pairs))
	for _, p := range pairs {
		of[[2]int{p.a, p.b}] = p
	}
	var groups [][]int
	member := map[int]int{} // the group that a name is in
	for _, p := range pairs {
		ga, inA := member[p.a]
		gb, inB := member[p.b]
		switch {
		case inA && inB && ga == gb:
		case !inA && !inB:
			member[p.a], member[p.b] = len(groups), len(groups)
			groups = append(groups, []int{p.a, p.b})
		case inA && !inB && fits(of, groups[ga], p.b):
			groups[ga], member[p.b] = append(groups[ga], p.b), ga
		case inB && !inA && fits(of, groups[gb], p.a):
			groups[gb], member[p.a] = append(groups[gb], p.a), gb
		default:
			groups = append(groups, []int{p.a, p.b})
		}
	}
	out := make([]DuplicateGroup, 0, len(groups))
	for _, g := range groups {
		out = append(out, groupOf(names, of, g))
	}
	slices.SortFunc(out, CompareGroups)
	return out
}

func fits(of map[[2]int]pair, group []int, name int) bool {
	if len(group) >= maxGroup {
		return false
	}
	return !slices.ContainsFunc(group, func(other int) bool {
		_, ok := of[[2]int{min(other, name), max(other, name)}]
		return !ok
	})
}

func groupOf(names []comparedName, of map[[2]int]pair, group []int) DuplicateGroup {
	slices.Sort(group)
	out := DuplicateGroup{Score: 1}
	for i, a := range group {
		out.IDs = append(out.IDs, names[a].ID)
		for _, b := range group[i+1:] {
			p := of[[2]int{a, b}]
			out.Score = min(out.Score, p.score)
			out.Reasons = append(out.Reasons, p.reasons...)
		}
	}
	slices.Sort(out.Reasons)
	out.Reasons = slices.Compact(out.Reasons)
	return out
}
