package llm

import (
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"mneme/knowledge"
)

// thoughtTags are the tags between which models think aloud.
var thoughtTags = []string{"think", "thinking", "thought", "reasoning", "reflection", "scratchpad"}

var thoughts = regexp.MustCompile(`(?is)<think>.*?</think>|<thinking>.*?</thinking>|<thought>.*?</thought>|<reasoning>.*?</reasoning>|<reflection>.*?</reflection>|<scratchpad>.*?</scratchpad>`)

// maxWrapped is how deep in other objects a reply's lists may be.
const maxWrapped = 3

var (
	errNoJSON  = errors.New("there is no JSON in it")
	errNoLists = errors.New("the JSON in it has none of the members that were asked for")
)

// decode finds the JSON of a shape in what a model wrote: with prose, fences or
// thoughts around it, as a bare array or a bare object, with other names for its
// members, with mistakes of syntax, cut off. Of several candidates it takes the
// best: the one with the most items, then the last. cut tells that something that
// was begun is missing; a cut object is never in a list.
//
// It is an error where no candidate has a list of the shape. An empty list that the
// model wrote as such is not.
func decode(text string, shape *knowledge.ReplyShape) (lists knowledge.ReplyLists, cut bool, err error) {
	for _, reading := range readings(text) {
		var best knowledge.ReplyLists
		bestCut, found := false, false
		for _, c := range candidates(reading) {
			found = true
			if list, ok := c.value.([]any); ok && len(list) == 0 && !c.alone(reading) {
				continue // brackets in prose are no answer
			}
			got, ok := fit(c.value, shape, 0)
			if ok && (best == nil || size(got) >= size(best)) {
				best, bestCut = got, !c.whole
			}
		}
		if best != nil {
			return best, bestCut, nil
		}
		if found {
			err = errNoLists
		}
	}
	if err == nil {
		err = errNoJSON
	}
	return nil, false, err
}

func size(lists knowledge.ReplyLists) int {
	n := 0
	for _, items := range lists {
		n += len(items)
	}
	return n
}

// readings are the ways to take a text, the likeliest first: without the thoughts in
// it; whole, should a tag stand inside the JSON itself.
func readings(text string) []string {
	text = strings.TrimPrefix(text, "\uFEFF")
	without := withoutThoughts(text)
	if strings.HasPrefix(strings.TrimSpace(text), "{") || strings.HasPrefix(strings.TrimSpace(text), "[") {
		return []string{text, without}
	}
	return []string{without}
}

// withoutThoughts removes the blocks in which a model thinks aloud, also one whose
// beginning the server swallowed, or that never ends.
func withoutThoughts(text string) string {
	text = thoughts.ReplaceAllString(text, "")
	for _, tag := range thoughtTags {
		if at := lastIndexFold(text, "</"+tag+">"); at >= 0 {
			text = text[at+len(tag)+len("</>"):]
		}
		if at := indexFold(text, "<"+tag+">"); at >= 0 {
			text = text[:at]
		}
	}
	return strings.TrimSpace(text)
}

func lastIndexFold(text, ascii string) int {
	for i := len(text) - len(ascii); i >= 0; i-- {
		if text[i] == ascii[0] && strings.EqualFold(text[i:i+len(ascii)], ascii) {
			return i
		}
	}
	return -1
}

func indexFold(text, ascii string) int {
	for i := 0; i+len(ascii) <= len(text); i++ {
		if text[i] == ascii[0] && strings.EqualFold(text[i:i+len(ascii)], ascii) {
			return i
		}
	}
	return -1
}

func hasPrefixFold(text, ascii string) bool {
	return len(text) >= len(ascii) && strings.EqualFold(text[:len(ascii)], ascii)
}

// candidates are the JSON values in a text, in order; objects that stand one after
// another are also one list.
func candidates(text string) []parsed {
	var found []parsed
	for at := 0; at < len(text); {
		open := strings.IndexAny(text[at:], `{["`)
		if open < 0 {
			break
		}
		at += open
		if text[at] == '"' && at > 0 {
			at++ // a quoted word of prose
			continue
		}
		p := parseAt(text, at)
		switch inner := p.value.(type) {
		case map[string]any, []any:
			found = append(found, p)
			at = p.end
		case string:
			// JSON inside a JSON string: some models quote the whole of it.
			if p.whole && p.end == len(text) && strings.ContainsAny(inner, "{[") {
				return candidates(inner)
			}
			at++
		default:
			at++
		}
	}
	if len(found) > 1 {
		row := parsed{whole: true}
		var items []any
		for _, p := range found {
			if object, ok := p.value.(map[string]any); ok && p.whole {
				items = append(items, object)
				continue
			}
			row.whole = row.whole && p.whole
		}
		row.value = items
		found = slices.Insert(found, 0, row)
	}
	return found
}

