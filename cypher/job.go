package cypher

import (
	"context"
	_ "embed"
	"maps"
	"slices"
	"strings"
	"time"

	"mneme/knowledge"
)

//go:embed queries/job_create.cypher
var jobCreate statement

//go:embed queries/job_claim.cypher
var jobClaim statement

//go:embed queries/job_renew.cypher
var jobRenew statement

//go:embed queries/job_release.cypher
var jobRelease statement

//go:embed queries/job_total.cypher
var jobTotal statement

//go:embed queries/job_item.cypher
var jobItem statement

//go:embed queries/job_items_done.cypher
var jobItemsDone statement

//go:embed queries/job_finish.cypher
var jobFinish statement

//go:embed queries/job_cancel.cypher
var jobCancel statement

//go:embed queries/job_by_ids.cypher
var jobByIDs statement

//go:embed queries/job_list.cypher
var jobList statement

//go:embed queries/job_count.cypher
var jobCount statement

//go:embed queries/job_items.cypher
var jobItems statement

//go:embed queries/job_items_count.cypher
var jobItemsCount statement

// CreateJob stores a new job.
func (s *Store) CreateJob(ctx context.Context, j *knowledge.Job) error {
	return exec(ctx, s, jobCreate, map[string]any{"props": map[string]any{
		"id": j.ID, "workspaceId": j.WorkspaceID, "name": string(j.Kind), "kind": string(j.Kind), "state": string(j.State), "input": jsonText(j.Input), "local": j.Local,
		"callerName": j.Caller.Name, "callerActor": string(j.Caller.Actor), "callerProfile": jsonText(profileMap(j.Caller.Profile)), "createdAt": j.CreatedAt, "scanned": 0, "extracted": 0, "skipped": 0, "errors": 0,
	}})
}

// profileMap is a caller's profile as it is stored with a job: work that goes on without
// its caller keeps to what that one may (SPEC F8).
func profileMap(p knowledge.Profile) map[string]any {
	return map[string]any{"mode": string(p.Mode), "channel": string(p.Channel), "readOnly": p.ReadOnly, "contactId": p.ContactID}
}

func profileOf(stored map[string]any) knowledge.Profile {
	text := func(key string) string {
		s, _ := stored[key].(string)
		return s
	}
	readOnly, _ := stored["readOnly"].(bool)
	return knowledge.Profile{
		Mode: knowledge.CallerMode(text("mode")), Channel: knowledge.CallerChannel(text("channel")), ReadOnly: readOnly, ContactID: text("contactId"),
	}
}

// ClaimJob takes the oldest job in hand that nobody works on, or the one of an id; nil
// where there is none.
func (s *Store) ClaimJob(ctx context.Context, c knowledge.JobClaim) (*knowledge.Job, error) {
	rows, err := write(ctx, s, jobClaim, map[string]any{"id": c.JobID, "owner": c.Owner, "now": c.Now, "until": c.Until}, scanJob)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// RenewJob lengthens a claim; false where the job was cancelled or another worker has it.
func (s *Store) RenewJob(ctx context.Context, c knowledge.JobClaim) (bool, error) {
	rows, err := write(ctx, s, jobRenew, map[string]any{"id": c.JobID, "owner": c.Owner, "until": c.Until}, func(r row) string { return r.text("id") })
	return len(rows) > 0, err
}

// ReleaseJob gives a job back before its lease ends.
func (s *Store) ReleaseJob(ctx context.Context, c knowledge.JobClaim, lastError *string) error {
	return exec(ctx, s, jobRelease, map[string]any{"id": c.JobID, "owner": c.Owner, "error": ptrValue(lastError)})
}

// SetJobTotal notes how many items a job has.
func (s *Store) SetJobTotal(ctx context.Context, c knowledge.JobClaim, total int) error {
	return exec(ctx, s, jobTotal, map[string]any{"id": c.JobID, "owner": c.Owner, "total": total})
}

// FinishItems notes what became of items and counts them; an item that was counted before
// is not counted again. False where the worker does not have the job any more.
func (s *Store) FinishItems(ctx context.Context, c knowledge.JobClaim, workspaceID string, items []knowledge.JobItem) (bool, error) {
	list := make([]any, len(items))
	for i, item := range items {
		params := map[string]any{
			"key": item.Key, "extracted": 0, "skipped": 0, "errors": 0, "error": nil, "counts": countRows(item.Counts),
			"props": map[string]any{"workspaceId": workspaceID, "name": item.Key, "state": string(item.State), "outcome": ptrValue(item.Outcome), "raw": ptrValue(item.Raw), "at": item.At},
		}
		switch item.State {
		case knowledge.ItemDone:
			params["extracted"] = 1
		case knowledge.ItemSkipped:
			params["skipped"] = 1
		case knowledge.ItemFailed:
			params["errors"], params["error"] = 1, ptrValue(item.Outcome)
		}
		list[i] = params
	}
	rows, err := write(ctx, s, jobItem, map[string]any{"id": c.JobID, "owner": c.Owner, "items": list}, func(r row) bool { return r.bool("held") })
	return len(rows) > 0 && rows[0], err
}

// countPrefix begins the properties under which a job's own counts are stored.
const countPrefix = "count_"

func countRows(counts map[string]int) []any {
	rows := make([]any, 0, len(counts))
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		if counts[key] != 0 {
			rows = append(rows, map[string]any{"key": key, "n": counts[key]})
		}
	}
	return rows
}

