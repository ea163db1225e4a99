package knowledge

import (
	"slices"
	"time"
)

// Checked is the patch in normal form at now; its errors name the fields of the input.
func (p EntryPatch) Checked(now time.Time) (EntryPatch, error) {
	if err := CheckID("id", p.ID); err != nil {
		return p, err
	}
	if err := checkKinds(p.Type, p.Source); err != nil {
		return p, err
	}
	if p.Title != nil {
		title, err := checkedTitle(*p.Title)
		if err != nil {
			return p, err
		}
		p.Title = &title
	}
	if p.Content != nil {
		content, err := checkedContent(*p.Content)
		if err != nil {
			return p, err
		}
		p.Content = &content
	}
	if p.Confidence != nil {
		if err := CheckConfidence("confidence", *p.Confidence); err != nil {
			return p, err
		}
	}
	if p.Tags != nil {
		tags, err := checkedTags(*p.Tags)
		if err != nil {
			return p, err
		}
		p.Tags = &tags
	}
	if p.Contacts != nil && len(*p.Contacts) > MaxContacts || p.Mentions != nil && len(*p.Mentions) > MaxContacts {
		return p, Limit("contacts", "an entry has at most %d contacts and %d mentions", MaxContacts, MaxContacts)
	}
	return p.withExpiry(now)
}

func (p EntryPatch) withExpiry(now time.Time) (EntryPatch, error) {
	if p.ExpiresAt == nil && p.ExpiresInDays == nil {
		return p, nil
	}
	var given *time.Time
	if p.ExpiresAt != nil {
		given = *p.ExpiresAt
	}
	at, err := checkedExpiry(given, p.ExpiresInDays, now)
	if err != nil {
		return p, err
	}
	p.ExpiresAt, p.ExpiresInDays = &at, nil
	return p, nil
}

// EditedEntry is a stored entry after a checked patch (SPEC K7, G15): validated anew
// with the confidence that it has then. Contacts and mentions are those of the patch,
// looked up, or nil where it leaves them as they are. reworded tells that title or
// content changed, so that hash, index and vector must be made anew.
func EditedEntry(current *Entry, p EntryPatch, contactIDs, mentionIDs []string, now time.Time) (edited *Entry, reworded bool) {
	e := *current
	set(&e.Type, p.Type)
	set(&e.Title, p.Title)
	set(&e.Content, p.Content)
	set(&e.Source, p.Source)
	set(&e.Confidence, p.Confidence)
	set(&e.Tags, p.Tags)
	set(&e.ExpiresAt, p.ExpiresAt)
	if contactIDs != nil {
		e.ContactIDs = distinct(contactIDs)
	}
	if mentionIDs != nil {
		e.MentionIDs = distinct(mentionIDs)
	}
	reworded = e.Title != current.Title || e.Content != current.Content
	if reworded {
		e.ContentHash = ContentHash(e.Title, e.Content)
	}
	e.BaseConfidence = e.Confidence
	e.LastValidatedAt, e.UpdatedAt = now, now
	return &e, reworded
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// EndedEntry is an entry that stopped being true at a moment (SPEC T22, B16). It is
// the same entry where it had ended exactly then. CONFLICT: it had ended at another
// moment, unless that lies in the future and the new one before it. INVALID_INPUT
// (validTo): it would end before it began.
func EndedEntry(current *Entry, at, now time.Time) (*Entry, error) {
	if current.ValidTo != nil && current.ValidTo.Equal(at) {
		return current, nil
	}
	if current.ValidTo != nil && (!current.ValidTo.After(now) || !at.Before(*current.ValidTo)) {
		return nil, &Error{Code: CodeConflict, Field: "validTo", Message: "the entry ended at " + current.ValidTo.Format(time.RFC3339Nano)}
	}
	start := current.CreatedAt
	if current.ValidFrom != nil {
		start = *current.ValidFrom
	}
	if !at.After(start) {
		return nil, Invalid("validTo", "must be later than the entry's beginning, %s", start.Format(time.RFC3339Nano))
	}
	e := *current
	if e.ValidTo != nil {
		told := e.CreatedAt
		if e.InvalidatedAt != nil {
			told = *e.InvalidatedAt
		}
		e.PriorEnds = append(slices.Clone(e.PriorEnds), PriorEnd{At: e.ValidTo, ToldAt: told})
	}
	e.ValidTo, e.InvalidatedAt, e.UpdatedAt = &at, &now, now
	return &e, nil
}
