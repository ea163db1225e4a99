package service

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"mneme/knowledge"
)

// cypher writes statements, one a line, that make the graph anew in an empty Neo4j: with
// the labels, relationship types and captions that this product's own database has (SPEC
// T20), without what only the product can read.
func (x *exporting) cypher(ctx context.Context) error {
	for _, label := range []string{"Entity", "Observation", "Entry"} {
		x.text("CREATE CONSTRAINT mneme_export_", strings.ToLower(label), " IF NOT EXISTS FOR (n:", label, ") REQUIRE n.id IS UNIQUE;\n")
	}
	for _, part := range []func(context.Context) error{x.cypherEntities, x.cypherEdges, x.cypherObservations, x.cypherEntries, x.cypherRelations} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// rows are literals of maps by the label or type that they are to get, which a statement cannot take from a row.
type rows map[string][]string

func (r rows) add(name string, row cypherMap) { r[name] = append(r[name], row.literal()) }

// statements writes one statement for each label or type, on a line of its own.
func (x *exporting) statements(r rows, text func(name string) string) {
	for _, name := range slices.Sorted(maps.Keys(r)) {
		x.text("UNWIND [", strings.Join(r[name], ", "), "] AS row ", text(cypherName(name)), ";\n")
	}
}

func (x *exporting) cypherEntities(ctx context.Context) error {
	return x.entities(ctx, func(batch []*knowledge.Entity) error {
		r := rows{}
		for _, e := range batch {
			r.add(knowledge.EntityLabel(e.TypeKey), cypherMap{
				{"id", e.ID},
				{"name", e.Name},
				{"type", e.TypeKey},
				{"slug", e.Slug},
				{"aliases", e.Aliases},
				{"description", e.Description},
				{"properties", objectText(e.Properties)},
				{"confidence", e.Confidence},
				{"source", string(e.Source)},
				{"createdAt", &e.CreatedAt},
				{"updatedAt", &e.UpdatedAt},
				{"lastSeenAt", &e.LastSeenAt},
			})
		}
		x.statements(r, func(label string) string { return "CREATE (n:Entity:" + label + ") SET n = row" })
		return nil
	})
}

// cypherRelates is the relationship type of edges whose type the product needs for itself.
const cypherRelates = "RELATES"

func (x *exporting) cypherEdges(ctx context.Context) error {
	return x.edges(ctx, func(batch []namedEdge) error {
		r := rows{}
		for _, e := range batch {
			name, ok := knowledge.RelationshipType(e.Type)
			if !ok {
				name = cypherRelates
			}
			r.add(name, cypherMap{{"from", e.FromID}, {"to", e.ToID}, {"props", cypherMap{
				{"id", e.ID},
				{"type", e.Type},
				{"name", e.Fact},
				{"properties", objectText(e.Properties)},
				{"confidence", e.Confidence},
				{"weight", e.Weight},
				{"source", string(e.Source)},
				{"validFrom", e.ValidFrom},
				{"validTo", e.ValidTo},
				{"createdAt", &e.CreatedAt},
				{"invalidatedAt", e.InvalidatedAt},
			}}})
		}
		x.statements(r, func(name string) string {
			return "MATCH (a:Entity {id: row.from}) MATCH (b:Entity {id: row.to}) CREATE (a)-[r:" + name + "]->(b) SET r = row.props"
		})
		return nil
	})
}

func (x *exporting) cypherObservations(ctx context.Context) error {
	return x.observations(ctx, func(batch []*knowledge.Observation) error {
		r := rows{}
		for _, o := range batch {
			r.add("Observation", cypherMap{{"entity", o.EntityID}, {"props", cypherMap{
				{"id", o.ID},
				{"name", knowledge.Caption(o.Text)},
				{"text", o.Text},
				{"source", string(o.Source)},
				{"observedAt", &o.ObservedAt},
				{"createdAt", &o.CreatedAt},
			}}})
		}
		x.statements(r, func(label string) string {
			return "MATCH (e:Entity {id: row.entity}) CREATE (n:" + label + ")-[:OBSERVED_ON]->(e) SET n = row.props"
		})
		return nil
	})
}

func (x *exporting) cypherEntries(ctx context.Context) error {
	return x.entries(ctx, func(batch []*knowledge.Entry) error {
		nodes, about, mentions := rows{}, rows{}, rows{}
		for _, e := range batch {
			nodes.add("Entry", cypherMap{
				{"id", e.ID},
				{"type", string(e.Type)},
				{"title", e.Title},
				{"content", e.Content},
				{"source", string(e.Source)},
				{"sourceId", e.SourceID},
				{"threadId", e.ThreadID},
				{"tags", e.Tags},
				{"confidence", e.Confidence},
				{"expiresAt", e.ExpiresAt},
				{"validFrom", e.ValidFrom},
				{"validTo", e.ValidTo},
				{"createdAt", &e.CreatedAt},
				{"updatedAt", &e.UpdatedAt},
			})
			for _, id := range e.ContactIDs {
				about.add("ABOUT", cypherMap{{"from", e.ID}, {"to", id}})
			}
			for _, id := range e.MentionIDs {
				mentions.add("MENTIONS", cypherMap{{"from", e.ID}, {"to", id}})
			}
		}
		x.statements(nodes, func(label string) string { return "CREATE (n:" + label + ") SET n = row" })
		for _, links := range []rows{about, mentions} {
			x.statements(links, func(name string) string {
				return "MATCH (n:Entry {id: row.from}) MATCH (e:Entity {id: row.to}) CREATE (n)-[:" + name + "]->(e)"
			})
		}
		return nil
	})
}

func (x *exporting) cypherRelations(ctx context.Context) error {
	return x.relations(ctx, func(batch []*knowledge.Relation) error {
		r := rows{}
		for _, rel := range batch {
			r.add("ENTRY_"+strings.ToUpper(string(rel.Type)), cypherMap{{"from", rel.FromID}, {"to", rel.ToID}, {"props", cypherMap{
				{"id", rel.ID},
				{"confidenceTag", string(rel.ConfidenceTag)},
				{"confidence", rel.Confidence},
				{"weight", rel.Weight},
				{"provenance", string(rel.Provenance)},
				{"rationale", rel.Rationale},
				{"createdAt", &rel.CreatedAt},
				{"updatedAt", &rel.UpdatedAt},
			}}})
		}
		x.statements(r, func(name string) string {
			return "MATCH (a:Entry {id: row.from}) MATCH (b:Entry {id: row.to}) CREATE (a)-[r:" + name + "]->(b) SET r = row.props"
		})
		return nil
	})
}

// cypherMap is a map in the order in which it is written. What is not there is left out.
type cypherMap []struct {
	key   string
	value any
}

func (m cypherMap) literal() string {
	parts := make([]string, 0, len(m))
	for _, p := range m {
		if text := cypherValue(p.value); text != "" {
			parts = append(parts, p.key+": "+text)
		}
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// cypherValue is a value as Cypher writes it; empty for none.
func cypherValue(value any) string {
	switch v := value.(type) {
	case string:
		if v == "" {
			return ""
		}
		return cypherText(v)
	case *string:
		if v == nil {
			return ""
		}
		return cypherText(*v)
	case []string:
		texts := make([]string, len(v))
		for i, s := range v {
			texts[i] = cypherText(s)
		}
		return "[" + strings.Join(texts, ", ") + "]"
	case float64:
		return cypherNumber(v)
	case *float64:
		if v == nil {
			return ""
		}
		return cypherNumber(*v)
	case *time.Time:
		if v == nil {
			return ""
		}
		return "datetime('" + stampOf(v) + "')"
	case cypherMap:
		return v.literal()
	default:
		return cypherText(fmt.Sprint(value))
	}
}

// cypherNumber is a float, also where it is whole.
func cypherNumber(f float64) string {
	text := strconv.FormatFloat(f, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

// cypherText is a quoted string on one line. A backslash is written as its code point:
// Cypher reads \u before it reads strings, so that \\u0027 would not stay what it is.
func cypherText(s string) string {
	var b strings.Builder
	b.WriteByte('\'')
	for _, r := range s {
		switch {
		case r == '\\':
			b.WriteString(`\u005C\u005C`)
		case r == '\'':
			b.WriteString(`\'`)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ':
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// cypherName is a quoted label or relationship type.
func cypherName(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
