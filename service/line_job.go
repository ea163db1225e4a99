package service

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"mneme/knowledge"
)

// LineReader reads files of JSON lines. INVALID_INPUT (path) where there is no such file.
type LineReader interface {
	CountLines(ctx context.Context, path string) (int, error)
	// Lines reads them in their order. An item with an error does not end the sequence.
	Lines(ctx context.Context, path string, format knowledge.ImportFormat) iter.Seq[knowledge.LineItem]
}

// LineImport is the work of a job that imports JSON lines. Lines of entities and edges are
// written together with their outcomes, because writing an entity again would confirm it
// once more; entries are known again by what they say.
func (s *Imports) LineImport(reader LineReader) JobWork {
	return func(ctx context.Context, run *JobRun) error {
		path, format := run.Job.Text(InputPath), knowledge.ImportFormat(run.Job.Text(InputFormat))
		total, err := reader.CountLines(ctx, path)
		if err != nil {
			return err
		}
		if err := run.Total(ctx, total); err != nil {
			return err
		}
		for chunk := range chunks(reader.Lines(ctx, path, format), run.chunk()) {
			if err := s.importLines(ctx, run, format, chunk); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
}

// lineKey is the key of a line's item: in the order of the file.
func lineKey(line int) string { return fmt.Sprintf("line %09d", line) }

func (s *Imports) importLines(ctx context.Context, run *JobRun, format knowledge.ImportFormat, chunk []knowledge.LineItem) error {
	keys := make([]string, len(chunk))
	for i, item := range chunk {
		keys[i] = lineKey(item.Line)
	}
	done, err := run.Done(ctx, keys)
	if err != nil {
		return err
	}
	chunk = slices.DeleteFunc(chunk, func(item knowledge.LineItem) bool { return done[lineKey(item.Line)] })
	if len(chunk) == 0 {
		return nil
	}
	if format == knowledge.ImportGraph {
		return s.tx.Atomically(ctx, func(ctx context.Context) error { return s.writeLines(ctx, run, format, chunk) })
	}
	return s.writeLines(ctx, run, format, chunk)
}

func (s *Imports) writeLines(ctx context.Context, run *JobRun, format knowledge.ImportFormat, chunk []knowledge.LineItem) error {
	failed := map[int]error{}
	items := func(yield func(ImportItem) bool) {
		for _, l := range chunk {
			if !yield(ImportItem{Line: l.Line, Entry: l.Entry, Entity: l.Entity, Edge: l.Edge, Err: l.Err}) {
				return
			}
		}
	}
	to := Target{Workspace: run.Workspace.Key, Caller: run.Job.Caller}
	options := ImportOptions{CreateMentions: format == knowledge.ImportChat, OnItemError: func(line int, err error) { failed[line] = err }}
	if _, err := s.Run(ctx, to, items, options); err != nil {
		return err
	}
	outcomes := make([]knowledge.JobItem, 0, len(chunk))
	for _, l := range chunk {
		item := knowledge.JobItem{Key: lineKey(l.Line), State: knowledge.ItemDone}
		if err := failed[l.Line]; err != nil {
			if item, err = run.failure(ctx, item.Key, err); err != nil {
				return err
			}
		}
		outcomes = append(outcomes, item)
	}
	return run.Finish(ctx, outcomes...)
}
