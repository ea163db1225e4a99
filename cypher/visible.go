package cypher

import (
	"strings"
	"time"

	"mneme/knowledge"
)

// visible is the condition that an edge r (a relationship or its Fact) is seen at a
// moment, the same rule as knowledge.VisibleAt (SPEC B5, T1). It takes the parameters
// of visibleParams. An end that was told after knownAt is not known yet: what was
// believed before stands in the prior lists, where openEnd stands for none.
const visible = `($knownAt IS NULL OR r.createdAt <= $knownAt)
  AND ($all OR (
    (r.validFrom IS NULL OR r.validFrom <= $asOf)
    AND CASE
      WHEN $knownAt IS NULL OR r.invalidatedAt IS NULL OR r.invalidatedAt <= $knownAt THEN r.validTo IS NULL OR r.validTo > $asOf
      ELSE coalesce([i IN range(0, size(r.priorTold) - 1) WHERE r.priorTold[i] <= $knownAt | r.priorEnds[i]][-1], $asOf + duration('PT1S')) > $asOf
    END
  ))`

// openEnd stands for "no end" in a list of datetimes, which cannot hold null.
var openEnd = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// withVisible fills the placeholder of the visibility condition.
func withVisible(st statement) string {
	return strings.ReplaceAll(string(st), "{{visible}}", visible)
}

// visibleParams adds what the visibility condition asks for.
func visibleParams(params map[string]any, at knowledge.TimePoint, now time.Time) map[string]any {
	params["asOf"] = orTime(at.AsOf, now)
	params["knownAt"] = ptrValue(at.KnownAt)
	params["all"] = at.IncludeHistory
	return params
}
