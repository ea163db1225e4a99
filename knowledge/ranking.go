package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Weights of the better ranking (RankingBest). They are those of docs/RETRIEVAL.md, where
// the measurements behind them stand; around each the result is flat.
const (
	// textWeight is what the best match by words counts beside the best by meaning.
	textWeight = 1.2
	// coverageWeight is what a text gains that has all that was asked for.
	coverageWeight = 0.6
	// besideWeight is what of an entry's score goes to its neighbour in a thread; to the
	// one behind that goes half of it.
	besideWeight = 0.3
	// threadWeight is by how much the thread lifts its entries that answers best.
	threadWeight = 0.2
	// anchorWeight is what an entry gains that is about an entity which the question names.
	anchorWeight = 1.0
	// mentionWeight is what of an entry's score goes to what is about an entity that it mentions.
	mentionWeight = 0.6
	// relationWeight is what of an entry's score goes over the strongest relation.
	relationWeight = 0.6
)

// Sizes of the better ranking.
const (
	// BesideFrom is from how many of the best entries scores spread in their threads.
	BesideFrom = 32
	// BesideReach is how far, in entries.
	BesideReach = 2
	// MentionSeeds is from how many of the best entries mentions are followed.
	MentionSeeds = 5
	// DefiningEntries is up to how many entries may be about an entity so that they say
	// what it is; what more entries are about is a subject, and leads anywhere.
	DefiningEntries = 3
)

// Names of the parts of a score (SPEC T13).
const (
	partThread   = "thread"
	partMentions = string(LegMentions)
	partRelation = string(LegExpansion)
)

// BestRanking orders the candidates of a recall by evidence from several sides: meaning
// and words, the entries beside them in a thread, the entities that the question names,
// and what mentions and relations lead to. It reads nothing itself; whoever drives it
// reads what Top, Seeds and the like ask about, and adds it. What is added must be
// visible to the reader.
type BestRanking struct {
	by    map[string]*RankedEntry
	order []*RankedEntry
	found map[string]bool // by a leg
}

// NewBestRanking begins with what the legs found, best first. ideal is what a text that
// has all that was asked for would score by words.
func NewBestRanking(vector []EntryVectorHit, text []LexicalHit, ideal float64) *BestRanking {
	r := &BestRanking{by: make(map[string]*RankedEntry), found: make(map[string]bool)}
	for i, h := range vector {
		e := r.entry(h.ID)
		e.VectorRank = i + 1
		r.found[h.ID] = true
		add(e, partVector, placed(h.Similarity, vector))
	}
	for i, h := range text {
		e := r.entry(h.ID)
		e.TextRank = i + 1
		r.found[h.ID] = true
		covered := min(1, h.Score/max(ideal, 1e-9))
		add(e, partText, textWeight*(h.Score/text[0].Score+coverageWeight*covered*covered))
	}
	return r
}

// placed is where a similarity lies between those of the last and the first, 0 to 1.
func placed(similarity float64, vector []EntryVectorHit) float64 {
	first, last := vector[0].Similarity, vector[len(vector)-1].Similarity
	if first == last {
		return 1
	}
	return (similarity - last) / (first - last)
}

func (r *BestRanking) entry(id string) *RankedEntry {
	e := r.by[id]
	if e == nil {
		e = &RankedEntry{ID: id}
		r.by[id] = e
		r.order = append(r.order, e)
	}
	return e
}

// add gives an entry a part of its score; parts of one name are one.
func add(e *RankedEntry, part string, value float64) {
	if value == 0 {
		return
	}
	e.Score += value
	for i := range e.Parts {
		if e.Parts[i].Name == part {
			e.Parts[i].Value += value
			return
		}
	}
	e.Parts = append(e.Parts, ScorePart{part, value})
}

// Top are the ids of the n best so far.
func (r *BestRanking) Top(n int) []string {
	r.sort()
	ids := make([]string, 0, n)
	for _, e := range r.order[:min(n, len(r.order))] {
		ids = append(ids, e.ID)
	}
	return ids
}

func (r *BestRanking) sort() {
	slices.SortStableFunc(r.order, func(a, b *RankedEntry) int {
		return cmp.Or(cmp.Compare(tieScore(b.Score), tieScore(a.Score)), strings.Compare(a.ID, b.ID))
	})
}

// Beside says that an entry stands so far from another one in their thread.
type Beside struct {
	ID       string
	Other    string
	Distance int // from 1
	Thread   string
}

// AddThreads lets scores spread to neighbours in a thread, and lifts the entries of the
// threads that answer best. Threads are those of entries, by id.
func (r *BestRanking) AddThreads(threads map[string]string, beside []Beside) {
	before := make(map[string]float64, len(r.by))
	strength := make(map[string]float64)
	strongest := 0.0
	for _, e := range r.order {
		before[e.ID] = e.Score
	}
	// In the order of the ranking, so that sums do not depend on the order of a map.
	for _, e := range r.order {
		if thread := threads[e.ID]; thread != "" {
			strength[thread] += e.Score * e.Score
			strongest = max(strongest, strength[thread])
		}
	}
	slices.SortFunc(beside, func(a, b Beside) int {
		return cmp.Or(strings.Compare(a.ID, b.ID), strings.Compare(a.Other, b.Other))
	})
	of := make(map[string]string, len(threads)+len(beside))
	for id, thread := range threads {
		of[id] = thread
	}
	for _, b := range beside {
		of[b.Other] = b.Thread
		add(r.entry(b.Other), partThread, before[b.ID]*besideWeight/float64(b.Distance))
	}
	if strongest == 0 {
		return
	}
	for _, e := range r.order {
		add(e, partThread, e.Score*threadWeight*math.Sqrt(strength[of[e.ID]]/strongest))
	}
}

