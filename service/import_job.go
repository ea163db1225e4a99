package service

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"mneme/knowledge"
)

// MailReader finds and reads mails: a mail file, a mailbox file, or a folder of them.
// INVALID_INPUT (path) where there is none.
type MailReader interface {
	CountMails(ctx context.Context, path string) (int, error)
	// Mails reads them in a fixed order. An item with an error does not end the sequence.
	Mails(ctx context.Context, path string) iter.Seq[knowledge.MailItem]
}

// FileReader finds and reads documents.
type FileReader interface {
	// FilesIn are the files of a path that can be read, in a fixed order, with the prefix of
	// their paths; INVALID_INPUT (path) where there is no such file or folder.
	FilesIn(ctx context.Context, path string) (items []knowledge.FileItem, prefix string, err error)
	// HashFile is the SHA-256 of a file's bytes, in hex.
	HashFile(ctx context.Context, item knowledge.FileItem) (string, error)
	// ReadFile is what a file says; its errors are as those of package ingest.
	ReadFile(ctx context.Context, item knowledge.FileItem) (text *knowledge.FileText, hash string, err error)
	// ReadData is what a file says whose bytes are given, known by its name or media type.
	ReadData(ctx context.Context, name, mediaType string, data []byte) (*knowledge.FileText, error)
}

// Keys of the input of an import job.
const (
	InputPath     = "path"
	InputFormat   = "format"
	InputContacts = "contacts" // ids of whom what is imported is about
)

