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

// OfEntity pages through the entries that have an entity as contact or mention it: complete, newest first.
func (s *Entries) OfEntity(ctx context.Context, workspaceID, entityID string, types []knowledge.EntryType, at knowledge.TimePoint, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Entry], error) {
	return nil, errStub
}

// CountOfEntity is the number of entries that OfEntity has in all.
func (s *Entries) CountOfEntity(ctx context.Context, workspaceID, entityID string, types []knowledge.EntryType, at knowledge.TimePoint) (int, error) {
	return 0, errStub
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

// RelationsOf pages through an entry's relations, oldest first.
func (s *Entries) RelationsOf(ctx context.Context, workspaceID, entryID string, q RelationQuery, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Relation], error) {
	return nil, errStub
}

// CountRelationsOf is the number of an entry's relations.
func (s *Entries) CountRelationsOf(ctx context.Context, workspaceID, entryID string, q RelationQuery) (int, error) {
	return 0, errStub
}
