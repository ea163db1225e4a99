package mcp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

// arguments are what a call was given, by name, without those that are null. The cursor
// stands by itself.
type arguments struct {
	given  map[string]json.RawMessage
	cursor string
}

const cursorArgument = "cursor"

// readArguments checks the arguments of a call against what the tool takes. INVALID_INPUT
// names the argument to blame.
func readArguments(t *tool, text []byte) (arguments, error) {
	a := arguments{given: map[string]json.RawMessage{}}
	if text = bytes.TrimSpace(text); len(text) > 0 && !bytes.Equal(text, []byte("null")) {
		if text[0] != '{' || json.Unmarshal(text, &a.given) != nil {
			return a, knowledge.Invalid("arguments", "must be an object")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(a.given)) {
		if t.input.Properties[name] == nil {
			return a, knowledge.Invalid(name, "is not an argument of %s; it takes %s", t.name, strings.Join(t.input.PropertyOrder, ", "))
		}
		if bytes.Equal(bytes.TrimSpace(a.given[name]), []byte("null")) {
			delete(a.given, name)
		}
	}
	for _, name := range t.input.Required {
		if a.given[name] == nil {
			return a, knowledge.Invalid(name, "must be given")
		}
	}
	if raw := a.given[cursorArgument]; raw != nil {
		if json.Unmarshal(raw, &a.cursor) != nil || a.cursor == "" {
			return a, knowledge.Invalid(cursorArgument, "must be the cursor of an answer")
		}
		delete(a.given, cursorArgument)
	}
	return a, nil
}

// digest is a short name for what is asked, and by whom: a cursor goes with it.
func (a arguments) digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write([]byte(part + "\x00"))
	}
	for _, name := range slices.Sorted(maps.Keys(a.given)) {
		var compact bytes.Buffer
		_ = json.Compact(&compact, a.given[name]) // it was read as JSON before
		h.Write([]byte(name + "\x00" + compact.String() + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// into reads the arguments into a struct, one by one, so that an error names the one to blame.
func (a arguments) into(in any) error {
	for _, name := range slices.Sorted(maps.Keys(a.given)) {
		err := json.Unmarshal([]byte(textOf(map[string]json.RawMessage{name: a.given[name]})), in)
		var known *knowledge.Error
		var wrong *json.UnmarshalTypeError
		switch {
		case err == nil:
		case errors.As(err, &known):
			return knowledge.InField(name, known)
		case errors.As(err, &wrong):
			field := name
			if strings.HasPrefix(wrong.Field, name+".") {
				field = wrong.Field
			}
			return knowledge.Invalid(field, "must not be a %s", wrong.Value)
		default:
			return knowledge.Invalid(name, "is not what it must be")
		}
	}
	return nil
}

// integer is a whole number, which some clients write with a point. One that is too large
// is the largest there is: what is too much is clamped.
type integer int

// UnmarshalJSON implements json.Unmarshaler.
func (n *integer) UnmarshalJSON(text []byte) error {
	var f float64
	if err := json.Unmarshal(text, &f); err != nil && !isRange(err) {
		return knowledge.Invalid("", "must be a whole number")
	} else if err != nil {
		f = math.MaxInt32
	}
	if f != math.Trunc(f) {
		return knowledge.Invalid("", "must be a whole number")
	}
	*n = integer(min(max(f, math.MinInt32), math.MaxInt32))
	return nil
}

// isRange tells a number that is too large from what is no number.
func isRange(err error) bool {
	var wrong *json.UnmarshalTypeError
	return errors.As(err, &wrong) && strings.HasPrefix(wrong.Value, "number ")
}

// clamped is a number from 1 to a limit, or what it is where it was not given (SPEC U).
func (n *integer) clamped(otherwise, most int) int {
	if n == nil {
		return otherwise
	}
	return min(max(int(*n), 1), most)
}

// moment is a time in RFC 3339.
type moment struct{ time.Time }

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) == nil {
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02t15:04:05.999999999z07:00"} {
			if t, err := time.Parse(layout, s); err == nil {
				m.Time = t.UTC()
				return nil
			}
		}
	}
	return knowledge.Invalid("", "must be a time like 2026-03-01T09:30:00Z; a date alone is not one")
}

func (m *moment) given() *time.Time {
	if m == nil {
		return nil
	}
	return &m.Time
}

// list is a list of texts. Whatever is no list is an empty one (SPEC J12).
type list []string

// UnmarshalJSON implements json.Unmarshaler.
func (l *list) UnmarshalJSON(text []byte) error {
	*l = nil
	var items []json.RawMessage
	if json.Unmarshal(text, &items) != nil {
		return nil
	}
	for _, item := range items {
		var s string
		if json.Unmarshal(item, &s) != nil {
			return knowledge.Invalid("", "must be a list of texts")
		}
		*l = append(*l, s)
	}
	return nil
}

// reference names an entity in one text.
type reference struct{ knowledge.EntityRef }

// UnmarshalJSON implements json.Unmarshaler.
func (r *reference) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) != nil {
		return knowledge.Invalid("", "must be an id, a name or a mail address")
	}
	r.EntityRef = knowledge.RefOf(s)
	return nil
}

// subject names an entity that may have to be made: in one text, or by its parts.
type subject struct{ knowledge.EntityRef }

// UnmarshalJSON implements json.Unmarshaler.
func (r *subject) UnmarshalJSON(text []byte) error {
	var s string
	if json.Unmarshal(text, &s) == nil {
		r.EntityRef = knowledge.RefOf(s)
		return nil
	}
	var parts struct{ ID, Name, Type, Email string }
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if dec.Decode(&parts) != nil {
		return knowledge.Invalid("", "must be an id, a name, a mail address, or an object with id, with name and type, or with email")
	}
	r.EntityRef = knowledge.EntityRef{ID: parts.ID, Name: parts.Name, Type: parts.Type}
	if parts.Email != "" {
		r.Identity = &knowledge.ContactIdentity{Kind: "email", Value: parts.Email}
	}
	return nil
}
