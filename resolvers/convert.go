package resolvers

import (
	"errors"
	"slices"

	"mneme/graph/model"
	"mneme/knowledge"
	"mneme/service"
)

// maxNodes bounds how many ids one call may look up.
const maxNodes = 100

// moment is the point of time of an argument; none is now.
func moment(at *knowledge.TimePoint) knowledge.TimePoint {
	if at == nil {
		return knowledge.TimePoint{}
	}
	return *at
}

// given is the value of an optional argument; the zero value where there is none.
func given[T any](v *T) T {
	if v == nil {
		var zero T
		return zero
	}
	return *v
}

// orNil is null for NOT_FOUND, in a field that may be null.
func orNil[T any](v *T, err error) (*T, error) {
	if knowledge.IsNotFound(err) {
		return nil, nil //nolint:nilnil // null in the answer
	}
	return v, err
}

// set is the list that a patch sets: nil where it was left out or null.
func set[T any](list []T) *[]T {
	if list == nil {
		return nil
	}
	return &list
}

// values copies what a list of pointers points to; nil stays nil.
func values[T any](list []*T) []T {
	if list == nil {
		return nil
	}
	out := make([]T, len(list))
	for i, v := range list {
		out[i] = *v
	}
	return out
}

func entityPatch(in model.UpdateEntityInput) knowledge.EntityPatch {
	return knowledge.EntityPatch{
		ID:          in.ID,
		Name:        in.Name.Value(),
		Type:        in.Type.Value(),
		Aliases:     set(in.Aliases.Value()),
		Description: in.Description.Value(),
		Properties:  in.Properties.Value(),
		Confidence:  in.Confidence.Value(),
		Source:      given(in.Source.Value()),
		TaskID:      given(in.TaskID.Value()),
	}
}

func entryPatch(in model.UpdateEntryInput) knowledge.EntryPatch {
	patch := knowledge.EntryPatch{
		ID:            in.ID,
		Type:          in.Type.Value(),
		Title:         in.Title.Value(),
		Content:       in.Content.Value(),
		Confidence:    in.Confidence.Value(),
		Tags:          set(in.Tags.Value()),
		Source:        in.Source.Value(),
		Contacts:      set(values(in.Contacts.Value())),
		Mentions:      set(values(in.Mentions.Value())),
		ExpiresInDays: in.ExpiresInDays.Value(),
	}
	if at, ok := in.ExpiresAt.ValueOK(); ok {
		patch.ExpiresAt = &at
	}
	return patch
}

func workspacePatch(in model.UpdateWorkspaceInput) service.WorkspacePatch {
	patch := service.WorkspacePatch{Name: in.Name.Value()}
	if m := in.Memory.Value(); m != nil {
		patch.Memory = service.MemoryPatch{
			Enabled:           m.Enabled.Value(),
			AutoCapture:       m.AutoCapture.Value(),
			TemporalKnowledge: m.TemporalKnowledge.Value(),
			WakeUpLayers:      m.WakeUpLayers.Value(),
			PrivacyMode:       m.PrivacyMode.Value(),
		}
	}
	if features := in.Features.Value(); len(features) > 0 {
		patch.Features = make(map[knowledge.FeatureName]bool, len(features))
		for _, f := range features {
			patch.Features[f.Name] = f.Enabled
		}
	}
	return patch
}

func loadRequest(in model.LoadInput) service.LoadRequest {
	return service.LoadRequest{
		Atomic:       in.Atomic,
		Entities:     values(in.Entities.Value()),
		Edges:        values(in.Edges.Value()),
		Observations: values(in.Observations.Value()),
		Entries:      values(in.Entries.Value()),
		Relations:    values(in.Relations.Value()),
	}
}

func loadPayload(r *service.LoadResult) *model.LoadPayload {
	p := &model.LoadPayload{
		Created:      r.Created,
		Matched:      r.Matched,
		Entities:     idsOrNull(r.Entities),
		Edges:        idsOrNull(r.Edges),
		Observations: idsOrNull(r.Observations),
		Entries:      idsOrNull(r.Entries),
		Relations:    idsOrNull(r.Relations),
		Errors:       make([]*model.ItemError, len(r.Errors)),
	}
	for i, e := range r.Errors {
		p.Errors[i] = &model.ItemError{List: e.List, Index: e.Index, Code: e.Err.Code, Message: e.Err.Message}
		if e.Err.Field != "" {
			p.Errors[i].Field = &e.Err.Field
		}
	}
	return p
}

// idsOrNull turns empty ids, which stand for failed items, into null.
func idsOrNull(ids []string) []*string {
	out := make([]*string, len(ids))
	for i, id := range ids {
		if id != "" {
			out[i] = &id
		}
	}
	return out
}

func serverInfo(s *service.ServerInfo) *model.ServerInfo {
	info := &model.ServerInfo{
		Version: s.Version,
		Neo4j: &model.Neo4jInfo{
			Version: s.Neo4j.Version, Edition: s.Neo4j.Edition, Local: s.Neo4j.Local, BrowserURL: s.Neo4j.BrowserURL,
		},
		Features: pointers(s.Features),
	}
	if e := s.Embedder; e != nil {
		info.Embedder = &model.EmbedderInfo{Model: e.Model, Dimensions: e.Dimensions, Local: e.Local}
	}
	if m := s.Model; m != nil {
		info.Llm = &model.LlmInfo{Model: m.Model, Configured: m.Configured}
	}
	return info
}

// pointers are the addresses of a list's elements.
func pointers[T any](list []T) []*T {
	out := make([]*T, len(list))
	for i := range list {
		out[i] = &list[i]
	}
	return out
}

// inOrder puts what was found in the order of the ids that were asked for; null for what was not found.
func inOrder(ids []string, found map[string]any) []model.Node {
	nodes := make([]model.Node, len(ids))
	for i, id := range ids {
		nodes[i] = found[id]
	}
	return nodes
}

// vector narrows numbers to those of a vector; nil stays nil, and an empty list stays empty.
func vector(data []float64) *[]float32 {
	if data == nil {
		return nil
	}
	v := make([]float32, len(data))
	for i, f := range data {
		v[i] = float32(f)
	}
	return &v
}

// unlessNoPath is null where two known entities have no way between them.
func unlessNoPath(err error) error {
	var e *knowledge.Error
	if errors.As(err, &e) && e.Code == knowledge.CodeNotFound && e.Field == "" {
		return nil
	}
	return err
}

// withExamples is a run with the examples of a dry run among its counts: the contract has
// no other place for them.
func withExamples(run *knowledge.MaintenanceRun, err error) (*knowledge.MaintenanceRun, error) {
	if err != nil || len(run.Examples) == 0 {
		return run, err
	}
	shown := *run
	shown.Counts = slices.Clone(run.Counts)
	for _, example := range run.Examples {
		shown.Counts = append(shown.Counts, knowledge.Count{Key: "e.g. " + example, Count: 1})
	}
	return &shown, nil
}

// workspaceOf is the workspace of what was recalled.
func workspaceOf(item knowledge.RecallItem) string {
	switch item := item.(type) {
	case *knowledge.Entry:
		return item.WorkspaceID
	case *knowledge.Edge:
		return item.WorkspaceID
	case *knowledge.Observation:
		return item.WorkspaceID
	default:
		return ""
	}
}
