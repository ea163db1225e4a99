package knowledge

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	unseenElements = regexp.MustCompile(`(?is)<(?:style|script|head|title|template)\b.*?</(?:style|script|head|title|template)\s*>|<!--.*?-->`)
	lineEnds       = regexp.MustCompile(`(?i)<(?:br|/p|/div|/tr|/li|/h[1-6]|/table)\b[^>]*>`)
)

const extractSystem = "You read one %KIND% and write down what will be useful to know later.\n" +
	"Kinds of knowledge: fact (something that is so), decision (something that was chosen), event (something that happened or will), " +
	"preference (how somebody likes things), goal (what somebody wants to reach), relationship (how people or organisations are connected), " +
	"action_item (something that somebody is to do).\n" +
	"- Only what the text states and what you are confident of. No greetings, no small talk, no guesses. Often there is nothing: then the list is empty.\n" +
	"- Each entry stands for itself: name people and things, do not write \"he\", \"we\" or \"the above\".\n" +
	"- Turn relative dates (\"tomorrow\", \"last week\") into dates, counted from the date of the text that is given. If none is given, leave them as they are.\n" +
	"- Write in the language of the text.\n" +
	"- " + FenceRule

// MessageCall asks a model for the knowledge in a message (SPEC M4, T17).
func MessageCall(m MessageExtraction, text string) ModelCall {
	var b strings.Builder
	if m.SentAt != nil {
		b.WriteString("Date of the message: " + m.SentAt.Format("Monday, "+time.DateOnly+" 15:04 MST") + "\n\n")
	} else {
		b.WriteString("Date of the message: unknown\n\n")
	}
	var mail strings.Builder
	if m.From != "" {
		mail.WriteString("From: " + CollapseSpace(m.From) + "\n")
	}
	if m.Subject != "" {
		mail.WriteString("Subject: " + CollapseSpace(m.Subject) + "\n")
	}
	mail.WriteString("\n" + truncateRunes(text, MaxSourceText))
	b.WriteString(Fence("MESSAGE", strings.TrimSpace(mail.String())))
	return extractCall("message", b.String())
}

// FileCall asks a model for the knowledge in a file (SPEC M6).
func FileCall(name, title, summary, text string) ModelCall {
	var file strings.Builder
	file.WriteString("File: " + CollapseSpace(name) + "\n")
	for _, part := range []struct{ label, value string }{{"Title", title}, {"Summary", summary}} {
		if value := CollapseSpace(part.value); value != "" {
			file.WriteString(part.label + ": " + value + "\n")
		}
	}
	file.WriteString("\n" + truncateRunes(text, MaxSourceText))
	return extractCall("file", "Date of the file: unknown\n\n"+Fence("FILE", file.String()))
}

func extractCall(kind, user string) ModelCall {
	return ModelCall{
		Role: ModelExtract, System: strings.ReplaceAll(extractSystem, "%KIND%", kind), User: user, Temperature: 0.1, Shape: EntriesShape(),
	}
}

const linkSystem = "You are given numbered notes and say which of them bear on each other, and how. Read a relation from \"from\" to \"to\":\n" +
	"- supports: from is evidence for to\n" +
	"- contradicts: both cannot be true at the same time of the same thing\n" +
	"- supersedes: from is newer and takes the place of to\n" +
	"- causes: from brings to about\n" +
	"- blocks: from stands in the way of to\n" +
	"- relates_to: they bear on each other in another way\n" +
	"Prefer the specific types. Do not join a note with itself. Do not join notes that merely have the same topic. Most pairs have no relation: then leave them out.\n" +
	"- " + FenceRule

// LinkNode is a note that a model may join to others. Its number is its place.
type LinkNode struct {
	Type    EntryType
	Title   string
	Content string
}

// maxNodeContent is how much of an entry a model sees that links it.
const maxNodeContent = 1_000

// LinkCall asks a model which notes bear on each other (SPEC M12). Their ids are not shown.
func LinkCall(nodes []LinkNode) ModelCall {
	blocks := make([]string, len(nodes))
	for i, n := range nodes {
		blocks[i] = "[" + strconv.Itoa(i) + "] " + string(n.Type) + ": " + CollapseSpace(n.Title) + "\n" + Ellipsis(CollapseSpace(n.Content), maxNodeContent)
	}
	return ModelCall{
		Role: ModelLink, System: linkSystem, User: Fence("NOTES", strings.Join(blocks, "\n\n")), Temperature: 0.1, Shape: RelationsShape(),
	}
}

const graphSystem = "You read one document and list the things that it names and how they are connected.\n" +
	"- Only what the document states. Names as they stand in it, at most 50 characters.\n" +
	"- Types: concept, system, tool, decision, person.\n" +
	"- Edges join two of the listed entities by their names, with one of these labels: depends_on, contradicts, related_to, replaces, implements, uses. Both ends must be listed.\n" +
	"- " + FenceRule

// graphTokens is the room for a document's graph; a reply that was cut gets twice as much (SPEC O8).
const graphTokens = 8_192

// GraphCall asks a model for the entities and edges of a document (SPEC O8).
func GraphCall(text string) ModelCall {
	return ModelCall{Role: ModelExtract, System: graphSystem, User: Fence("DOCUMENT", text), MaxTokens: graphTokens, Shape: GraphShape()}
}

// AskCall asks a model to answer a question from sources (SPEC M24).
func AskCall(question string, sources []AskSource) ModelCall {
	return ModelCall{Role: ModelAsk, System: AskSystem, User: AskPrompt(question, sources), Temperature: 0.2, MaxTokens: askTokens}
}

const askTokens = 1_500
