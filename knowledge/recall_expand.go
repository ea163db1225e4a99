package knowledge

import (
	"cmp"
	"slices"
	"strings"
)

// Link leads from one entry to another: by a relation, or by an entity that both mention.
type Link struct {
	From, To   string
	Weight     float64 // 0 to 1
	Confidence float64 // 0 to 1
	Relation   *Relation
	EntityID   string // where Relation is nil
}

// RelationLink is the link that a relation makes.
func RelationLink(r *Relation) Link {
	return Link{From: r.FromID, To: r.ToID, Weight: RelationWeight(r), Confidence: clamp01(r.Confidence), Relation: r}
}

// Neighbour is an entry that an expansion found.
type Neighbour struct {
	ID    string
	Hops  int
	Score float64
}

// ExpansionLimits bound an expansion; zero values are the defaults, others are
// clamped (SPEC L10).
type ExpansionLimits struct {
	Hops   int
	Budget int // neighbours
}

// Expansion decides what a recall finds beyond its hits (SPEC L10 to L14). It
// reads nothing itself; whoever drives it does, hop by hop:
//
//	for frontier := x.Frontier(); len(frontier) > 0; frontier = x.Frontier() {
//		links := read(frontier)                 // at most 32 a node and direction
//		visible := check(x.Unknown(links))      // exists, current, of the type, in scope
//		x.Advance(links, visible)
//	}
//
// The order of links and of what is visible does not matter. An entry that is not
// visible leaves no trace: not itself, no relation, nothing behind it (SPEC L12).
type Expansion struct {
	hops, budget int
	hop          int
	frontier     []string
	known        map[string]*reached
	found        []*reached // neighbours in the order they were found
	links        []Link     // recorded, each once
	recorded     map[linkKey]bool
}

// reached is an entry that an expansion knows.
type reached struct {
	id         string
	hops       int // 0 is a seed
	seed       int // position of the nearest seed, from 1
	weight     float64
	confidence float64
	score      float64
}

type linkKey struct{ relation, from, to, entity string }

// NewExpansion begins at seeds, in the order of their ranking.
func NewExpansion(seeds []string, limits ExpansionLimits) *Expansion {
	x := &Expansion{
		hops:     min(MaxRecallHops, max(1, cmp.Or(limits.Hops, DefaultHops))),
		budget:   min(MaxBudget, max(1, cmp.Or(limits.Budget, DefaultBudget))),
		hop:      1,
		known:    make(map[string]*reached),
		recorded: make(map[linkKey]bool),
	}
	for _, id := range seeds {
		if x.known[id] == nil && len(x.frontier) < MaxSeeds {
			x.frontier = append(x.frontier, id)
			x.known[id] = &reached{id: id, seed: len(x.frontier)}
		}
	}
	return x
}

// Frontier are the entries whose links are to be read next; none when the expansion is done.
func (x *Expansion) Frontier() []string {
	if x.hop > x.hops {
		return nil
	}
	return slices.Clone(x.frontier)
}

