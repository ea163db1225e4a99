package service

import (
	"context"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

// entityBatch decides on drafts one after the other: each is matched against what is
// stored and against what the drafts before it made. Everything is written at the end.
type entityBatch struct {
	service     *Entities
	workspaceID string
	now         time.Time

	before, after map[string]*knowledge.Entity // by id; before lacks the new ones
	order         []string                     // ids in the order in which they were touched
	byName        map[string][]string          // ids by type and normalised name or alias
	byIdentity    map[knowledge.ContactIdentity]string
}

func (b *entityBatch) run(ctx context.Context, drafts []knowledge.EntityDraft, right []int, out []Outcome[*knowledge.EntityUpsert]) error {
	s := b.service
	b.now = s.clock()
	b.before, b.after = map[string]*knowledge.Entity{}, map[string]*knowledge.Entity{}
	b.byName, b.byIdentity = map[string][]string{}, map[knowledge.ContactIdentity]string{}
	asked := make([]knowledge.EntityDraft, 0, len(right))
	types := make([]string, 0, len(right))
	for _, i := range right {
		asked, types = append(asked, drafts[i]), append(types, drafts[i].Type)
	}
	// The same order in every transaction keeps two batches from waiting for each other.
	slices.SortStableFunc(asked, func(x, y knowledge.EntityDraft) int { return compareText(x.Name, y.Name) })
	if err := s.types.ensure(ctx, b.workspaceID, types); err != nil {
		return err
	}
	stored, err := s.store.EntityCandidates(ctx, b.workspaceID, asked)
	if err != nil {
		return err
	}
	for _, e := range stored {
		b.before[e.ID] = e
		b.keep(e)
	}
	var supports []knowledge.SupportAdd
	touched := map[string]bool{}
	for _, i := range right {
		upsert, err := b.decide(drafts[i])
		if err != nil {
			out[i].Err = err
			continue
		}
		out[i].Value = upsert
		if !touched[upsert.Entity.ID] {
			touched[upsert.Entity.ID] = true
			b.order = append(b.order, upsert.Entity.ID)
		}
		supports = append(supports, entitySupports(upsert, drafts[i].DocID, drafts[i].TaskID, drafts[i].Source, b.now)...)
	}
	writes := make([]knowledge.EntityWrite, 0, len(b.order))
	for _, id := range b.order {
		writes = append(writes, knowledge.EntityWrite{Before: b.before[id], After: b.after[id]})
	}
	if err := s.store.WriteEntities(ctx, b.workspaceID, writes); err != nil {
		return err
	}
	return s.supports.AddSupports(ctx, b.workspaceID, supports)
}

func (b *entityBatch) decide(d knowledge.EntityDraft) (*knowledge.EntityUpsert, error) {
	match, err := knowledge.MatchEntity(b.candidates(d), d)
	if err != nil {
		return nil, err
	}
	if match.Entity == nil {
		e := knowledge.NewEntity(d, b.service.newID(knowledge.PrefixEntity), b.workspaceID, match.Discriminator, b.now)
		b.keep(e)
		return &knowledge.EntityUpsert{Entity: e, Created: true}, nil
	}
	merged, kept := knowledge.MergeEntity(match.Entity, d, b.now)
	b.keep(merged)
	return &knowledge.EntityUpsert{Entity: merged, KeptDescription: kept}, nil
}

// keep takes an entity's state as the one that the next drafts find.
func (b *entityBatch) keep(e *knowledge.Entity) {
	b.after[e.ID] = e
	for _, name := range append([]string{e.Name}, e.Aliases...) {
		key := nameKey(e.TypeKey, name)
		if !slices.Contains(b.byName[key], e.ID) {
			b.byName[key] = append(b.byName[key], e.ID)
		}
	}
	for _, i := range e.Identities {
		b.byIdentity[i] = e.ID
	}
}

func (b *entityBatch) candidates(d knowledge.EntityDraft) []*knowledge.Entity {
	ids := slices.Clone(b.byName[nameKey(d.Type, d.Name)])
	for _, i := range d.Identities {
		if id, ok := b.byIdentity[i]; ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	out := make([]*knowledge.Entity, 0, len(ids))
	for _, id := range ids {
		out = append(out, b.after[id])
	}
	return out
}

func nameKey(typ, name string) string { return typ + "\x00" + knowledge.NormalizeName(name) }

func compareText(a, b string) int { return strings.Compare(a, b) }

// entitySupports are what a write adds to what an entity rests on. A writer's own word is
// noted where a task wrote the entity first: it stays then when the task is deleted (SPEC
// R2, T5). Nothing else ends an entity.
func entitySupports(u *knowledge.EntityUpsert, docID, taskID string, by knowledge.Actor, at time.Time) []knowledge.SupportAdd {
	if docID == "" && taskID == "" && (u.Created || u.Entity.TaskID == nil) {
		return nil
	}
	return []knowledge.SupportAdd{{Kind: knowledge.SupportedEntity, ID: u.Entity.ID, DocID: docID, TaskID: taskID, Source: by, At: at}}
}
