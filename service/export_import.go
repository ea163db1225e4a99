package service

import (
	"context"
	"iter"

	"mneme/knowledge"
)

// RestoreStore takes in what an export holds as it is.
type RestoreStore interface {
	// BeginRestore marks a workspace that holds nothing; true where it now carries the mark.
	BeginRestore(ctx context.Context, workspaceID, mark string) (bool, error)
	EndRestore(ctx context.Context, workspaceID string) error
	// AdoptWorkspaceID gives the id that an empty workspace has afterwards: its own where the other is taken.
	AdoptWorkspaceID(ctx context.Context, workspaceID, id string) (string, error)
	UpdateWorkspace(ctx context.Context, w *knowledge.Workspace) error
	RestoreEntityTypes(ctx context.Context, workspaceID string, types []*knowledge.EntityType) error
	PutEdgeTypes(ctx context.Context, workspaceID string, types []*knowledge.EdgeType, declare bool) error
	EdgeTypeRules(ctx context.Context, workspaceID string, keys []string) (map[string]knowledge.EdgeType, error)
	// TakenIDs are the workspaces that have things of ids, by id.
	TakenIDs(ctx context.Context, kind knowledge.ExportKind, ids []string) (map[string]string, error)
	WriteEntities(ctx context.Context, workspaceID string, writes []knowledge.EntityWrite) error
	WriteEdges(ctx context.Context, workspaceID string, w knowledge.EdgeWrites) error
	WriteObservations(ctx context.Context, workspaceID string, w knowledge.ObservationWrites) error
	InsertEntries(ctx context.Context, workspaceID string, writes []knowledge.EntryWrite, model knowledge.EmbeddingModel) error
	SetAccess(ctx context.Context, entries []*knowledge.Entry) error
	InsertRelations(ctx context.Context, relations []*knowledge.Relation) error
	AddSupports(ctx context.Context, workspaceID string, adds []knowledge.SupportAdd) error
}

// ExportImport says who is told how an import of an export goes.
type ExportImport struct {
	// OnItemError, where set, is told of each thing that could not be taken in.
	OnItemError func(where string, err error)
	// OnBatch, where set, is told what is written so far.
	OnBatch func(counts ImportCounts)
}

// Import takes an export in JSON in (SPEC O18). Into a workspace that holds nothing it is
// restored: with its ids, where these are free, its times and its history; also with its
// settings and its own id, where the workspace has the exported one's key. An import that
// was cut off is run again and goes on. Into a workspace that holds something it is merged
// as if a person wrote it: entities by name and identity, the rest by what it says; what
// came from the same export before stays as it is.
//
// A thing that is wrong is told, counted and left out. An error is returned where writing
// itself failed, with the counts up to there.
func (s *Exports) Import(ctx context.Context, to Target, items iter.Seq[knowledge.ExportItem], o ExportImport) (ImportCounts, error) {
	ws, err := s.c.Workspaces.Get(ctx, to.Workspace)
	if err != nil {
		return ImportCounts{}, err
	}
	in := &importing{c: s.c, to: to, ws: ws, options: o, renamed: map[string]string{}}
	for item := range items {
		if err := ctx.Err(); err != nil {
			return in.counts, err
		}
		if err := in.take(ctx, item); err != nil {
			return in.counts, err
		}
	}
	if err := in.flush(ctx); err != nil {
		return in.counts, err
	}
	if in.raw {
		return in.counts, s.c.Restore.EndRestore(ctx, in.ws.ID)
	}
	return in.counts, nil
}

// importing is one import of an export under way.
type importing struct {
	c       ExportsConfig
	to      Target
	ws      *knowledge.Workspace
	options ExportImport
	begun   bool
	raw     bool // what is read is written as it is
	counts  ImportCounts

	kind    string // of the batch
	batch   []knowledge.ExportItem
	renamed map[string]string // in a merge: which ids things have here, where these are others
}

func (in *importing) take(ctx context.Context, item knowledge.ExportItem) error {
	if !in.begun {
		if err := in.begin(ctx, item.Workspace); err != nil {
			return err
		}
		if item.Workspace != nil {
			return nil
		}
	}
	if item.Err != nil {
		in.fail(item, item.Err)
		return nil
	}
	if kind := kindOfItem(item); kind != in.kind || len(in.batch) == exportBatch {
		if err := in.flush(ctx); err != nil {
			return err
		}
		in.kind = kind
	}
	in.batch = append(in.batch, item)
	return nil
}

func kindOfItem(item knowledge.ExportItem) string {
	switch {
	case item.EntityType != nil:
		return "entityTypes"
	case item.EdgeType != nil:
		return "edgeTypes"
	case item.Entity != nil:
		return "entities"
	case item.Edge != nil:
		return "edges"
	case item.Observation != nil:
		return "observations"
	case item.Entry != nil:
		return "entries"
	case item.Relation != nil:
		return "relations"
	default:
		return "workspace"
	}
}

