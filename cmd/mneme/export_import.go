package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// peekedExport is how much of a file is looked at to know whether it is an export, and of
// which workspace.
const peekedExport = 16 << 10

// exportedKey is the key of the workspace whose export a file is; empty where it is none.
func exportedKey(in *bufio.Reader) string {
	if !ingest.IsExport(in) {
		return ""
	}
	start, _ := in.Peek(peekedExport) // what is there is enough, or is not
	items, _ := ingest.ReadExport(bytes.NewReader(start))
	for item := range items {
		if item.Workspace != nil {
			return item.Workspace.Key
		}
		break
	}
	return ""
}

// exports looks into a file and goes back to its start: whether it is an export, and of
// which workspace.
func (j *importJob) exports(path string) (key string, is bool, err error) {
	in, _, err := j.open(path)
	if err != nil {
		return "", false, err
	}
	if path == "-" {
		buffered := bufio.NewReaderSize(in, peekedExport)
		j.stdin = buffered
		return exportedKey(buffered), ingest.IsExport(buffered), nil
	}
	defer func() { _ = in.Close() }() // only read
	buffered := bufio.NewReaderSize(in, peekedExport)
	return exportedKey(buffered), ingest.IsExport(buffered), nil
}

// counting counts the bytes that are read.
type counting struct {
	in   io.Reader
	read int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.read += int64(n)
	return n, err
}

// export takes an export in (SPEC O18).
func (j *importJob) export(ctx context.Context, path string, report *importReport) error {
	in, size, err := j.open(path)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	read := &counting{in: in}
	items, failure := ingest.ReadExport(read)
	m := j.newMeter("importing "+path, size)
	start := time.Now()
	counts, err := j.app.Exports.Import(ctx, service.Target{Workspace: j.workspace, Caller: caller()}, items, service.ExportImport{
		OnItemError: func(where string, err error) {
			if j.failed++; j.failed <= shownErrors {
				m.println(fmt.Sprintf("%s, %s: %s", path, where, describe(err)))
			}
		},
		OnBatch: func(c service.ImportCounts) {
			m.set(read.read, fmt.Sprintf("%s, %.0f/s", counted(c.Read, "item", "items"), float64(c.Read)/time.Since(start).Seconds()))
		},
	})
	m.finish()
	report.Read, report.Created = report.Read+counts.Read, report.Created+counts.Created
	report.Matched, report.Failed = report.Matched+counts.Matched, report.Failed+counts.Failed
	if err == nil {
		err = failure()
	}
	if err == nil && counts.Created > 0 && j.app.Config.Embedder != embedderOff {
		j.stderr.printf("Vectors are no part of an export: they are made while `mneme serve` runs.\n")
	}
	return err
}

// chooseWorkspace is where to import to: what --workspace says or, where it says nothing
// and the files are exports, the workspace that they are of. It notes which are.
func (j *importJob) chooseWorkspace(paths []string, given bool) error {
	j.exported = map[string]bool{}
	if j.format.name != "graph" {
		return nil
	}
	for _, path := range paths {
		if err := checkImportFile(path); err != nil {
			return err
		}
		key, is, err := j.exports(path)
		if err != nil {
			return err
		}
		j.exported[path] = is
		if key == "" || given {
			continue
		}
		if j.workspace != knowledge.DefaultWorkspace && j.workspace != key {
			return knowledge.Invalid("--workspace", "these are exports of several workspaces: import them one by one, or name one workspace for all")
		}
		j.workspace = key
	}
	return nil
}
