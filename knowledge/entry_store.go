package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// EntryWrite is an entry as it is stored: with its analysed text, its vector and the
// mentions that were found in its text.
type EntryWrite struct {
	Entry          *Entry
	SearchText     string    // Analyze of title and content
	Vector         []float32 // nil: none yet, or none at all
	AwaitsVector   bool      // it is to get one later
	AutoMentionIDs []string  // of Entry.MentionIDs, those that were found in the text
}

// GivenMentions are the mentions that a writer gave.
func (w EntryWrite) GivenMentions() []string {
	return slices.DeleteFunc(slices.Clone(w.Entry.MentionIDs), func(id string) bool { return slices.Contains(w.AutoMentionIDs, id) })
}

// EntryChange says which parts of a stored entry an edit makes anew.
type EntryChange struct {
	Reworded     bool // title or content
	Contacts     bool
	Mentions     bool // those that a writer gave
	AutoMentions bool // those that were found in the text
}

// EntryVector is a vector that was made of an entry as it was at a hash.
type EntryVector struct {
	ID     string
	Hash   string
	Vector []float32
	At     time.Time
}

// EntryText is what a vector is to be made of.
type EntryText struct {
	ID, Hash, Title, Content string
}

// EntryListQuery selects entries for a list, newest first.
type EntryListQuery struct {
	Filter    EntryFilter
	ContactID string // of Filter.Contact, looked up; empty: any
	At        TimePoint
	Now       time.Time
	From      *Cursor // nil: from the start
	Backward  bool
	Limit     int
}

// AccessMark says that an entry was recalled so many times (SPEC G15).
type AccessMark struct {
	WorkspaceID string
	EntryID     string
	Count       int
	At          time.Time // the last time
}

// RelationListQuery selects relations of entries for a list, oldest first; no types means all.
type RelationListQuery struct {
	Direction Direction
	Types     []RelationType
	Now       time.Time
	From      *Cursor // nil: from the start
	Limit     int
}

// EntrySelection is what a search may find. It is applied inside every query, before
// anything is counted or cut (SPEC T9).
type EntrySelection struct {
	WorkspaceID string
	Scope       Scope
	AboutID     string // only what is about this contact; empty: no condition
	Filter      EntryFilter
	At          TimePoint
	Now         time.Time
}

// Permits is the selection's rule on an entry that was read, the second lock behind the
// one in the queries (SPEC L6).
func (s EntrySelection) Permits(e *Entry) bool {
	if e.WorkspaceID != s.WorkspaceID || !s.Scope.Permits(e.ContactIDs) || s.AboutID != "" && !slices.Contains(e.ContactIDs, s.AboutID) {
		return false
	}
	if len(s.Filter.Types) > 0 && !slices.Contains(s.Filter.Types, e.Type) {
		return false
	}
	return (s.Filter.IncludeExpired || !e.Expired(s.Now)) && e.VisibleAt(s.At, s.Now)
}

// EntryTextHit is a candidate of a text search with what its score is made of.
type EntryTextHit struct {
	ID     string
	Text   string // analysed; of a very long text only the tokens that were asked for
	Length int    // tokens of the whole text
	Thread string
}

// EntryVectorHit is a result of a vector search.
type EntryVectorHit struct {
	ID         string
	Similarity float64 // the cosine, -1 to 1
	Thread     string
}

// CompareVectorHits puts the nearest first; ties by id.
func CompareVectorHits(a, b EntryVectorHit) int {
	return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.ID, b.ID))
}

// EntryVectorQuery looks for the entries that are nearest to a vector.
type EntryVectorQuery struct {
	Selection EntrySelection
	Part      ScopePart
	Model     EmbeddingModel
	Vector    []float32
	Limit     int
}

// ScopePart is a part of what a scope permits that has a way of its own to be read.
type ScopePart string

// Parts of a scope: everything; what is about nobody; what is about the scope's contact.
const (
	PartAll     ScopePart = "all"
	PartGeneral ScopePart = "general"
	PartContact ScopePart = "contact"
)

// Parts are the parts that a selection's scope is made of.
func (s EntrySelection) Parts() []ScopePart {
	switch {
	case s.AboutID != "":
		return []ScopePart{PartContact}
	case s.Scope.OrgWide:
		return []ScopePart{PartAll}
	case s.Scope.ContactID != "":
		return []ScopePart{PartContact, PartGeneral}
	default:
		return []ScopePart{PartGeneral}
	}
}

// EntryVersion is what changes whenever the entries of a workspace do.
type EntryVersion struct {
	Count     int
	ChangedAt time.Time
}

// EntrySizes are numbers of entries, by which a search chooses its way.
type EntrySizes struct {
	Database  int // in all workspaces
	Workspace int
	General   int // about nobody
}
