package mcp

import (
	"context"
	"strconv"
	"time"

	"mneme/knowledge"
)

// Writes of the entity graph (SPEC J3 to J9).

type createEntityIn struct {
	EntityType  string         `json:"entity_type" jsonschema:"what kind of thing it is, as in person, organization, project, technology, concept, service, decision; an unknown type is made"`
	Name        string         `json:"name" jsonschema:"what it is called; an entity of that name, alias or spelling is found rather than made again"`
	Description *string        `json:"description,omitempty" jsonschema:"what it is, in a sentence or two"`
	Properties  map[string]any `json:"properties,omitempty" jsonschema:"further facts about it, by name"`
	TaskID      string         `json:"task_id,omitempty" jsonschema:"the task that this write belongs to"`
}

type entityCard struct {
	ID          string  `json:"id"`
	Type        string  `json:"type"`
	Name        string  `json:"name"`
	Description string  `json:"description,omitempty"`
	Confidence  float64 `json:"confidence"`
}

type createEntityOut struct {
	Success bool       `json:"success"`
	Created bool       `json:"created" jsonschema:"false where an existing entity was found and merged into"`
	Note    string     `json:"note,omitempty"`
	Entity  entityCard `json:"entity"`
}

func createEntity(ctx context.Context, c *call, in *createEntityIn) (*createEntityOut, error) {
	out, err := c.view.Upsert(ctx, knowledge.EntityDraft{
		Type: in.EntityType, Name: in.Name, Description: in.Description, Properties: in.Properties, TaskID: in.TaskID,
	})
	if err != nil {
		return nil, renamed(err, map[string]string{"type": "entity_type", "taskId": "task_id"})
	}
	return &createEntityOut{Success: true, Created: out.Created, Note: keptNote(out), Entity: c.card(out.Entity, c.budget.long())}, nil
}

const descriptionKept = "the stored description comes from a stronger source and was kept; the rest was applied"

func keptNote(u *knowledge.EntityUpsert) string {
	if u.KeptDescription {
		return descriptionKept
	}
	return ""
}

// card is an entity with its description cut to some room.
func (c *call) card(e *knowledge.Entity, room int) entityCard {
	return entityCard{ID: e.ID, Type: e.TypeKey, Name: cut(e.Name, c.budget.short()), Description: cut(given(e.Description), room), Confidence: e.Confidence}
}

