package resolvers

import (
	"context"
	"time"

	"github.com/vikstrous/dataloadgen"

	"mneme/knowledge"
)

// loaderWait is how long a loader gathers ids before it asks for them all at once:
// long enough for the goroutines of one list to arrive, short beside a statement.
const loaderWait = 2 * time.Millisecond

// itemKey names a thing of a workspace.
type itemKey struct{ workspace, id string }

// loaders gather what the fields of one operation need, so that a list costs one
// statement a field and not one an item. They remember what they loaded, so every
// root field of a mutation gets its own.
type loaders struct {
	workspaces          *dataloadgen.Loader[string, *knowledge.Workspace]
	nodes               *dataloadgen.Loader[string, any]
	entityTypes         *dataloadgen.Loader[string, map[string]*knowledge.EntityType]
	entityTypeCounts    *dataloadgen.Loader[string, map[string]int]
	edgeTypeCounts      *dataloadgen.Loader[string, map[string]int]
	entities            *dataloadgen.Loader[itemKey, *knowledge.Entity]
	entries             *dataloadgen.Loader[itemKey, *knowledge.Entry]
	superseding         *dataloadgen.Loader[itemKey, *knowledge.Entry]
	edgeSupports        *dataloadgen.Loader[itemKey, []*knowledge.Support]
	observationSupports *dataloadgen.Loader[itemKey, []*knowledge.Support]
	entrySupports       *dataloadgen.Loader[itemKey, []*knowledge.Support]
	messageEntries      *dataloadgen.Loader[itemKey, []*knowledge.Entry]

	edgeLists        nestedList[*knowledge.Edge]
	observationLists nestedList[*knowledge.Observation]
	entryLists       nestedList[*knowledge.Entry]
	relationLists    nestedList[*knowledge.Relation]

	code codeLoaders
}

func newLoaders(r *Resolver, wait time.Duration) *loaders {
	return &loaders{
		workspaces:          byID(r.Workspaces.ByIDs, wait),
		nodes:               byID(r.Nodes.ByIDs, wait),
		entityTypes:         byWorkspace(r.Types.EntityTypesByKey, wait),
		entityTypeCounts:    byWorkspace(r.Types.EntityTypeCounts, wait),
		edgeTypeCounts:      byWorkspace(r.Types.EdgeTypeCounts, wait),
		entities:            byItem(r.Entities.ByIDs, wait),
		entries:             byItem(r.Entries.ByIDs, wait),
		superseding:         byItem(r.Entries.SupersededBy, wait),
		edgeSupports:        byItem(inWorkspace(r.Edges.Supports), wait),
		observationSupports: byItem(inWorkspace(r.Observations.Supports), wait),
		entrySupports:       byItem(inWorkspace(r.Entries.Supports), wait),
		messageEntries:      byItem(r.Messages.Entries, wait),

		edgeLists:        newNestedList[*knowledge.Edge](wait),
		observationLists: newNestedList[*knowledge.Observation](wait),
		entryLists:       newNestedList[*knowledge.Entry](wait),
		relationLists:    newNestedList[*knowledge.Relation](wait),

		code: newCodeLoaders(r.Code, wait),
	}
}

type loadersKey struct{}

func withLoaders(ctx context.Context, l *loaders) context.Context {
	return context.WithValue(ctx, loadersKey{}, l)
}

// loadersOf are the loaders of an operation, which NewHandler put there.
func loadersOf(ctx context.Context) *loaders {
	l, _ := ctx.Value(loadersKey{}).(*loaders)
	return l
}

// byID loads things by an id that is unique in the database; what does not exist is the zero value.
func byID[T any](fetch func(ctx context.Context, ids []string) (map[string]T, error), wait time.Duration) *dataloadgen.Loader[string, T] {
	return dataloadgen.NewLoader(func(ctx context.Context, ids []string) ([]T, []error) {
		found, err := fetch(ctx, ids)
		values, errs := make([]T, len(ids)), make([]error, len(ids))
		for i, id := range ids {
			values[i], errs[i] = found[id], err
		}
		return values, errs
	}, dataloadgen.WithWait(wait))
}