// begin decides whether the export is restored or merged, and restores the workspace itself.
func (in *importing) begin(ctx context.Context, exported *knowledge.ExportedWorkspace) error {
	in.begun = true
	mark := "an export"
	if exported != nil {
		mark = exported.ID
	}
	var err error
	if in.raw, err = in.c.Restore.BeginRestore(ctx, in.ws.ID, mark); err != nil || !in.raw || exported == nil || exported.Key != in.ws.Key {
		return err
	}
	restored, err := exported.Restored(*in.ws)
	if err != nil {
		return knowledge.InField("workspace", err)
	}
	return in.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		w := *restored
		if knowledge.IsID(knowledge.PrefixWorkspace, exported.ID) && exported.ID != in.ws.ID {
			if w.ID, err = in.c.Restore.AdoptWorkspaceID(ctx, in.ws.ID, exported.ID); err != nil {
				return err
			}
		}
		if err := in.c.Restore.UpdateWorkspace(ctx, &w); err != nil {
			return err
		}
		in.ws = &w
		return nil
	})
}

func (in *importing) fail(item knowledge.ExportItem, err error) {
	in.counts.Read++
	in.counts.Failed++
	if in.options.OnItemError != nil {
		in.options.OnItemError(item.Where, err)
	}
}

// flush writes the batch.
func (in *importing) flush(ctx context.Context) error {
	if len(in.batch) == 0 {
		return nil
	}
	batch := in.batch
	in.batch = nil
	write := map[string]func(context.Context, []knowledge.ExportItem) (tallied, error){
		"entityTypes": in.entityTypes, "edgeTypes": in.edgeTypes,
		"entities": in.restoreEntities, "edges": in.restoreEdges, "observations": in.restoreObservations, "entries": in.restoreEntries, "relations": in.restoreRelations,
	}[in.kind]
	if write == nil {
		return nil // a second workspace: there is one
	}
	if err := in.write(ctx, batch, write); err != nil {
		return err
	}
	if in.options.OnBatch != nil {
		in.options.OnBatch(in.counts)
	}
	return nil
}

// tallied is what became of a batch: how many were made, how many were there, and what was wrong.
type tallied struct {
	created, matched int
	failed           map[int]error // by place in the batch
}

// write writes a batch in one transaction. Where something in it cannot be kept beside
// something else, as two entities of one name, its things are written one by one, so that
// only that one is left out.
func (in *importing) write(ctx context.Context, batch []knowledge.ExportItem, write func(context.Context, []knowledge.ExportItem) (tallied, error)) error {
	var t tallied
	attempt := func(ctx context.Context) error {
		var err error
		t, err = write(ctx, batch)
		return err
	}
	var err error
	if in.raw {
		err = in.c.Tx.Atomically(ctx, attempt)
	} else { // the use cases have transactions of their own, and call the embedder
		err = attempt(ctx)
	}
	switch {
	case err != nil && knowledge.CodeOf(err) == knowledge.CodeConflict && len(batch) > 1:
		for i := range batch {
			if err := in.write(ctx, batch[i:i+1], write); err != nil {
				return err
			}
		}
		return nil
	case err != nil && knowledge.CodeOf(err) == knowledge.CodeConflict:
		in.fail(batch[0], knowledge.Errorf(knowledge.CodeConflict, "something equal is there already"))
		return nil
	case err != nil:
		return err
	}
	in.counts.Created += t.created
	in.counts.Matched += t.matched
	in.counts.Read += t.created + t.matched
	for i := range batch {
		if err := t.failed[i]; err != nil {
			in.fail(batch[i], err)
		}
	}
	return nil
}

// Types are no things of their own: they are not counted.

func (in *importing) entityTypes(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	var types []*knowledge.EntityType
	var keys []string
	for i, item := range batch {
		typ, err := item.EntityType.EntityType(in.ws.ID)
		if err != nil {
			t.failed[i] = err
			continue
		}
		types, keys = append(types, typ), append(keys, typ.Key)
	}
	if err := in.c.Workspaces.types.ensure(ctx, in.ws.ID, keys); err != nil || !in.raw {
		return t, err
	}
	return t, in.c.Restore.RestoreEntityTypes(ctx, in.ws.ID, types)
}

func (in *importing) edgeTypes(ctx context.Context, batch []knowledge.ExportItem) (tallied, error) {
	t := tallied{failed: map[int]error{}}
	var types []*knowledge.EdgeType
	for i, item := range batch {
		typ, err := item.EdgeType.EdgeType(in.ws.ID)
		if err != nil {
			t.failed[i] = err
			continue
		}
		types = append(types, typ)
	}
	return t, in.c.Restore.PutEdgeTypes(ctx, in.ws.ID, types, in.raw)
}
