package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// demoWorkspace is the key of the workspace that `serve --demo` fills.
const demoWorkspace = "demo"

//go:embed demo/*.jsonl
var demoFiles embed.FS

// demoPatience is how long filling the example waits for the embedding model: long enough
// to load it, not to fetch it. Vectors that are missing then follow in the background.
const demoPatience = 10 * time.Second

// fillDemo fills a workspace with an example: a software team with its services,
// people, customers, decisions, contradictions, and what was replaced last month. It is
// written whole or not at all, and only into a workspace without entries.
func (p *program) fillDemo(ctx context.Context, a *App, key string) error {
	ws, err := a.Workspaces.Get(ctx, key)
	if knowledge.IsNotFound(err) {
		ws, err = a.Workspaces.Create(ctx, caller(), key, "Example: the team behind Beacon")
	}
	if err != nil {
		return err
	}
	there, err := a.Entries.Count(ctx, ws.ID, knowledge.EntryFilter{IncludeExpired: true}, knowledge.TimePoint{IncludeHistory: true})
	if err != nil || there > 0 {
		return err
	}
	p.stderr.printf("filling the workspace %s with an example\n", key)
	req, types, err := readDemo(now())
	if err != nil {
		return err
	}
	to := service.Target{Workspace: key, Caller: caller()}
	waiting, cancel := context.WithTimeout(ctx, demoPatience)
	defer cancel()
	_ = a.Embed.Wait(waiting) // without the model it works too
	for _, t := range types {
		if _, err := a.Types.CreateEdgeType(ctx, to, t); err != nil {
			return fmt.Errorf("example: edge type %s: %w", t.Key, err)
		}
	}
	done, err := a.Loading.Load(ctx, to, *req)
	if err != nil {
		return err
	}
	if len(done.Errors) > 0 {
		wrong := done.Errors[0]
		return fmt.Errorf("example: %s, item %d: %w", wrong.List, wrong.Index+1, wrong.Err)
	}
	return nil
}

// readDemo reads the example as it is on a day.
func readDemo(today time.Time) (*service.LoadRequest, []knowledge.EdgeType, error) {
	req := &service.LoadRequest{Atomic: true}
	var types []knowledge.EdgeType
	for _, read := range []func() error{
		func() error { return readDemoFile("edge_types", today, ingest.DecodeEdgeType, &types) },
		func() error { return readDemoFile("entities", today, ingest.DecodeEntity, &req.Entities) },
		func() error { return readDemoFile("edges", today, ingest.DecodeEdge, &req.Edges) },
		func() error { return readDemoFile("observations", today, ingest.DecodeObservation, &req.Observations) },
		func() error { return readDemoFile("entries", today, ingest.DecodeEntry, &req.Entries) },
		func() error { return readDemoFile("relations", today, ingest.DecodeRelation, &req.Relations) },
	} {
		if err := read(); err != nil {
			return nil, nil, err
		}
	}
	return req, types, nil
}

func readDemoFile[T any](name string, today time.Time, decode func([]byte) (T, error), into *[]T) error {
	data, err := demoFiles.ReadFile("demo/" + name + ".jsonl")
	if err != nil {
		return err
	}
	lines := ingest.NewLines(bytes.NewReader(withDates(data, today)))
	for lines.Next() {
		line, err := lines.Data()
		if err != nil {
			return err
		}
		item, err := decode(line)
		if err != nil {
			return fmt.Errorf("example %s, line %d: %w", name, lines.Number(), err)
		}
		*into = append(*into, item)
	}
	return lines.Err()
}

// demoDate is a date in the example's files: {{-30}} is the morning 30 days ago,
// {{day -30}} that day in words.
var demoDate = regexp.MustCompile(`\{\{(day )?(-?\d+)\}\}`)

func withDates(text []byte, today time.Time) []byte {
	morning := time.Date(today.Year(), today.Month(), today.Day(), 9, 0, 0, 0, time.UTC)
	return demoDate.ReplaceAllFunc(text, func(found []byte) []byte {
		part := demoDate.FindSubmatch(found)
		days, _ := strconv.Atoi(string(part[2])) // digits, by the pattern
		date := morning.AddDate(0, 0, days)
		if len(part[1]) > 0 {
			return []byte(date.Format("2 January 2006"))
		}
		return []byte(date.Format(time.RFC3339))
	})
}

// warnNoVectors says once that what is written now is found by text only.
func (p *program) warnNoVectors(err error) {
	p.stderr.printf("warning: no embedding model, so what is written now is found by its words only: %v\n", err)
}
