package cypher

import (
	"cmp"
	"context"
	_ "embed"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"mneme/knowledge"
)

//go:embed queries/merge_entries_of.cypher
var mergeEntriesOf statement

//go:embed queries/merge_entries_set.cypher
var mergeEntriesSet statement

//go:embed queries/merge_links_of.cypher
var mergeLinksOf statement

//go:embed queries/merge_links_cut.cypher
var mergeLinksCut statement

//go:embed queries/merge_links_out.cypher
var mergeLinksOut statement

//go:embed queries/merge_links_in.cypher
var mergeLinksIn statement

//go:embed queries/merge_links_set.cypher
var mergeLinksSet statement

//go:embed queries/merge_support_move.cypher
var mergeSupportMove statement

//go:embed queries/merge_support_direct.cypher
var mergeSupportDirect statement

// entries changes whom entries are about, beside their links (SPEC R7).
func (m *mergeRun) entries(ctx context.Context) error {
	found, err := write(ctx, m.Store, mergeEntriesOf, map[string]any{"ws": m.plan.WorkspaceID, "ids": m.merged}, func(r row) archivedEntry {
		return archivedEntry{ID: r.text("id"), Before: r.texts("contactIds")}
	})
	if err != nil {
		return err
	}
	for i, e := range found {
		for _, id := range e.Before {
			if slices.Contains(m.merged, id) {
				id = m.keep
			}
			if !slices.Contains(e.After, id) {
				e.After = append(e.After, id)
			}
		}
		found[i] = e
	}
	m.archive.Entries = found
	return m.setContacts(ctx, found, func(e archivedEntry) []string { return e.After })
}

func (s *Store) setContacts(ctx context.Context, entries []archivedEntry, contacts func(archivedEntry) []string) error {
	if len(entries) == 0 {
		return nil
	}
	rows := make([]any, 0, len(entries))
	for _, e := range entries {
		ids := contacts(e)
		rows = append(rows, map[string]any{"id": e.ID, "contacts": orEmpty(ids), "scope": strings.Join(knowledge.ScopeKeys(ids), " ")})
	}
	return exec(ctx, s, mergeEntriesSet, map[string]any{"rows": rows})
}

// links re-points everything else that hangs on the merged entities: whom entries are
// about and what they mention, and what the entities rest on. Nothing is linked twice.
func (m *mergeRun) links(ctx context.Context) error {
	params := map[string]any{"ids": m.merged, "keep": m.keep}
	links, err := read(ctx, m.Store, mergeLinksOf, params, func(r row) archivedLink {
		return archivedLink{
			Entity: r.text("entity"), Type: r.text("type"), Outgoing: r.bool("outgoing"), Label: labelOf(r.texts("labels")), Other: r.text("other"),
			Props: rawProps(r.props("props")), Twin: rawProps(r.props("twin")), Made: r.props("twin") == nil,
		}
	})
	if err != nil || len(links) == 0 {
		return err
	}
	if err := exec(ctx, m.Store, mergeLinksCut, map[string]any{"ids": m.merged}); err != nil {
		return err
	}
	made, changed := m.decideLinks(links)
	m.archive.Links = links
	if err := m.joinLinks(ctx, m.plan.WorkspaceID, made); err != nil {
		return err
	}
	return m.setLinks(ctx, m.plan.WorkspaceID, m.keep, changed)
}

// decideLinks tells which links the entity that stays gets, and which of its own change.
func (m *mergeRun) decideLinks(links []archivedLink) (made, changed []archivedLink) {
	first := map[linkKey]int{}
	for i := range links {
		link := links[i]
		links[i].Twin = nil
		at, again := first[link.key()]
		switch {
		case link.Made && !again:
			first[link.key()] = len(made)
			link.Entity = m.keep
			made = append(made, link)
		case again:
			links[i].Made = false
			made[at].Props = joinedProps(link.Type, made[at].Props, link.Props)
		default:
			if joined := joinedProps(link.Type, link.Twin, link.Props); !rawEqualProps(joined, link.Twin) {
				links[i].Twin = link.Twin
				link.Props = joined
				changed = append(changed, link)
			}
		}
	}
	return made, changed
}

// joinedProps are the properties of a link that stands for two: a mention that somebody
// gave outweighs one that was found in the text, and who wrote a mail also got it.
func joinedProps(typ string, of, other rawProps) rawProps {
	out := maps.Clone(of)
	switch {
	case typ == "MENTIONS" && other["auto"] != true && of["auto"] == true:
		out["auto"] = false
	case typ == "SAID_IN" && other["from"] == true && of["from"] != true:
		out["from"] = true
	}
	return out
}

func (l archivedLink) key() linkKey { return linkKey{l.Type, l.Label, l.Other, l.Outgoing} }

// linkKey tells the links of one entity apart.
type linkKey struct {
	typ, label, other string
	outgoing          bool
}

// labelPattern is the form of the product's own labels.
var labelPattern = regexp.MustCompile(`^[A-Z][A-Za-z]*$`)

// labelOf is the label by which a node is found: the first of the product's own.
func labelOf(labels []string) string {
	slices.Sort(labels)
	for _, known := range workspaceContents {
		if slices.Contains(labels, known) {
			return known
		}
	}
	for _, label := range labels {
		if labelPattern.MatchString(label) {
			return label
		}
	}
	return "Entry"
}

// linkGroup is what one statement about links can do at once.
type linkGroup struct {
	label    string
	outgoing bool
}

