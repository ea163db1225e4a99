package service

import (
	"context"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

// WorkspaceStore keeps workspaces. Workspace is NOT_FOUND (field workspace) for an
// unknown key; CreateWorkspace is false where the key is taken.
type WorkspaceStore interface {
	CreateWorkspace(ctx context.Context, w *knowledge.Workspace) (bool, error)
	Workspace(ctx context.Context, key string) (*knowledge.Workspace, error)
	WorkspacesByID(ctx context.Context, ids []string) ([]*knowledge.Workspace, error)
	Workspaces(ctx context.Context, after string, backward bool, limit int) ([]*knowledge.Workspace, error)
	CountWorkspaces(ctx context.Context) (int, error)
	UpdateWorkspace(ctx context.Context, w *knowledge.Workspace) error
}

// WorkspaceContents counts and removes what a workspace holds. ClearWorkspace works in
// batches of their own transactions and may be run again after a failure.
type WorkspaceContents interface {
	ClearWorkspace(ctx context.Context, id string) error
	DeleteWorkspace(ctx context.Context, id string) error
	WorkspaceCounts(ctx context.Context, id string, now time.Time) (*knowledge.GraphSummary, error)
	WorkspaceEdgeCounts(ctx context.Context, id string, at knowledge.TimePoint, now time.Time) ([]knowledge.Count, error)
	MostConnected(ctx context.Context, id string, at knowledge.TimePoint, now time.Time, limit int) ([]knowledge.ConnectedEntity, error)
}

// Workspaces are the tenants: made, listed, switched, emptied and removed here.
type Workspaces struct {
	store    WorkspaceStore
	contents WorkspaceContents
	types    *Types
	audit    *Audit
	clock    Clock
	newID    NewID
	features func(*knowledge.Workspace) []knowledge.Feature
	switched func(context.Context, Target, *knowledge.Workspace, knowledge.FeatureName) error
}

// WorkspacesConfig is what Workspaces needs. Features tells a workspace's effective
// switches.
type WorkspacesConfig struct {
	Store    WorkspaceStore
	Contents WorkspaceContents
	Types    *Types
	Audit    *Audit
	Clock    Clock
	NewID    NewID
	Features func(*knowledge.Workspace) []knowledge.Feature
	// Switched is told when somebody switches a feature on that was switched off, or never
	// on, in the workspace; may be nil.
	Switched func(ctx context.Context, to Target, ws *knowledge.Workspace, name knowledge.FeatureName) error
}

// NewWorkspaces makes the use cases of workspaces.
func NewWorkspaces(c WorkspacesConfig) *Workspaces {
	return &Workspaces{store: c.Store, contents: c.Contents, types: c.Types, audit: c.Audit, clock: c.Clock, newID: c.NewID, features: c.Features, switched: c.Switched}
}

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

// keyPattern is what a workspace may be called: it stands in addresses and file names.
var keyPattern = regexp.MustCompile(`^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$`)

// Start seeds what must be there from the start: the default workspace, and the
// built-in types of every workspace (SPEC A2). Several servers may do it at once.
func (s *Workspaces) Start(ctx context.Context) error {
	if _, err := s.store.Workspace(ctx, knowledge.DefaultWorkspace); knowledge.IsNotFound(err) {
		_, err = s.create(ctx, knowledge.DefaultWorkspace, "Default")
		if err != nil && knowledge.CodeOf(err) != knowledge.CodeConflict {
			return err
		}
	} else if err != nil {
		return err
	}
	after := ""
	for {
		page, err := s.store.Workspaces(ctx, after, false, knowledge.MaxPage)
		if err != nil {
			return err
		}
		for _, w := range page {
			if err := s.types.Seed(ctx, w.ID); err != nil {
				return err
			}
			after = w.Key
		}
		if len(page) < knowledge.MaxPage {
			return nil
		}
	}
}

// Get is the workspace of a key; NOT_FOUND where there is none.
func (s *Workspaces) Get(ctx context.Context, key string) (*knowledge.Workspace, error) {
	return s.store.Workspace(ctx, key)
}

// ByIDs are the workspaces of ids, those that exist.
func (s *Workspaces) ByIDs(ctx context.Context, ids []string) (map[string]*knowledge.Workspace, error) {
	found, err := s.store.WorkspacesByID(ctx, ids)
	out := make(map[string]*knowledge.Workspace, len(found))
	for _, w := range found {
		out[w.ID] = w
	}
	return out, err
}

// List pages through all workspaces by key.
func (s *Workspaces) List(ctx context.Context, page knowledge.PageRequest) (*knowledge.Page[*knowledge.Workspace], error) {
	return pageOf(page, func(from *knowledge.Cursor, limit int) ([]*knowledge.Workspace, error) {
		after := ""
		if from != nil {
			after = from.Key
		}
		return s.store.Workspaces(ctx, after, page.Last, limit)
	}, func(w *knowledge.Workspace) knowledge.Cursor { return knowledge.Cursor{Key: w.Key, ID: w.ID} })
}

// Count is the number of workspaces.
func (s *Workspaces) Count(ctx context.Context) (int, error) { return s.store.CountWorkspaces(ctx) }

// Create makes a workspace with the built-in types; CONFLICT where the key is taken.
func (s *Workspaces) Create(ctx context.Context, caller knowledge.Caller, key, name string) (*knowledge.Workspace, error) {
	if !keyPattern.MatchString(key) {
		return nil, knowledge.Invalid("key", "must be 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit")
	}
	if name = strings.TrimSpace(name); name == "" {
		name = key
	}
	if err := knowledge.CheckText("name", name, knowledge.MaxNameLength); err != nil {
		return nil, err
	}
	w, err := s.create(ctx, key, name)
	if err != nil {
		return nil, err
	}
	return w, s.audit.Record(ctx, w.ID, caller, "workspace.created", map[string]any{"key": key})
}

func (s *Workspaces) create(ctx context.Context, key, name string) (*knowledge.Workspace, error) {
	w := &knowledge.Workspace{ID: s.newID(knowledge.PrefixWorkspace), Key: key, Name: name, Memory: knowledge.DefaultMemory(), CreatedAt: s.clock()}
	created, err := s.store.CreateWorkspace(ctx, w)
	if err != nil {
		return nil, err
	}
	if !created {
		return nil, &knowledge.Error{Code: knowledge.CodeConflict, Field: "key", Message: "a workspace of this key exists"}
	}
	return w, s.types.Seed(ctx, w.ID)
}

// Update renames a workspace and changes its settings and switches.
func (s *Workspaces) Update(ctx context.Context, to Target, patch WorkspacePatch) (*knowledge.Workspace, error) {
	w, err := s.store.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	changed := map[string]any{}
	if patch.Name != nil {
		name := strings.TrimSpace(*patch.Name)
		if name == "" {
			return nil, knowledge.Invalid("name", "must not be empty")
		}
		if err := knowledge.CheckText("name", name, knowledge.MaxNameLength); err != nil {
			return nil, err
		}
		w.Name, changed["name"] = name, name
	}
	if err := patch.Memory.apply(&w.Memory, changed); err != nil {
		return nil, err
	}
	on := s.turn(w, patch.Features, changed)
	if err := s.store.UpdateWorkspace(ctx, w); err != nil {
		return nil, err
	}
	if err := s.audit.Record(ctx, w.ID, to.Caller, "workspace.updated", changed); err != nil {
		return nil, err
	}
	for _, name := range on {
		if err := s.switched(ctx, to, w, name); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// turn sets a workspace's switches and gives those that were off before and are on now.
func (s *Workspaces) turn(w *knowledge.Workspace, features map[knowledge.FeatureName]bool, changed map[string]any) []knowledge.FeatureName {
	var on []knowledge.FeatureName
	before := s.features(w)
	for _, name := range slices.Sorted(maps.Keys(features)) {
		was, decided := w.Switches[name]
		if !decided {
			was = knowledge.FeatureOn(before, name)
		}
		if w.Switches == nil {
			w.Switches = map[knowledge.FeatureName]bool{}
		}
		w.Switches[name], changed[string(name)] = features[name], features[name]
		if features[name] && !was && s.switched != nil {
			on = append(on, name)
		}
	}
	return on
}

func (p MemoryPatch) apply(m *knowledge.MemorySettings, changed map[string]any) error {
	for name, field := range map[string]struct{ from, to *bool }{
		"enabled": {p.Enabled, &m.Enabled}, "autoCapture": {p.AutoCapture, &m.AutoCapture},
		"temporalKnowledge": {p.TemporalKnowledge, &m.TemporalKnowledge}, "wakeUpLayers": {p.WakeUpLayers, &m.WakeUpLayers},
	} {
		if field.from != nil {
			*field.to, changed["memory."+name] = *field.from, *field.from
		}
	}
	if p.PrivacyMode == nil {
		return nil
	}
	if !slices.Contains([]knowledge.PrivacyMode{knowledge.PrivacyNormal, knowledge.PrivacyStrict, knowledge.PrivacyDisabled}, *p.PrivacyMode) {
		return knowledge.Invalid("memory.privacyMode", "is not a privacy mode")
	}
	m.PrivacyMode, changed["memory.privacyMode"] = *p.PrivacyMode, string(*p.PrivacyMode)
	return nil
}

// Clear removes what a workspace holds, and the workspace too where it is not to be kept (SPEC R4, R5).
func (s *Workspaces) Clear(ctx context.Context, to Target, req ClearRequest) (*knowledge.DeleteCounts, error) {
	w, err := s.store.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if req.Confirm != w.Key {
		return nil, knowledge.Invalid("confirm", "must be the workspace's key")
	}
	if !req.KeepWorkspace && w.Key == knowledge.DefaultWorkspace {
		return nil, knowledge.Invalid("keepWorkspace", "the default workspace can be cleared, not removed")
	}
	sum, err := s.Summary(ctx, w, 0, knowledge.TimePoint{})
	if err != nil {
		return nil, err
	}
	counts := &knowledge.DeleteCounts{
		Deleted: !req.DryRun, Entities: sum.Entities, Edges: sum.Edges, Observations: sum.Observations, Entries: sum.Entries, Relations: sum.Relations,
	}
	if req.DryRun {
		return counts, nil
	}
	if err := s.contents.ClearWorkspace(ctx, w.ID); err != nil {
		return nil, err
	}
	action := "workspace.cleared"
	if !req.KeepWorkspace {
		action = "workspace.deleted"
		if err := s.contents.DeleteWorkspace(ctx, w.ID); err != nil {
			return nil, err
		}
		s.types.forget(w.ID)
	}
	return counts, s.audit.Record(ctx, w.ID, to.Caller, action, map[string]any{
		"key": w.Key, "entities": counts.Entities, "edges": counts.Edges, "observations": counts.Observations, "entries": counts.Entries, "relations": counts.Relations,
	})
}

// Summary counts what a workspace holds at a moment; top bounds the most connected
// entities, which are not looked for where it is 0.
func (s *Workspaces) Summary(ctx context.Context, ws *knowledge.Workspace, top int, at knowledge.TimePoint) (*knowledge.GraphSummary, error) {
	if top < 0 || top > knowledge.MaxSearchResults {
		return nil, knowledge.Invalid("top", "must be from 0 to %d", knowledge.MaxSearchResults)
	}
	now := s.clock()
	sum, err := s.contents.WorkspaceCounts(ctx, ws.ID, now)
	if err != nil {
		return nil, err
	}
	current, err := s.contents.WorkspaceEdgeCounts(ctx, ws.ID, at, now)
	if err != nil {
		return nil, err
	}
	all, err := s.contents.WorkspaceEdgeCounts(ctx, ws.ID, knowledge.TimePoint{KnownAt: at.KnownAt, IncludeHistory: true}, now)
	if err != nil {
		return nil, err
	}
	sum.EdgesByType, sum.CurrentEdges, sum.Edges = current, total(current), total(all)
	if top == 0 {
		return sum, nil
	}
	sum.MostConnected, err = s.contents.MostConnected(ctx, ws.ID, at, now, top)
	return sum, err
}

func total(counts []knowledge.Count) int {
	n := 0
	for _, c := range counts {
		n += c.Count
	}
	return n
}

// Features are all switches with their effective state (SPEC Q2).
func (s *Workspaces) Features(ws *knowledge.Workspace) []knowledge.Feature { return s.features(ws) }
