package knowledge

import (
	"cmp"
	"strings"
	"time"
)

// MaxRationale is the longest reason of a relation, in characters (SPEC K13).
const MaxRationale = 200

// inferredFrom is the confidence from which a guessed relation counts as inferred (SPEC K18).
const inferredFrom = 0.75

// RelationTypes are all six, the heaviest first (SPEC K12, L13).
func RelationTypes() []RelationType {
	return []RelationType{RelationSupersedes, RelationSupports, RelationCauses, RelationBlocks, RelationRelatesTo, RelationContradicts}
}

// Valid tells whether t is one of the six relation types.
func (t RelationType) Valid() bool {
	for _, known := range RelationTypes() {
		if t == known {
			return true
		}
	}
	return false
}

// Checked is the reference trimmed; INVALID_INPUT where not exactly one of id and sourceId is given.
func (r EntryRef) Checked(field string) (EntryRef, error) {
	r.ID = strings.TrimSpace(r.ID)
	if (r.ID == "") == (r.SourceID == "") {
		return r, Invalid(field, "give exactly one of id and sourceId")
	}
	return r, CheckText(field, r.ID+r.SourceID, MaxIDLength)
}

// Checked is the draft in normal form; its errors name the fields of the input.
func (d RelationDraft) Checked() (RelationDraft, error) {
	var err error
	if d.From, err = d.From.Checked("from"); err != nil {
		return d, err
	}
	if d.To, err = d.To.Checked("to"); err != nil {
		return d, err
	}
	if d.From == d.To {
		return d, Invalid("to", "an entry cannot be related to itself")
	}
	if !d.Type.Valid() {
		return d, Invalid("type", "%q is not a relation type", d.Type)
	}
	if err := CheckConfidence("confidence", d.Confidence); err != nil {
		return d, err
	}
	if d.Weight != nil {
		if err := CheckConfidence("weight", *d.Weight); err != nil {
			return d, err
		}
	}
	d.Rationale = strings.TrimSpace(d.Rationale)
	return d, CheckText("rationale", d.Rationale, MaxRationale)
}

// TagOfGuess is how a guessed relation of a confidence is known (SPEC K18).
func TagOfGuess(confidence float64) ConfidenceTag {
	if confidence >= inferredFrom {
		return TagInferred
	}
	return TagAmbiguous
}

// FoldRelation is a stored relation with the evidence of an equal one (SPEC K17):
// the larger confidence and weight, the stronger tag and provenance; id, creation
// time and rationale stay.
func FoldRelation(kept, other Relation, now time.Time) Relation {
	kept.Confidence = max(kept.Confidence, other.Confidence)
	if tagRank(other.ConfidenceTag) > tagRank(kept.ConfidenceTag) {
		kept.ConfidenceTag = other.ConfidenceTag
	}
	if provenanceRank(other.Provenance) > provenanceRank(kept.Provenance) {
		kept.Provenance = other.Provenance
	}
	if kept.Weight == nil || other.Weight != nil && *other.Weight > *kept.Weight {
		kept.Weight = other.Weight
	}
	if kept.Origin != other.Origin {
		kept.Origin = "" // it rests on more than what made it
	}
	kept.UpdatedAt = now
	return kept
}

func tagRank(t ConfidenceTag) int {
	switch t {
	case TagExtracted:
		return 3
	case TagInferred:
		return 2
	default:
		return 1
	}
}

func provenanceRank(p Provenance) int {
	switch p {
	case ProvenanceManual:
		return 3
	case ProvenanceDeterministic:
		return 2
	default:
		return 1
	}
}

// SameEvidence tells whether folding changed nothing that is read.
func SameEvidence(a, b Relation) bool {
	return a.Confidence == b.Confidence && a.ConfidenceTag == b.ConfidenceTag && a.Provenance == b.Provenance && a.Origin == b.Origin &&
		(a.Weight == nil) == (b.Weight == nil) && cmp.Compare(orZero(a.Weight), orZero(b.Weight)) == 0
}

func orZero(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}
