package knowledge

import (
	"strconv"
	"strings"
	"time"
)

// Notes before knowledge that is not to be taken as it stands (SPEC L24).
const (
	staleNote  = "DO NOT RELY ON THIS (superseded): "
	caveatNote = "CAVEAT (disputed): "
)

// section is a heading and its lines; nothing where there are none.
func section(heading string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return heading + "\n" + strings.Join(lines, "\n")
}

// full is the whole briefing, in the order of SPEC L24.
func (p BriefingParts) full() string {
	var known, related []string
	for _, e := range p.Knowledge {
		known = append(known, e.line())
		for _, r := range e.Outgoing {
			related = append(related, "- "+CollapseSpace(e.Entry.Title)+" "+relationWords(r.Type)+" "+CollapseSpace(r.Title))
		}
	}
	return joinSections(
		section("[CONTACT]", contactLines(p.Contact)),
		section("[RECENT ACTIVITY]", noteLines(p.Activity, briefingHistoryLength)),
		section("[OPEN COMMITMENTS]", entryLines(p.Commitments)),
		section("[CONVERSATION HISTORY]", noteLines(p.History, briefingHistoryLength)),
		section("[KNOWLEDGE]", known),
		section("[KNOWLEDGE RELATIONSHIPS]", related),
		section("[GRAPH]", nonEmpty(p.Graph)),
		section("[RELEVANT FILES]", fileLines(p.Files)),
		p.message(p.Message),
	)
}

// emergency is what remains where the whole is far too long (SPEC L26); limit is the
// budget in characters.
func (p BriefingParts) emergency(limit int) string {
	var commitments, facts []string
	for _, e := range p.Commitments[:min(len(p.Commitments), emergencyItems)] {
		commitments = append(commitments, "- "+CollapseSpace(e.Title)+": "+Ellipsis(CollapseSpace(e.Content), emergencyItemLength))
	}
	for _, e := range p.Knowledge {
		if e.Entry.Type == EntryFact && len(facts) < emergencyItems {
			facts = append(facts, e.mark()+CollapseSpace(e.Entry.Title)+": "+Ellipsis(CollapseSpace(e.Entry.Content), emergencyItemLength))
		}
	}
	rest := joinSections(
		section("[CONTACT]", contactLines(p.Contact)),
		section("[OPEN COMMITMENTS]", commitments),
		section("[KNOWLEDGE]", facts),
		section("[RECENT ACTIVITY]", noteLines(p.Activity, emergencySnippet)),
	)
	// At the default budget: the larger of 4,000 and 16,000 less the rest.
	room := max(limit/charactersPerToken, limit-runeCount(rest))
	message := p.Message
	if runeCount(message) > room {
		message = truncateRunes(message, room) + briefingTruncation
	}
	return joinSections(rest, p.message(message))
}

func (p BriefingParts) message(body string) string {
	body = strings.TrimSpace(body)
	if subject := CollapseSpace(p.Subject); subject != "" {
		body = strings.TrimSpace("Subject: " + subject + "\n" + body)
	}
	return section("[CURRENT MESSAGE]", nonEmpty(body))
}

func joinSections(sections ...string) string {
	var out []string
	for _, s := range sections {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, "\n\n")
}

func nonEmpty(s string) []string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return []string{s}
}

func contactLines(e *Entity) []string {
	if e == nil {
		return nil
	}
	line := CollapseSpace(e.Name) + " (" + e.TypeKey + ")"
	if e.Description != nil && *e.Description != "" {
		line += ": " + Ellipsis(CollapseSpace(*e.Description), emergencyItemLength)
	}
	if _, hit := Injected(line); hit {
		line = OmittedText
	}
	return []string{line}
}

func noteLines(notes []BriefingNote, limit int) []string {
	lines := make([]string, 0, len(notes))
	for _, n := range notes {
		line := "- "
		if !n.At.IsZero() {
			line += n.At.UTC().Format(time.DateOnly) + " "
		}
		if n.Who != "" {
			line += CollapseSpace(n.Who) + ": "
		}
		lines = append(lines, line+Ellipsis(CollapseSpace(n.Text), limit))
	}
	return lines
}

func entryLines(entries []*Entry) []string {
	lines := make([]string, len(entries))
	for i, e := range entries {
		lines[i] = "- " + CollapseSpace(e.Title) + ": " + CollapseSpace(e.Content)
	}
	return lines
}

// line is a knowledge entry with its type, confidence, title and content.
func (e BriefingEntry) line() string {
	return e.mark() + string(e.Entry.Type) + " (" + strconv.FormatFloat(e.Entry.Confidence, 'f', 2, 64) + ") " +
		CollapseSpace(e.Entry.Title) + ": " + CollapseSpace(e.Entry.Content)
}

func (e BriefingEntry) mark() string {
	mark := "- "
	if e.Stale {
		mark += staleNote
	}
	if e.Caveat {
		mark += caveatNote
	}
	return mark
}

// relationWords is a relation's type in capitals, with spaces.
func relationWords(t RelationType) string {
	return strings.ToUpper(strings.ReplaceAll(string(t), "_", " "))
}

func (f BriefingFile) title() string {
	if f.Title != "" {
		return f.Title
	}
	return f.Name
}

func fileLines(files []BriefingFile) []string {
	lines := make([]string, len(files))
	for i, f := range files {
		lines[i] = "- " + CollapseSpace(f.title())
		if f.Title != "" && f.Name != "" {
			lines[i] += " (" + CollapseSpace(f.Name) + ")"
		}
		if f.Excerpt != "" {
			lines[i] += ": " + Ellipsis(CollapseSpace(f.Excerpt), briefingFileExcerptLength)
		}
	}
	return lines
}
