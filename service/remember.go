package service

import (
	"context"
	"fmt"
	"slices"

	"mneme/knowledge"
)

// Remember keeps what an agent learned in a turn: the one call that it needs.
type Remember struct {
	entries    *Entries
	entities   *Entities
	linker     *Linker
	workspaces WorkspaceFinder
	memory     *Memory
	tx         Transactor
	features   func(*knowledge.Workspace) []knowledge.Feature
	follow     Follow
}

// Follow queues what follows when something was remembered; nil where nothing does.
type Follow func(ctx context.Context, to Target, ws *knowledge.Workspace, d knowledge.RememberDraft, out *knowledge.Remembered) (*knowledge.Job, error)

// RememberConfig is what Remember needs.
type RememberConfig struct {
	Entries    *Entries
	Entities   *Entities
	Linker     *Linker // nil: nothing is linked
	Workspaces WorkspaceFinder
	Memory     *Memory
	Tx         Transactor
	Features   func(*knowledge.Workspace) []knowledge.Feature
	Follow     Follow // nil: nothing follows
}

// NewRemember makes the use case.
func NewRemember(c RememberConfig) *Remember {
	return &Remember{entries: c.Entries, entities: c.Entities, linker: c.Linker, workspaces: c.Workspaces, memory: c.Memory, tx: c.Tx, features: c.Features, follow: c.Follow}
}

// Remember writes a text, or each turn of a talk, as an entry; about persons and
// organizations that are named with it, mentioning others, those who speak, and what
// patterns find; joined to its neighbours: all in one transaction, without a language
// model (SPEC T21). What is there already is found (K20 to K22). Entities that are named
// and missing are made where the draft lets it; else NOT_FOUND (about).
//
// An automatic writer that the memory settings turn away writes nothing, and the result
// says why; others get NO_MEMORY.
func (s *Remember) Remember(ctx context.Context, to Target, draft knowledge.RememberDraft) (*knowledge.Remembered, error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if draft, err = draft.Checked(); err != nil {
		return nil, err
	}
	verdict := s.memory.judge(ctx, ws, []memoryWrite{{kind: knowledge.WriteKindOf(to.Caller.Actor), taskID: draft.TaskID, texts: draft.Texts()}})[0]
	if verdict.Decision == knowledge.Skip {
		return &knowledge.Remembered{Skipped: skipped(verdict)}, nil
	}
	if err := verdict.Err(); err != nil {
		return nil, err
	}
	r := &remembering{Remember: s, ws: ws, to: to, by: to.Caller, draft: draft}
	if err := r.prepare(ctx); err != nil {
		return nil, err
	}
	if err := s.tx.Atomically(ctx, r.write); err != nil {
		return nil, err
	}
	s.entries.settle(r.batch)
	return r.result, nil
}

// remembering is one call on its way.
type remembering struct {
	*Remember
	ws    *knowledge.Workspace
	to    Target
	by    knowledge.Caller
	draft knowledge.RememberDraft

	about    []*knowledge.Entity     // that are there
	missing  []knowledge.EntityDraft // what it is about and is to be made
	speakers []knowledge.EntityDraft // found or made
	patterns []knowledge.EntityDraft
	batch    *entryBatch
	own      []ownLinks // of the batch's items
	result   *knowledge.Remembered
}

// ownLinks are the links of an item before the entities that are made with it are added.
type ownLinks struct{ contacts, mentions, named []string }

// prepare does what needs no transaction: looks up, embeds, finds names and patterns.
func (r *remembering) prepare(ctx context.Context) error {
	if err := r.lookUp(ctx); err != nil {
		return err
	}
	for _, name := range r.draft.Speakers() {
		r.speakers = append(r.speakers, knowledge.EntityDraft{Type: knowledge.TypePerson, Name: name})
	}
	for _, text := range r.draft.Texts() {
		for _, d := range knowledge.ExtractPatterns(text, "") {
			if !slices.ContainsFunc(r.patterns, func(p knowledge.EntityDraft) bool { return p.Type == d.Type && p.Name == d.Name }) {
				r.patterns = append(r.patterns, d)
			}
		}
	}
	drafts := r.draft.Drafts()
	for i := range drafts {
		for _, e := range r.about {
			ref := knowledge.EntityRef{ID: e.ID}
			if e.IsContact() {
				drafts[i].Contacts = append(drafts[i].Contacts, ref)
			} else {
				drafts[i].Mentions = append(drafts[i].Mentions, ref)
			}
		}
	}
	var err error
	if r.batch, err = r.entries.prepare(ctx, r.ws, r.by, drafts); err != nil {
		return err
	}
	for i, it := range r.batch.items {
		if it.err != nil && len(drafts) > 1 {
			return knowledge.InField(fmt.Sprintf("turns.%d", i), it.err)
		}
		if it.err != nil {
			return it.err
		}
	}
	if err := r.entries.enrich(ctx, r.batch); err != nil {
		return err
	}
	for _, it := range r.batch.items {
		r.own = append(r.own, ownLinks{slices.Clone(it.entry.ContactIDs), slices.Clone(it.entry.MentionIDs), slices.Clone(it.named)})
	}
	return nil
}

// lookUp tells what the draft is about that is there from what is to be made.
func (r *remembering) lookUp(ctx context.Context) error {
	if len(r.draft.About) == 0 {
		return nil
	}
	found, errs, err := r.entities.FindMany(ctx, r.ws.ID, r.draft.About)
	if err != nil {
		return err
	}
	for i, ref := range r.draft.About {
		switch {
		case errs[i] == nil:
			r.about = append(r.about, found[i])
		case knowledge.IsNotFound(errs[i]) && r.draft.CreateMissing:
			missing, ok := ref.MissingEntity()
			if !ok {
				return knowledge.InField(fmt.Sprintf("about.%d", i), errs[i])
			}
			r.missing = append(r.missing, missing)
		default:
			return knowledge.InField(fmt.Sprintf("about.%d", i), errs[i])
		}
	}
	return nil
}

