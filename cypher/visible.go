package cypher

import (
	"strings"
	"time"

	"mneme/knowledge"
)

// The condition that an edge r, a relationship or its Fact, is seen at a moment: the
// same rule as knowledge.VisibleAt (SPEC B5, T1), as short as the moment allows,
// because it is evaluated for every edge that a walk looks at. What is no edge has no
// validFrom, and is never seen.
//
// An end that was told after knownAt is not known yet: what was believed before stands
// in the prior lists, where openEnd stands for none.
const (
	seenNow   = `r.validFrom <= $asOf AND (r.validTo IS NULL OR r.validTo > $asOf)`
	seenKnown = `r.createdAt <= $knownAt AND r.validFrom <= $asOf AND CASE
    WHEN r.invalidatedAt IS NULL OR r.invalidatedAt <= $knownAt THEN r.validTo IS NULL OR r.validTo > $asOf
    ELSE coalesce([i IN range(0, size(coalesce(r.priorTold, [])) - 1) WHERE r.priorTold[i] <= $knownAt | r.priorEnds[i]][-1] > $asOf, true)
  END`
	seenEver      = `r.validFrom IS NOT NULL`
	seenEverKnown = `r.validFrom IS NOT NULL AND r.createdAt <= $knownAt`
)

// openEnd stands for "no end" in a list of datetimes, which cannot hold null.
var openEnd = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// visible is the condition for a moment. It takes the parameters of visibleParams.
func visible(at knowledge.TimePoint) string {
	switch {
	case at.IncludeHistory && at.KnownAt != nil:
		return seenEverKnown
	case at.IncludeHistory:
		return seenEver
	case at.KnownAt != nil:
		return seenKnown
	default:
		return seenNow
	}
}

// withVisible fills the placeholder of the visibility condition.
func withVisible(st statement, at knowledge.TimePoint) string {
	return strings.ReplaceAll(string(st), "{{visible}}", visible(at))
}

// visibleParams adds what the visibility condition asks for.
func visibleParams(params map[string]any, at knowledge.TimePoint, now time.Time) map[string]any {
	params["asOf"] = at.Moment(now)
	params["knownAt"] = ptrValue(at.KnownAt)
	return params
}
