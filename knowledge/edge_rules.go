package knowledge

import (
	"slices"
	"strings"
	"time"
)

// EdgeClaim is an edge that somebody says holds, as it would be stored.
type EdgeClaim struct {
	Edge  *Edge
	Dated bool // a start or an end was given
}

// EdgeChange is what a claim does to the edges that are stored.
type EdgeChange struct {
	Edge    *Edge // the edge that now says it: the claim's own, or one that was there
	Created bool
	Ended   []*Edge // edges that made way, as they are afterwards (SPEC T4)
}

// AssertEdge decides what a claim does to the stored edges of its type: those between
// the same two entities and, for a single-valued type, every edge of the source (of
// both ends, where the type is symmetric too). Others are ignored, nothing is changed
// in place.
//
// Of the same two entities (SPEC B9, B11–B13): a claim without dates finds the current
// edge, one with the dates of a stored edge finds that one, and one that overlaps
// another is OVERLAPPING_INTERVAL. Of a single-valued type's other edges see makeWay.
func AssertEdge(stored []*Edge, claim EdgeClaim, rules EdgeType, now time.Time) (EdgeChange, error) {
	next := *claim.Edge
	if next.ValidTo != nil && !next.Start().Before(*next.ValidTo) {
		return EdgeChange{}, Invalid("validTo", "must be later than validFrom, which is %s", stamp(next.Start()))
	}
	same, others := partition(stored, &next, rules)
	if !claim.Dated {
		for _, e := range same {
			if e.Current(now) && !e.Start().After(now) {
				return EdgeChange{Edge: e}, nil
			}
		}
	}
	if e := equalInterval(same, &next); e != nil {
		return EdgeChange{Edge: e}, nil
	}
	var ended []*Edge
	if rules.SingleValued {
		ended = makeWay(same, others, &next, now)
		if e := equalInterval(same, &next); e != nil { // said before, and cut short then
			return EdgeChange{Edge: e}, nil
		}
	}
	for _, e := range same {
		if e.Interval().Overlaps(next.Interval()) {
			return EdgeChange{}, overlap(e)
		}
	}
	return EdgeChange{Edge: &next, Created: true, Ended: ended}, nil
}

// partition splits the stored edges of the claim's type into those of the same two
// entities and those of its source with others; the rest is left out.
func partition(stored []*Edge, next *Edge, rules EdgeType) (same, others []*Edge) {
	for _, e := range stored {
		if e.Type != next.Type || e.WorkspaceID != next.WorkspaceID {
			continue
		}
		reversed := rules.Symmetric && e.FromID == next.ToID && e.ToID == next.FromID
		touches := rules.Symmetric && (e.ToID == next.FromID || e.FromID == next.ToID || e.ToID == next.ToID)
		switch {
		case e.FromID == next.FromID && e.ToID == next.ToID, reversed:
			same = append(same, e)
		case e.FromID == next.FromID, touches:
			others = append(others, e)
		}
	}
	return same, others
}

func equalInterval(edges []*Edge, next *Edge) *Edge {
	for _, e := range edges {
		if e.Interval().Equal(next.Interval()) {
			return e
		}
	}
	return nil
}

func overlap(e *Edge) error {
	until := "open"
	if e.ValidTo != nil {
		until = stamp(*e.ValidTo)
	}
	return Errorf(CodeOverlappingInterval, "overlaps edge %s, which holds from %s to %s", e.ID, stamp(e.Start()), until)
}

// makeWay applies a single-valued type to a claim and the source's edges to other
// targets (SPEC T4). It gives those that end, and may give the claim itself an end:
//
//   - A claim that starts before a current edge ends where that one starts, and where
//     no end was said, already where the first of all later ones starts.
//   - A claim that is current (has no end in the past) ends every current edge at its start.
//   - A past edge whose end is only where its successor starts was not said to end
//     then: it ends where a claim that comes in between starts.
//
// An end in the past that was said is left alone, and a claim about the past never
// ends what is current. Two edges of one start are a correction: the earlier said one
// ends where it starts, so it holds at no time and stays as history.
func makeWay(same, others []*Edge, next *Edge, now time.Time) []*Edge {
	start, saidEnd := next.Start(), next.ValidTo
	for _, e := range others {
		if e.Current(now) && !e.Interval().Empty() && e.Start().After(start) && before(ptr(e.Start()), next.ValidTo) {
			next.ValidTo = ptr(e.Start())
		}
	}
	if saidEnd == nil && next.ValidTo != nil {
		for _, e := range others {
			if !e.Interval().Empty() && e.Start().After(start) && e.Start().Before(*next.ValidTo) {
				next.ValidTo = ptr(e.Start())
			}
		}
	}
	var ended []*Edge
	for _, e := range others {
		if e.Start().After(start) || !before(&start, e.ValidTo) || e.Interval().Empty() {
			continue
		}
		if e.Current(now) && !next.Current(now) || !e.Current(now) && !(handedOver(e, same) || handedOver(e, others)) {
			continue
		}
		ended = append(ended, endedAt(e, start, now))
	}
	return ended
}

// handedOver tells whether an edge's end is where one of the others starts.
func handedOver(e *Edge, others []*Edge) bool {
	return slices.ContainsFunc(others, func(o *Edge) bool { return o != e && o.Start().Equal(*e.ValidTo) })
}

// EdgeKey names the edges of a type that a claim is decided by.
type EdgeKey struct {
	From, To, Type          string
	SingleValued, Symmetric bool // as the workspace has declared the type
}