// Unknown are the entries at the other ends of links that have to be checked before
// Advance, each once, sorted.
func (x *Expansion) Unknown(links []Link) []string {
	var ids []string
	for _, l := range links {
		for _, id := range []string{l.From, l.To} {
			if x.known[id] == nil {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Advance takes the links of the frontier and which of the unknown entries are
// visible, and goes on to the next hop.
func (x *Expansion) Advance(links []Link, visible map[string]bool) {
	sorted := slices.Clone(links)
	slices.SortFunc(sorted, compareLinks)
	byEnd := make(map[string][]Link)
	admitted := func(id string) bool { return x.known[id] != nil || visible[id] }
	for _, l := range sorted {
		// Before anything is counted, so that what is not visible takes no place either.
		if l.From != l.To && admitted(l.From) && admitted(l.To) {
			byEnd[l.From] = append(byEnd[l.From], l)
			byEnd[l.To] = append(byEnd[l.To], l)
		}
	}
	before := len(x.found)
	for _, id := range x.frontier {
		for _, l := range firstOfEachDirection(byEnd[id], id) {
			x.follow(l, id)
		}
	}
	x.frontier = x.frontier[:0]
	for _, n := range x.found[before:] {
		x.frontier = append(x.frontier, n.id)
	}
	if len(x.frontier) == 0 {
		x.hop = x.hops
	}
	x.hop++
}

// compareLinks puts the strongest first, so that a budget is spent on them.
func compareLinks(a, b Link) int {
	return cmp.Or(
		cmp.Compare(tieScore(b.Weight*b.Confidence), tieScore(a.Weight*a.Confidence)),
		strings.Compare(a.key().relation, b.key().relation),
		strings.Compare(a.From, b.From), strings.Compare(a.To, b.To), strings.Compare(a.EntityID, b.EntityID),
	)
}

func (l Link) key() linkKey {
	if l.Relation != nil {
		return linkKey{relation: l.Relation.ID, from: l.From, to: l.To, entity: string(l.Relation.Type)}
	}
	return linkKey{from: min(l.From, l.To), to: max(l.From, l.To), entity: l.EntityID}
}

// firstOfEachDirection keeps the relations that are read for a node: so many a direction.
func firstOfEachDirection(links []Link, id string) []Link {
	var kept []Link
	var outgoing, incoming, mentions int
	for _, l := range links {
		n := &outgoing
		switch {
		case l.Relation == nil:
			n = &mentions
		case l.To == id:
			n = &incoming
		}
		if *n++; *n <= LinksPerNode {
			kept = append(kept, l)
		}
	}
	return kept
}

// follow takes one link of a frontier node to an entry that is known or visible (SPEC L11).
func (x *Expansion) follow(l Link, near string) {
	far := l.To
	if far == near {
		far = l.From
	}
	from, other := x.known[near], x.known[far]
	if other == nil && len(x.found) >= x.budget {
		return
	}
	if !x.record(l) {
		return
	}
	if other == nil {
		other = &reached{id: far, hops: x.hop, seed: from.seed, weight: l.Weight, confidence: l.Confidence}
		x.known[far] = other
		x.found = append(x.found, other)
	}
	if other.hops == 0 {
		return
	}
	other.upgrade(l, x.hop, from.seed)
}

// record keeps a link once; false where no more are kept.
func (x *Expansion) record(l Link) bool {
	if x.recorded[l.key()] {
		return true
	}
	if len(x.links) >= MaxRecallLinks {
		return false
	}
	x.recorded[l.key()] = true
	x.links = append(x.links, l)
	return true
}

// upgrade lets a neighbour gain from another link to it (SPEC L11, L14): the
// heavier link and the earlier seed stay, and of several scores the largest.
func (n *reached) upgrade(l Link, hop, seed int) {
	if l.Weight > n.weight {
		n.weight, n.confidence = l.Weight, l.Confidence
	}
	n.seed = min(n.seed, seed)
	n.score = max(n.score,
		l.Weight*l.Confidence/float64(hop*seed),
		n.weight*n.confidence/float64(n.hops*n.seed))
}

// Neighbours are the entries that were found, the highest score first, else in the
// order they were found.
func (x *Expansion) Neighbours() []Neighbour {
	neighbours := make([]Neighbour, len(x.found))
	for i, n := range x.found {
		neighbours[i] = Neighbour{ID: n.id, Hops: n.hops, Score: n.score}
	}
	slices.SortStableFunc(neighbours, func(a, b Neighbour) int { return cmp.Compare(tieScore(b.Score), tieScore(a.Score)) })
	return neighbours
}

// Relations are the relations that were walked or join known entries, each once, in
// the order they were recorded.
func (x *Expansion) Relations() []*Relation {
	var relations []*Relation
	for _, l := range x.links {
		if l.Relation != nil {
			relations = append(relations, l.Relation)
		}
	}
	return relations
}

// Annotate marks ranked entries with what the expansion knows of them (SPEC L18):
// the hops to them, up to 6 relations, the entities that lead to what no relation
// leads to, whether another of them supersedes them, whether they are disputed.
func (x *Expansion) Annotate(ranked []RankedEntry) {
	at := make(map[string]*RankedEntry, len(ranked))
	for i := range ranked {
		at[ranked[i].ID] = &ranked[i]
	}
	for _, l := range x.links {
		from, to := at[l.From], at[l.To]
		if from == nil || to == nil {
			continue
		}
		if l.Relation == nil {
			from.ViaMentionIDs = appendOnce(from.ViaMentionIDs, l.EntityID)
			to.ViaMentionIDs = appendOnce(to.ViaMentionIDs, l.EntityID)
			continue
		}
		from.Via = append(from.Via, l.Relation)
		to.Via = append(to.Via, l.Relation)
		switch l.Relation.Type {
		case RelationSupersedes:
			to.Stale = true
		case RelationContradicts:
			from.Caveat, to.Caveat = true, true
		}
	}
	for i := range ranked {
		r := &ranked[i]
		found := r.VectorRank > 0 || r.TextRank > 0
		if n := x.known[r.ID]; n != nil && !found {
			r.Hops = n.hops
		}
		if found || len(r.Via) > 0 {
			r.ViaMentionIDs = nil
		}
		r.Via = telling(r.Via, r.ID)
	}
}

// MarkHits marks hits with relations that were read of them after the ranking (SPEC L18):
// what supersedes a hit, and what it is disputed by. It tells whether there was any.
func MarkHits(hits []*RecallHit, relations []*Relation) bool {
	marked := false
	for _, h := range hits {
		e := h.Entry()
		if e == nil {
			continue
		}
		for _, r := range relations {
			superseded, disputed := r.Type == RelationSupersedes && r.ToID == e.ID, r.Type == RelationContradicts && (r.FromID == e.ID || r.ToID == e.ID)
			if !superseded && !disputed {
				continue
			}
			marked = true
			h.Stale, h.Caveat = h.Stale || superseded, h.Caveat || disputed
			if !slices.ContainsFunc(h.Via, func(v *Relation) bool { return v.ID == r.ID }) {
				h.Via = telling(append(h.Via, r), e.ID)
			}
		}
		if len(h.Via) > 0 {
			h.ViaMentionIDs = nil
		}
	}
	return marked
}

func appendOnce(ids []string, id string) []string {
	if len(ids) >= MaxVia || slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}

// telling are the relations that are shown of an entry: first those that its marks
// come from, else in their order.
func telling(via []*Relation, id string) []*Relation {
	if len(via) <= MaxVia {
		return via
	}
	marks := func(r *Relation) int {
		if r.Type == RelationSupersedes && r.ToID == id || r.Type == RelationContradicts {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(via, func(a, b *Relation) int { return marks(a) - marks(b) })
	return via[:MaxVia]
}
