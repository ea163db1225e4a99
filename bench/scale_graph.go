package bench

import (
	"fmt"
	"math/rand/v2"

	"mneme/knowledge"
)

// The shape of the graph that is measured: who is pointed at follows a power law, so that
// the largest of 100,000 entities with 1,000,000 edges has 20,000 of them.
const (
	hubExponent = 1.05
	hubOffset   = 6
)

// Entity and edge types of the graph, and the words of its names. They are lists to
// choose from and never change.
func scaleEntityTypes() []string {
	return []string{"service", "person", "project", "technology", "concept"}
}

func scaleEdgeTypes() []string {
	return []string{"uses", "depends_on", "part_of", "connects_to", "maintained_by", "references"}
}

func scaleWords() ([]string, []string) {
	return []string{"amber", "brisk", "coral", "dusky", "early", "faint", "grand", "hazel", "ivory", "jolly", "keen", "lunar", "mossy", "noble", "opal", "plain"},
		[]string{"harbor", "meadow", "signal", "bridge", "canyon", "beacon", "garden", "engine", "ledger", "market", "orchard", "palace", "quarry", "river", "summit", "tunnel"}
}

// link is an edge to be made, between entities by number.
type link struct {
	from, to, kind int
}

// scaleGraph makes the same graph for the same seed.
type scaleGraph struct {
	random          *rand.Rand
	entities, edges int
}

func newScaleGraph(entities, edges int, seed uint64) *scaleGraph {
	return &scaleGraph{random: rand.New(rand.NewPCG(seed, seed)), entities: entities, edges: edges} //nolint:gosec // a measurement that can be repeated
}

// name is what an entity is called.
func (g *scaleGraph) name(n int) string {
	first, second := scaleWords()
	return fmt.Sprintf("%s %s %06d", first[n%len(first)], second[n/len(first)%len(second)], n)
}

func (g *scaleGraph) draft(n int) knowledge.EntityDraft {
	types := scaleEntityTypes()
	description := fmt.Sprintf("The %s of the measured graph, made by a program.", g.name(n))
	return knowledge.EntityDraft{Type: types[n%len(types)], Name: g.name(n), Description: &description, Source: knowledge.ActorAuto}
}

// links are all edges, each once, in random order.
func (g *scaleGraph) links() []link {
	zipf := rand.NewZipf(g.random, hubExponent, hubOffset, uint64(g.entities-1)) //nolint:gosec // not negative
	kinds := len(scaleEdgeTypes())
	seen := make(map[link]bool, g.edges)
	out := make([]link, 0, g.edges)
	for len(out) < g.edges {
		l := link{from: g.random.IntN(g.entities), to: int(zipf.Uint64()), kind: g.random.IntN(kinds)} //nolint:gosec // below the number of entities
		if l.from == l.to || seen[l] {
			continue
		}
		seen[l] = true
		out = append(out, l)
	}
	return out
}