// AboutEntity are the entries that are about an entity, as their writers gave it.
type AboutEntity struct {
	From     string // the entry that mentions the entity; empty: the question names it
	EntityID string
	Entries  []string // one more than DefiningEntries is already too many
}

// AddAnchors lifts what is about the entities that the question names.
func (r *BestRanking) AddAnchors(anchors []AboutEntity) {
	for _, a := range anchors {
		if len(a.Entries) > DefiningEntries {
			continue
		}
		for _, id := range a.Entries {
			e := r.entry(id)
			add(e, partMentions, anchorWeight/float64(len(a.Entries)))
			r.reached(e, 1, a.EntityID)
		}
	}
}

// reached notes how an entry was come to that no leg found.
func (r *BestRanking) reached(e *RankedEntry, hops int, entityID string) {
	if r.found[e.ID] {
		return
	}
	if e.Hops == 0 {
		e.Hops = hops
	}
	if len(e.Via) == 0 {
		e.ViaMentionIDs = appendOnce(e.ViaMentionIDs, entityID)
	}
}

// AddMentioned gives what is about the entities that entries mention a part of those
// entries' scores, the largest that any of them gives. It returns the ids that it came
// to. At most budget of them are new.
func (r *BestRanking) AddMentioned(links []AboutEntity, hop, budget int) []string {
	gain := make(map[string]float64)
	via := make(map[string][]string)
	for _, l := range links {
		from := r.by[l.From]
		if from == nil || len(l.Entries) > DefiningEntries {
			continue
		}
		for _, id := range l.Entries {
			if id == l.From {
				continue
			}
			gain[id] = max(gain[id], from.Score*mentionWeight/float64(hop))
			via[id] = append(via[id], l.EntityID)
		}
	}
	ids := make([]string, 0, len(gain))
	for id := range gain {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		return cmp.Or(cmp.Compare(tieScore(gain[b]), tieScore(gain[a])), strings.Compare(a, b))
	})
	var reached []string
	for _, id := range ids {
		if r.by[id] == nil {
			if budget == 0 {
				continue
			}
			budget--
		}
		e := r.entry(id)
		add(e, partMentions, gain[id])
		slices.Sort(via[id])
		for _, entityID := range via[id] {
			r.reached(e, hop, entityID)
		}
		reached = append(reached, id)
	}
	return reached
}

// AddRelations gives what relations lead to a part of the scores of where they come from,
// the largest that any gives, and marks what is stale or disputed (SPEC L13, L14, L18).
// What the expansion began with gains nothing, and contradiction moves nothing that was
// there.
func (r *BestRanking) AddRelations(x *Expansion) {
	hops := make(map[string]int)
	for _, n := range x.Neighbours() {
		hops[n.ID] = n.Hops
	}
	flow := make(map[string]float64, len(r.by))
	for id, e := range r.by {
		flow[id] = e.Score
	}
	for hop := 1; hop <= MaxRecallHops; hop++ {
		gain := make(map[string]float64)
		for _, l := range x.links {
			for _, end := range [][2]string{{l.From, l.To}, {l.To, l.From}} {
				from, to := end[0], end[1]
				if l.Relation == nil || hops[to] != hop || hops[from] != hop-1 || l.Relation.Type == RelationContradicts && r.by[to] != nil {
					continue
				}
				gain[to] = max(gain[to], flow[from]*relationWeight*l.Weight*l.Confidence/float64(hop))
			}
		}
		for id, g := range gain {
			add(r.entry(id), partRelation, g)
			flow[id] = max(flow[id], g)
		}
	}
	for id := range hops {
		r.entry(id)
	}
	r.sort()
	annotated := make([]RankedEntry, len(r.order))
	for i, e := range r.order {
		annotated[i] = *e
	}
	x.Annotate(annotated)
	for i, e := range r.order {
		own := e.ViaMentionIDs
		ownHops := e.Hops
		*e = annotated[i]
		if len(e.Via) == 0 {
			e.ViaMentionIDs = own
		}
		if e.Hops == 0 && !r.found[e.ID] {
			e.Hops = ownHops
		}
	}
}

// Ranked is the ranking: by score, but what another of the entries supersedes goes last
// (SPEC L16).
func (r *BestRanking) Ranked(relations []*Relation) []RankedEntry {
	r.sort()
	superseded := make(map[string]bool)
	for _, relation := range relations {
		if relation.Type == RelationSupersedes && r.by[relation.FromID] != nil && r.by[relation.ToID] != nil {
			superseded[relation.ToID] = true
		}
	}
	ranked := make([]RankedEntry, 0, len(r.order))
	var last []RankedEntry
	for _, e := range r.order {
		if superseded[e.ID] {
			last = append(last, *e)
			continue
		}
		ranked = append(ranked, *e)
	}
	return append(ranked, last...)
}
