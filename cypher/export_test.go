package cypher

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

// moments are the ways in which the condition of visibility is written.
var moments = []knowledge.TimePoint{
	{},
	{KnownAt: &openEnd},
	{IncludeHistory: true},
	{KnownAt: &openEnd, IncludeHistory: true},
}

// Texts are the texts of a statement as they are sent: every placeholder is filled, by
// the functions of the package where they have one, and once with each of its values.
func (s *Store) Texts(name, text string) []string {
	if strings.Contains(text, "{{fits}}") {
		return s.walkTexts(statement(text))
	}
	var texts []string
	for _, together := range together(name) {
		texts = append(texts, together.Replace(text))
	}
	if len(texts) == 0 {
		texts = []string{text}
	}
	for _, p := range placeholders(name) {
		var filled []string
		for _, t := range texts {
			if !strings.Contains(t, p.name) {
				filled = append(filled, t)
				continue
			}
			for _, value := range p.values {
				filled = append(filled, strings.ReplaceAll(t, p.name, value))
			}
		}
		texts = filled
	}
	return texts
}

type placeholder struct {
	name   string
	values []string
}

func placeholders(name string) []placeholder {
	labels := []string{"Document", "Task", "Message"}
	sources := []string{partSource(knowledge.PartContact), partSource(knowledge.PartGeneral), partSource("")}
	switch name {
	case "workspace_clear":
		labels = []string{"Entity", "Observation", "Entry", "Identity", "Alias", "Document", "Task", "Merge", "Redirect", "IdempotencyKey", "CodeRepository", "CodeNode"}
	case "code_nodes_write", "code_linked_from":
		labels = []string{codeFileLabel, codeSymbolLabel, codePackageLabel}
	case "node_workspace", "merge_links_drop", "merge_links_in", "merge_links_out", "merge_links_set":
		labels = []string{"Entity", "Fact", "Observation", "Entry", "CodeNode"}
	case "export_ids":
		labels = []string{"Fact", "Entry"}
	case "export_ids_known":
		labels = []string{"Entity", "Observation"}
	case "restore_taken":
		labels = []string{"Entity", "Fact", "Observation", "Entry"}
	case "entry_list", "entry_count":
		sources = []string{
			entrySource(knowledge.EntryListQuery{}), entrySource(knowledge.EntryListQuery{ContactID: "x"}),
			entrySource(knowledge.EntryListQuery{Filter: knowledge.EntryFilter{SourceID: "x"}}), entrySource(knowledge.EntryListQuery{Filter: knowledge.EntryFilter{ThreadID: "x"}}),
		}
	}
	types := []string{relationLabel(knowledge.RelationSupports)}
	if strings.HasPrefix(name, "code_") {
		types = []string{codeType(knowledge.CodeImportsFile), codeType(knowledge.CodeCalls), codeType(knowledge.CodeImportsPackage)}
	}
	scopes := []string{scopeCondition}
	if strings.HasPrefix(name, "recall_fact") {
		scopes = []string{factScope}
	}
	if strings.HasPrefix(name, "recall_observation") {
		scopes = []string{observationScope}
	}
	position := &knowledge.Cursor{Key: "2026-01-01T00:00:00Z", ID: "x"}
	alias := map[string]string{"entity_list": "e", "upkeep_entities": "e", "upkeep_contacts": "e", "relation_of_entries": "r"}[name]
	if alias == "" {
		alias = "n"
	}
	first, _ := fromPosition(alias, nil, false, map[string]any{})
	behind, _ := fromPosition(alias, position, false, map[string]any{})
	var seen, entrySeen []string
	for _, at := range moments {
		seen = append(seen, visible(at))
		entrySeen = append(entrySeen, strings.ReplaceAll(visible(at), "r.", "n."))
	}
	if strings.HasPrefix(name, "entry_") {
		seen = entrySeen
	}
	if name == "recall_edges" {
		seen = append(seen, seenNow+inScope(knowledge.Scope{ContactID: "x"}, map[string]any{}))
	}
	return []placeholder{
		{"{{label}}", labels},
		{"{{kind}}", []string{"Fact", "Observation", "Entry", "Entity"}},
		{"{{entry}}", []string{entryProjection}},
		{"{{filter}}", []string{entryFilter}},
		{"{{scope}}", scopes},
		{"{{strength}}", []string{relationStrength}},
		{"{{part}}", []string{partCondition(knowledge.PartContact), partCondition(knowledge.PartGeneral), partCondition("")}},
		{"{{source}}", sources},
		{"{{from}}", []string{first, behind}},
		{"{{field}}", []string{"createdAt"}},
		{"{{direction}}", []string{"ASC", "DESC"}},
		{"{{type}}", types},
		{"{{visible}}", seen},
	}
}

