package knowledge

import (
	"cmp"
	"math"
	"slices"
)

// Sizes of a recall (SPEC L3, L10, L18).
const (
	rrfConstant         = 60 // Cormack, Clarke and Büttcher 2009; SPEC L5
	maxLegFetch         = 256
	minLegFetch         = 50
	legFetchPerHit      = 5
	MaxSeeds            = 12
	DefaultHops         = 1
	MaxRecallHops       = 2
	DefaultBudget       = 16 // neighbours
	MaxBudget           = 32
	LinksPerNode        = 32 // relations read for a node and direction
	MaxRecallLinks      = 512
	MaxVia              = 6
	MaxRecallLimit      = 50
	DefaultRecallLimit  = 10
	scoreTieResolution  = 1e12 // scores that agree to 12 decimals are equal: a sum must not depend on its order
	partVector          = string(LegVector)
	partText            = string(LegText)
	partExpansion       = string(LegExpansion)
	relationsForFullHit = 2 // SPEC L16: with so many relations a neighbour ranks as a hit
)

// LegFetch is how many candidates each leg of a recall fetches (SPEC L3).
func LegFetch(limit int) int { return min(maxLegFetch, max(legFetchPerHit*limit, minLegFetch)) }

// RankedEntry is an entry in its place, and how it came there.
type RankedEntry struct {
	ID            string
	Score         float64
	Parts         []ScorePart // sum to Score (SPEC T13)
	VectorRank    int         // position in the visible list, from 1; 0 is not in it
	TextRank      int
	Hops          int // 0 where it was found by itself
	Via           []*Relation
	ViaMentionIDs []string
	Stale         bool
	Caveat        bool
}

// FuseRRF joins ranked lists by reciprocal rank: each place p in a list gives
// 1/(60+p). Equal scores keep the order in which they were first seen: vector,
// then text, then neighbours (SPEC L5). An id that a list names again counts once.
func FuseRRF(vector, text, neighbours []string) []RankedEntry {
	fused := make([]RankedEntry, 0, len(vector)+len(text)+len(neighbours))
	at := make(map[string]int)
	add := func(part string, ids []string, rank func(*RankedEntry) *int) {
		seen := make(map[string]bool, len(ids))
		position := 0
		for _, id := range ids {
			if seen[id] {
				continue
			}
			seen[id] = true
			position++
			i, ok := at[id]
			if !ok {
				i = len(fused)
				at[id] = i
				fused = append(fused, RankedEntry{ID: id})
			}
			value := 1 / float64(rrfConstant+position)
			fused[i].Score += value
			fused[i].Parts = append(fused[i].Parts, ScorePart{part, value})
			if r := rank(&fused[i]); r != nil {
				*r = position
			}
		}
	}
	add(partVector, vector, func(r *RankedEntry) *int { return &r.VectorRank })
	add(partText, text, func(r *RankedEntry) *int { return &r.TextRank })
	add(partExpansion, neighbours, func(*RankedEntry) *int { return nil })
	slices.SortStableFunc(fused, func(a, b RankedEntry) int { return cmp.Compare(tieScore(b.Score), tieScore(a.Score)) })
	return fused
}

func tieScore(score float64) float64 { return math.Round(score * scoreTieResolution) }

// RankFlat is a recall without expansion (SPEC L8): the fused lists, limit long.
// The lists hold what the reader may see, and nothing else.
func RankFlat(vector, text []string, limit int) []RankedEntry {
	fused := FuseRRF(vector, text, nil)
	return fused[:min(limit, len(fused))]
}

// Seeds are the ids from which a recall expands: the first of its flat ranking (SPEC L10).
func Seeds(flat []RankedEntry) []string {
	ids := make([]string, 0, MaxSeeds)
	for _, r := range flat[:min(len(flat), MaxSeeds)] {
		ids = append(ids, r.ID)
	}
	return ids
}

// RankExpanded is a recall with what its expansion found, limit long (SPEC L15 to
// L19). Without neighbours and relations it is exactly RankFlat.
func RankExpanded(vector, text []string, x *Expansion, limit int) []RankedEntry {
	neighbours := x.Neighbours()
	if len(neighbours) == 0 && len(x.Relations()) == 0 {
		return RankFlat(vector, text, limit)
	}
	ids := make([]string, len(neighbours))
	for i, n := range neighbours {
		ids[i] = n.ID
	}
	ranked := FuseRRF(vector, text, ids)
	x.Annotate(ranked)
	ranked = Rerank(ranked, x.Relations())
	return ranked[:min(limit, len(ranked))]
}

// Rerank orders entries that are in the order of their scores by three keys (SPEC
// L16, L17): what another of them supersedes goes last; what only one relation
// leads to goes behind what was found by itself; else the order stays.
func Rerank(ranked []RankedEntry, relations []*Relation) []RankedEntry {
	inside := make(map[string]bool, len(ranked))
	for _, r := range ranked {
		inside[r.ID] = true
	}
	superseded := make(map[string]bool)
	count := make(map[string]int)
	for _, r := range relations {
		if !inside[r.FromID] || !inside[r.ToID] {
			continue
		}
		count[r.FromID]++
		count[r.ToID]++
		if r.Type == RelationSupersedes {
			superseded[r.ToID] = true
		}
	}
	band := func(r RankedEntry) int {
		b := 0
		if superseded[r.ID] {
			b += 2
		}
		if r.VectorRank == 0 && r.TextRank == 0 && count[r.ID] < relationsForFullHit {
			b++
		}
		return b
	}
	ordered := slices.Clone(ranked)
	slices.SortStableFunc(ordered, func(a, b RankedEntry) int { return band(a) - band(b) })
	return ordered
}

// RelationWeight is how much a relation carries over (SPEC L13, L14), 0 to 1.
func RelationWeight(r *Relation) float64 {
	switch r.Type {
	case RelationSupersedes:
		return 1.0
	case RelationSupports:
		return 0.8
	case RelationCauses:
		return 0.7
	case RelationBlocks:
		return 0.6
	case RelationContradicts:
		return 0.4
	case RelationRelatesTo:
		if r.Provenance == ProvenanceDeterministic && r.Weight != nil {
			return clamp01(*r.Weight)
		}
		return 0.5
	}
	return 0
}

// clamp01 is v within 0 and 1; 0 where it is not a number.
func clamp01(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return min(1, max(0, v))
}
