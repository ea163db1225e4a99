package cypher

import (
	"encoding/json"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// row reads the columns of one record. A missing or null column reads as zero.
type row struct{ *neo4j.Record }

func (r row) value(key string) any { v, _ := r.Get(key); return v }

func (r row) text(key string) string { return textOf(r.value(key)) }

func (r row) int(key string) int { return intOf(r.value(key)) }

func (r row) float(key string) float64 { return floatOf(r.value(key)) }

func (r row) bool(key string) bool { b, _ := r.value(key).(bool); return b }

func (r row) texts(key string) []string { return textsOf(r.value(key)) }

// props reads a column that holds a node, a relationship or a map.
func (r row) props(key string) props { return propsOf(r.value(key)) }

// list reads a column that holds a list of nodes, relationships or maps.
func (r row) list(key string) []props {
	values, _ := r.value(key).([]any)
	out := make([]props, 0, len(values))
	for _, v := range values {
		if p := propsOf(v); p != nil {
			out = append(out, p)
		}
	}
	return out
}

// props are the properties of a node, a relationship or a map.
type props map[string]any

func propsOf(v any) props {
	switch x := v.(type) {
	case neo4j.Node:
		return x.Props
	case neo4j.Relationship:
		return x.Props
	case map[string]any:
		return x
	default:
		return nil
	}
}

func (p props) text(key string) string { return textOf(p[key]) }

func (p props) textPtr(key string) *string {
	if s, ok := p[key].(string); ok {
		return &s
	}
	return nil
}

func (p props) int(key string) int { return intOf(p[key]) }

func (p props) float(key string) float64 { return floatOf(p[key]) }

func (p props) floatPtr(key string) *float64 {
	if f, ok := p[key].(float64); ok {
		return &f
	}
	return nil
}

func (p props) bool(key string) bool { b, _ := p[key].(bool); return b }

func (p props) texts(key string) []string { return textsOf(p[key]) }

func (p props) time(key string) time.Time { t, _ := p[key].(time.Time); return t.UTC() }

func (p props) timePtr(key string) *time.Time {
	t, ok := p[key].(time.Time)
	if !ok {
		return nil
	}
	t = t.UTC()
	return &t
}

// object reads a property that holds a JSON object; what cannot be read is empty.
func (p props) object(key string) map[string]any {
	out := map[string]any{}
	if s := p.text(key); s != "" {
		_ = json.Unmarshal([]byte(s), &out) // written by jsonText only
	}
	return out
}

// jsonText is how an object is stored: as JSON with sorted keys, which people can read.
func jsonText(object map[string]any) string {
	if len(object) == 0 {
		return "{}"
	}
	b, err := json.Marshal(object)
	if err != nil {
		return "{}" // the objects come from JSON and were checked
	}
	return string(b)
}

func textOf(v any) string { s, _ := v.(string); return s }

func intOf(v any) int { n, _ := v.(int64); return int(n) }

func floatOf(v any) float64 {
	switch x := v.(type) {
	case float64:
		return x
	case int64:
		return float64(x)
	default:
		return 0
	}
}

func textsOf(v any) []string {
	values, _ := v.([]any)
	out := make([]string, 0, len(values))
	for _, x := range values {
		if s, ok := x.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// ptrValue is the value behind a pointer, or null.
func ptrValue[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}
