package cypher

import (
	"time"

	"mneme/knowledge"
)

// edgeOf reads an edge from the properties of its relationship or its Fact, which are
// the same but for what only a Fact has.
func edgeOf(p props, from, to string) *knowledge.Edge {
	e := &knowledge.Edge{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), FromID: from, ToID: to, Type: p.text("type"), Fact: p.text("name"),
		Properties: p.object("properties"), Confidence: p.float("confidence"), Weight: p.float("weight"), Source: knowledge.Actor(p.text("source")),
		ValidFrom: p.timePtr("validFrom"), ValidTo: p.timePtr("validTo"), CreatedAt: p.time("createdAt"), InvalidatedAt: p.timePtr("invalidatedAt"),
	}
	ends, told := p.times("priorEnds"), p.times("priorTold")
	for i := range min(len(ends), len(told)) {
		prior := knowledge.PriorEnd{ToldAt: told[i]}
		if !ends[i].Equal(openEnd) {
			prior.At = &ends[i]
		}
		e.PriorEnds = append(e.PriorEnds, prior)
	}
	return e
}

func scanFact(r row) *knowledge.Edge {
	p := r.props("f")
	return edgeOf(p, p.text("src"), p.text("dst"))
}

// endProps are the properties that change when an edge ends; null removes one.
func endProps(e *knowledge.Edge) map[string]any {
	p := make(map[string]any, 24) // room for all that a new edge has: bulk imports make many
	p["validTo"], p["invalidatedAt"], p["weight"] = ptrValue(e.ValidTo), ptrValue(e.InvalidatedAt), e.Weight
	p["priorEnds"], p["priorTold"] = nil, nil
	if len(e.PriorEnds) == 0 {
		return p
	}
	ends, told := make([]time.Time, 0, len(e.PriorEnds)), make([]time.Time, 0, len(e.PriorEnds))
	for _, prior := range e.PriorEnds {
		told = append(told, prior.ToldAt)
		if prior.At == nil {
			ends = append(ends, openEnd)
			continue
		}
		ends = append(ends, *prior.At)
	}
	p["priorEnds"], p["priorTold"] = ends, told
	return p
}

// edgeRow is a new edge as edge_create takes it. The sentence is called name: it is the
// caption that Neo4j Browser shows (SPEC T20).
func edgeRow(c knowledge.EdgeCreated, relType string) map[string]any {
	e := c.Edge
	p := endProps(e)
	p["relType"], p["src"], p["dst"] = relType, e.FromID, e.ToID
	p["id"], p["workspaceId"], p["type"], p["name"] = e.ID, e.WorkspaceID, e.Type, e.Fact
	p["confidence"], p["source"] = e.Confidence, string(e.Source)
	p["validFrom"], p["createdAt"] = ptrValue(e.ValidFrom), e.CreatedAt
	p["searchText"], p["awaitsVector"] = knowledge.Analyze(e.Fact), true
	if len(e.Properties) > 0 {
		p["properties"] = jsonText(e.Properties)
	}
	first, second := knowledge.EdgePair(e.FromID, e.ToID, c.Key.Symmetric)
	if key := edgeKey(first, e.Type, second); e.ValidTo == nil {
		p["currentKey"] = key
	} else {
		p["endedKey"] = key
	}
	if c.Direct {
		p["directSource"], p["directAt"] = string(e.Source), e.CreatedAt
	}
	return p
}

// edgeKey names the edges of a type between two entities. A Fact has it as currentKey,
// of which there is one, while the edge has no end (SPEC B15), and as endedKey after.
func edgeKey(from, typ, to string) string { return from + " " + typ + " " + to }

func (p props) times(key string) []time.Time {
	values, _ := p[key].([]any)
	out := make([]time.Time, 0, len(values))
	for _, v := range values {
		if t, ok := v.(time.Time); ok {
			out = append(out, t.UTC())
		}
	}
	return out
}
