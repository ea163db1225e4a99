package resolvers

import (
	"context"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vikstrous/dataloadgen"

	"mneme/graph/scalar"
	"mneme/knowledge"
	"mneme/service"
)

// nested loads the same question of many owners at once, such as the first 50 edges of each entity of a list.
type nested[T any] struct {
	loader *dataloadgen.Loader[nestedKey, T]

	mu      sync.Mutex
	fetches map[nestedGroup]nestedFetch[T]
}

// nestedFetch answers one question of several owners of one workspace, by owner.
type nestedFetch[T any] func(ctx context.Context, owners []string) (map[string]T, error)

type nestedGroup struct{ workspace, question string }

type nestedKey struct {
	group nestedGroup
	owner string
}

func newNested[T any](wait time.Duration) *nested[T] {
	n := &nested[T]{fetches: map[nestedGroup]nestedFetch[T]{}}
	n.loader = dataloadgen.NewLoader(func(ctx context.Context, keys []nestedKey) ([]T, []error) {
		return gather(keys, func(k nestedKey) (nestedGroup, string) { return k.group, k.owner },
			func(group nestedGroup, owners []string) (map[string]T, error) { return n.fetch(group)(ctx, owners) })
	}, dataloadgen.WithWait(wait))
	return n
}

func (n *nested[T]) fetch(group nestedGroup) nestedFetch[T] {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.fetches[group]
}

// ask begins to answer a question of one owner, and gives what waits for the answer;
// fetch must mean the same for every owner of one workspace and question.
func (n *nested[T]) ask(ctx context.Context, group nestedGroup, owner string, fetch nestedFetch[T]) func() (T, error) {
	n.mu.Lock()
	if n.fetches[group] == nil {
		n.fetches[group] = fetch
	}
	n.mu.Unlock()
	return n.loader.LoadThunk(ctx, nestedKey{group, owner})
}

// nestedList loads the lists of many owners and their lengths.
type nestedList[T any] struct {
	pages  *nested[*knowledge.Page[T]]
	counts *nested[int]
}

func newNestedList[T any](wait time.Duration) nestedList[T] {
	return nestedList[T]{pages: newNested[*knowledge.Page[T]](wait), counts: newNested[int](wait)}
}

// read gives one owner's page, and what counts its whole list. The count is asked for
// together with the page where it is selected: gqlgen resolves it only after everything
// below the page, when the counts of other owners have been asked for already.
func (l nestedList[T]) read(ctx context.Context, p *pager, workspaceID, owner string, page nestedFetch[*knowledge.Page[T]], count nestedFetch[int]) (*knowledge.Page[T], scalar.Counter, error) {
	group := nestedGroup{workspaceID, p.question}
	wait := l.pages.ask(ctx, group, owner, page)
	counter := func(ctx context.Context) (int, error) { return l.counts.ask(ctx, group, owner, count)() }
	if selects(ctx, "totalCount") {
		total := l.counts.ask(ctx, group, owner, count)
		counter = func(context.Context) (int, error) { return total() }
	}
	found, err := wait()
	if found == nil {
		found = &knowledge.Page[T]{}
	}
	return found, counter, err
}

// selects tells whether the answer of the field at hand is asked for a field of its own.
func selects(ctx context.Context, name string) bool {
	for _, f := range graphql.CollectFieldsCtx(ctx, nil) {
		if f.Name == name {
			return true
		}
	}
	return false
}

func (r *Resolver) edgesOf(workspaceID string, q service.EdgeQuery, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Edge]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Edge], error) {
		return r.Edges.OfEntities(ctx, workspaceID, owners, q, page)
	}
}

func (r *Resolver) edgeCountsOf(workspaceID string, q service.EdgeQuery) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Edges.CountOfEntities(ctx, workspaceID, owners, q)
	}
}

func (r *Resolver) observationsOf(workspaceID string, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Observation]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Observation], error) {
		return r.Observations.OfEntities(ctx, workspaceID, owners, page)
	}
}

func (r *Resolver) observationCountsOf(workspaceID string) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Observations.CountOfEntities(ctx, workspaceID, owners)
	}
}

func (r *Resolver) entriesOf(workspaceID string, q service.EntityEntryQuery, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Entry]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Entry], error) {
		return r.Entries.OfEntities(ctx, workspaceID, owners, q, page)
	}
}

func (r *Resolver) entryCountsOf(workspaceID string, q service.EntityEntryQuery) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Entries.CountOfEntities(ctx, workspaceID, owners, q)
	}
}

func (r *Resolver) relationsOf(workspaceID string, q service.RelationQuery, page knowledge.PageRequest) nestedFetch[*knowledge.Page[*knowledge.Relation]] {
	return func(ctx context.Context, owners []string) (map[string]*knowledge.Page[*knowledge.Relation], error) {
		return r.Entries.RelationsOf(ctx, workspaceID, owners, q, page)
	}
}

func (r *Resolver) relationCountsOf(workspaceID string, q service.RelationQuery) nestedFetch[int] {
	return func(ctx context.Context, owners []string) (map[string]int, error) {
		return r.Entries.CountRelationsOf(ctx, workspaceID, owners, q)
	}
}