// byWorkspace loads what a workspace has one of.
func byWorkspace[T any](fetch func(ctx context.Context, workspaceID string) (T, error), wait time.Duration) *dataloadgen.Loader[string, T] {
	return dataloadgen.NewLoader(func(ctx context.Context, ids []string) ([]T, []error) {
		values, errs := make([]T, len(ids)), make([]error, len(ids))
		for i, id := range ids {
			values[i], errs[i] = fetch(ctx, id)
		}
		return values, errs
	}, dataloadgen.WithWait(wait))
}

// itemFetch gives things of one workspace by id.
type itemFetch[T any] func(ctx context.Context, workspaceID string, ids []string) (map[string]T, error)

// byItem loads things of workspaces by id, one call a workspace; what does not exist is the zero value.
func byItem[T any](fetch itemFetch[T], wait time.Duration) *dataloadgen.Loader[itemKey, T] {
	return dataloadgen.NewLoader(func(ctx context.Context, keys []itemKey) ([]T, []error) {
		return gather(keys, func(k itemKey) (string, string) { return k.workspace, k.id },
			func(workspace string, ids []string) (map[string]T, error) { return fetch(ctx, workspace, ids) })
	}, dataloadgen.WithWait(wait))
}

// gather splits keys into groups, fetches each group at once, and puts the results in the order of the keys.
func gather[K any, G comparable, T any](keys []K, split func(K) (G, string), fetch func(group G, ids []string) (map[string]T, error)) ([]T, []error) {
	places := map[G][]int{}
	for i, k := range keys {
		group, _ := split(k)
		places[group] = append(places[group], i)
	}
	values, errs := make([]T, len(keys)), make([]error, len(keys))
	for group, at := range places {
		ids := make([]string, len(at))
		for j, i := range at {
			_, ids[j] = split(keys[i])
		}
		found, err := fetch(group, ids)
		for j, i := range at {
			values[i], errs[i] = found[ids[j]], err
		}
	}
	return values, errs
}

// entity loads one entity of a workspace; NOT_FOUND where it has gone.
func (l *loaders) entity(ctx context.Context, workspaceID, id string) (*knowledge.Entity, error) {
	e, err := l.entities.Load(ctx, itemKey{workspaceID, id})
	if err == nil && e == nil {
		err = knowledge.NotFound("", "the entity is no longer there")
	}
	return e, err
}

// entry loads one entry of a workspace; NOT_FOUND where it has gone.
func (l *loaders) entry(ctx context.Context, workspaceID, id string) (*knowledge.Entry, error) {
	e, err := l.entries.Load(ctx, itemKey{workspaceID, id})
	if err == nil && e == nil {
		err = knowledge.NotFound("", "the entry is no longer there")
	}
	return e, err
}

// entitiesOf loads several entities of a workspace, in the order of their ids; those that have gone are left out.
func (l *loaders) entitiesOf(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entity, error) {
	keys := make([]itemKey, len(ids))
	for i, id := range ids {
		keys[i] = itemKey{workspaceID, id}
	}
	found, err := l.entities.LoadAllThunk(ctx, keys)()
	if err != nil {
		return nil, err
	}
	entities := make([]*knowledge.Entity, 0, len(found))
	for _, e := range found {
		if e != nil {
			entities = append(entities, e)
		}
	}
	return entities, nil
}

// know remembers entities that a traversal has read already.
func (l *loaders) know(entities ...*knowledge.Entity) {
	for _, e := range entities {
		l.entities.Prime(itemKey{e.WorkspaceID, e.ID}, e)
	}
}

// knowEntries remembers entries that a search has read already.
func (l *loaders) knowEntries(entries ...*knowledge.Entry) {
	for _, e := range entries {
		l.entries.Prime(itemKey{e.WorkspaceID, e.ID}, e)
	}
}

// inWorkspace lets supports know their workspace, in which their entries are looked up.
func inWorkspace(fetch itemFetch[[]*knowledge.Support]) itemFetch[[]*knowledge.Support] {
	return func(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Support, error) {
		found, err := fetch(ctx, workspaceID, ids)
		for _, supports := range found {
			for _, s := range supports {
				s.WorkspaceID = workspaceID
			}
		}
		return found, err
	}
}