func compareLinks(a, b linkGroup) int {
	return cmp.Or(strings.Compare(a.label, b.label), cmp.Compare(boolInt(a.outgoing), boolInt(b.outgoing)))
}

func boolInt(b bool) int { return map[bool]int{true: 1}[b] }

func (s *Store) joinLinks(ctx context.Context, workspaceID string, links []archivedLink) error {
	groups := map[linkGroup][]any{}
	for _, l := range links {
		group := linkGroup{l.Label, l.Outgoing}
		groups[group] = append(groups[group], map[string]any{"entity": l.Entity, "type": l.Type, "other": l.Other, "props": map[string]any(l.Props)})
	}
	for _, group := range grouped(groups, compareLinks) {
		st := mergeLinksIn
		if group.outgoing {
			st = mergeLinksOut
		}
		if err := s.labelled(ctx, st, "", group.label, map[string]any{"ws": workspaceID, "rows": groups[group]}); err != nil {
			return err
		}
	}
	return nil
}

// setLinks gives links of one entity the properties of others.
func (s *Store) setLinks(ctx context.Context, workspaceID, entity string, links []archivedLink) error {
	return s.onLinks(ctx, mergeLinksSet, workspaceID, entity, links, func(linkKey) {})
}

// onLinks runs a statement on links of one entity and tells found of those that were there.
func (s *Store) onLinks(ctx context.Context, st statement, workspaceID, entity string, links []archivedLink, found func(linkKey)) error {
	groups := map[string]map[string]any{}
	for _, l := range links {
		if groups[l.Label] == nil {
			groups[l.Label] = map[string]any{}
		}
		direction := map[bool]string{true: ">", false: "<"}[l.Outgoing]
		groups[l.Label][l.Type+direction+l.Other] = map[string]any(l.Props)
	}
	for _, label := range slices.Sorted(maps.Keys(groups)) {
		params := map[string]any{"ws": workspaceID, "entity": entity, "links": groups[label]}
		keys, err := runText(ctx, s, st, withLabels(st, "", label), params, func(r row) linkKey {
			return linkKey{r.text("type"), label, r.text("other"), r.bool("outgoing")}
		}, neo4j.AccessModeWrite)
		if err != nil {
			return err
		}
		for _, key := range keys {
			found(key)
		}
	}
	return nil
}

// labelled runs a statement with its labels filled in.
func (s *Store) labelled(ctx context.Context, st statement, kind, label string, params map[string]any) error {
	_, err := runText(ctx, s, st, withLabels(st, kind, label), params, func(row) struct{} { return struct{}{} }, neo4j.AccessModeWrite)
	return err
}

func withLabels(st statement, kind, label string) string {
	return strings.NewReplacer("{{kind}}", kind, "{{label}}", label).Replace(string(st))
}

func basesOf(r row) []archivedBasis {
	var out []archivedBasis
	for _, p := range r.list("supports") {
		out = append(out, archivedBasis{Label: p.text("label"), ID: p.text("id"), Props: rawProps(propsOf(p["props"]))})
	}
	return out
}

// handOver gives what dropped things rested on to those that stand for them (SPEC T5).
func (m *mergeRun) handOver(ctx context.Context, kind knowledge.Supported, dropped []archivedNode, into map[string]string) error {
	rows, direct := map[string][]any{}, map[string]map[string]any{}
	given := map[archivedSupport]bool{}
	for _, n := range dropped {
		to := into[n.id()]
		if to == "" {
			continue
		}
		if at, ok := n.Props["directAt"].(time.Time); ok {
			if was, ok := direct[to]["at"].(time.Time); !ok || at.Before(was) {
				direct[to] = map[string]any{"id": to, "at": at, "source": n.Props["directSource"]}
			}
		}
		for _, basis := range n.Supports {
			key := archivedSupport{Kind: kind, ID: to, Label: basis.Label, By: basis.ID}
			if !given[key] {
				given[key] = true
				rows[basis.Label] = append(rows[basis.Label], map[string]any{"id": to, "by": basis.ID, "props": map[string]any(basis.Props)})
			}
		}
	}
	for _, label := range slices.Sorted(maps.Keys(rows)) {
		params := map[string]any{"ws": m.plan.WorkspaceID, "rows": rows[label]}
		fresh, err := runText(ctx, m.Store, mergeSupportMove, withLabels(mergeSupportMove, string(kind), label), params, func(r row) archivedSupport {
			return archivedSupport{Kind: kind, ID: r.text("id"), Label: label, By: r.text("by")}
		}, neo4j.AccessModeWrite)
		if err != nil {
			return err
		}
		m.archive.Supports = append(m.archive.Supports, fresh...)
	}
	return m.giveWord(ctx, kind, direct)
}

func (m *mergeRun) giveWord(ctx context.Context, kind knowledge.Supported, direct map[string]map[string]any) error {
	if len(direct) == 0 {
		return nil
	}
	rows := make([]any, 0, len(direct))
	for _, id := range slices.Sorted(maps.Keys(direct)) {
		rows = append(rows, direct[id])
	}
	fresh, err := runText(ctx, m.Store, mergeSupportDirect, withLabels(mergeSupportDirect, string(kind), ""), map[string]any{"rows": rows}, func(r row) archivedDirect {
		return archivedDirect{Kind: kind, ID: r.text("id")}
	}, neo4j.AccessModeWrite)
	m.archive.Direct = append(m.archive.Direct, fresh...)
	return err
}
