package cypher

import (
	"context"
	_ "embed"

	"mneme/knowledge"
)

//go:embed queries/job_report.cypher
var jobReport statement

// ReportJob sets how far a job is; false where the worker does not have it any more.
func (s *Store) ReportJob(ctx context.Context, c knowledge.JobClaim, r knowledge.JobReport) (bool, error) {
	rows, err := write(ctx, s, jobReport, map[string]any{
		"id": c.JobID, "owner": c.Owner, "counts": countRows(r.Counts),
		"props": map[string]any{"total": r.Total, "scanned": r.Scanned, "extracted": r.Extracted, "skipped": r.Skipped},
	}, func(r row) string { return r.text("id") })
	return len(rows) > 0, err
}
