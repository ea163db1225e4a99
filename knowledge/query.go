package knowledge

import "time"

// Scope is what a reader may see of a workspace's entries: exactly one of
// ContactID, OrgGeneralOnly and OrgWide is set (SPEC L7).
type Scope struct {
	ContactID      string
	OrgGeneralOnly bool
	OrgWide        bool
}

// ScopeRef is a scope as a caller names it, before its contact is looked up.
type ScopeRef struct {
	Contact        *EntityRef
	OrgGeneralOnly bool
	OrgWide        bool
}

// Ranking is how hits are ordered.
type Ranking string

// Rankings: the product's best, and plain reciprocal rank fusion for comparison.
const (
	RankingBest Ranking = "best"
	RankingRRF  Ranking = "rrf"
)

// RecallKind is what may be recalled.
type RecallKind string

// Kinds of recalled items.
const (
	RecallEntry       RecallKind = "entry"
	RecallEdge        RecallKind = "edge"
	RecallObservation RecallKind = "observation"
)

// RecallQuery asks for knowledge in plain words or by a vector, inside a scope.
type RecallQuery struct {
	Query          string
	Embedding      []float32
	Scope          ScopeRef
	Types          []EntryType
	Limit          int
	Expand         *bool // nil: as the feature says
	Hops           int
	NeighborBudget int
	Ranking        Ranking
	Kinds          []RecallKind
	At             TimePoint
	Explain        bool
	// Sources are where entries must have come from; none is anywhere.
	Sources []EntrySource
	// Words is what is searched by words in place of Query, where it is set (SPEC O10).
	Words string
}

// RecallLeg is a part of retrieval that can fail by itself.
type RecallLeg string

// Legs of a recall.
const (
	LegVector    RecallLeg = "vector"
	LegText      RecallLeg = "text"
	LegMentions  RecallLeg = "mentions"
	LegExpansion RecallLeg = "expansion"
	LegRanking   RecallLeg = "ranking"
)

// Degraded says that a leg was left out, and why.
type Degraded struct {
	Leg    RecallLeg
	Reason string
}

// RecallMode says whether relations were walked.
type RecallMode string

// Modes of a recall.
const (
	ModeFlat  RecallMode = "flat"
	ModeGraph RecallMode = "graph"
)

// ScorePart is one part of a score; the parts of a hit sum to its score.
type ScorePart struct {
	Name  string
	Value float64
}

// RecallItem is what was found: an *Entry, an *Edge or an *Observation.
type RecallItem interface{ IsRecallItem() }

// IsRecallItem marks entries as recallable.
func (*Entry) IsRecallItem() {}

// IsRecallItem marks edges as recallable.
func (*Edge) IsRecallItem() {}

// IsRecallItem marks observations as recallable.
func (*Observation) IsRecallItem() {}

// RecallHit is a found item and how it was found.
type RecallHit struct {
	Item          RecallItem
	Score         float64
	Similarity    *float64
	VectorRank    *int
	TextRank      *int
	Hops          int
	Via           []*Relation
	ViaMentionIDs []string
	Hints         []string
	Stale         bool
	Caveat        bool
	Explanation   []ScorePart
}

// Entry is the hit's entry; nil where the item is something else.
func (h *RecallHit) Entry() *Entry {
	e, _ := h.Item.(*Entry)
	return e
}

// Recall is the answer to a RecallQuery.
type Recall struct {
	Hits     []*RecallHit
	Mode     RecallMode
	Degraded []Degraded
	Took     time.Duration
}

// TookMs is the time the recall took, in milliseconds.
func (r *Recall) TookMs() float64 { return float64(r.Took.Microseconds()) / 1000 }

// PageRequest asks for a part of an ordered list, forward from After or backward
// from Before. Cursors are opaque outside the list that made them.
type PageRequest struct {
	First  int // the page's size, whichever way
	After  *Cursor
	Before *Cursor
	Last   bool // backward: the last First rows before Before
}

// Cursor is a position in an ordered list: the sort key of a row and its id.
type Cursor struct {
	Key string
	ID  string
}

// Page is a part of an ordered list.
type Page[T any] struct {
	Items           []T
	Cursors         []Cursor // one an item
	HasNextPage     bool
	HasPreviousPage bool
}
