package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/knowledge"
)

// LinkUpkeepStore reads and writes the relations that nobody made by hand.
type LinkUpkeepStore interface {
	EntriesInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entry, error)
	ContactsInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entity, error)
	DropStaleGuesses(ctx context.Context, workspaceID string, ids []string, before time.Time) (int, error)
	DropOrigin(ctx context.Context, workspaceID string, ids []string, origin string) (int, error)
	// EntriesOfScope are entries about a contact, or about nobody where it is empty.
	EntriesOfScope(ctx context.Context, workspaceID, contactID string, now time.Time, from *knowledge.Cursor, limit int) ([]knowledge.ExpansionEntry, error)
	EntryVectors(ctx context.Context, workspaceID string, ids []string, model knowledge.EmbeddingModel) (map[string][]float32, error)
	RelationsBetween(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Relation, error)
	LockEntries(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
	InsertRelations(ctx context.Context, relations []*knowledge.Relation) error
}

// Numbers of the upkeep of relations.
const (
	staleGuess      = 30 * 24 * time.Hour // SPEC N11
	expansionWindow = 1_000               // entries of one scope that are looked at together
	countLinked     = "linked"
	countRemoved    = "removed"
)

// links are STALE_GUESSES and SCOPED_EXPANSION.
type links struct {
	store    LinkUpkeepStore
	model    func() knowledge.EmbeddingModel
	features func(*knowledge.Workspace) []knowledge.Feature
	newID    NewID
	batch    int
}

// AddLinks adds the tasks STALE_GUESSES (SPEC N11) and SCOPED_EXPANSION (N15) with what
// takes the latter back.
func (s *Upkeep) AddLinks(store LinkUpkeepStore, model func() knowledge.EmbeddingModel, features func(*knowledge.Workspace) []knowledge.Feature) {
	l := links{store: store, model: model, features: features, newID: s.c.NewID, batch: s.c.Batch}
	s.tasks[knowledge.TaskStaleGuesses] = upkeepTask{counts: []string{countProcessed, countRemoved}, plan: l.everyPage(func(ctx context.Context, run *upkeepRun, ids []string) (int, error) {
		return store.DropStaleGuesses(ctx, run.ws.ID, ids, run.now().Add(-staleGuess))
	})}
	s.tasks[knowledge.TaskScopedExpansion] = upkeepTask{plan: l.expansion, counts: []string{countProcessed, countLinked}}
	s.tasks[undoTask] = upkeepTask{counts: []string{countProcessed, countRemoved}, plan: l.everyPage(func(ctx context.Context, run *upkeepRun, ids []string) (int, error) {
		return store.DropOrigin(ctx, run.ws.ID, ids, knowledge.OriginExpansion)
	})}
}

// everyPage goes through all entries and removes relations from each page of them.
func (l links) everyPage(remove func(ctx context.Context, run *upkeepRun, ids []string) (int, error)) func(context.Context, *upkeepRun) (upkeepStep, error) {
	return func(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
		from, err := cursorOf[*knowledge.Cursor](run)
		if err != nil {
			return nil, err
		}
		entries, err := l.store.EntriesInOrder(ctx, run.ws.ID, from, l.batch)
		if err != nil {
			return nil, err
		}
		ids, cursor := make([]string, len(entries)), run.record.Cursor
		for i, e := range entries {
			ids[i], cursor = e.ID, cursorText(entryCursor(e))
		}
		return func(ctx context.Context) (stepDone, error) {
			done := stepDone{cursor: cursor, last: len(entries) < l.batch}
			n, err := remove(ctx, run, ids)
			done.count(countProcessed, len(entries))
			done.count(countRemoved, n)
			if n > 0 {
				done.example("%d relations of %d entries go", n, len(ids))
			}
			return done, err
		}, nil
	}
}

// expansionPosition is how far SCOPED_EXPANSION got: first through the entries about
// nobody, then through those about each contact.
type expansionPosition struct {
	Contact   *knowledge.Cursor // the contact that it is at; nil: nobody
	ContactID string
	Entries   *knowledge.Cursor // of the scope; nil: from its first
}

