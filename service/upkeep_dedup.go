package service

import (
	"context"
	"fmt"
	"slices"
	"time"

	"mneme/knowledge"
)

// DedupStore reads what says the same, and makes it one.
type DedupStore interface {
	ContactsInOrder(ctx context.Context, workspaceID string, from *knowledge.Cursor, limit int) ([]*knowledge.Entity, error)
	EntriesToCompare(ctx context.Context, workspaceID, contactID string, model knowledge.EmbeddingModel, now time.Time, limit int) ([]knowledge.DedupEntry, error)
	EntriesToldApart(ctx context.Context, ids []string) ([][2]string, error)
	RelationDegrees(ctx context.Context, ids []string) (map[string]int, error)
	RelationsTouching(ctx context.Context, ids []string) ([]*knowledge.Relation, error)
	RelationsWith(ctx context.Context, id string, others []string) ([]*knowledge.Relation, error)
	LockEntries(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Entry, error)
	// FoldEntries gives the entry that stays what the others have; added are the parts of
	// its content that each gave.
	FoldEntries(ctx context.Context, folded *knowledge.Entry, searchText string, losers []string, added map[string][]string, moves knowledge.RelationMoves) error
}

// contactPage is how many contacts are read at once (SPEC N4).
const contactPage = 50

// Counts of deduplication.
const (
	countContacts = "contacts"
	countMerged   = "merged"
)

// dedup is DEDUP: a step is a contact with something to join, or a page of contacts without.
type dedup struct {
	store DedupStore
	model func() knowledge.EmbeddingModel
}

// AddDedup adds the task DEDUP (SPEC N4–N10): entries about one contact that say the same
// become one. Entries without a contact, and those of different contacts, never do.
func (s *Upkeep) AddDedup(store DedupStore, model func() knowledge.EmbeddingModel) {
	s.tasks[knowledge.TaskDedup] = upkeepTask{plan: dedup{store, model}.plan, counts: []string{countContacts, countMerged}}
}

func (d dedup) plan(ctx context.Context, run *upkeepRun) (upkeepStep, error) {
	from, err := cursorOf[*knowledge.Cursor](run)
	if err != nil {
		return nil, err
	}
	contacts, err := d.store.ContactsInOrder(ctx, run.ws.ID, from, contactPage)
	if err != nil {
		return nil, err
	}
	looked := stepDone{cursor: run.record.Cursor}
	for i, contact := range contacts {
		clusters, err := d.clusters(ctx, run, contact.ID)
		if err != nil {
			return nil, err
		}
		looked.cursor = cursorText(knowledge.Cursor{Key: contact.CreatedAt.Format(time.RFC3339Nano), ID: contact.ID})
		if len(clusters) == 0 {
			continue
		}
		return func(ctx context.Context) (stepDone, error) {
			done := looked
			merged, examples, err := d.merge(ctx, run, contact.ID, clusters)
			done.examples = examples
			done.counts = []knowledge.Count{{Key: countContacts, Count: i + 1}, {Key: countMerged, Count: merged}}
			return done, err
		}, nil
	}
	looked.last = len(contacts) < contactPage
	looked.counts = []knowledge.Count{{Key: countContacts, Count: len(contacts)}}
	return func(context.Context) (stepDone, error) { return looked, nil }, nil
}

// clusters are the groups of a contact's entries that say the same.
func (d dedup) clusters(ctx context.Context, run *upkeepRun, contactID string) ([][]knowledge.DedupEntry, error) {
	entries, err := d.store.EntriesToCompare(ctx, run.ws.ID, contactID, d.model(), run.now(), knowledge.MaxDedupEntries)
	if err != nil || len(entries) < 2 {
		return nil, err
	}
	clusters := knowledge.DedupClusters(entries, nil)
	if len(clusters) == 0 {
		return nil, nil
	}
	var ids []string // of those that are near to another: few
	var near []knowledge.DedupEntry
	for _, cluster := range clusters {
		for _, e := range cluster {
			ids, near = append(ids, e.ID), append(near, e)
		}
	}
	apart, err := d.store.EntriesToldApart(ctx, ids)
	if err != nil {
		return nil, err
	}
	return knowledge.DedupClusters(near, apart), nil
}

// merge joins what still says the same and is still about the contact, now that it is locked (SPEC N9).
func (d dedup) merge(ctx context.Context, run *upkeepRun, contactID string, clusters [][]knowledge.DedupEntry) (int, []string, error) {
	merged := 0
	var examples []string
	for _, cluster := range clusters {
		survivor, losers, err := d.lock(ctx, run, contactID, cluster)
		if err != nil {
			return merged, examples, err
		}
		if len(losers) == 0 {
			continue
		}
		if err := d.fold(ctx, run, survivor, losers); err != nil {
			return merged, examples, err
		}
		merged += len(losers)
		for _, l := range losers {
			examples = append(examples, fmt.Sprintf("%q goes into %q", knowledge.Caption(l.Title), knowledge.Caption(survivor.Title)))
		}
	}
	return merged, examples, nil
}

// lock locks a group. What somebody changed since it was compared, and what has too many
// relations to be moved at once, is left for later (SPEC N8).
func (d dedup) lock(ctx context.Context, run *upkeepRun, contactID string, cluster []knowledge.DedupEntry) (*knowledge.Entry, []*knowledge.Entry, error) {
	ids := make([]string, len(cluster))
	for i, e := range cluster {
		ids[i] = e.ID
	}
	locked, err := d.store.LockEntries(ctx, run.ws.ID, ids)
	if err != nil {
		return nil, nil, err
	}
	degrees, err := d.store.RelationDegrees(ctx, ids)
	if err != nil {
		return nil, nil, err
	}
	var survivor *knowledge.Entry
	var losers []*knowledge.Entry
	for _, seen := range cluster {
		i := slices.IndexFunc(locked, func(e *knowledge.Entry) bool { return e.ID == seen.ID })
		if i < 0 {
			continue
		}
		e := locked[i]
		same := e.ContentHash == seen.Hash && e.Type == seen.Type && e.Confidence == seen.Confidence && e.ValidTo == nil && slices.Contains(e.ContactIDs, contactID)
		switch {
		case !same && survivor == nil:
			return nil, nil, nil // another may be the one to stay now
		case !same:
		case survivor == nil:
			survivor = e
		case degrees[e.ID] < knowledge.MaxDedupRelations:
			losers = append(losers, e)
		}
	}
	return survivor, losers, nil
}

func (d dedup) fold(ctx context.Context, run *upkeepRun, survivor *knowledge.Entry, losers []*knowledge.Entry) error {
	ids := make([]string, len(losers))
	for i, l := range losers {
		ids[i] = l.ID
	}
	ofLosers, err := d.store.RelationsTouching(ctx, ids)
	if err != nil {
		return err
	}
	var others []string
	for _, r := range ofLosers {
		others = append(others, r.FromID, r.ToID)
	}
	ofSurvivor, err := d.store.RelationsWith(ctx, survivor.ID, others)
	if err != nil {
		return err
	}
	ofSurvivor = slices.DeleteFunc(ofSurvivor, func(r *knowledge.Relation) bool {
		return slices.Contains(ids, r.FromID) || slices.Contains(ids, r.ToID)
	})
	folded, added := knowledge.FoldEntries(survivor, losers, run.now())
	return d.store.FoldEntries(ctx, folded, analyzed(folded), ids, added, knowledge.MoveRelations(survivor.ID, ids, ofSurvivor, ofLosers, run.now()))
}
