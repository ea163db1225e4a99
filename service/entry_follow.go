package service

import (
	"context"
	"slices"

	"mneme/knowledge"
)

// linkIDs are the ids of an entry's links, to be brought up to date in place.
type linkIDs struct {
	contacts *[]string
	mentions []*[]string
}

// follow lets entries be about the entities into which those that were looked up for
// them have been merged since. It must run in the transaction that makes the links.
// NOT_FOUND (contacts) where a contact was deleted; a mention is left out then.
func (s *Entries) follow(ctx context.Context, workspaceID string, links []linkIDs) error {
	var refs []knowledge.EntityRef
	asked := map[string]bool{}
	for _, l := range links {
		for _, list := range append(l.mentions, l.contacts) {
			for _, id := range *list {
				if !asked[id] {
					asked[id] = true
					refs = append(refs, knowledge.EntityRef{ID: id})
				}
			}
		}
	}
	if len(refs) == 0 {
		return nil
	}
	found, _, err := s.entities.FindMany(ctx, workspaceID, refs)
	if err != nil {
		return err
	}
	now := make(map[string]string, len(refs))
	for i, ref := range refs {
		if found[i] != nil {
			now[ref.ID] = found[i].ID
		}
	}
	for _, l := range links {
		if slices.ContainsFunc(*l.contacts, func(id string) bool { return now[id] == "" }) {
			return knowledge.NotFound("contacts", "a contact was deleted meanwhile")
		}
		*l.contacts = followed(*l.contacts, now)
		for _, list := range l.mentions {
			*list = followed(*list, now)
		}
	}
	return nil
}

// followed are the ids as they are now, each once.
func followed(ids []string, now map[string]string) []string {
	out := make([]string, 0, len(ids))
	seen := map[string]bool{}
	for _, id := range ids {
		if at := now[id]; at != "" && !seen[at] {
			seen[at] = true
			out = append(out, at)
		}
	}
	return out
}