// write is the transaction. It may be run again, and starts over then.
func (r *remembering) write(ctx context.Context) error {
	r.result = &knowledge.Remembered{}
	for _, e := range r.about {
		r.result.Entities = append(r.result.Entities, &knowledge.EntityUpsert{Entity: e})
	}
	made, err := r.upsert(ctx, r.by, r.missing, true)
	if err != nil {
		return err
	}
	speaking, err := r.upsert(ctx, auto(r.by), r.speakers, false)
	if err != nil {
		return err
	}
	patterns, err := r.upsert(ctx, auto(r.by), r.patterns, false)
	if err != nil {
		return err
	}
	r.link(made, speaking, slices.Concat(made, speaking, patterns))
	if err := r.entries.write(ctx, r.batch); err != nil {
		return err
	}
	ids := make([]string, 0, len(r.batch.items))
	for _, it := range r.batch.items {
		r.result.Entries = append(r.result.Entries, it.save)
		if it.save.Created {
			ids = append(ids, it.save.Entry.ID)
		}
	}
	if err := r.join(ctx, ids); err != nil {
		return err
	}
	if r.result.Superseded, err = r.superseded(ctx); err != nil || r.follow == nil {
		return err
	}
	r.result.Job, err = r.follow(ctx, r.to, r.ws, r.draft, r.result)
	return err
}

// superseded are the entries that those which were there already supersede.
func (r *remembering) superseded(ctx context.Context) ([]*knowledge.Entry, error) {
	var known []string
	for _, save := range r.result.Entries {
		if !save.Created {
			known = append(known, save.Entry.ID)
		}
	}
	if len(known) == 0 {
		return nil, nil
	}
	pages, err := r.entries.RelationsOf(ctx, r.ws.ID, known, RelationQuery{Direction: knowledge.Outgoing, Types: []knowledge.RelationType{knowledge.RelationSupersedes}}, knowledge.PageRequest{First: knowledge.MaxPage})
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, id := range known {
		for _, relation := range pages[id].Items {
			ids = append(ids, relation.ToID)
		}
	}
	found, err := r.entries.ByIDs(ctx, r.ws.ID, ids)
	var out []*knowledge.Entry
	for _, id := range ids {
		if e := found[id]; e != nil && !slices.Contains(out, e) {
			out = append(out, e)
		}
	}
	return out, err
}

// upsert makes entities, or finds them. What is asked for has to succeed; what was found
// in passing is left out where it cannot be told apart.
func (r *remembering) upsert(ctx context.Context, by knowledge.Caller, drafts []knowledge.EntityDraft, askedFor bool) ([]*knowledge.Entity, error) {
	if len(drafts) == 0 {
		return nil, nil
	}
	out, err := r.entities.upsertMany(ctx, r.ws, by, drafts, false)
	if err != nil {
		return nil, err
	}
	if err := firstError(out); err != nil && askedFor {
		return nil, knowledge.InField("about", err)
	}
	var entities []*knowledge.Entity
	for _, o := range out {
		if o.Err != nil {
			continue
		}
		entities = append(entities, o.Value.Entity)
		if !slices.ContainsFunc(r.result.Entities, func(u *knowledge.EntityUpsert) bool { return u.Entity.ID == o.Value.Entity.ID }) {
			r.result.Entities = append(r.result.Entities, o.Value)
		}
	}
	return entities, nil
}

// link adds the entities that were made to the entries: what the draft is about to each,
// a speaker to what it said, and those whose names stand in a text to that.
func (r *remembering) link(about, speaking, named []*knowledge.Entity) {
	var names []knowledge.MentionName
	for _, e := range named {
		for _, name := range append([]string{e.Name}, e.Aliases...) {
			names = append(names, knowledge.MentionName{EntityID: e.ID, Name: name})
		}
	}
	for i, it := range r.batch.items {
		e := it.entry
		e.ContactIDs, e.MentionIDs, it.named = slices.Clone(r.own[i].contacts), slices.Clone(r.own[i].mentions), slices.Clone(r.own[i].named)
		for _, a := range about {
			if a.IsContact() {
				e.ContactIDs = append(e.ContactIDs, a.ID)
			} else {
				e.MentionIDs = append(e.MentionIDs, a.ID)
			}
		}
		for _, p := range speaking {
			if len(r.draft.Turns) > 0 && knowledge.NormalizeName(r.draft.Turns[i].Speaker) == p.NormalizedName {
				it.named = slices.DeleteFunc(it.named, func(id string) bool { return id == p.ID })
				e.MentionIDs = append(e.MentionIDs, knowledge.OtherMentions(e, []string{p.ID})...)
			}
		}
		found := knowledge.MentionedIn(names, []string{knowledge.MentionText(e.Title, e.Content)})[0]
		more := knowledge.OtherMentions(e, found)
		it.named = append(it.named, more...)
		e.MentionIDs = append(e.MentionIDs, more...)
	}
}

// join links new entries to each other and to their thread (SPEC M9).
func (r *remembering) join(ctx context.Context, ids []string) error {
	if r.linker == nil || len(ids) == 0 || !knowledge.FeatureOn(r.features(r.ws), knowledge.FeatureAIKnowledge) {
		return nil
	}
	batch, err := r.linker.read(ctx, r.ws.ID, ids)
	if err != nil {
		return err
	}
	relations, err := r.linker.structural(ctx, r.ws.ID, batch)
	for _, relation := range relations {
		r.result.Relations = append(r.result.Relations, &knowledge.RelationSave{Relation: relation, Created: true})
	}
	return err
}