func given[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

type updateEntityIn struct {
	EntityID    string         `json:"entity_id" jsonschema:"the entity's id"`
	Description *string        `json:"description,omitempty" jsonschema:"a new description; empty clears it"`
	Properties  map[string]any `json:"properties,omitempty" jsonschema:"properties to set; null removes one"`
	Confidence  *float64       `json:"confidence,omitempty" jsonschema:"how sure it is that it exists as described, 0 to 1"`
	TaskID      string         `json:"task_id,omitempty" jsonschema:"the task that this write belongs to"`
}

type updateEntityOut struct {
	Success bool       `json:"success"`
	Note    string     `json:"note,omitempty" jsonschema:"set where the stored description was kept"`
	Entity  entityCard `json:"entity"`
}

func updateEntity(ctx context.Context, c *call, in *updateEntityIn) (*updateEntityOut, error) {
	out, err := c.view.Update(ctx, knowledge.EntityPatch{
		ID: in.EntityID, Description: in.Description, Properties: in.Properties, Confidence: in.Confidence, TaskID: in.TaskID,
	})
	if err != nil {
		return nil, renamed(err, map[string]string{"id": "entity_id", "taskId": "task_id"})
	}
	return &updateEntityOut{Success: true, Note: keptNote(out), Entity: c.card(out.Entity, c.budget.long())}, nil
}

type deleteEntityIn struct {
	EntityID string `json:"entity_id" jsonschema:"the entity's id"`
	TaskID   string `json:"task_id,omitempty" jsonschema:"the task that this call belongs to"`
}

type deletedOut struct {
	Success bool   `json:"success" jsonschema:"false where there was nothing to delete"`
	Message string `json:"message"`
}

func deleteEntity(ctx context.Context, c *call, in *deleteEntityIn) (*deletedOut, error) {
	out, err := c.view.Delete(ctx, in.EntityID)
	if err != nil {
		return nil, renamed(err, map[string]string{"id": "entity_id"})
	}
	if !out.Deleted {
		return &deletedOut{Message: "there is no such entity"}, nil
	}
	return &deletedOut{Success: true, Message: "the entity is gone, with " + counted(out.Edges, "edge") + " and " + counted(out.Observations, "observation")}, nil
}

type createEdgeIn struct {
	Source     reference      `json:"source_entity_id" jsonschema:"the entity that the edge leads from: its id, or its name where that is unambiguous"`
	Target     reference      `json:"target_entity_id" jsonschema:"the entity that it leads to: its id or name"`
	EdgeType   string         `json:"edge_type" jsonschema:"how they are connected, as in uses, depends_on, part_of, works_at, owns, related_to; any other verb is taken"`
	Properties map[string]any `json:"properties,omitempty" jsonschema:"further facts about the connection, by name"`
	ValidFrom  *moment        `json:"valid_from,omitempty" jsonschema:"when it began to be true; now without it"`
	ValidTo    *moment        `json:"valid_to,omitempty" jsonschema:"when it stopped being true; without it, it still is"`
	TaskID     string         `json:"task_id,omitempty" jsonschema:"the task that this write belongs to"`
}

type edgeCard struct {
	ID        string     `json:"id"`
	Type      string     `json:"type"`
	Source    string     `json:"source" jsonschema:"the id of the entity that it leads from"`
	Target    string     `json:"target" jsonschema:"the id of the entity that it leads to"`
	ValidFrom *time.Time `json:"validFrom,omitempty"`
	ValidTo   *time.Time `json:"validTo,omitempty"`
}

type createEdgeOut struct {
	Success    bool       `json:"success"`
	Created    bool       `json:"created" jsonschema:"false where the equal edge was there"`
	Edge       edgeCard   `json:"edge"`
	Superseded []edgeCard `json:"superseded,omitempty" jsonschema:"edges of a single-valued type that this one ended"`
}

func edgeCardOf(e *knowledge.Edge) edgeCard {
	return edgeCard{ID: e.ID, Type: e.Type, Source: e.FromID, Target: e.ToID, ValidFrom: e.ValidFrom, ValidTo: e.ValidTo}
}

// mostSuperseded bounds what of the edges that one ended is named.
const mostSuperseded = 20

func createEdge(ctx context.Context, c *call, in *createEdgeIn) (*createEdgeOut, error) {
	out, err := c.view.Connect(ctx, knowledge.EdgeDraft{
		From: in.Source.EntityRef, To: in.Target.EntityRef, Type: in.EdgeType, Properties: in.Properties,
		ValidFrom: in.ValidFrom.given(), ValidTo: in.ValidTo.given(), TaskID: in.TaskID,
	})
	if err != nil {
		return nil, renamed(err, map[string]string{
			"from": "source_entity_id", "to": "target_entity_id", "type": "edge_type", "validFrom": "valid_from", "validTo": "valid_to", "taskId": "task_id",
		})
	}
	answer := &createEdgeOut{Success: true, Created: out.Created, Edge: edgeCardOf(out.Edge)}
	for _, e := range out.Superseded[:min(len(out.Superseded), mostSuperseded)] {
		answer.Superseded = append(answer.Superseded, edgeCardOf(e))
	}
	return answer, nil
}

type deleteEdgeIn struct {
	EdgeID string `json:"edge_id" jsonschema:"the edge's id"`
	TaskID string `json:"task_id,omitempty" jsonschema:"the task that this call belongs to"`
}

func deleteEdge(ctx context.Context, c *call, in *deleteEdgeIn) (*deletedOut, error) {
	out, err := c.view.Disconnect(ctx, in.EdgeID)
	if err != nil {
		return nil, renamed(err, map[string]string{"id": "edge_id"})
	}
	if !out.Deleted {
		return &deletedOut{Message: "there is no such edge"}, nil
	}
	return &deletedOut{Success: true, Message: "the edge is gone, and with it that it ever held"}, nil
}

type invalidateEdgeIn struct {
	EdgeID  string  `json:"edge_id" jsonschema:"the edge's id"`
	ValidTo *moment `json:"valid_to,omitempty" jsonschema:"when it stopped being true; now without it"`
	TaskID  string  `json:"task_id,omitempty" jsonschema:"the task that this call belongs to"`
}

type invalidateEdgeOut struct {
	Success bool     `json:"success"`
	Edge    edgeCard `json:"edge"`
}

func invalidateEdge(ctx context.Context, c *call, in *invalidateEdgeIn) (*invalidateEdgeOut, error) {
	out, err := c.view.Invalidate(ctx, knowledge.EdgeEnd{ID: in.EdgeID, ValidTo: in.ValidTo.given()})
	if err != nil {
		return nil, renamed(err, map[string]string{"id": "edge_id", "validTo": "valid_to"})
	}
	return &invalidateEdgeOut{Success: true, Edge: edgeCardOf(out)}, nil
}

type addObservationIn struct {
	Entity  reference `json:"entity_id" jsonschema:"the entity that it is about: its id, or its name where that is unambiguous"`
	Content string    `json:"content" jsonschema:"what was seen or said of it; the same text is kept once"`
	TaskID  string    `json:"task_id,omitempty" jsonschema:"the task that this write belongs to"`
}

type observationCard struct {
	ID        string    `json:"id"`
	EntityID  string    `json:"entityId"`
	Content   string    `json:"content"`
	CreatedAt time.Time `json:"createdAt"`
}

type addObservationOut struct {
	Success     bool            `json:"success"`
	Created     bool            `json:"created" jsonschema:"false where the equal observation was there"`
	Observation observationCard `json:"observation"`
}

func addObservation(ctx context.Context, c *call, in *addObservationIn) (*addObservationOut, error) {
	out, err := c.view.Observe(ctx, knowledge.ObservationDraft{Entity: in.Entity.EntityRef, Text: in.Content, TaskID: in.TaskID})
	if err != nil {
		return nil, renamed(err, map[string]string{"entity": "entity_id", "text": "content", "taskId": "task_id"})
	}
	o := out.Observation
	return &addObservationOut{
		Success: true, Created: out.Created,
		Observation: observationCard{ID: o.ID, EntityID: o.EntityID, Content: cut(o.Text, c.budget.long()), CreatedAt: o.CreatedAt},
	}, nil
}

// counted is a number of things, in words.
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + one + "s"
}
