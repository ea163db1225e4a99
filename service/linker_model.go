package service

import (
	"context"
	"log/slog"
	"slices"

	"mneme/knowledge"
)

// AutoLink asks a model what saved entries bear on (SPEC M10 to M14), where
// ai_knowledge_auto_link is on at this moment.
func (s *Linker) AutoLink(ctx context.Context, ws *knowledge.Workspace, ids []string) (*Linked, error) {
	if s.c.Model == nil || !knowledge.FeatureOn(s.c.Features(ws), knowledge.FeatureAutoLink) {
		return &Linked{}, nil
	}
	anchors, err := s.read(ctx, ws.ID, ids)
	if err != nil || len(anchors) == 0 {
		return &Linked{}, err
	}
	return s.byMeaning(ctx, ws.ID, anchors, true)
}

// Contradictions compares entries with near ones of their scope (SPEC L28). With a model
// it says what they support, contradict or supersede, and stores that; without, it names
// what says nearly the same.
func (s *Linker) Contradictions(ctx context.Context, ws *knowledge.Workspace, ids []string) (*Linked, error) {
	anchors, err := s.read(ctx, ws.ID, ids)
	if err != nil || len(anchors) == 0 {
		return &Linked{}, err
	}
	if s.c.Model != nil && knowledge.FeatureOn(s.c.Features(ws), knowledge.FeatureAI) {
		return s.byMeaning(ctx, ws.ID, anchors, false)
	}
	return &Linked{}, nil
}

// NearDuplicates are the entries of the same scopes that say nearly the same as the given ones.
func (s *Linker) NearDuplicates(ctx context.Context, ws *knowledge.Workspace, ids []string) ([]*knowledge.Entry, error) {
	anchors, err := s.read(ctx, ws.ID, ids)
	if err != nil || len(anchors) == 0 {
		return nil, err
	}
	found, err := s.candidates(ctx, ws.ID, anchors, knowledge.NearDuplicate)
	return found, err
}

// verdicts are the relations that say whether something still holds.
var verdicts = []knowledge.RelationType{knowledge.RelationSupports, knowledge.RelationContradicts, knowledge.RelationSupersedes}

// byMeaning asks the model once. Everything: any relation among all nodes counts;
// otherwise only what says whether a new entry or an older one still holds.
func (s *Linker) byMeaning(ctx context.Context, workspaceID string, anchors []*knowledge.Entry, everything bool) (*Linked, error) {
	anchors = anchors[:min(len(anchors), knowledge.MaxLinkBatch)]
	atLeast := knowledge.NearEnough
	if everything {
		atLeast = -1
	}
	candidates, err := s.candidates(ctx, workspaceID, anchors, atLeast)
	if err != nil {
		return nil, err
	}
	nodes := append(slices.Clone(anchors), candidates...)
	if len(nodes) < 2 || !everything && len(candidates) == 0 {
		return &Linked{}, nil
	}
	shown := make([]knowledge.LinkNode, len(nodes))
	for i, n := range nodes {
		if why, hit := knowledge.Injected(n.Title, n.Content); hit {
			s.c.Log.WarnContext(ctx, "entries are kept from the language model", slog.String("reason", string(why)), slog.String("entry", n.ID))
			return &Linked{}, nil
		}
		shown[i] = knowledge.LinkNode{Type: n.Type, Title: n.Title, Content: n.Content}
	}
	joined, err := s.joined(ctx, workspaceID, nodes)
	if err != nil {
		return nil, err
	}
	rules := knowledge.LinkRules{
		Nodes:   len(nodes),
		Allowed: func(from, to int) bool { return knowledge.MayLink(nodes[from].ContactIDs, nodes[to].ContactIDs) },
		Joined:  func(from, to int) bool { return joined[[2]string{nodes[from].ID, nodes[to].ID}] },
	}
	out := &Linked{}
	var links []knowledge.ProposedLink
	reply, err := s.c.Model.Structured(ctx, knowledge.LinkCall(shown), func(lists knowledge.ReplyLists) error {
		var err error
		links, out.Dropped, err = knowledge.ValidateLinks(lists, rules)
		return err
	})
	out.Usage = reply.Usage
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.c.Log.WarnContext(ctx, "the language model joined nothing", slog.Any("cause", err))
		return out, nil // SPEC M14
	}
	if !everything {
		links = slices.DeleteFunc(links, func(l knowledge.ProposedLink) bool {
			return !slices.Contains(verdicts, l.Type) || (l.From < len(anchors)) == (l.To < len(anchors))
		})
	}
	return out, s.keep(ctx, workspaceID, nodes, len(anchors), links, out)
}

// joined are the directed pairs that have a relation other than a deterministic relates_to.
func (s *Linker) joined(ctx context.Context, workspaceID string, nodes []*knowledge.Entry) (map[[2]string]bool, error) {
	ids := make([]string, len(nodes))
	for i, n := range nodes {
		ids[i] = n.ID
	}
	stored, err := s.c.Store.RelationsBetween(ctx, workspaceID, ids)
	out := map[[2]string]bool{}
	for _, r := range stored {
		if r.Type != knowledge.RelationRelatesTo || r.Provenance != knowledge.ProvenanceDeterministic {
			out[[2]string{r.FromID, r.ToID}] = true
		}
	}
	return out, err
}

func (s *Linker) keep(ctx context.Context, workspaceID string, nodes []*knowledge.Entry, anchors int, links []knowledge.ProposedLink, out *Linked) error {
	var wanted []*knowledge.Relation
	for _, l := range links {
		weight := l.Confidence
		r := &knowledge.Relation{
			WorkspaceID: workspaceID, FromID: nodes[l.From].ID, ToID: nodes[l.To].ID, Type: l.Type,
			ConfidenceTag: l.Tag, Confidence: l.Confidence, Weight: &weight, Provenance: knowledge.ProvenanceLLM,
		}
		if l.Rationale != "" {
			r.Rationale = &l.Rationale
		}
		wanted = append(wanted, r)
		if l.Type != knowledge.RelationContradicts {
			continue
		}
		for _, end := range []int{l.From, l.To} {
			if end >= anchors && !slices.Contains(out.Contradicts, nodes[end]) {
				out.Contradicts = append(out.Contradicts, nodes[end])
			}
		}
	}
	var err error
	out.Relations, err = s.save(ctx, workspaceID, wanted)
	return err
}
