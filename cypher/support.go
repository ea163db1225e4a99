package cypher

import (
	"context"
	_ "embed"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/support_add.cypher
var supportAdd statement

//go:embed queries/support_add_direct.cypher
var supportAddDirect statement

//go:embed queries/support_drop.cypher
var supportDrop statement

//go:embed queries/support_list.cypher
var supportList statement

// supporters are the kinds of nodes that things rest on, with the label of each.
var supporters = []struct {
	label string
	id    func(knowledge.SupportAdd) string
}{
	{"Document", func(a knowledge.SupportAdd) string { return a.DocID }},
	{"Task", func(a knowledge.SupportAdd) string { return a.TaskID }},
	{"Message", func(a knowledge.SupportAdd) string { return a.MessageID }},
}

// AddSupports notes what stored things rest on (SPEC T5). A support that is there already
// stays as it is. An add that names no document, task or message is the writer's own word.
func (s *Store) AddSupports(ctx context.Context, workspaceID string, adds []knowledge.SupportAdd) error {
	for _, kind := range []knowledge.Supported{knowledge.SupportedEntity, knowledge.SupportedFact, knowledge.SupportedObservation, knowledge.SupportedEntry} {
		var direct []any
		rows := make(map[string][]any, len(supporters))
		for _, a := range adds {
			if a.Kind != kind {
				continue
			}
			given := false
			for _, by := range supporters {
				if id := by.id(a); id != "" {
					given = true
					rows[by.label] = append(rows[by.label], supportRow(a, id))
				}
			}
			if !given {
				direct = append(direct, supportRow(a, ""))
			}
		}
		for _, by := range supporters {
			if err := s.addSupports(ctx, workspaceID, supportAdd, kind, by.label, rows[by.label]); err != nil {
				return err
			}
		}
		if err := s.addSupports(ctx, workspaceID, supportAddDirect, kind, "", direct); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) addSupports(ctx context.Context, workspaceID string, st statement, kind knowledge.Supported, label string, rows []any) error {
	if len(rows) == 0 {
		return nil
	}
	text := strings.NewReplacer("{{kind}}", string(kind), "{{label}}", label).Replace(string(st))
	_, err := runText(ctx, s, st, text, map[string]any{"ws": workspaceID, "rows": rows}, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
	return err
}

func supportRow(a knowledge.SupportAdd, by string) map[string]any {
	row := map[string]any{"id": a.ID, "by": by, "source": string(a.Source), "at": a.At, "quote": nil}
	if a.Quote != "" {
		row["quote"] = a.Quote
	}
	return row
}

// SupportsOf are what stored things of one kind rest on, by id, oldest first.
func (s *Store) SupportsOf(ctx context.Context, workspaceID string, kind knowledge.Supported, ids []string) (map[string][]*knowledge.Support, error) {
	type found struct {
		id      string
		support *knowledge.Support
	}
	text := strings.ReplaceAll(string(supportList), "{{kind}}", string(kind))
	rows, err := runText(ctx, s, supportList, text, map[string]any{"ws": workspaceID, "ids": ids}, func(r row) found {
		p := r.props("support")
		return found{r.text("id"), &knowledge.Support{
			DocID: p.textPtr("docId"), TaskID: p.textPtr("taskId"), MessageID: p.textPtr("messageId"), Quote: p.textPtr("quote"),
			Source: knowledge.Actor(p.text("source")), AddedAt: p.time("addedAt"),
		}}
	}, neo4j.AccessModeRead)
	out := make(map[string][]*knowledge.Support, len(ids))
	for _, f := range rows {
		out[f.id] = append(out[f.id], f.support)
	}
	return out, err
}

// DropSupporter takes the support of a document, task or message away from everything
// that rests on it, and gives the ids of what is left with none, by kind.
func (s *Store) DropSupporter(ctx context.Context, workspaceID string, kind knowledge.Supporter, id string) (map[knowledge.Supported][]string, error) {
	type left struct{ kind, id string }
	resting, err := runText(ctx, s, withdrawEntries, withLabels(withdrawEntries, "", string(kind)), map[string]any{"ws": workspaceID, "by": []string{id}},
		func(r row) string { return r.text("id") }, neo4j.AccessModeRead)
	if err != nil {
		return nil, err
	}
	text := strings.ReplaceAll(string(supportDrop), "{{label}}", string(kind))
	rows, err := runText(ctx, s, supportDrop, text, map[string]any{"ws": workspaceID, "id": id}, func(r row) left { return left{r.text("kind"), r.text("id")} }, neo4j.AccessModeWrite)
	out := map[knowledge.Supported][]string{}
	for _, l := range rows {
		out[knowledge.Supported(l.kind)] = append(out[knowledge.Supported(l.kind)], l.id)
	}
	if err == nil {
		err = s.dropParts(ctx, workspaceID, resting)
	}
	return out, err
}
