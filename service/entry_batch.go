package service

import (
	"context"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// entryChunk is how many entries are embedded and written together. While one chunk is
// written the next one is embedded.
const entryChunk = 64

// CreateMany is Create for many drafts. Atomic: all in one transaction, and where one is
// wrong nothing is written. Otherwise what is right is written, in chunks, and each draft
// has its own outcome; a later draft finds what an earlier one made.
//
// The vectors are made while the chunk before is written, so that a long import is as
// quick as the embedder.
func (s *Entries) CreateMany(ctx context.Context, to Target, drafts []knowledge.EntryDraft, atomic bool) ([]Outcome[*knowledge.EntrySave], error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	return permitted(ctx, s.memory, ws, drafts, atomic, entryWrite(to.Caller), func(drafts []knowledge.EntryDraft) ([]Outcome[*knowledge.EntrySave], error) {
		if atomic {
			return s.createAll(ctx, ws, to.Caller, drafts)
		}
		return s.createMany(ctx, ws, to.Caller, drafts)
	})
}

func (s *Entries) createMany(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, drafts []knowledge.EntryDraft) ([]Outcome[*knowledge.EntrySave], error) {
	out := make([]Outcome[*knowledge.EntrySave], 0, len(drafts))
	embedded := make(chan *entryBatch, 1)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		defer close(embedded)
		for chunk := range slices.Chunk(drafts, entryChunk) {
			batch, err := s.prepare(ctx, ws, by, chunk)
			if err != nil {
				return err
			}
			if err := s.enrich(ctx, batch); err != nil {
				return err
			}
			select {
			case embedded <- batch:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	group.Go(func() error {
		for batch := range embedded {
			if err := s.tx.Atomically(ctx, func(ctx context.Context) error { return s.write(ctx, batch) }); err != nil {
				return err
			}
			s.settle(batch)
			out = append(out, batch.outcomes()...)
		}
		return nil
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return out, nil
}

func (s *Entries) createAll(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, drafts []knowledge.EntryDraft) ([]Outcome[*knowledge.EntrySave], error) {
	batch, err := s.prepare(ctx, ws, by, drafts)
	if err != nil {
		return nil, err
	}
	if out := batch.outcomes(); firstError(out) != nil {
		return out, nil
	}
	if err := s.enrich(ctx, batch); err != nil {
		return nil, err
	}
	if err := s.tx.Atomically(ctx, func(ctx context.Context) error { return s.write(ctx, batch) }); err != nil {
		return nil, err
	}
	s.settle(batch)
	return batch.outcomes(), nil
}

// entryBatch is drafts on their way to the database.
type entryBatch struct {
	ws    *knowledge.Workspace
	by    knowledge.Caller
	items []*entryItem
}

type entryItem struct {
	draft  knowledge.EntryDraft
	entry  *knowledge.Entry // as it would be, if it is new
	search string
	vector []float32
	named  []string // entities that its text names
	none   bool     // its writer wants no vector
	found  bool     // an equal entry was there before, so no vector was made
	save   *knowledge.EntrySave
	err    error
}

func (b *entryBatch) outcomes() []Outcome[*knowledge.EntrySave] {
	out := make([]Outcome[*knowledge.EntrySave], len(b.items))
	for i, it := range b.items {
		out[i] = Outcome[*knowledge.EntrySave]{Value: it.save, Err: it.err}
	}
	return out
}

// right are the items that can be written.
func (b *entryBatch) right() []*entryItem {
	return slices.DeleteFunc(slices.Clone(b.items), func(it *entryItem) bool { return it.err != nil })
}

// prepare checks drafts and looks up whom they are about.
func (s *Entries) prepare(ctx context.Context, ws *knowledge.Workspace, by knowledge.Caller, drafts []knowledge.EntryDraft) (*entryBatch, error) {
	now := s.clock()
	b := &entryBatch{ws: ws, by: by, items: make([]*entryItem, len(drafts))}
	for i, d := range drafts {
		it := &entryItem{}
		b.items[i] = it
		it.draft, it.err = d.Checked(now)
		if it.err == nil && d.Embedding != nil && len(*d.Embedding) > 0 {
			it.err = knowledge.CheckVector("embedding", *d.Embedding, s.embeddings.Model().Dimensions)
			it.vector = *d.Embedding
		}
		it.none = d.Embedding != nil && len(*d.Embedding) == 0
	}
	refs := newRefs()
	for _, it := range b.right() {
		refs.add(it.draft.Contacts)
		refs.add(it.draft.Mentions)
	}
	if err := refs.find(ctx, s.entities, ws.ID); err != nil {
		return nil, err
	}
	for _, it := range b.right() {
		var contacts, mentions []string
		if contacts, it.err = refs.ids("contacts", it.draft.Contacts); it.err != nil {
			continue
		}
		if mentions, it.err = refs.ids("mentions", it.draft.Mentions); it.err != nil {
			continue
		}
		it.entry = knowledge.NewEntry(it.draft, s.newID(knowledge.PrefixEntry), ws.ID, contacts, mentions, now)
		it.search = analyzed(it.entry)
	}
	return b, nil
}

// enrich gives what is not there yet its vectors and its mentions, before the transaction.
func (s *Entries) enrich(ctx context.Context, b *entryBatch) error {
	items := b.right()
	known, err := s.lookUp(ctx, b.ws.ID, items)
	if err != nil {
		return err
	}
	for i, it := range items {
		it.found = known[i] != nil
	}
	var group errgroup.Group
	group.Go(func() error { s.embed(ctx, items); return nil })
	group.Go(func() error { return s.name(ctx, b.ws.ID, items) })
	return group.Wait()
}

func (s *Entries) embed(ctx context.Context, items []*entryItem) {
	var wanted []*entryItem
	var texts []string
	for _, it := range items {
		if it.vector == nil && !it.none && !it.found {
			wanted = append(wanted, it)
			texts = append(texts, knowledge.EmbeddingText(it.entry.Title, it.entry.Content))
		}
	}
	for i, v := range s.embeddings.ForWrite(ctx, texts) {
		wanted[i].vector = v
	}
}

// name finds the entities that the texts name.
func (s *Entries) name(ctx context.Context, workspaceID string, items []*entryItem) error {
	wanted := slices.DeleteFunc(slices.Clone(items), func(it *entryItem) bool { return it.found })
	texts := make([]string, len(wanted))
	for i, it := range wanted {
		texts[i] = knowledge.MentionText(it.entry.Title, it.entry.Content)
	}
	named, err := s.mentions.Find(ctx, workspaceID, texts)
	if err != nil {
		return err
	}
	for i, it := range wanted {
		it.named = knowledge.OtherMentions(it.entry, named[i])
		it.entry.MentionIDs = append(it.entry.MentionIDs, it.named...)
	}
	return nil
}

// lookUp finds the stored entry that each item repeats; nil where it is new.
func (s *Entries) lookUp(ctx context.Context, workspaceID string, items []*entryItem) ([]*knowledge.Entry, error) {
	keys := make([]knowledge.EntryKey, len(items))
	for i, it := range items {
		keys[i] = knowledge.KeyOfEntry(it.entry)
	}
	stored, err := s.store.EntryTwins(ctx, workspaceID, keys)
	if err != nil {
		return nil, err
	}
	twins := newTwins(stored)
	out := make([]*knowledge.Entry, len(items))
	for i, it := range items {
		out[i] = knowledge.MatchEntry(twins.of(it.entry), it.entry, it.entry.CreatedAt)
	}
	return out, nil
}

// write stores the items of a batch: under the locks of their keys it looks again what is
// there, adds support to that, and inserts the rest (SPEC K20–K22, T5). It must run in a
// transaction, and may be run again.
func (s *Entries) write(ctx context.Context, b *entryBatch) error {
	items := b.right()
	if len(items) == 0 {
		return nil
	}
	links := make([]linkIDs, len(items))
	for i, it := range items {
		links[i] = linkIDs{&it.entry.ContactIDs, []*[]string{&it.entry.MentionIDs, &it.named}}
	}
	if err := s.follow(ctx, b.ws.ID, links); err != nil {
		return err
	}
	var locks []string
	keys := make([]knowledge.EntryKey, len(items))
	for i, it := range items {
		keys[i] = knowledge.KeyOfEntry(it.entry)
		locks = append(locks, keys[i].Locks(b.ws.ID)...)
	}
	slices.Sort(locks)
	if err := s.store.LockKeys(ctx, slices.Compact(locks)); err != nil {
		return err
	}
	stored, err := s.store.EntryTwins(ctx, b.ws.ID, keys)
	if err != nil {
		return err
	}
	twins := newTwins(stored)
	var writes []knowledge.EntryWrite
	var supports []knowledge.SupportAdd
	for _, it := range items {
		if match := knowledge.MatchEntry(twins.of(it.entry), it.entry, it.entry.CreatedAt); match != nil {
			it.save = &knowledge.EntrySave{Entry: match, Merged: true}
		} else {
			it.save = &knowledge.EntrySave{Entry: it.entry, Created: true}
			it.entry.Embedding = s.embeddingInfo(it.vector, it.entry.CreatedAt)
			twins.add(it.entry)
			writes = append(writes, knowledge.EntryWrite{Entry: it.entry, SearchText: it.search, Vector: it.vector, AwaitsVector: it.vector == nil && !it.none, AutoMentionIDs: it.named})
		}
		supports = append(supports, knowledge.SupportAdd{
			Kind: knowledge.SupportedEntry, ID: it.save.Entry.ID, DocID: it.draft.DocID, TaskID: it.draft.TaskID, Source: b.by.Actor, At: it.entry.CreatedAt,
		})
	}
	if len(writes) > 0 {
		if err := s.store.InsertEntries(ctx, b.ws.ID, writes, s.embeddings.Model()); err != nil {
			return err
		}
	}
	return s.supports.AddSupports(ctx, b.ws.ID, supports)
}

// settle is what follows when a batch is written.
func (s *Entries) settle(b *entryBatch) {
	for _, it := range b.right() {
		s.told([]*knowledge.Entry{it.save.Entry})
		if it.save.Created && it.vector == nil && !it.none {
			s.embeddings.Wake()
		}
	}
}

// entryTwins are stored entries by what new ones may repeat.
type entryTwins struct {
	byHash   map[string][]*knowledge.Entry
	bySource map[string][]*knowledge.Entry
}

func newTwins(entries []*knowledge.Entry) *entryTwins {
	t := &entryTwins{byHash: make(map[string][]*knowledge.Entry), bySource: make(map[string][]*knowledge.Entry)}
	for _, e := range entries {
		t.add(e)
	}
	return t
}

func (t *entryTwins) add(e *knowledge.Entry) {
	t.byHash[e.ContentHash] = append(t.byHash[e.ContentHash], e)
	if e.SourceID != nil {
		t.bySource[*e.SourceID] = append(t.bySource[*e.SourceID], e)
	}
}

func (t *entryTwins) of(e *knowledge.Entry) []*knowledge.Entry {
	found := slices.Clone(t.byHash[e.ContentHash])
	if e.SourceID != nil {
		found = append(found, t.bySource[*e.SourceID]...)
	}
	return found
}

// entityRefs looks up many references, each once.
type entityRefs struct {
	index map[string]int
	refs  []knowledge.EntityRef
	found []*knowledge.Entity
	errs  []error
}

func newRefs() *entityRefs { return &entityRefs{index: make(map[string]int)} }

func refKey(r knowledge.EntityRef) string {
	if r.Identity != nil {
		return fmt.Sprintf("%q %q %q %q %q", r.ID, r.Name, r.Type, r.Identity.Kind, r.Identity.Value)
	}
	return fmt.Sprintf("%q %q %q", r.ID, r.Name, r.Type)
}

func (r *entityRefs) add(refs []knowledge.EntityRef) {
	for _, ref := range refs {
		key := refKey(ref)
		if _, ok := r.index[key]; !ok {
			r.index[key] = len(r.refs)
			r.refs = append(r.refs, ref)
		}
	}
}

func (r *entityRefs) find(ctx context.Context, finder EntityFinder, workspaceID string) error {
	if len(r.refs) == 0 {
		return nil
	}
	var err error
	r.found, r.errs, err = finder.FindMany(ctx, workspaceID, r.refs)
	return err
}

// ids are the ids of references that were added; the error names the field and the place.
func (r *entityRefs) ids(field string, refs []knowledge.EntityRef) ([]string, error) {
	ids := make([]string, 0, len(refs))
	for i, ref := range refs {
		at := r.index[refKey(ref)]
		if err := r.errs[at]; err != nil {
			return nil, knowledge.InField(fmt.Sprintf("%s.%d", field, i), err)
		}
		ids = append(ids, r.found[at].ID)
	}
	return ids, nil
}

// vectorsFor makes the vectors of drafts that are to be written later; nil for those that
// have none yet, need none or bring their own.
func (s *Entries) vectorsFor(ctx context.Context, drafts []knowledge.EntryDraft) [][]float32 {
	var wanted []int
	var texts []string
	for i, d := range drafts {
		if d.Embedding == nil && knowledge.CheckText("content", d.Content, knowledge.MaxTextLength) == nil {
			wanted = append(wanted, i)
			texts = append(texts, knowledge.EmbeddingText(d.Title, d.Content))
		}
	}
	out := make([][]float32, len(drafts))
	for i, v := range s.embeddings.ForWrite(ctx, texts) {
		out[wanted[i]] = v
	}
	return out
}

// createWith is CreateMany, all or nothing, for drafts whose vectors were made before. It
// takes part in the transaction of its context.
func (s *Entries) createWith(ctx context.Context, to Target, drafts []knowledge.EntryDraft, vectors [][]float32) ([]Outcome[*knowledge.EntrySave], error) {
	ws, err := s.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	batch, err := s.prepare(ctx, ws, to.Caller, drafts)
	if err != nil {
		return nil, err
	}
	if out := batch.outcomes(); firstError(out) != nil {
		return out, nil
	}
	for i, it := range batch.items {
		if it.vector == nil {
			it.vector = vectors[i]
		}
	}
	err = s.write(ctx, batch)
	return batch.outcomes(), err
}
