package cypher

import (
	"context"
	_ "embed"
	"encoding/json"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/workspace_create.cypher
var workspaceCreate statement

//go:embed queries/workspace_get.cypher
var workspaceGet statement

//go:embed queries/workspace_by_ids.cypher
var workspaceByIDs statement

//go:embed queries/workspace_list.cypher
var workspaceList statement

//go:embed queries/workspace_count.cypher
var workspaceCount statement

//go:embed queries/workspace_update.cypher
var workspaceUpdate statement

//go:embed queries/workspace_delete.cypher
var workspaceDelete statement

//go:embed queries/workspace_clear.cypher
var workspaceClear statement

//go:embed queries/workspace_counts.cypher
var workspaceCounts statement

//go:embed queries/workspace_counts_at.cypher
var workspaceCountsAt statement

//go:embed queries/workspace_degrees.cypher
var workspaceDegrees statement

// CreateWorkspace stores a new workspace; false where its key is taken.
func (s *Store) CreateWorkspace(ctx context.Context, w *knowledge.Workspace) (bool, error) {
	rows, err := write(ctx, s, workspaceCreate, map[string]any{"key": w.Key, "props": workspaceProps(w)}, func(r row) string { return r.text("id") })
	if err != nil {
		return false, err
	}
	return len(rows) == 1 && rows[0] == w.ID, nil
}

// Workspace is the workspace of a key; NOT_FOUND where there is none.
func (s *Store) Workspace(ctx context.Context, key string) (*knowledge.Workspace, error) {
	rows, err := read(ctx, s, workspaceGet, map[string]any{"key": key}, scanWorkspace)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, knowledge.NotFound("workspace", "there is no workspace %q", key)
	}
	return rows[0], nil
}

// WorkspacesByID are the workspaces of ids, those that exist.
func (s *Store) WorkspacesByID(ctx context.Context, ids []string) ([]*knowledge.Workspace, error) {
	return read(ctx, s, workspaceByIDs, map[string]any{"ids": ids}, scanWorkspace)
}

// Workspaces lists workspaces by key, after one key (or before it, nearest first).
func (s *Store) Workspaces(ctx context.Context, after string, backward bool, limit int) ([]*knowledge.Workspace, error) {
	return read(ctx, s, workspaceList, map[string]any{"after": after, "backward": backward, "limit": limit}, scanWorkspace)
}

// CountWorkspaces is the number of workspaces.
func (s *Store) CountWorkspaces(ctx context.Context) (int, error) {
	rows, err := read(ctx, s, workspaceCount, nil, func(r row) int { return r.int("count") })
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	return rows[0], nil
}

// UpdateWorkspace stores a workspace's name, settings and switches.
func (s *Store) UpdateWorkspace(ctx context.Context, w *knowledge.Workspace) error {
	return exec(ctx, s, workspaceUpdate, map[string]any{"id": w.ID, "props": workspaceProps(w)})
}

// DeleteWorkspace removes the workspace itself with its types; what it holds goes by ClearWorkspace.
func (s *Store) DeleteWorkspace(ctx context.Context, id string) error {
	return exec(ctx, s, workspaceDelete, map[string]any{"ws": id})
}

// workspaceContents are the labels of what a workspace holds, in the order in which it
// is removed: what hangs on something before that something.
var workspaceContents = []string{
	"CodeRepository", "CodeNode", "Observation", "Entry", "Fact", "Identity", "Alias", "Entity", "Document", "Task", "MailEvent", "JobItem", "Job", "Message", "SourceFile", "Extraction", "Merge", "Redirect", "IdempotencyKey",
	"MaintenanceRun", "MaintenanceState",
}

// ClearWorkspace removes all that a workspace holds but its types, in batches of their
// own transactions, so that its size does not matter. It can be run again after a failure.
func (s *Store) ClearWorkspace(ctx context.Context, id string) error {
	for _, label := range workspaceContents {
		indexed := "workspaceId"
		if label == "Fact" { // which has no index on the workspace alone
			indexed = "createdAt"
		}
		text := strings.NewReplacer("{{label}}", label, "{{indexed}}", indexed).Replace(string(workspaceClear))
		for {
			rows, err := runText(ctx, s, workspaceClear, text, map[string]any{"ws": id, "limit": 5_000}, func(r row) int { return r.int("deleted") }, neo4j.AccessModeWrite)
			if err != nil {
				return err
			}
			if len(rows) == 0 || rows[0] == 0 {
				break
			}
		}
	}
	return nil
}