// expansion looks at windows of scopes until one has something to join.
func (l links) expansion(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
	at, err := cursorOf[expansionPosition](run)
	if err != nil {
		return nil, err
	}
	if !knowledge.FeatureOn(l.features(run.ws), knowledge.FeatureAIKnowledge) {
		return func(context.Context) (stepDone, error) { return stepDone{last: true}, nil }, nil
	}
	looked := 0
	for range contactPage {
		entries, err := l.store.EntriesOfScope(ctx, run.ws.ID, at.ContactID, run.now(), at.Entries, expansionWindow)
		if err != nil {
			return nil, err
		}
		looked += len(entries)
		wanted, err := l.wanted(ctx, run.ws.ID, entries)
		if err != nil {
			return nil, err
		}
		contactID := at.ContactID
		next, last, err := l.behind(ctx, run, at, entries)
		if err != nil {
			return nil, err
		}
		if len(wanted) > 0 || last {
			return func(ctx context.Context) (stepDone, error) {
				done := stepDone{cursor: cursorText(next), last: last}
				done.count(countProcessed, looked)
				n, err := l.join(ctx, run, contactID, wanted, &done)
				done.count(countLinked, n)
				return done, err
			}, nil
		}
		at = next
	}
	return func(context.Context) (stepDone, error) {
		return stepDone{cursor: cursorText(at), counts: []knowledge.Count{{Key: countProcessed, Count: looked}}}, nil
	}, nil
}

// behind is the position behind a window; last tells that there is none.
func (l links) behind(ctx context.Context, run *upkeepRun, at expansionPosition, window []knowledge.ExpansionEntry) (expansionPosition, bool, error) {
	if len(window) == expansionWindow {
		e := window[len(window)-1]
		at.Entries = &knowledge.Cursor{Key: e.CreatedAt.Format(time.RFC3339Nano), ID: e.ID}
		return at, false, nil
	}
	contacts, err := l.store.ContactsInOrder(ctx, run.ws.ID, at.Contact, 1)
	if err != nil || len(contacts) == 0 {
		return at, true, err
	}
	c := contacts[0]
	return expansionPosition{Contact: &knowledge.Cursor{Key: c.CreatedAt.Format(time.RFC3339Nano), ID: c.ID}, ContactID: c.ID}, false, nil
}

// wanted are the links to be made in a window of one scope.
func (l links) wanted(ctx context.Context, workspaceID string, entries []knowledge.ExpansionEntry) ([]knowledge.ExpansionLink, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e knowledge.ExpansionEntry) bool { return len(e.MentionIDs) == 0 })
	ids := make([]string, len(entries))
	for i, e := range entries {
		ids[i] = e.ID
	}
	// Without vectors first: most windows have nothing in common.
	if len(ids) < 2 || !shareMentions(entries) {
		return nil, nil
	}
	vectors, err := l.store.EntryVectors(ctx, workspaceID, ids, l.model())
	if err != nil {
		return nil, err
	}
	for i, e := range entries {
		entries[i].Vector = vectors[e.ID]
	}
	related, err := l.related(ctx, workspaceID, ids)
	return knowledge.ExpansionLinks(entries, related), err
}

func shareMentions(entries []knowledge.ExpansionEntry) bool {
	seen := map[string]bool{}
	for _, e := range entries {
		for _, id := range e.MentionIDs {
			if seen[id] {
				return true
			}
			seen[id] = true
		}
	}
	return false
}

func (l links) related(ctx context.Context, workspaceID string, ids []string) ([][2]string, error) {
	relations, err := l.store.RelationsBetween(ctx, workspaceID, ids)
	pairs := make([][2]string, len(relations))
	for i, r := range relations {
		pairs[i] = [2]string{r.FromID, r.ToID}
	}
	return pairs, err
}

// join makes links whose entries are still in the scope and still not related, now that they are locked.
func (l links) join(ctx context.Context, run *upkeepRun, contactID string, wanted []knowledge.ExpansionLink, done *stepDone) (int, error) {
	if len(wanted) == 0 {
		return 0, nil
	}
	var ids []string
	for _, w := range wanted {
		ids = append(ids, w.From, w.To)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	locked, err := l.store.LockEntries(ctx, run.ws.ID, ids)
	if err != nil {
		return 0, err
	}
	inScope := map[string]*knowledge.Entry{}
	for _, e := range locked {
		if e.ValidTo == nil && (slices.Contains(e.ContactIDs, contactID) || contactID == "" && len(e.ContactIDs) == 0) {
			inScope[e.ID] = e
		}
	}
	related, err := l.related(ctx, run.ws.ID, ids)
	if err != nil {
		return 0, err
	}
	var relations []*knowledge.Relation
	for _, w := range wanted {
		from, to := inScope[w.From], inScope[w.To]
		if from == nil || to == nil || slices.Contains(related, [2]string{w.From, w.To}) || slices.Contains(related, [2]string{w.To, w.From}) {
			continue
		}
		relations = append(relations, w.Relation(run.ws.ID, l.newID(knowledge.PrefixRelation), run.now()))
		done.example("%s", fmt.Sprintf("%q is joined to %q", knowledge.Caption(from.Title), knowledge.Caption(to.Title)))
	}
	return len(relations), l.store.InsertRelations(ctx, relations)
}
