package mcp

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/knowledge"
)

// Answers are counted in quarters of a token: a character of ASCII is a quarter (SPEC L23
// counts so too), any other one and a half tokens, which is what tokenizers make of the
// scripts that they know least.
const (
	quarters    = 4
	otherWeight = 6
	// cursorRoom is kept free for the cursor and the counts of an answer.
	cursorRoom = 2_000
)

// budget is how large an answer may be, in quarters of a token.
type budget struct{ max int }

func newBudget(tokens int) budget { return budget{tokens * quarters} }

// Shares of the budget that texts may take. An answer holds everything twice, once more
// escaped.
func (b budget) long() int  { return b.max / 8 }  // the one text that was asked for
func (b budget) text() int  { return b.max / 16 } // a text of an item
func (b budget) short() int { return b.max / 64 } // a name, or a text in a long list

// weight is what a text counts.
func weight(text string) int {
	n := 0
	for _, r := range text {
		n += runeWeight(r)
	}
	return n
}

func runeWeight(r rune) int {
	if r < utf8.RuneSelf {
		return 1
	}
	return otherWeight
}

// cost is what a value counts in an answer: as structured content, and as text beside it.
func cost(v any) int {
	text := textOf(v)
	return weight(text) + weight(textOf(text))
}

// textOf is a value as JSON in one line; what is handed to it can always be written.
func textOf(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "null"
	}
	return string(bytes.TrimRight(b.Bytes(), "\n"))
}

// cut is a text that counts at most so much; an ellipsis says that more there was.
func cut(text string, most int) string {
	if len(text) <= most && len(text) == utf8.RuneCountInString(text) || weight(text) <= most {
		return text
	}
	n := otherWeight // of the ellipsis
	for i, r := range text {
		if n += runeWeight(r); n > most {
			return text[:i] + "…"
		}
	}
	return text
}

// answerResult is an answer in both forms. LIMIT_EXCEEDED rather than an answer that would
// flood its reader.
func answerResult(answer any, b budget) (*sdk.CallToolResult, error) {
	if cost(answer) > b.max {
		return nil, knowledge.Limit("", "the answer would be larger than %d tokens; ask for less", b.max/quarters)
	}
	return &sdk.CallToolResult{StructuredContent: answer, Content: []sdk.Content{&sdk.TextContent{Text: textOf(answer)}}}, nil
}

// position is a cursor before it is written as one word: where to go on, in the list that
// one call with certain arguments gives.
type position struct {
	About string `json:"q"`
	After string `json:"a"`
}

func (c *call) cursorAt(after string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(textOf(position{c.about, after})))
}

// after is where the caller wants to go on; empty at the start. INVALID_INPUT (cursor)
// where the cursor is not one of this call's.
func (c *call) after() (string, error) {
	if c.now == "" {
		return "", nil
	}
	var p position
	text, err := base64.RawURLEncoding.DecodeString(c.now)
	if err != nil || json.Unmarshal(text, &p) != nil || p.About != c.about || p.After == "" {
		return "", knowledge.Invalid("cursor", "is not a cursor of this call; the other arguments must be those of the call that gave it")
	}
	return p.After, nil
}

// page are the items behind the cursor that fit beside what else the answer holds, and the
// cursor for those that do not. One item at least is given.
func page[T any](c *call, rest any, items []T, id func(T) string) (fitting []T, next string, err error) {
	after, err := c.after()
	if err != nil {
		return nil, "", err
	}
	if after != "" {
		at := -1
		for i, item := range items {
			if id(item) == after {
				at = i
			}
		}
		if at < 0 {
			return nil, "", knowledge.Invalid("cursor", "what it stands behind is gone; start again without it")
		}
		items = items[at+1:]
	}
	n := fits(items, c.budget.max-cost(rest)-cursorRoom)
	if n < len(items) {
		next = c.cursorAt(id(items[n-1]))
	}
	return append([]T{}, items[:n]...), next, nil
}

// fits is how many of the items fit into some room, one at least.
func fits[T any](items []T, room int) int {
	for i, item := range items {
		if room -= cost(item) + 2; room < 0 { // 2: the commas
			return max(i, 1)
		}
	}
	return len(items)
}
