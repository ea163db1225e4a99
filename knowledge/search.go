package knowledge

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// EntityCursor is the position of an entity in an order.
func EntityCursor(e *Entity, by EntityOrderField) Cursor {
	key := e.NormalizedName
	switch by {
	case OrderByConfidence:
		key = strconv.FormatFloat(e.Confidence, 'g', -1, 64)
	case OrderByCreatedAt:
		key = e.CreatedAt.Format(time.RFC3339Nano)
	case OrderByLastSeenAt:
		key = e.LastSeenAt.Format(time.RFC3339Nano)
	}
	return Cursor{Key: key, ID: e.ID}
}

// FillByShare appends to search results the entities of texts that are not among them, up
// to limit in all: by the share of the terms that their text has, then by confidence
// (SPEC J16). What is appended scores its share of the weakest result before it.
func FillByShare(found []ScoredEntity, terms []Term, texts []EntityText, limit int) []ScoredEntity {
	if len(terms) == 0 {
		return found
	}
	have := make(map[string]bool, len(found))
	weakest := 1.0
	for _, f := range found {
		have[f.Entity.ID] = true
		weakest = min(weakest, f.Score)
	}
	var more []ScoredEntity
	for _, t := range texts {
		if have[t.Entity.ID] {
			continue
		}
		text, shared := NewLexicalText(t.SearchText), 0
		for _, term := range terms {
			if text.Has(term) {
				shared++
			}
		}
		if shared > 0 {
			more = append(more, ScoredEntity{Entity: t.Entity, Score: float64(shared) / float64(len(terms))})
		}
	}
	slices.SortFunc(more, func(a, b ScoredEntity) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.Entity.Confidence, a.Entity.Confidence), strings.Compare(a.Entity.ID, b.Entity.ID))
	})
	for i := range more {
		more[i].Score *= weakest
	}
	return append(found, more[:min(len(more), max(0, limit-len(found)))]...)
}

// Has tells whether the text has a term in any of its forms.
func (t LexicalText) Has(term Term) bool {
	has := false
	term.eachForm(func(f Form) { has = has || t.counts[f.Token] > 0 })
	return has
}
