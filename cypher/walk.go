package cypher

import (
	"context"
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/edge_of_entities.cypher
var edgeOfEntities statement

//go:embed queries/edge_count_of_entities.cypher
var edgeCountOfEntities statement

//go:embed queries/walk_step.cypher
var walkStep statement

//go:embed queries/walk_between.cypher
var walkBetween statement

//go:embed queries/path_shortest.cypher
var pathShortest statement

// maxTies bounds how many of the shortest paths are compared with each other.
const maxTies = 1_000

// walkScope is the condition that an edge is inside a contact's scope: the persons at its
// ends own it, and it is general where there is none (SPEC T23, L22).
const walkScope = `((startNode(r).type <> $person AND endNode(r).type <> $person)
  OR (startNode(r).type = $person AND startNode(r).id = $contactId) OR (endNode(r).type = $person AND endNode(r).id = $contactId))`

// inScope is what a scope adds to the condition of an edge, with its parameters.
func inScope(scope knowledge.Scope, params map[string]any) string {
	if !scope.Bounded() {
		return ""
	}
	params["person"], params["contactId"] = knowledge.TypePerson, scope.ContactID
	return " AND " + walkScope
}

// walkText fills a statement that walks edges: the types, which way they are walked and
// the condition under which an edge fits. It is the only place where relationship types
// get into a statement's text.
//
// One type is written out, which is fastest on a hub; several are a parameter, because
// each fresh combination would have to be planned. Edges without a relationship type of
// their own are looked for beside: r.type tells them apart (SPEC B2).
func (s *Store) walkText(st statement, w knowledge.Walk, hops int, params map[string]any) string {
	types, fits := "", visible(w.At)+inScope(w.Scope, params)
	if len(w.Types) > 0 {
		types, fits = s.typeFilter(w.Types, params), fits+" AND r.type IN $types"
		params["types"] = w.Types
	}
	left, right := "-", "-"
	switch {
	case w.Direction == knowledge.Both:
	case len(w.Symmetric) > 0:
		near := map[knowledge.Direction]string{knowledge.Outgoing: "startNode(r)", knowledge.Incoming: "endNode(r)"}[w.Direction]
		fits += " AND (" + near + " = s OR r.type IN $symmetric)"
		params["symmetric"] = w.Symmetric
	case w.Direction == knowledge.Outgoing:
		right = "->"
	default:
		left = "<-"
	}
	return strings.NewReplacer("{{types}}", types, "{{fits}}", fits, "{{left}}", left, "{{right}}", right, "{{hops}}", strconv.Itoa(hops)).Replace(string(st))
}

func (s *Store) typeFilter(keys []string, params map[string]any) string {
	names := []string{relates}
	for _, key := range keys {
		if name, ok := knowledge.RelationshipType(key); ok {
			names = append(names, name)
		}
	}
	if len(names) == 2 && s.edgeTypes.has(keys[0]) {
		return ":" + quoted(names[1]) + "|" + relates
	}
	params["relTypes"] = names
	return ":$any($relTypes)"
}

// quoted is a name as it stands in a statement, whatever it holds.
func quoted(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }

// EdgesOf are the edges of each of some entities behind a position, by entity: best
// confidence first, then oldest, then by id (SPEC B24), at most limit of each.
func (s *Store) EdgesOf(ctx context.Context, workspaceID string, entityIDs []string, w knowledge.Walk, from *knowledge.EdgePosition, limit int) (map[string][]*knowledge.Edge, error) {
	params := visibleParams(map[string]any{"ws": workspaceID, "ids": entityIDs, "limit": limit, "from": nil}, w.At, w.Now)
	if from != nil {
		params["from"] = map[string]any{"confidence": from.Confidence, "createdAt": from.CreatedAt, "id": from.ID}
	}
	type found struct {
		id   string
		edge *knowledge.Edge
	}
	rows, err := runText(ctx, s, edgeOfEntities, s.walkText(edgeOfEntities, w, 1, params), params, func(r row) found {
		return found{r.text("id"), scanWalked(r)}
	}, neo4j.AccessModeRead)
	out := make(map[string][]*knowledge.Edge, len(entityIDs))
	for _, f := range rows {
		out[f.id] = append(out[f.id], f.edge)
	}
	return out, err
}

// CountEdgesOf are the numbers of entities' edges, by entity.
func (s *Store) CountEdgesOf(ctx context.Context, workspaceID string, entityIDs []string, w knowledge.Walk) (map[string]int, error) {
	params := visibleParams(map[string]any{"ws": workspaceID, "ids": entityIDs}, w.At, w.Now)
	rows, err := runText(ctx, s, edgeCountOfEntities, s.walkText(edgeCountOfEntities, w, 1, params), params, func(r row) knowledge.Count {
		return knowledge.Count{Key: r.text("id"), Count: r.int("count")}
	}, neo4j.AccessModeRead)
	return countsByKey(rows), err
}

func countsByKey(rows []knowledge.Count) map[string]int {
	out := make(map[string]int, len(rows))
	for _, c := range rows {
		out[c.Key] = c.Count
	}
	return out
}

// Step walks one hop from entities, one after the other: the edges that fit, in no
// order, as many as the limits allow.
func (s *Store) Step(ctx context.Context, workspaceID string, ids []string, w knowledge.Walk, limits knowledge.StepLimits) ([]knowledge.Step, error) {
	params := visibleParams(map[string]any{"ws": workspaceID, "ids": ids, "per": limits.EachEntity, "most": limits.All, "whole": limits.Whole}, w.At, w.Now)
	found, err := runText(ctx, s, walkStep, s.walkText(walkStep, w, 1, params), params, scanSteps, neo4j.AccessModeRead)
	// One entity's edges come in one row, and the rows in no order.
	at := make(map[string]int, len(found))
	for i, steps := range found {
		at[steps[0].Near] = i
	}
	var out []knowledge.Step
	for _, id := range ids {
		if i, ok := at[id]; ok {
			out = append(out, found[i]...)
		}
	}
	return out, err
}

// Columns of a step.
const (
	stepFar = iota
	stepType
	stepOutgoing
	stepID
	stepConfidence
	stepCreatedAt
	stepEdge
)

func scanSteps(r row) []knowledge.Step {
	near := r.text("near")
	list, _ := r.value("steps").([]any)
	out := make([]knowledge.Step, 0, len(list))
	for _, one := range list {
		v, _ := one.([]any)
		st := knowledge.Step{Near: near, Far: textOf(v[stepFar]), FarType: textOf(v[stepType])}
		from, to := st.Near, st.Far
		if outgoing, _ := v[stepOutgoing].(bool); !outgoing {
			from, to = to, from
		}
		if p := propsOf(v[stepEdge]); p != nil {
			st.Edge, st.Whole = edgeOf(p, from, to), true
		} else {
			created, _ := v[stepCreatedAt].(time.Time)
			st.Edge = &knowledge.Edge{ID: textOf(v[stepID]), FromID: from, ToID: to, Confidence: floatOf(v[stepConfidence]), CreatedAt: created.UTC()}
		}
		out = append(out, st)
	}
	return out
}

// EdgesBetween are edges with both ends among some entities, best confidence first,
// then oldest, then by id.
func (s *Store) EdgesBetween(ctx context.Context, workspaceID string, ids []string, w knowledge.Walk, limit int) ([]*knowledge.Edge, error) {
	params := visibleParams(map[string]any{"ws": workspaceID, "ids": ids, "limit": limit}, w.At, w.Now)
	found, err := runText(ctx, s, walkBetween, s.walkText(walkBetween, w, 1, params), params, func(r row) []*knowledge.Edge {
		list, _ := r.value("edges").([]any)
		out := make([]*knowledge.Edge, 0, len(list))
		for _, one := range list {
			if v, _ := one.([]any); len(v) == 3 {
				out = append(out, edgeOf(propsOf(v[0]), textOf(v[1]), textOf(v[2])))
			}
		}
		return out
	}, neo4j.AccessModeRead)
	return slices.Concat(found...), err
}

// ShortestPath is the way of fewest hops between two different entities, as the ids of
// its entities and edges; of several the one of the highest product of confidences,
// then of the smallest ids (SPEC O15). Empty where there is none.
func (s *Store) ShortestPath(ctx context.Context, workspaceID, from, to string, w knowledge.Walk, maxHops int) (entities, edges []string, err error) {
	params := visibleParams(map[string]any{"ws": workspaceID, "from": from, "to": to, "ties": maxTies}, w.At, w.Now)
	type path struct{ entities, edges []string }
	rows, err := runText(ctx, s, pathShortest, s.walkText(pathShortest, w, maxHops, params), params, func(r row) path {
		return path{r.texts("entities"), r.texts("edges")}
	}, neo4j.AccessModeRead)
	if err != nil || len(rows) == 0 {
		return nil, nil, err
	}
	return rows[0].entities, rows[0].edges, nil
}

func scanWalked(r row) *knowledge.Edge { return edgeOf(r.props("r"), r.text("from"), r.text("to")) }
