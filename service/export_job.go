package service

import (
	"context"
	"iter"

	"mneme/knowledge"
)

// ExportReader reads files that may be exports in JSON. INVALID_INPUT (path) where there is
// no such file; ok is false where it is no export. failure says, after the sequence has
// ended, why it ended too early, if it did.
type ExportReader interface {
	Export(path string) (items iter.Seq[knowledge.ExportItem], failure func() error, ok bool, err error)
}

// JobImport is the work of a job that imports a graph: an export as a whole, anything else
// as the lines that it is. A job that was cut off is begun again, and goes on, because what
// is there already stays as it is.
func (s *Exports) JobImport(reader ExportReader, lines JobWork) JobWork {
	return func(ctx context.Context, run *JobRun) error {
		if knowledge.ImportFormat(run.Job.Text(InputFormat)) != knowledge.ImportGraph {
			return lines(ctx, run)
		}
		items, failure, ok, err := reader.Export(run.Job.Text(InputPath))
		if err != nil {
			return err
		}
		if !ok {
			return lines(ctx, run)
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		in := &exportJob{run: run, stop: cancel}
		to := Target{Workspace: run.Workspace.Key, Caller: run.Job.Caller}
		counts, err := s.Import(ctx, to, items, ExportImport{
			OnItemError: func(where string, err error) { in.failed(ctx, where, err) },
			OnBatch:     func(c ImportCounts) { in.report(ctx, c) },
		})
		if in.err != nil {
			return in.err
		}
		if err == nil {
			err = failure()
		}
		if err != nil {
			return err
		}
		return run.Report(ctx, knowledge.JobReport{Total: counts.Read, Scanned: counts.Read, Extracted: counts.Created, Skipped: counts.Matched})
	}
}

// exportJob tells a job how an import goes on; what cannot be told stops the import.
type exportJob struct {
	run  *JobRun
	stop context.CancelFunc
	err  error
}

func (j *exportJob) failed(ctx context.Context, where string, err error) {
	if j.err == nil {
		if j.err = j.run.Fail(ctx, where, err); j.err != nil {
			j.stop()
		}
	}
}

func (j *exportJob) report(ctx context.Context, c ImportCounts) {
	if j.err == nil {
		if j.err = j.run.Report(ctx, knowledge.JobReport{Scanned: c.Read, Extracted: c.Created, Skipped: c.Matched}); j.err != nil {
			j.stop()
		}
	}
}
