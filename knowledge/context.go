package knowledge

import "strings"

// Sizes of the context string (SPEC I1, I4, I5).
const (
	DefaultContextEntities   = 5
	DefaultContextCharacters = 1_500
	MinContextCharacters     = 100
	MaxContextCharacters     = MaxTextLength
	ContextEdgesPerEntity    = 3
	contextDescription       = 120
	contextHeader            = "KNOWLEDGE GRAPH (known entities and relationships):"
	contextTruncation        = "\n[... truncated]"
)

// ContextQuery asks for the entities that a prompt is about.
type ContextQuery struct {
	Prompt        string
	MaxEntities   int // 1 to 50
	MaxCharacters int // 100 to 100,000
	At            TimePoint
	Scope         Scope // zero: everything
}

// Checked checks the limits of a query; its errors name the arguments.
func (q ContextQuery) Checked() error {
	if err := CheckText("prompt", q.Prompt, MaxTextLength); err != nil {
		return err
	}
	if q.MaxEntities < 1 {
		return Invalid("maxEntities", "must be from 1 to %d", MaxSearchResults)
	}
	if q.MaxEntities > MaxSearchResults {
		return Limit("maxEntities", "must be from 1 to %d", MaxSearchResults)
	}
	if q.MaxCharacters < MinContextCharacters {
		return Invalid("maxCharacters", "must be from %d to %d", MinContextCharacters, MaxContextCharacters)
	}
	if q.MaxCharacters > MaxContextCharacters {
		return Limit("maxCharacters", "must be from %d to %d", MinContextCharacters, MaxContextCharacters)
	}
	return nil
}

// GraphContext is what a graph knows about a prompt, as one text and as what it was made of.
type GraphContext struct {
	Text      string // empty where nothing is known
	Edges     []*Edge
	Entities  []*Entity
	Truncated bool
}

// ContextEntity is an entity with its edges, and the names of what stands at their other ends.
type ContextEntity struct {
	Entity *Entity
	Edges  []*Edge
	Names  map[string]string // by id
}

// ContextText is the context string (SPEC I3 to I5), at most so many characters; empty
// without entities.
func ContextText(entities []ContextEntity, most int) (text string, truncated bool) {
	if len(entities) == 0 {
		return "", false
	}
	var b strings.Builder
	b.WriteString(contextHeader)
	for _, e := range entities {
		b.WriteString("\n" + e.line())
	}
	if text = b.String(); runeCount(text) <= most {
		return text, false
	}
	return truncateRunes(text, most-runeCount(contextTruncation)) + contextTruncation, true
}

// line is an entity in one line. What is written over several lines is drawn into one, or
// a text could pass for a line of its own.
func (c ContextEntity) line() string {
	e := c.Entity
	line := "- [" + e.TypeKey + "] " + CollapseSpace(e.Name)
	if e.Description != nil {
		if text := CollapseSpace(*e.Description); text != "" {
			line += ": " + truncateRunes(text, contextDescription)
		}
	}
	var edges []string
	for _, edge := range c.Edges {
		arrow, far := "->", edge.ToID
		if edge.FromID != e.ID {
			arrow, far = "<-", edge.FromID
		}
		if name := CollapseSpace(c.Names[far]); name != "" {
			edges = append(edges, arrow+edge.Type+" "+name)
		}
	}
	if len(edges) > 0 {
		line += " (" + strings.Join(edges, "; ") + ")"
	}
	return line
}