// WorkspaceCounts counts what a workspace holds, all edges of all times among them.
func (s *Store) WorkspaceCounts(ctx context.Context, id string, now time.Time) (*knowledge.GraphSummary, error) {
	rows, err := read(ctx, s, workspaceCounts, map[string]any{"ws": id, "now": now}, scanSummary)
	if err != nil {
		return nil, err
	}
	return rows[0], nil
}

// WorkspaceEdgeCounts counts the edges of a workspace that are visible at a moment, by type.
func (s *Store) WorkspaceEdgeCounts(ctx context.Context, id string, at knowledge.TimePoint, now time.Time) ([]knowledge.Count, error) {
	return runText(ctx, s, workspaceCountsAt, withVisible(workspaceCountsAt, at), visibleParams(map[string]any{"ws": id}, at, now), func(r row) knowledge.Count {
		return knowledge.Count{Key: r.text("key"), Count: r.int("count")}
	}, neo4j.AccessModeRead)
}

// MostConnected are the entities with the most edges at a moment, ties by name.
func (s *Store) MostConnected(ctx context.Context, id string, at knowledge.TimePoint, now time.Time, limit int) ([]knowledge.ConnectedEntity, error) {
	params := visibleParams(map[string]any{"ws": id, "limit": limit}, at, now)
	return runText(ctx, s, workspaceDegrees, withVisible(workspaceDegrees, at), params, func(r row) knowledge.ConnectedEntity {
		return knowledge.ConnectedEntity{Entity: entityOf(r.props("e"), r.list("identities")), Degree: r.int("degree")}
	}, neo4j.AccessModeRead)
}

func orTime(t *time.Time, or time.Time) time.Time {
	if t == nil {
		return or
	}
	return *t
}

func workspaceProps(w *knowledge.Workspace) map[string]any {
	features, _ := json.Marshal(w.Switches) // a map of strings to booleans always encodes
	return map[string]any{
		"id": w.ID, "key": w.Key, "name": w.Name, "createdAt": w.CreatedAt, "features": string(features),
		"memoryEnabled": w.Memory.Enabled, "privacyMode": string(w.Memory.PrivacyMode), "autoCapture": w.Memory.AutoCapture,
		"temporalKnowledge": w.Memory.TemporalKnowledge, "wakeUpLayers": w.Memory.WakeUpLayers,
	}
}

func scanWorkspace(r row) *knowledge.Workspace {
	p := r.props("w")
	w := &knowledge.Workspace{
		ID: p.text("id"), Key: p.text("key"), Name: p.text("name"), CreatedAt: p.time("createdAt"),
		Memory: knowledge.MemorySettings{
			Enabled: p.bool("memoryEnabled"), PrivacyMode: knowledge.PrivacyMode(p.text("privacyMode")), AutoCapture: p.bool("autoCapture"),
			TemporalKnowledge: p.bool("temporalKnowledge"), WakeUpLayers: p.bool("wakeUpLayers"),
		},
	}
	_ = json.Unmarshal([]byte(p.text("features")), &w.Switches) // written by workspaceProps only
	return w
}

func scanSummary(r row) *knowledge.GraphSummary {
	return &knowledge.GraphSummary{
		Entities: r.int("entities"), Observations: r.int("observations"), CodeFiles: r.int("codeFiles"), CodeSymbols: r.int("codeSymbols"), Entries: r.int("entries"), Relations: r.int("relations"),
		EntitiesByType: countsOf(r.list("entitiesByType")), EntriesByType: countsOf(r.list("entriesByType")),
	}
}

func countsOf(list []props) []knowledge.Count {
	out := make([]knowledge.Count, 0, len(list))
	for _, p := range list {
		out = append(out, knowledge.Count{Key: p.text("key"), Count: p.int("count")})
	}
	return out
}
