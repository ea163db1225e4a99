package codegraph

import (
	"bytes"
	"encoding/json"
	"errors"
)

// plainJSON makes JSON of JSON with comments and trailing commas, as compilers' settings have them.
func plainJSON(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			end := stringEnd(text, i)
			out = append(out, text[i:end]...)
			i = end - 1
		case c == '/' && i+1 < len(text) && text[i+1] == '/':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case c == '/' && i+1 < len(text) && text[i+1] == '*':
			end := bytes.Index(text[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 3
		case c == '}' || c == ']':
			out = append(trimComma(out), c)
		default:
			out = append(out, c)
		}
	}
	return out
}

func stringEnd(text []byte, from int) int {
	for i := from + 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

func trimComma(out []byte) []byte {
	trimmed := bytes.TrimRight(out, " \t\r\n")
	if n := len(trimmed); n > 0 && trimmed[n-1] == ',' {
		return trimmed[:n-1]
	}
	return out
}

// orderedJSON is a JSON value that keeps the order of keys: the first condition that holds wins.
type orderedJSON struct {
	text  string // of a string
	isSet bool   // false for null, numbers and booleans
	list  []orderedJSON
	keys  []string
	of    map[string]orderedJSON
}

// maxNesting bounds the depth of settings.
const maxNesting = 50

var errNesting = errors.New("nested too deeply")

// UnmarshalJSON reads any JSON value.
func (o *orderedJSON) UnmarshalJSON(raw []byte) error {
	value, err := readOrdered(json.NewDecoder(bytes.NewReader(raw)), 0)
	*o = value
	return err
}

func readOrdered(d *json.Decoder, depth int) (orderedJSON, error) {
	if depth > maxNesting {
		return orderedJSON{}, errNesting
	}
	token, err := d.Token()
	if err != nil {
		return orderedJSON{}, err
	}
	switch token := token.(type) {
	case string:
		return orderedJSON{text: token, isSet: true}, nil
	case json.Delim:
		o := orderedJSON{isSet: true}
		if token == '{' {
			o.of = map[string]orderedJSON{}
		}
		for d.More() {
			key := ""
			if token == '{' {
				name, err := d.Token()
				if err != nil {
					return o, err
				}
				key, _ = name.(string)
			}
			value, err := readOrdered(d, depth+1)
			if err != nil {
				return o, err
			}
			o.add(key, value)
		}
		_, err = d.Token()
		return o, err
	default:
		return orderedJSON{}, nil
	}
}

func (o *orderedJSON) add(key string, value orderedJSON) {
	if o.of == nil {
		o.list = append(o.list, value)
		return
	}
	if _, there := o.of[key]; !there {
		o.keys = append(o.keys, key)
	}
	o.of[key] = value
}
