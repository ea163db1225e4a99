package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

// decodeObject reads a line that is one JSON object with known keys only.
func decodeObject(line []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return jsonError(err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return knowledge.Invalid("", "there is more on the line after its JSON object")
	}
	return nil
}

// jsonError says what is wrong with a line, with the field where one is to blame.
func jsonError(err error) error {
	var ours *knowledge.Error
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &syntax):
		return knowledge.Invalid("", "the line is not JSON: %v at byte %d", syntax, syntax.Offset)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return knowledge.Invalid("", "the line ends within its JSON")
	case errors.As(err, &kind) && kind.Field == "":
		return knowledge.Invalid("", "the line is not a JSON object")
	case errors.As(err, &kind):
		return knowledge.Invalid(kind.Field, "a %s is not allowed here", kind.Value)
	}
	if field, ok := strings.CutPrefix(err.Error(), `json: unknown field "`); ok { // the decoder has no type for it
		return knowledge.Invalid(strings.TrimSuffix(field, `"`), "there is no such field")
	}
	return knowledge.Invalid("", "the line cannot be read as JSON")
}

// moment is a time in RFC 3339 with an offset, in UTC and whole microseconds.
type moment time.Time

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
	var text string
	if err := json.Unmarshal(b, &text); err != nil {
		return knowledge.Invalid("", "%s is not a date and time like 2026-01-31T09:30:00Z", clip(string(b)))
	}
	t, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return knowledge.Invalid("", "%q is not a date and time like 2026-01-31T09:30:00Z", clip(text))
	}
	*m = moment(t.UTC().Truncate(time.Microsecond))
	return nil
}

// clip keeps a value that is quoted in a message short.
func clip(s string) string {
	const longest = 40
	if r := []rune(s); len(r) > longest {
		return string(r[:longest]) + "…"
	}
	return s
}

// dated is a field with a moment: its error names the field.
func dated(field string, raw json.RawMessage) (*time.Time, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil //nolint:nilnil // no date is a value of its own
	}
	var m moment
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, knowledge.InField(field, err)
	}
	t := time.Time(m)
	return &t, nil
}

// oneOf reads an enum value, in the spelling of the API or in lower case; empty is the preset.
func oneOf[T ~string](field, given string, preset T, values ...T) (T, error) {
	if given == "" {
		return preset, nil
	}
	if v := T(strings.ToLower(given)); slices.Contains(values, v) {
		return v, nil
	}
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = strings.ToUpper(string(v))
	}
	return "", knowledge.Invalid(field, "%q is not one of %s", clip(given), strings.Join(names, ", "))
}

// actor reads a writer; none is the caller's own kind.
func actor(given string) (knowledge.Actor, error) {
	return oneOf("source", given, "", knowledge.ActorAuto, knowledge.ActorAgent, knowledge.ActorManual)
}
