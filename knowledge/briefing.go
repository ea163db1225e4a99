package knowledge

import (
	"strings"
	"time"
)

// Sizes of a briefing (SPEC L23).
const (
	DefaultBriefingTokens     = 4_000
	MinBriefingTokens         = 100
	MaxBriefingTokens         = 100_000
	DefaultBriefingKnowledge  = 10
	DefaultBriefingFiles      = 3
	DefaultBriefingActivity   = 5
	BriefingHistory           = 5 // messages of the thread
	charactersPerToken        = 4
	briefingQueryLength       = 2_000
	shortestBriefingQuery     = 10
	compactedTiers            = 3 // up to so many budgets a briefing is compacted, above it is an emergency
	emergencyItems            = 3
	emergencyItemLength       = 240
	emergencySnippet          = 120
	briefingTruncation        = "\n[... truncated]"
	briefingFileExcerptLength = 500
	briefingHistoryLength     = 1_000
)

// BriefingTier is how much of a briefing fitted.
type BriefingTier string

// Tiers (SPEC L25).
const (
	TierNormal    BriefingTier = "normal"
	TierCompacted BriefingTier = "compacted"
	TierEmergency BriefingTier = "emergency"
)

// Coverage is whether a briefing rests on anything.
type Coverage string

// Coverages (SPEC L27).
const (
	CoverageLow  Coverage = "low"
	CoverageGood Coverage = "good"
)

// BriefingParts is what a briefing is made of. Empty parts have no section.
type BriefingParts struct {
	Contact     *Entity
	Activity    []BriefingNote // newest first
	Commitments []*Entry       // open action items, newest first
	History     []BriefingNote // the thread's messages before this one, oldest first
	Knowledge   []BriefingEntry
	Graph       string // the context string, where Q6 allows it
	Files       []BriefingFile
	Subject     string
	Message     string
}

// BriefingNote is something that was said or done at a time.
type BriefingNote struct {
	At   time.Time
	Who  string
	Text string
}

// BriefingEntry is an entry with how far it may be relied on.
type BriefingEntry struct {
	Entry  *Entry
	Stale  bool
	Caveat bool
	// Outgoing are its relations to others, with their titles.
	Outgoing []BriefingRelation
}

// BriefingRelation is a relation of an entry to another, which is named by its title.
type BriefingRelation struct {
	Type  RelationType
	Title string
}

// BriefingFile is a file with what is known of it.
type BriefingFile struct {
	ID      string
	Name    string
	Title   string
	Excerpt string
}

// Briefing is a budgeted text for an agent, and what it rests on.
type Briefing struct {
	Text     string
	Tier     BriefingTier
	Tokens   int
	Coverage Coverage
	// EntryIDs and FileIDs are what still stands in the text (SPEC L27).
	EntryIDs []string
	FileIDs  []string
	// Files are those of FileIDs.
	Files []*SourceFile
	// Hits are what EntryIDs names, as it was recalled.
	Hits []*RecallHit
}

// BriefingQuery is what a briefing searches for; empty where the message says too
// little (SPEC L23).
func BriefingQuery(subject, body string) string {
	query := strings.TrimSpace(truncateRunes(subject+"\n"+body, briefingQueryLength))
	if runeCount(query) <= shortestBriefingQuery {
		return ""
	}
	return query
}

// Tokens estimates a text's tokens, at four characters each, rounded up.
func Tokens(text string) int { return (runeCount(text) + charactersPerToken - 1) / charactersPerToken }

// AssembleBriefing makes a briefing of at most about so many tokens (SPEC L23 to L27).
// What was written by others and looks like instructions to a model is left out,
// except the message itself, which is what the agent was given.
func AssembleBriefing(parts BriefingParts, maxTokens int) Briefing {
	parts = parts.withoutInjections()
	full := parts.full()
	b := Briefing{Text: full, Tier: TierNormal, Coverage: parts.coverage()}
	limit := maxTokens * charactersPerToken
	switch tokens := Tokens(full); {
	case tokens <= maxTokens:
	case tokens <= compactedTiers*maxTokens:
		b.Tier, b.Text = TierCompacted, lastRunes(full, limit)
	default:
		b.Tier, b.Text = TierEmergency, parts.emergency(limit)
	}
	b.Tokens = Tokens(b.Text)
	for _, e := range parts.Knowledge {
		if b.Tier == TierNormal || strings.Contains(b.Text, e.Entry.Title) {
			b.EntryIDs = append(b.EntryIDs, e.Entry.ID)
		}
	}
	for _, f := range parts.Files {
		if b.Tier == TierNormal || strings.Contains(b.Text, f.title()) {
			b.FileIDs = append(b.FileIDs, f.ID)
		}
	}
	return b
}

// coverage is low where there is nothing but, perhaps, a contact.
func (p BriefingParts) coverage() Coverage {
	if len(p.Knowledge) == 0 && len(p.Files) == 0 && len(p.History) == 0 {
		return CoverageLow
	}
	return CoverageGood
}

func (p BriefingParts) withoutInjections() BriefingParts {
	notes := func(in []BriefingNote) []BriefingNote {
		out := make([]BriefingNote, len(in))
		for i, n := range in {
			if _, hit := Injected(n.Who, n.Text); hit {
				n.Who, n.Text = "", OmittedText
			}
			out[i] = n
		}
		return out
	}
	p.Activity, p.History = notes(p.Activity), notes(p.History)
	var known []BriefingEntry
	for _, e := range p.Knowledge {
		if _, hit := Injected(e.Entry.Title, e.Entry.Content); !hit {
			e.Outgoing = harmless(e.Outgoing)
			known = append(known, e)
		}
	}
	var commitments []*Entry
	for _, e := range p.Commitments {
		if _, hit := Injected(e.Title, e.Content); !hit {
			commitments = append(commitments, e)
		}
	}
	var files []BriefingFile
	for _, f := range p.Files {
		if _, hit := Injected(f.Name, f.Title, f.Excerpt); !hit {
			files = append(files, f)
		}
	}
	p.Knowledge, p.Commitments, p.Files = known, commitments, files
	return p
}

func harmless(relations []BriefingRelation) []BriefingRelation {
	var out []BriefingRelation
	for _, r := range relations {
		if _, hit := Injected(r.Title); !hit {
			out = append(out, r)
		}
	}
	return out
}

func runeCount(s string) int {
	n := 0
	for range s {
		n++
	}
	return n
}

// lastRunes is the end of a text, of at most n characters.
func lastRunes(s string, n int) string {
	skip := runeCount(s) - n
	if skip <= 0 {
		return s
	}
	return s[len(truncateRunes(s, skip)):]
}