// MailImport is the work of a job that imports mail. Mails are written together with their
// outcomes, so that a kill at any moment neither loses a mail nor takes one in twice.
func (s *Intake) MailImport(reader MailReader) JobWork {
	return func(ctx context.Context, run *JobRun) error {
		path := run.Job.Text(InputPath)
		total, err := reader.CountMails(ctx, path)
		if err != nil {
			return err
		}
		if err := run.Total(ctx, total); err != nil {
			return err
		}
		for chunk := range chunks(reader.Mails(ctx, path), run.chunk()) {
			keys := make([]string, len(chunk))
			for i, item := range chunk {
				keys[i] = item.Key
			}
			done, err := run.Done(ctx, keys)
			if err != nil {
				return err
			}
			if err := s.importMailItems(ctx, run, slices.DeleteFunc(chunk, func(item knowledge.MailItem) bool { return done[item.Key] })); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
}

// chunks groups what a sequence gives.
func chunks[T any](seq iter.Seq[T], n int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		var chunk []T
		for item := range seq {
			if chunk = append(chunk, item); len(chunk) == n {
				if !yield(chunk) {
					return
				}
				chunk = nil
			}
		}
		if len(chunk) > 0 {
			yield(chunk)
		}
	}
}

// importMailItems takes in some mails together, or, where one of them stands in the way of
// the others, each by itself.
func (s *Intake) importMailItems(ctx context.Context, run *JobRun, items []knowledge.MailItem) error {
	err := s.takeIn(ctx, run, items)
	if err == nil || errors.Is(err, errLost) || ctx.Err() != nil {
		return err
	}
	for _, item := range items {
		if err := s.attempt(ctx, run, item.Key, func(ctx context.Context) error { return s.takeIn(ctx, run, []knowledge.MailItem{item}) }); err != nil {
			return err
		}
	}
	return nil
}

// takeIn writes mails and their outcomes in one transaction.
func (s *Intake) takeIn(ctx context.Context, run *JobRun, items []knowledge.MailItem) error {
	var unread []knowledge.JobItem
	var mails []*knowledge.Mail
	var keys []string
	for _, item := range items {
		if item.Err == nil {
			mails, keys = append(mails, item.Mail), append(keys, item.Key)
			continue
		}
		failure, err := run.failure(ctx, item.Key, item.Err)
		if err != nil {
			return err
		}
		unread = append(unread, failure)
	}
	if len(mails) == 0 {
		return run.Finish(ctx, unread...)
	}
	_, err := s.ImportMails(ctx, run.Workspace, run.Job.Caller, mails, func(ctx context.Context, all []*knowledge.MailImport) error {
		outcomes := slices.Clone(unread)
		for i, m := range all {
			outcomes = append(outcomes, mailOutcome(keys[i], m))
		}
		return run.Finish(ctx, outcomes...)
	})
	return err
}

// attempts at an item that loses against other writers again and again.
const itemAttempts = 3

func (s *Intake) attempt(ctx context.Context, run *JobRun, key string, work func(context.Context) error) error {
	var err error
	for range itemAttempts {
		if err = work(ctx); knowledge.CodeOf(err) != knowledge.CodeConflict || err == nil {
			break
		}
	}
	if err != nil {
		return run.Fail(ctx, key, err)
	}
	return nil
}

func mailOutcome(key string, m *knowledge.MailImport) knowledge.JobItem {
	switch {
	case m.Skipped != nil:
		return knowledge.JobItem{Key: key, State: knowledge.ItemSkipped, Outcome: m.Skipped}
	case m.Duplicate:
		return knowledge.JobItem{Key: key, State: knowledge.ItemSkipped, Outcome: text("stored before")}
	default:
		return knowledge.JobItem{Key: key, State: knowledge.ItemDone, Outcome: text("stored as " + m.Message.ID), Counts: map[string]int{"messages": 1}}
	}
}

func text(s string) *string { return &s }

// FileImport is the work of a job that imports documents: those that changed since the
// last import of the same folder are read, those that are gone are removed with what
// rested on them alone (SPEC T5).
func (s *Intake) FileImport(reader FileReader) JobWork {
	return func(ctx context.Context, run *JobRun) error {
		items, prefix, err := reader.FilesIn(ctx, run.Job.Text(InputPath))
		if err != nil {
			return err
		}
		gone, err := s.gone(ctx, run.Workspace.ID, prefix, items)
		if err != nil {
			return err
		}
		if err := run.Total(ctx, len(items)+len(gone)); err != nil {
			return err
		}
		for chunk := range slices.Chunk(items, run.chunk()) {
			keys := make([]string, len(chunk))
			for i, item := range chunk {
				keys[i] = item.Name
			}
			done, err := run.Done(ctx, keys)
			if err != nil {
				return err
			}
			for _, item := range chunk {
				if done[item.Name] {
					continue
				}
				if err := s.importFileItem(ctx, run, reader, item); err != nil {
					return err
				}
			}
		}
		for _, path := range gone {
			key := "removed: " + strings.TrimPrefix(path, prefix)
			if err := s.attempt(ctx, run, key, func(ctx context.Context) error {
				_, err := s.RemoveFile(ctx, run.Workspace.ID, path, func(ctx context.Context, f *knowledge.FileImport) error {
					return run.Finish(ctx, knowledge.JobItem{Key: key, State: knowledge.ItemDone, Outcome: text(fmt.Sprintf("removed with %d entries", f.Removed)), Counts: map[string]int{"filesRemoved": 1, "entriesRemoved": f.Removed}})
				})
				return err
			}); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
}

// gone are the stored files below a folder that are not there any more.
func (s *Intake) gone(ctx context.Context, workspaceID, prefix string, items []knowledge.FileItem) ([]string, error) {
	there := make(map[string]bool, len(items))
	for _, item := range items {
		there[item.Path] = true
	}
	var out []string
	after := ""
	for prefix != "" {
		page, err := s.c.Files.FilesBelow(ctx, workspaceID, prefix, after, knowledge.MaxPage)
		if err != nil {
			return nil, err
		}
		for _, f := range page {
			if after = f.Path; !there[f.Path] {
				out = append(out, f.Path)
			}
		}
		if len(page) < knowledge.MaxPage {
			break
		}
	}
	return out, nil
}

func (s *Intake) importFileItem(ctx context.Context, run *JobRun, reader FileReader, item knowledge.FileItem) error {
	unchanged, err := s.unchanged(ctx, run.Workspace.ID, reader, item)
	if err != nil {
		return run.Fail(ctx, item.Name, err)
	}
	if unchanged {
		return run.Finish(ctx, knowledge.JobItem{Key: item.Name, State: knowledge.ItemSkipped, Outcome: text("unchanged")})
	}
	content, hash, err := reader.ReadFile(ctx, item)
	if err != nil {
		return run.Fail(ctx, item.Name, err)
	}
	file := FileContent{Path: item.Path, Name: item.Name, Hash: hash, Text: content, Contacts: contactsOf(run.Job)}
	return s.attempt(ctx, run, item.Name, func(ctx context.Context) error {
		_, err := s.ImportFile(ctx, run.Workspace, run.Job.Caller, file, func(ctx context.Context, f *knowledge.FileImport) error {
			return run.Finish(ctx, fileOutcome(item.Name, f))
		})
		return err
	})
}

func contactsOf(j *knowledge.Job) []knowledge.EntityRef {
	ids, _ := j.Input[InputContacts].([]any)
	var refs []knowledge.EntityRef
	for _, id := range ids {
		if s, ok := id.(string); ok {
			refs = append(refs, knowledge.EntityRef{ID: s})
		}
	}
	return refs
}

// unchanged tells whether a file is stored as it is now.
func (s *Intake) unchanged(ctx context.Context, workspaceID string, reader FileReader, item knowledge.FileItem) (bool, error) {
	stored, err := s.c.Files.FilesBelow(ctx, workspaceID, item.Path, "", 1)
	if err != nil || len(stored) == 0 || stored[0].Path != item.Path {
		return false, err
	}
	hash, err := reader.HashFile(ctx, item)
	return hash == stored[0].ContentHash, err
}

func fileOutcome(key string, f *knowledge.FileImport) knowledge.JobItem {
	if f.Skipped != nil {
		return knowledge.JobItem{Key: key, State: knowledge.ItemSkipped, Outcome: f.Skipped, Counts: map[string]int{"entriesRemoved": f.Removed}}
	}
	return knowledge.JobItem{
		Key: key, State: knowledge.ItemDone, Outcome: text(fmt.Sprintf("%d entries new, %d kept, %d removed", f.Created, f.Kept, f.Removed)),
		Counts: map[string]int{"files": 1, "entries": f.Created, "entriesKept": f.Kept, "entriesRemoved": f.Removed},
	}
}