// together fill the placeholders of a statement whose values go together.
func together(name string) []*strings.Replacer {
	var out []*strings.Replacer
	switch name {
	case "workspace_clear":
		out = append(out, strings.NewReplacer("{{label}}", "Fact", "{{indexed}}", "createdAt"), strings.NewReplacer("{{indexed}}", "workspaceId"))
	case "erase_records":
		for _, r := range records {
			out = append(out, strings.NewReplacer("{{label}}", r.label, "{{indexed}}", r.indexed))
		}
	case "change_list":
		for _, how := range changeSources {
			for _, match := range []string{how.match, how.about} {
				if match != "" {
					out = append(out, strings.NewReplacer("{{match}}", match, "{{at}}", how.at, "{{actor}}", how.actor, "{{where}}", how.where))
				}
			}
		}
	}
	return out
}

func (s *Store) walkTexts(st statement) []string {
	s.edgeTypes.add([]string{"uses"})
	walks := []knowledge.Walk{{Direction: knowledge.Both}, {Direction: knowledge.Outgoing}, {Direction: knowledge.Incoming}}
	for _, types := range [][]string{{"uses"}, {"uses", "owns"}} {
		walks = append(walks, knowledge.Walk{Direction: knowledge.Both, Types: types}, knowledge.Walk{Direction: knowledge.Outgoing, Types: types})
	}
	for _, at := range moments {
		walks = append(walks, knowledge.Walk{Direction: knowledge.Both, At: at})
	}
	walks = append(walks, knowledge.Walk{Direction: knowledge.Both, Scope: knowledge.Scope{ContactID: "x"}}, knowledge.Walk{Direction: knowledge.Both, Types: []string{"uses"}, Scope: knowledge.Scope{ContactID: "x"}})
	if st.name() != "path_shortest" { // which is not asked where some types have a direction and others not
		walks = append(walks, knowledge.Walk{Direction: knowledge.Outgoing, Symmetric: []string{"x"}}, knowledge.Walk{Direction: knowledge.Incoming, Symmetric: []string{"x"}})
	}
	out := make([]string, 0, len(walks))
	for _, w := range walks {
		out = append(out, s.walkText(st, w, 6, map[string]any{}))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// Run runs a text by itself and gives what the server says of it.
func (s *Store) Run(ctx context.Context, text string, params map[string]any) (neo4j.ResultSummary, []*neo4j.Record, error) {
	var records []*neo4j.Record
	summary, err := s.autoCommit(ctx, text, params, neo4j.AccessModeWrite, func(result neo4j.ResultWithContext) (any, error) {
		var err error
		if records, err = result.Collect(ctx); err != nil {
			return nil, err
		}
		return result.Consume(ctx)
	})
	if err != nil {
		return nil, nil, err
	}
	return summary.(neo4j.ResultSummary), records, nil
}

// Queries are the texts of the corpus by name.
func Queries() (map[string]string, error) {
	files, err := filepath.Glob("queries/*.cypher")
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(files))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		out[strings.TrimSuffix(filepath.Base(file), ".cypher")] = string(text)
	}
	return out, nil
}

// Register gives edge types relationship types of their own.
func (s *Store) Register(ctx context.Context, workspaceID string, keys []string) error {
	return s.register(ctx, workspaceID, keys)
}

// Registered are those of the keys that the store knows to have one.
func (s *Store) Registered(keys []string) []string {
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return !s.edgeTypes.has(key) })
}

// What tests look at from outside.
var (
	Visible       = visible
	VisibleParams = visibleParams
	RegistryRoom  = registryRoom
)

// EdgeRow is an edge with the properties that are stored of it.
func EdgeRow(e *knowledge.Edge) map[string]any { return edgeRow(knowledge.EdgeCreated{Edge: e}, "") }

// ClaimMigration claims the lock of a key.
func (s *Store) ClaimMigration(ctx context.Context, key, owner string) (bool, error) {
	return s.claimMigration(ctx, key, owner)
}

// ReleaseMigration gives the lock of a key back.
func (s *Store) ReleaseMigration(ctx context.Context, key, owner string) error {
	return s.releaseMigration(ctx, key, owner)
}
