package knowledge

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Limits of what is taken from a language model's reply.
const (
	// MaxExtracted is how many entries one text gives.
	MaxExtracted = 50
	// MaxLinked is how many relations one linking stores (SPEC M13).
	MaxLinked = 20
	// MaxGraphName is the length of an entity's name that a model may give (SPEC O8).
	MaxGraphName = 50
	// MaxGraphItems is how many entities, and how many edges, one document gives.
	MaxGraphItems = 500

	maxExtractedTitle   = 200
	maxExtractedContent = 4_000 // what merging allows an entry (SPEC N7)
	maxExtractedTags    = 10
	defaultModelTrust   = 0.5 // of what a model gives no confidence for
)

// ExtractedEntry is a piece of knowledge that a model found in a text, checked.
type ExtractedEntry struct {
	Type       EntryType
	Title      string
	Content    string
	Confidence float64
	Tags       []string
}

// Dropped counts what was not taken from a reply, by reason.
type Dropped map[string]int

// Total is how many items were dropped.
func (d Dropped) Total() int {
	n := 0
	for _, c := range d {
		n += c
	}
	return n
}

// errNothingUsable is what a model is told whose reply had items, but none that counts.
func errNothingUsable(what string, dropped Dropped) error {
	reasons := make([]string, 0, len(dropped))
	for _, reason := range sortedKeys(dropped) {
		reasons = append(reasons, fmt.Sprintf("%s (%d)", reason, dropped[reason]))
	}
	return fmt.Errorf("none of its %s can be used: %s", what, strings.Join(reasons, ", "))
}

// ValidateExtraction takes the entries of a reply one by one (SPEC M4, T16): a known
// type, a content, a confidence from 0 to 1; each once; nothing that looks like an
// instruction. A missing title is the content's beginning. It is an error where the
// reply has entries and none of them is good, so that this is no empty success.
func ValidateExtraction(lists ReplyLists) ([]ExtractedEntry, Dropped, error) {
	var out []ExtractedEntry
	dropped, seen := Dropped{}, map[string]bool{}
	for _, item := range lists["entries"] {
		e, why := extractedEntry(item)
		hash := ContentHash(e.Title, e.Content)
		switch {
		case why != "":
			dropped[why]++
		case seen[hash]:
			dropped["said twice"]++
		case len(out) == MaxExtracted:
			dropped["too many"]++
		default:
			seen[hash] = true
			out = append(out, e)
		}
	}
	if len(out) == 0 && len(lists["entries"]) > 0 {
		return nil, dropped, errNothingUsable("entries", dropped)
	}
	return out, dropped, nil
}

func extractedEntry(item map[string]any) (e ExtractedEntry, why string) {
	var ok bool
	if e.Type, ok = entryTypeOf(textOf(item["type"])); !ok {
		return e, "unknown type"
	}
	if e.Content = CollapseLines(textOf(item["content"])); e.Content == "" {
		return e, "no content"
	}
	if utf8.RuneCountInString(e.Content) > maxExtractedContent {
		return e, "content too long"
	}
	if e.Title = CollapseSpace(textOf(item["title"])); e.Title == "" {
		e.Title = CollapseSpace(e.Content)
	}
	e.Title = Ellipsis(e.Title, maxExtractedTitle)
	if e.Confidence, ok = confidenceOf(item["confidence"], DefaultEntryConfidence); !ok {
		return e, "confidence not from 0 to 1"
	}
	// As it was written: what nobody sees is gone from title and content.
	if _, hit := Injected(rawText(item["title"]), rawText(item["content"])); hit {
		return e, "looks like an instruction"
	}
	e.Tags = tagsOf(item["tags"])
	return e, ""
}

// entryTypeOf forgives case, separators, a plural, and the commonest other word.
func entryTypeOf(text string) (EntryType, bool) {
	key := TypeKey(text)
	for _, t := range []EntryType{EntryFact, EntryDecision, EntryEvent, EntryPreference, EntryGoal, EntryRelationship, EntryActionItem} {
		if key == string(t) || key == string(t)+"s" {
			return t, true
		}
	}
	switch key {
	case "action", "task", "todo", "to_do", "actionitem", "commitment":
		return EntryActionItem, true
	}
	return "", false
}

func rawText(v any) string {
	s, _ := v.(string)
	return s
}

// textOf is a member as text; empty where it is none.
func textOf(v any) string {
	switch x := v.(type) {
	case string:
		return cleanText(x)
	case float64:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case bool:
		return strconv.FormatBool(x)
	}
	return ""
}

// cleanText is text that may be stored: UTF-8, without NUL and what nobody sees.
func cleanText(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(visible(strings.ToValidUTF8(s, "\uFFFD")), "\x00", ""))
}