// alone tells whether a value is all that a text holds, but for a code fence.
func (p parsed) alone(text string) bool {
	const fence = 64 // more around it is prose
	if len(text)-(p.end-p.start) > fence {
		return false
	}
	around := strings.ToLower(text[:p.start] + text[p.end:])
	return strings.Trim(strings.ReplaceAll(around, "json", ""), " \t\r\n`.") == ""
}

// fit takes the lists of a shape out of a value; false where there is none of them.
func fit(value any, shape *knowledge.ReplyShape, depth int) (knowledge.ReplyLists, bool) {
	switch v := value.(type) {
	case []any:
		items, ok := itemsOf(v, shape.Lists[0])
		return knowledge.ReplyLists{shape.Lists[0].Key: items}, ok
	case map[string]any:
		return fitObject(v, shape, depth)
	}
	return nil, false
}

func fitObject(object map[string]any, shape *knowledge.ReplyShape, depth int) (knowledge.ReplyLists, bool) {
	lists := knowledge.ReplyLists{}
	for _, l := range shape.Lists {
		if list, ok := member(object, l.Key, l.Aliases).([]any); ok {
			if items, ok := itemsOf(list, l); ok {
				lists[l.Key] = items
			}
		} else if one, ok := member(object, l.Key, l.Aliases).(map[string]any); ok {
			if items, ok := itemsOf([]any{one}, l); ok && len(items[0]) > 1 {
				lists[l.Key] = items
			}
		}
	}
	if complete(lists, shape) {
		return lists, true
	}
	if len(lists) == 0 && depth < maxWrapped {
		if wrapped, ok := fitInside(object, shape, depth); ok {
			return wrapped, true
		}
	}
	// The object may be an item itself, where the model forgot the list around one.
	if items, ok := itemsOf([]any{object}, shape.Lists[0]); ok && len(lists) == 0 && len(items[0]) > 1 {
		return knowledge.ReplyLists{shape.Lists[0].Key: items}, true
	}
	return nil, false
}

// complete tells whether every list that must be there is.
func complete(lists knowledge.ReplyLists, shape *knowledge.ReplyShape) bool {
	for _, l := range shape.Lists {
		if _, ok := lists[l.Key]; !ok && !l.Optional {
			return false
		}
	}
	return len(lists) > 0
}

// fitInside looks for the shape in an object's members, in the order of their names:
// {"result": {"entries": […]}}, or a list under a name that nobody knows.
func fitInside(object map[string]any, shape *knowledge.ReplyShape, depth int) (knowledge.ReplyLists, bool) {
	keys := make([]string, 0, len(object))
	for key := range object {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	for _, key := range keys {
		if inner, ok := object[key].(map[string]any); ok {
			if lists, ok := fitObject(inner, shape, depth+1); ok {
				return lists, true
			}
		}
	}
	var strange []any
	count := 0
	for _, key := range keys {
		if list, ok := object[key].([]any); ok && len(list) > 0 {
			if items, ok := itemsOf(list, shape.Lists[0]); ok && len(items[0]) > 1 {
				strange = list
				count++
			}
		}
	}
	if count == 1 {
		return fit(strange, shape, depth+1)
	}
	return nil, false
}

// itemsOf are the objects of a list with the shape's names for their fields. A list
// that has members, none of them such an object, is not one.
func itemsOf(list []any, l knowledge.ListShape) ([]map[string]any, bool) {
	items := make([]map[string]any, 0, len(list))
	for _, one := range list {
		object, ok := one.(map[string]any)
		if !ok {
			continue
		}
		item := map[string]any{}
		for _, f := range l.Fields {
			if v := member(object, f.Key, f.Aliases); v != nil {
				item[f.Key] = v
			}
		}
		if len(item) > 0 {
			items = append(items, item)
		}
	}
	return items, len(items) > 0 || len(list) == 0
}

// member is an object's member by its name, else by another that it goes by.
func member(object map[string]any, key string, aliases []string) any {
	if v, ok := object[key]; ok {
		return v
	}
	for _, name := range append([]string{key}, aliases...) {
		want := bareKey(name)
		var found []string
		for have := range object {
			if bareKey(have) == want {
				found = append(found, have)
			}
		}
		if len(found) > 0 {
			return object[slices.Min(found)]
		}
	}
	return nil
}

// bareKey is a name without case and separators: entry_type, entryType and Entry Type are one.
func bareKey(key string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, key)
}

// number is a JSON number as it was written; ok only where it is finite.
func number(text string) (float64, bool) {
	f, err := strconv.ParseFloat(text, 64)
	return f, err == nil
}