// ItemsDone are those of the keys whose items have an outcome.
func (s *Store) ItemsDone(ctx context.Context, jobID string, keys []string) (map[string]bool, error) {
	rows, err := read(ctx, s, jobItemsDone, map[string]any{"id": jobID, "keys": keys}, func(r row) string { return r.text("key") })
	out := make(map[string]bool, len(rows))
	for _, key := range rows {
		out[key] = true
	}
	return out, err
}

// FinishJob ends a job; false where the worker does not have it any more.
func (s *Store) FinishJob(ctx context.Context, c knowledge.JobClaim, state knowledge.JobState, lastError *string, now time.Time) (bool, error) {
	params := map[string]any{"id": c.JobID, "owner": c.Owner, "state": string(state), "error": ptrValue(lastError), "now": now}
	rows, err := write(ctx, s, jobFinish, params, func(r row) string { return r.text("id") })
	return len(rows) > 0, err
}

// CancelJob ends a job that is queued or running and gives it as it is then; nil where
// there is none. One that has ended stays as it is.
func (s *Store) CancelJob(ctx context.Context, workspaceID, id string, now time.Time) (*knowledge.Job, error) {
	rows, err := write(ctx, s, jobCancel, map[string]any{"ws": workspaceID, "id": id, "now": now}, scanJob)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0], nil
}

// JobsByID are the jobs of ids that a workspace holds.
func (s *Store) JobsByID(ctx context.Context, workspaceID string, ids []string) ([]*knowledge.Job, error) {
	return read(ctx, s, jobByIDs, map[string]any{"ws": workspaceID, "ids": ids}, scanJob)
}

// Jobs are a workspace's jobs, newest first, behind a position; no kind is every kind.
func (s *Store) Jobs(ctx context.Context, workspaceID string, kind knowledge.JobKind, from *knowledge.Cursor, limit int) ([]*knowledge.Job, error) {
	return read(ctx, s, jobList, behind(map[string]any{"ws": workspaceID, "kind": string(kind), "limit": limit}, from), scanJob)
}

// CountJobs is the number of a workspace's jobs.
func (s *Store) CountJobs(ctx context.Context, workspaceID string, kind knowledge.JobKind) (int, error) {
	return s.count(ctx, jobCount, map[string]any{"ws": workspaceID, "kind": string(kind)})
}

// JobItems are what became of a job's items, by key, behind a key; no state is every state.
func (s *Store) JobItems(ctx context.Context, jobID string, state knowledge.ItemState, after string, limit int) ([]*knowledge.JobItem, error) {
	return read(ctx, s, jobItems, map[string]any{"id": jobID, "state": string(state), "after": after, "limit": limit}, func(r row) *knowledge.JobItem {
		p := r.props("i")
		return &knowledge.JobItem{Key: p.text("key"), State: knowledge.ItemState(p.text("state")), Outcome: p.textPtr("outcome"), Raw: p.textPtr("raw"), At: p.time("at")}
	})
}

// CountJobItems is the number of a job's items that have an outcome.
func (s *Store) CountJobItems(ctx context.Context, jobID string, state knowledge.ItemState) (int, error) {
	return s.count(ctx, jobItemsCount, map[string]any{"id": jobID, "state": string(state)})
}

func scanJob(r row) *knowledge.Job {
	p := r.props("j")
	j := &knowledge.Job{
		ID: p.text("id"), WorkspaceID: p.text("workspaceId"), Kind: knowledge.JobKind(p.text("kind")), State: knowledge.JobState(p.text("state")), Input: p.object("input"),
		Caller: knowledge.Caller{Name: p.text("callerName"), Actor: knowledge.Actor(p.text("callerActor")), Profile: profileOf(p.object("callerProfile"))}, Local: p.bool("local"),
		Scanned: p.int("scanned"), Extracted: p.int("extracted"), Skipped: p.int("skipped"), Errors: p.int("errors"), LastError: p.textPtr("lastError"),
		CreatedAt: p.time("createdAt"), StartedAt: p.timePtr("startedAt"), FinishedAt: p.timePtr("finishedAt"), Counts: []knowledge.Count{},
	}
	if total, ok := p["total"].(int64); ok {
		n := int(total)
		j.Total = &n
	}
	for _, key := range slices.Sorted(maps.Keys(p)) {
		if name, ok := strings.CutPrefix(key, countPrefix); ok {
			j.Counts = append(j.Counts, knowledge.Count{Key: name, Count: p.int(key)})
		}
	}
	return j
}