// CollapseLines is text without white space at its lines' ends, and no more than one
// empty line in a row.
func CollapseLines(s string) string {
	lines := strings.Split(strings.ReplaceAll(s, "\r", ""), "\n")
	var out []string
	for _, line := range lines {
		line = strings.TrimRight(line, " \t")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	return strings.TrimSpace(strings.Join(out, "\n"))
}

// confidenceOf reads a number, a number as text, or a percentage; false where it is
// not from 0 to 1. What is missing is the given value.
func confidenceOf(v any, missing float64) (float64, bool) {
	var c float64
	switch x := v.(type) {
	case nil:
		return missing, true
	case float64:
		c = x
	case string:
		text := strings.TrimSpace(x)
		percent := strings.HasSuffix(text, "%")
		parsed, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
		if err != nil {
			return 0, false
		}
		if c = parsed; percent {
			c /= 100
		}
	default:
		return 0, false
	}
	return c, !math.IsNaN(c) && c >= 0 && c <= 1
}

// tagsOf takes tags from a list or from text with commas.
func tagsOf(v any) []string {
	var given []string
	switch x := v.(type) {
	case string:
		given = strings.Split(x, ",")
	case []any:
		for _, tag := range x {
			given = append(given, strings.Split(textOf(tag), ",")...)
		}
	}
	out := []string{}
	seen := map[string]bool{}
	for _, tag := range given {
		tag = CollapseSpace(cleanText(tag))
		if tag == "" || utf8.RuneCountInString(tag) > MaxTagLength || seen[tag] || len(out) == maxExtractedTags {
			continue
		}
		if _, hit := Injected(tag); hit {
			continue
		}
		seen[tag] = true
		out = append(out, tag)
	}
	return out
}

// LinkRules say which pairs of numbered nodes may be joined. From and to are indexes.
type LinkRules struct {
	Nodes int
	// Allowed is SPEC K24 for a pair.
	Allowed func(from, to int) bool
	// Joined tells whether the directed pair has a relation other than a
	// deterministic relates_to.
	Joined func(from, to int) bool
}

// ProposedLink is a relation that a model proposes, checked.
type ProposedLink struct {
	From, To   int
	Type       RelationType
	Confidence float64
	Tag        ConfidenceTag
	Rationale  string
}

// ValidateLinks takes the relations of a reply one by one (SPEC M13): ends that exist
// and differ and may be joined, one relation a directed pair, at most MaxLinked.
func ValidateLinks(lists ReplyLists, rules LinkRules) ([]ProposedLink, Dropped, error) {
	var out []ProposedLink
	dropped, seen := Dropped{}, map[[2]int]bool{}
	for _, item := range lists["relations"] {
		link, why := proposedLink(item, rules)
		pair := [2]int{link.From, link.To}
		switch {
		case why != "":
			dropped[why]++
		case seen[pair]:
			dropped["said twice"]++
		case len(out) == MaxLinked:
			dropped["too many"]++
		default:
			seen[pair] = true
			out = append(out, link)
		}
	}
	if dropped["malformed"] > 0 && dropped["malformed"] == len(lists["relations"]) {
		return nil, dropped, errNothingUsable("relations", dropped)
	}
	return out, dropped, nil
}

func proposedLink(item map[string]any, rules LinkRules) (link ProposedLink, why string) {
	var fromOK, toOK, ok bool
	link.From, fromOK = indexOf(item["from"])
	link.To, toOK = indexOf(item["to"])
	if !fromOK || !toOK {
		return link, "malformed"
	}
	if link.Type = RelationType(TypeKey(textOf(item["type"]))); !link.Type.Valid() {
		return link, "malformed"
	}
	if link.Confidence, ok = confidenceOf(item["confidence"], defaultModelTrust); !ok {
		return link, "confidence not from 0 to 1"
	}
	switch {
	case link.From < 0 || link.From >= rules.Nodes || link.To < 0 || link.To >= rules.Nodes:
		return link, "index out of range"
	case link.From == link.To:
		return link, "joined with itself"
	case !rules.Allowed(link.From, link.To):
		return link, "of different contacts"
	case rules.Joined(link.From, link.To):
		return link, "already joined"
	}
	link.Rationale = Ellipsis(CollapseSpace(textOf(item["rationale"])), MaxRationale)
	if _, hit := Injected(link.Rationale); hit {
		link.Rationale = ""
	}
	link.Tag = TagOfGuess(link.Confidence)
	return link, ""
}

// indexOf reads a whole number, also one that is text.
func indexOf(v any) (int, bool) {
	switch x := v.(type) {
	case float64:
		return int(x), x == math.Trunc(x) && math.Abs(x) < 1e9
	case string:
		i, err := strconv.Atoi(strings.Trim(strings.TrimSpace(x), "[]#"))
		return i, err == nil
	}
	return 0, false
}

// errNoEntities is what a model is told that gave edges without entities.
var errNoEntities = errors.New("it lists no entities; both ends of every edge must be listed")
