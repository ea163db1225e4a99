package knowledge

import (
	"html"
	"strings"
	"time"
)

// Sizes of extraction (SPEC M2, M6, M7).
const (
	MinMessageText = 20
	MinFileText    = 40
	MaxSourceText  = 8_000  // characters that a model is given
	MaxGraphText   = 24_000 // characters of a document that entities and edges are looked for in (SPEC O8)
)

// Reasons for which nothing is extracted (SPEC M2). They are told to callers as they stand.
const (
	SkipMissing   = "MESSAGE_MISSING"
	SkipTooShort  = "TOO_SHORT"
	SkipInjection = "INJECTION_RISK"
	SkipBusy      = "BEING_EXTRACTED"
)

// MessageExtraction is a message that knowledge is to be extracted from.
type MessageExtraction struct {
	MessageID string
	ThreadID  string
	Subject   string
	Body      string
	HTML      string
	From      string
	SentAt    *time.Time
	Contacts  []EntityRef
	Source    EntrySource
	// Force extracts again from what was done before with nothing found (SPEC M8).
	Force bool
}

// Extracted is what an extraction gave.
type Extracted struct {
	Entries   []*EntrySave
	Relations []*Relation
	Entities  []*Entity
	Edges     []*Edge
	// Contradicts are older entries that the new ones contradict.
	Contradicts      []*Entry
	AlreadyExtracted bool
	// Skipped is why nothing was done; nil where it was.
	Skipped *string
	// Dropped counts what of the model's reply was not taken.
	Dropped Dropped
	Usage   ModelUsage
}

// ExtractionClaim asks to be the one that extracts from a source.
type ExtractionClaim struct {
	WorkspaceID string
	Source      EntrySource
	SourceID    string
	Owner       string // tells this attempt from every other
	Now         time.Time
	LeaseUntil  time.Time // somebody else may claim it then
	Force       bool
}

// ExtractionRecord is how far the extraction from a source has come.
type ExtractionRecord struct {
	Done bool // it was done before, and the claim did not force it
	Held bool // somebody else is at it
}

// ExtractionOutcome ends a claim.
type ExtractionOutcome struct {
	// Done: it is not tried again, unless it is forced. Otherwise it stays open (SPEC M8).
	Done    bool
	Entries int
	Usage   ModelUsage
	// Reason and Raw say why it failed, with what the model said.
	Reason string
	Raw    string
	At     time.Time
}

// VisibleHTML is a page's text, roughly: its tags, comments, styles and scripts are gone.
func VisibleHTML(source string) string {
	text := unseenElements.ReplaceAllString(source, " ")
	text = lineEnds.ReplaceAllString(text, "\n")
	text = html.UnescapeString(anyTag.ReplaceAllString(text, " "))
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = CollapseSpace(line)
	}
	return CollapseLines(strings.Join(lines, "\n"))
}
