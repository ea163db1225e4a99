package knowledge

import (
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// ExtractedGraph is what a model found in a document, checked (SPEC O8).
type ExtractedGraph struct {
	Entities []ExtractedEntity
	Edges    []ExtractedEdge
}

// ExtractedEntity is an entity that a document names.
type ExtractedEntity struct {
	Name        string
	Type        string
	Description string
}

// ExtractedEdge joins two of a graph's entities, by their places in it.
type ExtractedEdge struct {
	From, To int
	Label    string
}

// graphTypes are the types that extraction may give an entity (SPEC O1); graphLabels
// those of edges (SPEC O4).
var (
	graphTypes  = []string{"concept", "system", "tool", "decision", "person"}
	graphLabels = []string{"depends_on", "contradicts", "related_to", "replaces", "implements", "uses"}
)

// ValidateGraph takes a reply about a document one by one: names of at most 50
// characters that the document states, an unknown type as concept; edges between two
// that are listed, with one of the six labels.
func ValidateGraph(lists ReplyLists, document string) (ExtractedGraph, Dropped, error) {
	var g ExtractedGraph
	dropped, at := Dropped{}, map[string]int{}
	stated := " " + joinRuns(NormalizeName(document), ' ') + " "
	for _, item := range lists["entities"] {
		e, why := extractedEntity(item, stated)
		key := NormalizeName(e.Name)
		_, twice := at[key]
		switch {
		case why != "":
			dropped[why]++
		case twice:
			dropped["said twice"]++
		case len(g.Entities) == MaxGraphItems:
			dropped["too many"]++
		default:
			at[key] = len(g.Entities)
			g.Entities = append(g.Entities, e)
		}
	}
	seen := map[ExtractedEdge]bool{}
	for _, item := range lists["edges"] {
		e, why := extractedEdge(item, at)
		switch {
		case why != "":
			dropped[why]++
		case seen[e]:
			dropped["said twice"]++
		case len(g.Edges) == MaxGraphItems:
			dropped["too many"]++
		default:
			seen[e] = true
			g.Edges = append(g.Edges, e)
		}
	}
	if len(lists["entities"]) == 0 && len(lists["edges"]) > 0 {
		return g, dropped, errNoEntities
	}
	if len(g.Entities) == 0 && len(lists["entities"]) > 0 {
		return g, dropped, errNothingUsable("entities", dropped)
	}
	return g, dropped, nil
}

func extractedEntity(item map[string]any, stated string) (e ExtractedEntity, why string) {
	e.Name = CollapseSpace(textOf(item["name"]))
	words := joinRuns(NormalizeName(e.Name), ' ')
	switch {
	case words == "":
		return e, "no name"
	case utf8.RuneCountInString(e.Name) > MaxGraphName:
		return e, "name too long"
	case !isStated(words, stated):
		return e, "not in the text"
	}
	if _, hit := Injected(e.Name); hit {
		return e, "looks like an instruction"
	}
	if e.Type = TypeKey(textOf(item["type"])); !slices.Contains(graphTypes, e.Type) {
		e.Type = "concept"
	}
	e.Description = Ellipsis(CollapseSpace(textOf(item["description"])), maxExtractedContent)
	if _, hit := Injected(e.Description); hit {
		e.Description = ""
	}
	return e, ""
}

// isStated tells whether a document holds a name, as whole words where its script has them.
func isStated(words, stated string) bool {
	if strings.Contains(stated, " "+words+" ") {
		return true
	}
	return wide(words) && strings.Contains(stated, words)
}

// wide tells whether a text has letters of a script that is written without spaces.
func wide(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= 0x0E00 && r <= 0x0EFF || r >= 0x2E80 })
}

func extractedEdge(item map[string]any, at map[string]int) (e ExtractedEdge, why string) {
	from, fromOK := at[NormalizeName(textOf(item["from"]))]
	to, toOK := at[NormalizeName(textOf(item["to"]))]
	if !fromOK || !toOK {
		return e, "an end that is not listed"
	}
	if from == to {
		return e, "joined with itself"
	}
	label := EdgeTypeKey(textOf(item["label"]))
	if textOf(item["label"]) == "" || !slices.Contains(graphLabels, label) {
		return e, "unknown label"
	}
	return ExtractedEdge{From: from, To: to, Label: label}, ""
}

func sortedKeys(m map[string]int) []string { return slices.Sorted(maps.Keys(m)) }
