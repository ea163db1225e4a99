package service

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"mneme/knowledge"
)

// json writes everything that is stored, but vectors, as one object that an import takes
// in again (SPEC O18). The same graph gives the same bytes.
func (x *exporting) json(ctx context.Context) error {
	entityTypes, err := x.store.EntityTypes(ctx, x.ws.ID)
	if err != nil {
		return err
	}
	byID(entityTypes, func(t *knowledge.EntityType) string { return t.ID })
	edgeTypes, err := x.store.EdgeTypes(ctx, x.ws.ID)
	if err != nil {
		return err
	}
	byID(edgeTypes, func(t *knowledge.EdgeType) string { return t.Key })
	x.text("{\n", `  "workspace": `)
	if err := x.value(knowledge.ExportWorkspace(x.ws), "  "); err != nil {
		return err
	}
	for _, section := range []func() error{
		func() error {
			return listed(ctx, x, "entityTypes", once(entityTypes), always(knowledge.ExportEntityType))
		},
		func() error { return listed(ctx, x, "edgeTypes", once(edgeTypes), always(knowledge.ExportEdgeType)) },
		func() error { return listed(ctx, x, "entities", x.entities, x.exportEntities) },
		func() error { return listed(ctx, x, "edges", x.edges, x.exportEdges) },
		func() error { return listed(ctx, x, "observations", x.observations, x.exportObservations) },
		func() error { return listed(ctx, x, "entries", x.entries, x.exportEntries) },
		func() error { return listed(ctx, x, "relations", x.relations, always(knowledge.ExportRelation)) },
	} {
		if err := section(); err != nil {
			return err
		}
	}
	x.text("\n}\n")
	return nil
}

// value writes a value as indented JSON, without an end of line.
func (x *exporting) value(v any, prefix string) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent(prefix, "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := x.out.Write(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
	return err
}

// listed writes a list of the export, batch by batch.
func listed[T, J any](ctx context.Context, x *exporting, name string, read func(context.Context, func([]T) error) error, convert func(context.Context, []T) ([]J, error)) error {
	x.text(",\n", `  "`, name, `": [`)
	first := true
	err := read(ctx, func(batch []T) error {
		converted, err := convert(ctx, batch)
		if err != nil {
			return err
		}
		for _, c := range converted {
			if !first {
				x.text(",")
			}
			first = false
			x.text("\n    ")
			if err := x.value(c, "    "); err != nil {
				return err
			}
		}
		return nil
	})
	if !first {
		x.text("\n  ")
	}
	x.text("]")
	return err
}

// once reads a list that is there already.
func once[T any](list []T) func(context.Context, func([]T) error) error {
	return func(_ context.Context, use func([]T) error) error { return use(list) }
}

// always converts things that need nothing else.
func always[T, J any](convert func(T) J) func(context.Context, []T) ([]J, error) {
	return func(_ context.Context, batch []T) ([]J, error) {
		out := make([]J, len(batch))
		for i, item := range batch {
			out[i] = convert(item)
		}
		return out, nil
	}
}

// supports are what a batch of things rests on, as it was known at the moment of the export.
func (x *exporting) supports(ctx context.Context, kind knowledge.Supported, ids []string) (map[string][]*knowledge.Support, error) {
	found, err := x.store.SupportsOf(ctx, x.ws.ID, kind, ids)
	if x.at.KnownAt == nil {
		return found, err
	}
	for id, supports := range found {
		found[id] = slices.DeleteFunc(supports, func(s *knowledge.Support) bool { return s.AddedAt.After(*x.at.KnownAt) })
	}
	return found, err
}

func (x *exporting) exportEntities(ctx context.Context, batch []*knowledge.Entity) ([]knowledge.ExportedEntity, error) {
	supports, err := x.supports(ctx, knowledge.SupportedEntity, idsOf(batch, func(e *knowledge.Entity) string { return e.ID }))
	out := make([]knowledge.ExportedEntity, len(batch))
	for i, e := range batch {
		out[i] = knowledge.ExportEntity(e, supports[e.ID])
	}
	return out, err
}

func (x *exporting) exportEdges(ctx context.Context, batch []namedEdge) ([]knowledge.ExportedEdge, error) {
	supports, err := x.supports(ctx, knowledge.SupportedFact, idsOf(batch, func(e namedEdge) string { return e.ID }))
	out := make([]knowledge.ExportedEdge, len(batch))
	for i, e := range batch {
		out[i] = knowledge.ExportEdge(e.Edge, supports[e.ID])
	}
	return out, err
}

func (x *exporting) exportObservations(ctx context.Context, batch []*knowledge.Observation) ([]knowledge.ExportedObservation, error) {
	supports, err := x.supports(ctx, knowledge.SupportedObservation, idsOf(batch, func(o *knowledge.Observation) string { return o.ID }))
	out := make([]knowledge.ExportedObservation, len(batch))
	for i, o := range batch {
		out[i] = knowledge.ExportObservation(o, supports[o.ID])
	}
	return out, err
}

func (x *exporting) exportEntries(ctx context.Context, batch []*knowledge.Entry) ([]knowledge.ExportedEntry, error) {
	ids := idsOf(batch, func(e *knowledge.Entry) string { return e.ID })
	supports, err := x.supports(ctx, knowledge.SupportedEntry, ids)
	if err != nil {
		return nil, err
	}
	auto, err := x.store.AutoMentions(ctx, x.ws.ID, ids)
	out := make([]knowledge.ExportedEntry, len(batch))
	for i, e := range batch {
		out[i] = knowledge.ExportEntry(e, auto[e.ID], supports[e.ID])
	}
	return out, err
}

func idsOf[T any](list []T, id func(T) string) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = id(item)
	}
	return out
}
