package service

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"mneme/knowledge"
)

// graphMLKeys are the attributes of nodes and edges, with their types.
var graphMLKeys = []struct{ of, name, kind string }{
	{"node", "name", "string"},
	{"node", "type", "string"},
	{"node", "aliases", "string"},
	{"node", "description", "string"},
	{"node", "confidence", "double"},
	{"node", "source", "string"},
	{"node", "properties", "string"},
	{"node", "createdAt", "string"},
	{"node", "updatedAt", "string"},
	{"node", "lastSeenAt", "string"},
	{"edge", "type", "string"},
	{"edge", "fact", "string"},
	{"edge", "confidence", "double"},
	{"edge", "weight", "double"},
	{"edge", "source", "string"},
	{"edge", "properties", "string"},
	{"edge", "validFrom", "string"},
	{"edge", "validTo", "string"},
	{"edge", "createdAt", "string"},
	{"edge", "invalidatedAt", "string"},
}

// graphML writes a graph for Gephi, yEd, NetworkX and their like: entities with their
// attributes, edges between their ids.
func (x *exporting) graphML(ctx context.Context) error {
	x.text(xml.Header, `<graphml xmlns="http://graphml.graphdrawing.org/xmlns">`, "\n")
	for _, k := range graphMLKeys {
		x.text(`  <key id="`, k.of, "-", k.name, `" for="`, k.of, `" attr.name="`, k.name, `" attr.type="`, k.kind, "\"/>\n")
	}
	x.text(`  <graph id="`, xmlText(x.ws.Key), `" edgedefault="directed">`, "\n")
	err := x.entities(ctx, func(batch []*knowledge.Entity) error {
		for _, e := range batch {
			x.graphMLNode(e)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = x.edges(ctx, func(batch []namedEdge) error {
		for _, e := range batch {
			x.graphMLEdge(e.Edge)
		}
		return nil
	})
	x.text("  </graph>\n</graphml>\n")
	return err
}

func (x *exporting) graphMLNode(e *knowledge.Entity) {
	description := ""
	if e.Description != nil {
		description = *e.Description
	}
	x.text(`    <node id="`, xmlText(e.ID), "\">\n")
	x.data("node", "name", e.Name)
	x.data("node", "type", e.TypeKey)
	x.data("node", "aliases", strings.Join(e.Aliases, "\n"))
	x.data("node", "description", description)
	x.data("node", "confidence", number(e.Confidence))
	x.data("node", "source", string(e.Source))
	x.data("node", "properties", objectText(e.Properties))
	x.data("node", "createdAt", stampOf(&e.CreatedAt))
	x.data("node", "updatedAt", stampOf(&e.UpdatedAt))
	x.data("node", "lastSeenAt", stampOf(&e.LastSeenAt))
	x.text("    </node>\n")
}

func (x *exporting) graphMLEdge(e *knowledge.Edge) {
	x.text(`    <edge id="`, xmlText(e.ID), `" source="`, xmlText(e.FromID), `" target="`, xmlText(e.ToID), "\">\n")
	x.data("edge", "type", e.Type)
	x.data("edge", "fact", e.Fact)
	x.data("edge", "confidence", number(e.Confidence))
	x.data("edge", "weight", number(e.Weight))
	x.data("edge", "source", string(e.Source))
	x.data("edge", "properties", objectText(e.Properties))
	x.data("edge", "validFrom", stampOf(e.ValidFrom))
	x.data("edge", "validTo", stampOf(e.ValidTo))
	x.data("edge", "createdAt", stampOf(&e.CreatedAt))
	x.data("edge", "invalidatedAt", stampOf(e.InvalidatedAt))
	x.text("    </edge>\n")
}

// data writes an attribute that has a value.
func (x *exporting) data(of, name, value string) {
	if value != "" {
		x.text(`      <data key="`, of, "-", name, `">`, xmlText(value), "</data>\n")
	}
}

// xmlText is a text of XML; characters that XML cannot hold are replaced.
func xmlText(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder takes everything
	return b.String()
}

func number(f float64) string { return strconv.FormatFloat(f, 'g', -1, 64) }

// objectText is an object as JSON with sorted keys; empty where it holds nothing.
func objectText(object map[string]any) string {
	if len(object) == 0 {
		return ""
	}
	b, err := json.Marshal(object)
	if err != nil {
		return "" // the objects come from JSON
	}
	return string(b)
}

func stampOf(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}
