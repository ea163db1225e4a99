package cypher

import (
	"context"
	_ "embed"
	"slices"
	"sync"

	"mneme/knowledge"
)

//go:embed queries/edge_registry_find.cypher
var edgeRegistryFind statement

//go:embed queries/edge_registry_lock.cypher
var edgeRegistryLock statement

//go:embed queries/edge_registry_add.cypher
var edgeRegistryAdd statement

//go:embed queries/edge_type_rules.cypher
var edgeTypeRules statement

//go:embed queries/edge_type_symmetric.cypher
var edgeTypeSymmetric statement

// relates is the relationship type of the edges that have none of their own (SPEC B2).
const relates = "RELATES"

// edgeRegistry remembers which edge types have a relationship type of their own. Such
// types are never taken back, so what was seen once stays true.
type edgeRegistry struct {
	mu   sync.RWMutex
	keys map[string]bool
}

func (g *edgeRegistry) has(key string) bool {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return g.keys[key]
}

func (g *edgeRegistry) add(keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.keys == nil {
		g.keys = make(map[string]bool, len(keys))
	}
	for _, key := range keys {
		g.keys[key] = true
	}
}

func (g *edgeRegistry) without(keys []string) []string {
	var out []string
	for _, key := range keys {
		if !g.has(key) && !slices.Contains(out, key) {
			out = append(out, key)
		}
	}
	return out
}

// relationshipTypes are the types under which new edges are stored: their own where it
// is registered, or may be (SPEC B2), else RELATES.
func (s *Store) relationshipTypes(ctx context.Context, workspaceID string, created []knowledge.EdgeCreated) ([]string, error) {
	var keys, wanted []string
	for _, c := range created {
		if _, ok := knowledge.RelationshipType(c.Edge.Type); !ok {
			continue
		}
		keys = append(keys, c.Edge.Type)
		if c.Edge.Source != knowledge.ActorAuto {
			wanted = append(wanted, c.Edge.Type)
		}
	}
	if err := s.findRegistered(ctx, s.edgeTypes.without(keys)); err != nil {
		return nil, err
	}
	if err := s.register(ctx, workspaceID, s.edgeTypes.without(wanted)); err != nil {
		return nil, err
	}
	out := make([]string, 0, len(created))
	for _, c := range created {
		name, ok := knowledge.RelationshipType(c.Edge.Type)
		if !ok || !s.edgeTypes.has(c.Edge.Type) {
			name = relates
		}
		out = append(out, name)
	}
	return out, nil
}

func (s *Store) findRegistered(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	found, err := read(outside(ctx), s, edgeRegistryFind, map[string]any{"keys": keys}, func(r row) string { return r.text("key") })
	if err != nil {
		return err
	}
	s.edgeTypes.add(found)
	return nil
}

// register gives edge types relationship types of their own, as far as there is room.
//
// It commits by itself, before any edge of the type is written: the database keeps the
// name of a relationship type even when the transaction that brought it is rolled back,
// so a registration that could be rolled back would not bound their number.
func (s *Store) register(ctx context.Context, workspaceID string, keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	var taken []string
	err := s.Atomically(outside(ctx), func(ctx context.Context) error {
		counts, err := write(ctx, s, edgeRegistryLock, map[string]any{"ws": workspaceID}, func(r row) [2]int { return [2]int{r.int("all"), r.int("own")} })
		if err != nil || len(counts) == 0 {
			return err
		}
		found, err := read(ctx, s, edgeRegistryFind, map[string]any{"keys": keys}, func(r row) string { return r.text("key") })
		if err != nil {
			return err
		}
		fresh := slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return slices.Contains(found, key) })
		fresh = fresh[:min(registryRoom(counts[0][0], counts[0][1]), len(fresh))]
		taken = slices.Concat(found, fresh)
		if len(fresh) == 0 {
			return nil
		}
		return exec(ctx, s, edgeRegistryAdd, map[string]any{"ws": workspaceID, "keys": fresh})
	})
	if err != nil {
		return err
	}
	s.edgeTypes.add(taken)
	return nil
}

// registryRoom is how many edge types a workspace may still register, where all
// workspaces have registered all and it has registered own (SPEC B2).
func registryRoom(all, own int) int {
	return max(0, min(knowledge.MaxDatabaseEdgeTypes-all, knowledge.MaxWorkspaceEdgeTypes-own))
}

// EdgeTypeRules are how edge types of a workspace behave, by key: those that it knows.
func (s *Store) EdgeTypeRules(ctx context.Context, workspaceID string, keys []string) (map[string]knowledge.EdgeType, error) {
	rows, err := read(ctx, s, edgeTypeRules, map[string]any{"ws": workspaceID, "keys": keys}, scanEdgeType)
	out := make(map[string]knowledge.EdgeType, len(rows))
	for _, t := range rows {
		out[t.Key] = *t
	}
	return out, err
}

// SymmetricEdgeTypes are the keys of a workspace's edge types that have no direction.
func (s *Store) SymmetricEdgeTypes(ctx context.Context, workspaceID string) ([]string, error) {
	return read(ctx, s, edgeTypeSymmetric, map[string]any{"ws": workspaceID}, func(r row) string { return r.text("key") })
}
