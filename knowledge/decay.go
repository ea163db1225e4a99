package knowledge

import (
	"math"
	"time"
)

const day = 24 * time.Hour

// EntityDecayPolicy says how the confidence of entities fades that nobody but the
// machine has seen, and that it has not seen for long (SPEC G3).
type EntityDecayPolicy struct {
	Factor float64       // what is left after one run, 0 to 1
	Floor  float64       // below which nothing fades
	Grace  time.Duration // how long after it was last seen an entity does not fade
}

// DefaultEntityDecay is the product's policy (SPEC G3).
func DefaultEntityDecay() EntityDecayPolicy {
	return EntityDecayPolicy{Factor: 0.95, Floor: 0.3, Grace: 30 * day}
}

// EntityDecayInterval is how much time lies between two runs in one workspace (SPEC G4).
const EntityDecayInterval = day

// EntityDecay is the confidence of an entity after one run, and whether the run
// changes it. Only entities of source auto fade, only above the floor, and only
// when last seen (else created) earlier than the grace before now (SPEC G3, G5,
// G8, G9).
func EntityDecay(e *Entity, p EntityDecayPolicy, now time.Time) (confidence float64, changed bool) {
	seen := e.LastSeenAt
	if seen.IsZero() {
		seen = e.CreatedAt
	}
	if e.Source != ActorAuto || e.Confidence <= p.Floor || !seen.Before(now.Add(-p.Grace)) {
		return e.Confidence, false
	}
	confidence = max(p.Floor, e.Confidence*p.Factor)
	return confidence, confidence < e.Confidence
}

// EntityDecayDue tells whether a workspace may decay again; last is nil where it never did (SPEC G4).
func EntityDecayDue(last *time.Time, now time.Time) bool {
	return last == nil || now.Sub(*last) >= EntityDecayInterval
}

const (
	entryDecayFloor     = 0.1   // SPEC G13
	entryDecayThreshold = 0.001 // SPEC G13: smaller changes are not written
	validationGain      = 0.2   // SPEC G16
)

// DailyDecayRate is the share of its confidence that an entry of a type loses in a
// day without use (SPEC G10); 0 where it does not fade.
func DailyDecayRate(t EntryType) float64 {
	switch t {
	case EntryFact:
		return 0.005
	case EntryDecision:
		return 0.002
	case EntryPreference:
		return 0.015
	case EntryGoal:
		return 0.03
	case EntryRelationship:
		return 0.01
	case EntryActionItem:
		return 0.05
	}
	return 0
}

// HalfLife is after how many days half of an unused entry's confidence is left,
// and whether the type fades at all (SPEC G17).
func HalfLife(t EntryType) (days float64, fades bool) {
	rate := DailyDecayRate(t)
	if rate == 0 {
		return 0, false
	}
	return math.Log(0.5) / math.Log1p(-rate), true
}

// EntryDecay is the confidence of an entry at now, and whether it differs enough
// from the stored one to be written (SPEC G11 to G14). It starts from the
// confidence at last validation, so running it often is running it once, and it
// never raises.
func EntryDecay(e *Entry, now time.Time) (confidence float64, changed bool) {
	rate := DailyDecayRate(e.Type)
	days := now.Sub(e.LastValidatedAt).Hours() / 24
	if rate == 0 || days < 1 {
		return e.Confidence, false
	}
	factor := min(1, math.Pow(1-rate, days)*usageBoost(e.LastAccessedAt, now))
	confidence = min(e.Confidence, max(entryDecayFloor, e.BaseConfidence*factor))
	if e.Confidence-confidence <= entryDecayThreshold {
		return e.Confidence, false
	}
	return confidence, true
}

// usageBoost keeps what is used alive a little longer (SPEC G12).
func usageBoost(lastAccessed *time.Time, now time.Time) float64 {
	const recently, longAgo = 7 * day, 30 * day
	switch {
	case lastAccessed == nil:
		return 1
	case now.Sub(*lastAccessed) <= recently:
		return 1.1
	case now.Sub(*lastAccessed) > longAgo:
		return 0.9
	}
	return 1
}

// ValidateEntry is the entry after someone has said that it still holds: nearer to
// certain, and fading anew from there (SPEC G16).
func ValidateEntry(e Entry, now time.Time) Entry {
	e.Confidence += validationGain * (1 - e.Confidence)
	e.BaseConfidence = e.Confidence
	e.LastValidatedAt = now
	e.UpdatedAt = now
	return e
}

// ConfidenceBand is a confidence as a traffic light.
type ConfidenceBand string

// Bands of confidence (SPEC G20).
const (
	BandGreen ConfidenceBand = "green" // from 0.70
	BandAmber ConfidenceBand = "amber" // from 0.40
	BandRed   ConfidenceBand = "red"
)

// Band is the band of a confidence (SPEC G20).
func Band(confidence float64) ConfidenceBand {
	switch {
	case confidence >= 0.7:
		return BandGreen
	case confidence >= 0.4:
		return BandAmber
	}
	return BandRed
}

// Fade is a confidence that is to be lowered, if it is still what it was.
type Fade struct {
	ID          string
	Was, To     float64
	ValidatedAt time.Time // of an entry: when it was last validated
}
