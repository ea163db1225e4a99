package service

import (
	"context"

	"mneme/knowledge"
)

// Workspaces are the tenants: made, listed, switched, emptied and removed here.
type Workspaces struct{}

// WorkspacePatch changes a workspace; nil leaves a part as it is.
type WorkspacePatch struct {
	Name     *string
	Memory   MemoryPatch
	Features map[knowledge.FeatureName]bool
}

// MemoryPatch changes memory settings; nil leaves a part as it is.
type MemoryPatch struct {
	Enabled, AutoCapture, TemporalKnowledge, WakeUpLayers *bool
	PrivacyMode                                           *knowledge.PrivacyMode
}

// ClearRequest empties a workspace. Confirm must be its key.
type ClearRequest struct {
	Confirm       string
	KeepWorkspace bool
	DryRun        bool
}

// Get is the workspace of a key; NOT_FOUND where there is none.
func (s *Workspaces) Get(ctx context.Context, key string) (*knowledge.Workspace, error) {
	return nil, errStub
}

// ByIDs are the workspaces of ids, those that exist.
func (s *Workspaces) ByIDs(ctx context.Context, ids []string) (map[string]*knowledge.Workspace, error) {
	return nil, errStub
}

// List pages through all workspaces by key.
func (s *Workspaces) List(ctx context.Context, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Workspace], error) {
	return nil, errStub
}

// Count is the number of workspaces.
func (s *Workspaces) Count(ctx context.Context) (int, error) { return 0, errStub }

// Create makes a workspace with the built-in types; CONFLICT where the key is taken.
func (s *Workspaces) Create(ctx context.Context, caller knowledge.Caller, key, name string) (*knowledge.Workspace, error) {
	return nil, errStub
}

// Update renames a workspace and changes its settings and switches.
func (s *Workspaces) Update(ctx context.Context, to Target, patch WorkspacePatch) (*knowledge.Workspace, error) {
	return nil, errStub
}

// Clear removes what a workspace holds, and the workspace too where it is not to be kept (SPEC R4, R5).
func (s *Workspaces) Clear(ctx context.Context, to Target, req ClearRequest) (*knowledge.DeleteCounts, error) {
	return nil, errStub
}

// Summary counts what a workspace holds at a moment; top bounds the most connected entities.
func (s *Workspaces) Summary(ctx context.Context, ws *knowledge.Workspace, top int, at knowledge.TimePoint) (*knowledge.GraphSummary, error) {
	return nil, errStub
}

// Features are all switches with their effective state (SPEC Q2).
func (s *Workspaces) Features(ws *knowledge.Workspace) []knowledge.Feature { return nil }
