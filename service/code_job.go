package service

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// Keys of the input of a job that indexes code.
const (
	InputRepository = "repository"
	// maxCodeProblems is how many of a run's problems become items of its job.
	maxCodeProblems = 500
	codeReportTick  = 500 * time.Millisecond
)

// Start queues the indexing of a folder under one of the code roots (SPEC P12). FORBIDDEN and INVALID_INPUT
// (path) as the roots say, FEATURE_DISABLED where the code graph is off.
func (s *Code) Start(ctx context.Context, to Target, r CodeIndexRequest) (*knowledge.Job, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := s.enabled(ws); err != nil {
		return nil, err
	}
	if s.c.Resolve == nil {
		return nil, &knowledge.Error{Code: knowledge.CodeForbidden, Field: "path", Message: "this server reads no source"}
	}
	folder, err := s.c.Resolve(r.Folder)
	if err != nil {
		return nil, err
	}
	name, err := RepositoryName(r.Repository, folder)
	if err != nil {
		return nil, err
	}
	return s.c.Jobs().Create(ctx, to, JobRequest{Kind: knowledge.JobCodeIndex, Input: map[string]any{InputPath: folder, InputRepository: name}})
}

// Work is the work of a job that indexes code. It may be done again after any interruption.
func (s *Code) Work(ctx context.Context, run *JobRun) error {
	folder := run.Job.Text(InputPath)
	if !run.Job.Local { // a link may lead elsewhere by now
		if s.c.Resolve == nil {
			return &knowledge.Error{Code: knowledge.CodeForbidden, Field: "path", Message: "this server reads no source"}
		}
		var err error
		if folder, err = s.c.Resolve(folder); err != nil {
			return err
		}
	}
	var last lastProgress
	reporting, stop := context.WithCancel(ctx)
	var group errgroup.Group
	group.Go(func() error { return s.report(reporting, run, &last) })
	done, err := s.Index(ctx, run.Workspace, CodeIndexRequest{Folder: folder, Repository: run.Job.Text(InputRepository), Progress: last.set})
	stop()
	if lost := group.Wait(); err == nil {
		err = lost
	}
	if err != nil {
		return err
	}
	return s.finishJob(ctx, run, done)
}

// lastProgress is the last that was heard of a run.
type lastProgress struct {
	mu sync.Mutex
	at knowledge.CodeProgress
}

func (l *lastProgress) set(p knowledge.CodeProgress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = p
}

func (l *lastProgress) get() knowledge.CodeProgress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.at
}

// report notes now and then how far a run is, until its context ends: first the files that are read, then these and
// the nodes and edges that are written.
func (s *Code) report(ctx context.Context, run *JobRun, last *lastProgress) error {
	ticker := time.NewTicker(codeReportTick)
	defer ticker.Stop()
	var shown knowledge.CodeProgress
	files := 0
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		p := last.get()
		if p == shown {
			continue
		}
		shown = p
		r := knowledge.JobReport{Total: max(p.Total, p.Done), Scanned: p.Done}
		switch p.Stage {
		case "extract":
			files = p.Total
		case "write":
			r.Total, r.Scanned = files+p.Total, files+p.Done
		default: // how much there is, is not known yet, or nothing is counted
			continue
		}
		err := run.Report(ctx, r)
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
}

// finishJob notes the result of a run: files as its items, the rest as counts, problems by their paths.
func (s *Code) finishJob(ctx context.Context, run *JobRun, done *CodeRun) error {
	r := knowledge.JobReport{Counts: map[string]int{"fresh": done.Fresh, "changed": done.Changed, "removed": done.Removed, "kept": done.Kept}}
	if done.Report == nil {
		states, err := s.repository(ctx, run.Workspace.ID, done.Repository)
		if err != nil {
			return err
		}
		r.Total, r.Scanned, r.Skipped = states.Files, states.Files, states.Files
		maps.Copy(r.Counts, states.Counts)
		r.Counts["kept"], r.Counts["parsed"], r.Counts["reused"] = states.Files, 0, 0
		return run.Report(ctx, r)
	}
	report := *done.Report
	maps.Copy(r.Counts, report.Counts())
	problems := report.Problems[:min(len(report.Problems), maxCodeProblems)]
	r.Total, r.Scanned = report.Files+len(problems), report.Files
	r.Extracted, r.Skipped = done.Fresh+done.Changed, done.Kept
	if err := run.Report(ctx, r); err != nil {
		return err
	}
	for _, p := range problems {
		if err := run.Finish(ctx, knowledge.JobItem{Key: p.Path, State: knowledge.ItemFailed, Outcome: text(p.Message)}); err != nil {
			return err
		}
	}
	return nil
}
