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

// demoLast is the source id of the entry that is written last: where it is, the example is complete.
const demoLast = "demo:about"

//go:embed demo/*.jsonl
var demoFiles embed.FS

// fillDemo fills the workspace demo with an example: a software team with its services,
// people, customers, decisions, contradictions, and what was replaced last month. Dates
// count from the day the workspace was made, so that filling it again, after an
// interruption, finds what is there. A complete example is left as it is.
func (p *program) fillDemo(ctx context.Context, a *App) error {
	ws, err := a.Workspaces.Get(ctx, demoWorkspace)
	if knowledge.IsNotFound(err) {
		ws, err = a.Workspaces.Create(ctx, caller(), demoWorkspace, "Example: the team behind Beacon")
	}
	if err != nil {
		return err
	}
	done, err := a.Entries.Count(ctx, ws.ID, knowledge.EntryFilter{SourceID: demoLast}, knowledge.TimePoint{})
	if err != nil || done > 0 {
		return err
	}
	fmt.Fprintln(p.stderr, "filling the workspace demo with an example")
	// Its entries are to be found by meaning too.
	if err := a.Embed.Wait(ctx); err != nil {
		p.warnNoVectors(err)
	}
	d := &demo{to: service.Target{Workspace: demoWorkspace, Caller: caller()}, today: ws.CreatedAt}
	for _, fill := range []func() error{
		func() error { return each(ctx, d, "edge_types", ingest.DecodeEdgeType, a.Types.CreateEdgeType) },
		func() error { return each(ctx, d, "entities", ingest.DecodeEntity, a.Entities.Upsert) },
		func() error { return each(ctx, d, "edges", ingest.DecodeEdge, a.Edges.Assert) },
		func() error { return each(ctx, d, "observations", ingest.DecodeObservation, a.Observations.Add) },
		func() error { return each(ctx, d, "entries", ingest.DecodeEntry, a.Entries.Create) },
		func() error { return each(ctx, d, "relations", ingest.DecodeRelation, a.Entries.Relate) },
		func() error { return each(ctx, d, "about", ingest.DecodeEntry, a.Entries.Create) },
	} {
		if err := fill(); err != nil {
			return err
		}
	}
	return nil
}

// demo is one filling of the example.
type demo struct {
	to    service.Target
	today time.Time
}

// each writes every line of one of the example's files.
func each[T, R any](ctx context.Context, d *demo, file string, decode func([]byte) (T, error), write func(context.Context, service.Target, T) (R, error)) error {
	data, err := demoFiles.ReadFile("demo/" + file + ".jsonl")
	if err != nil {
		return err
	}
	lines := ingest.NewLines(bytes.NewReader(withDates(data, d.today)))
	for lines.Next() {
		line, err := lines.Data()
		if err != nil {
			return err
		}
		draft, err := decode(line)
		if err == nil {
			_, err = write(ctx, d.to, draft)
		}
		if err != nil {
			return fmt.Errorf("example %s, line %d: %w", file, lines.Number(), err)
		}
	}
	return lines.Err()
}

// demoDate is a date in the example's files: {{-30}} is the moment 30 days before the
// workspace was made, {{day -30}} that day in words.
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
	fmt.Fprintf(p.stderr, "warning: no embedding model, so what is written now is found by its words only: %v\n", err)
}