// Locks are the entities that are to be locked before the edges of the key are read:
// every writer of an edge between the same two locks the same one first. A symmetric
// type's edge may be written from either end, and takes the end of the smaller id.
func (k EdgeKey) Locks() []string {
	first, second := EdgePair(k.From, k.To, k.Symmetric)
	if k.SingleValued && k.Symmetric {
		return []string{first, second}
	}
	return []string{first}
}

// Group is the same for all edges that decide on each other.
func (k EdgeKey) Group() string {
	first, second := EdgePair(k.From, k.To, k.Symmetric)
	switch {
	case k.SingleValued && k.Symmetric:
		return k.Type
	case k.SingleValued:
		return k.Type + " " + first
	default:
		return k.Type + " " + first + " " + second
	}
}

// EdgeWrites are changes of edges that are stored together.
type EdgeWrites struct {
	Created []EdgeCreated
	Changed []*Edge // edges that were ended or lost their weight, as they are afterwards
}

// EdgeCreated is a new edge.
type EdgeCreated struct {
	Edge   *Edge
	Key    EdgeKey
	Direct bool // it rests on its writer's word: neither a document nor a task was named
}

// EndEdge ends an edge at a moment (SPEC B16): the edge as it is afterwards, and
// whether that is another than before. CONFLICT where it has ended at another time,
// INVALID_INPUT where it has not begun by then. An end in the future may be moved to
// an earlier one.
func EndEdge(e *Edge, at, now time.Time) (*Edge, bool, error) {
	switch {
	case e.ValidTo != nil && e.ValidTo.Equal(at):
		return e, false, nil
	case e.ValidTo != nil && !e.Current(now):
		return nil, false, Errorf(CodeConflict, "edge %s has ended already, at %s", e.ID, stamp(*e.ValidTo))
	case e.ValidTo != nil && at.After(*e.ValidTo):
		return nil, false, Errorf(CodeConflict, "edge %s ends at %s, which may only be moved to an earlier time", e.ID, stamp(*e.ValidTo))
	case !at.After(e.Start()):
		return nil, false, Invalid("validTo", "must be later than the edge's start, %s", stamp(e.Start()))
	}
	return endedAt(e, at, now), true, nil
}

// EndUnsupported ends a current edge that nothing supports any more: at the moment
// given, or at its start where it has not begun by then, and with weight 0 (SPEC O7).
func EndUnsupported(e *Edge, at, now time.Time) *Edge {
	if at.Before(e.Start()) {
		at = e.Start()
	}
	if e.ValidTo != nil && e.ValidTo.Before(at) {
		at = *e.ValidTo
	}
	ended := e
	if e.ValidTo == nil || !e.ValidTo.Equal(at) {
		ended = endedAt(e, at, now)
	}
	weightless := *ended
	weightless.Weight = 0
	return &weightless
}

// endedAt is the edge with an end that was told now; the end that was believed before is kept.
func endedAt(e *Edge, at, now time.Time) *Edge {
	ended := *e
	if e.ValidTo != nil {
		told := e.CreatedAt
		if e.InvalidatedAt != nil {
			told = *e.InvalidatedAt
		}
		ended.PriorEnds = append(slices.Clone(e.PriorEnds), PriorEnd{At: e.ValidTo, ToldAt: told})
	}
	ended.ValidTo, ended.InvalidatedAt = &at, &now
	return &ended
}

// FactSentence is an edge as one sentence, made of the names of its ends and its type (SPEC T23).
func FactSentence(from, typ, to string) string {
	return from + " " + strings.ReplaceAll(typ, "_", " ") + " " + to
}

// EdgePair are the ends of an edge as they count for uniqueness: in the order of
// their ids where the type is symmetric (SPEC T4).
func EdgePair(from, to string, symmetric bool) (first, second string) {
	if symmetric && to < from {
		return to, from
	}
	return from, to
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

func ptr[T any](v T) *T { return &v }

// internalRelationships are the relationship types that the product gives to what is
// not an edge between entities. An edge type of such a name gets none of its own.
var internalRelationships = map[string]bool{
	"RELATES": true, "SUPPORTED_BY": true, "OBSERVED_ON": true, "IDENTIFIES": true, "ALIAS_OF": true, "ABOUT": true, "MENTIONS": true,
	"SAID_IN": true, "MERGED_INTO": true, "BRIDGES": true, "ITEM_OF": true, "FROM_FILE": true,
}

// RelationshipType is the name that Neo4j shows for edges of a type, upper snake case;
// false where the product needs the name itself (SPEC T20). Types whose upper case is
// that of another type too, as with the two forms of σ, keep their lower case.
func RelationshipType(key string) (string, bool) {
	name := strings.ToUpper(key)
	if internalRelationships[name] || strings.HasPrefix(name, "CODE_") || strings.HasPrefix(name, "ENTRY_") {
		return "", false
	}
	if strings.ToLower(name) != key {
		return key, true
	}
	return name, true
}

// CurrentEdge is the one that "the current edge" means of those between two entities:
// the one that holds now, else the current one that starts first, else one that ended
// at the very moment that is named. Nil where there is none.
func CurrentEdge(edges []*Edge, at, now time.Time) *Edge {
	var best *Edge
	for _, e := range edges {
		if !e.Current(now) || e.Interval().Empty() {
			continue
		}
		if e.Interval().Contains(now) {
			return e
		}
		if best == nil || e.Start().Before(best.Start()) {
			best = e
		}
	}
	if best != nil {
		return best
	}
	for _, e := range edges {
		if e.ValidTo != nil && e.ValidTo.Equal(at) {
			return e
		}
	}
	return nil
}
