package cypher

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// rawProps are the properties of a node or relationship exactly as they are stored. As
// JSON they keep their types: integers, floats and datetimes are objects of one key.
type rawProps map[string]any

// Keys of the objects that stand for values that JSON has no type for.
const (
	rawInt  = "int"
	rawReal = "float"
	rawTime = "time"
)

// MarshalJSON implements json.Marshaler.
func (p rawProps) MarshalJSON() ([]byte, error) {
	out := make(map[string]any, len(p))
	for key, value := range p {
		var err error
		if out[key], err = rawEncode(value); err != nil {
			return nil, fmt.Errorf("property %s: %w", key, err)
		}
	}
	return json.Marshal(out)
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *rawProps) UnmarshalJSON(b []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(b))
	decoder.UseNumber()
	var in map[string]any
	if err := decoder.Decode(&in); err != nil {
		return err
	}
	*p = make(rawProps, len(in))
	for key, value := range in {
		decoded, err := rawDecode(value)
		if err != nil {
			return fmt.Errorf("property %s: %w", key, err)
		}
		(*p)[key] = decoded
	}
	return nil
}

func rawEncode(value any) (any, error) {
	switch v := value.(type) {
	case nil, string, bool:
		return v, nil
	case int64:
		return map[string]any{rawInt: strconv.FormatInt(v, 10)}, nil
	case float64:
		return map[string]any{rawReal: strconv.FormatFloat(v, 'g', -1, 64)}, nil
	case time.Time:
		return map[string]any{rawTime: v.UTC().Format(time.RFC3339Nano)}, nil
	case []time.Time:
		return rawList(v)
	case []any:
		return rawList(v)
	default:
		return nil, fmt.Errorf("a %T cannot be kept", value)
	}
}

func rawList[T any](list []T) (any, error) {
	out := make([]any, len(list))
	for i, item := range list {
		var err error
		if out[i], err = rawEncode(item); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func rawDecode(value any) (any, error) {
	switch v := value.(type) {
	case map[string]any:
		for kind, text := range v {
			return rawScalar(kind, fmt.Sprint(text))
		}
		return nil, fmt.Errorf("an empty object stands for nothing")
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			var err error
			if out[i], err = rawDecode(item); err != nil {
				return nil, err
			}
		}
		return out, nil
	default:
		return v, nil
	}
}

func rawScalar(kind, text string) (any, error) {
	switch kind {
	case rawInt:
		return strconv.ParseInt(text, 10, 64)
	case rawReal:
		return strconv.ParseFloat(text, 64)
	case rawTime:
		t, err := time.Parse(time.RFC3339Nano, text)
		return t.UTC(), err
	default:
		return nil, fmt.Errorf("%s is no kind of value", kind)
	}
}

// differing are the properties of before that are others in after, null for those that
// before does not have: what has to be set to get before back.
func differing(before, after props) rawProps {
	out := rawProps{}
	for _, p := range []props{before, after} {
		for key := range p {
			if !rawEqual(before[key], after[key]) {
				out[key] = before[key]
			}
		}
	}
	return out
}

func rawEqual(a, b any) bool {
	x, errX := json.Marshal(rawProps{"v": a})
	y, errY := json.Marshal(rawProps{"v": b})
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func rawEqualProps(a, b rawProps) bool { return len(differing(props(a), props(b))) == 0 }
