package service

import (
	"context"
	"time"

	"mneme/knowledge"
)

// Entries are the knowledge layer: entries and the relations between them.
type Entries struct{}

// RelationQuery selects relations of an entry; no types means all.
type RelationQuery struct {
	Direction knowledge.Direction
	Types     []knowledge.RelationType
}

// Create saves an entry, or finds the equal one (SPEC K5, K20–K22).
func (s *Entries) Create(ctx context.Context, to Target, draft knowledge.EntryDraft) (*knowledge.EntrySave, error) {
	return nil, errStub
}

// Update edits an entry and validates it anew (SPEC K7, G15).
func (s *Entries) Update(ctx context.Context, to Target, patch knowledge.EntryPatch) (*knowledge.EntrySave, error) {
	return nil, errStub
}

// Validate confirms an entry by use (SPEC G16).
func (s *Entries) Validate(ctx context.Context, to Target, id string) (*knowledge.EntrySave, error) {
	return nil, errStub
}

// End says that an entry stopped being true; with a replacement it answers the new entry (SPEC T22).
func (s *Entries) End(ctx context.Context, to Target, id string, validTo *time.Time, replacement *string) (*knowledge.EntrySave, error) {
	return nil, errStub
}

// Delete removes an entry with its relations (SPEC K8); Deleted is false where there is none.
func (s *Entries) Delete(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// ByIDs are the entries of ids, those that exist in the workspace.
func (s *Entries) ByIDs(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entry, error) {
	return nil, errStub
}

// List pages through entries, newest first (SPEC K10).
func (s *Entries) List(ctx context.Context, workspaceID string, filter knowledge.EntryFilter, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Entry], error) {
	return nil, errStub
}

// Count is the number of entries that fit a filter.
func (s *Entries) Count(ctx context.Context, workspaceID string, filter knowledge.EntryFilter, at knowledge.TimePoint) (int, error) {
	return 0, errStub
}

// ScoredEntry is a search result.
type ScoredEntry struct {
	Entry *knowledge.Entry
	Score float64
}

// Search finds entries by full text, best first. A blank query finds nothing.
func (s *Entries) Search(ctx context.Context, ws *knowledge.Workspace, query string, filter knowledge.EntryFilter, expand bool, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[ScoredEntry], error) {
	return nil, errStub
}

// EntityEntryQuery selects entries of an entity; no types means all.
type EntityEntryQuery struct {
	Types []knowledge.EntryType
	At    knowledge.TimePoint
}

// SearchCount is how many results Search has in all.
func (s *Entries) SearchCount(ctx context.Context, ws *knowledge.Workspace, query string, filter knowledge.EntryFilter, expand bool, at knowledge.TimePoint) (int, error) {
	return 0, errStub
}

// OfEntities pages through the entries that have an entity as contact or mention it, complete and newest
// first, for each of several entities; a page for every id, empty for what is not there. A cursor goes with a single id.
func (s *Entries) OfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EntityEntryQuery, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Entry], error) {
	return nil, errStub
}

// CountOfEntities are the numbers of entries that OfEntities has in all, by entity id.
func (s *Entries) CountOfEntities(ctx context.Context, workspaceID string, entityIDs []string, q EntityEntryQuery) (map[string]int, error) {
	return nil, errStub
}

// Supports are what entries rest on, by entry id, oldest first.
func (s *Entries) Supports(ctx context.Context, workspaceID string, ids []string) (map[string][]*knowledge.Support, error) {
	return nil, errStub
}

// SupersededBy are the newest entries that supersede the given ones, by the id of the superseded.
func (s *Entries) SupersededBy(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Entry, error) {
	return nil, errStub
}

// Relate joins two entries, or folds the evidence into the relation that is there (SPEC K13–K17).
func (s *Entries) Relate(ctx context.Context, to Target, draft knowledge.RelationDraft) (*knowledge.RelationSave, error) {
	return nil, errStub
}

// Unrelate removes a relation; Deleted is false where there is none.
func (s *Entries) Unrelate(ctx context.Context, to Target, id string) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// RelationsByID are the relations of ids, those that exist in the workspace.
func (s *Entries) RelationsByID(ctx context.Context, workspaceID string, ids []string) (map[string]*knowledge.Relation, error) {
	return nil, errStub
}

// RelationsOf pages through the relations of each of several entries, oldest first; a page for every id,
// empty for what is not there. A cursor goes with a single id.
func (s *Entries) RelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q RelationQuery, page knowledge.PageRequest) (map[string]*knowledge.Page[*knowledge.Relation], error) {
	return nil, errStub
}

// CountRelationsOf are the numbers of entries' relations, by entry id.
func (s *Entries) CountRelationsOf(ctx context.Context, workspaceID string, entryIDs []string, q RelationQuery) (map[string]int, error) {
	return nil, errStub
}
