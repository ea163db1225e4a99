package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/duplicate_cards.cypher
var duplicateCards statement

// NameCards are what the entities of a workspace are compared by, of the given types or,
// where none is given, of all; at most limit of them.
func (s *Store) NameCards(ctx context.Context, workspaceID string, types []string, limit int) ([]knowledge.NameCard, error) {
	params := map[string]any{"ws": workspaceID, "types": orEmpty(types), "limit": limit}
	return read(ctx, s, duplicateCards, params, func(r row) knowledge.NameCard {
		card := knowledge.NameCard{ID: r.text("id"), Type: r.text("type"), Name: r.text("name"), Aliases: r.texts("aliases")}
		for _, i := range r.list("identities") {
			card.Identities = append(card.Identities, knowledge.ContactIdentity{Kind: i.text("kind"), Value: i.text("value")})
		}
		return card
	})
}
