package service

import (
	"context"
	"strconv"
	"strings"

	"mneme/knowledge"
)

// dot writes a graph for Graphviz (SPEC O17): edges between names, then the entities that
// have none.
func (x *exporting) dot(ctx context.Context) error {
	x.text("digraph mneme {\n  rankdir=LR;\n")
	joined := map[string]bool{}
	err := x.edges(ctx, func(batch []namedEdge) error {
		for _, e := range batch {
			joined[e.FromID], joined[e.ToID] = true, true
			x.text("  ", dotText(e.fromName), " -> ", dotText(e.toName), " [label=", dotText(e.Type), "];\n")
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = x.entities(ctx, func(batch []*knowledge.Entity) error {
		for _, e := range batch {
			if !joined[e.ID] {
				x.text("  ", dotText(e.Name), ";\n")
			}
		}
		return nil
	})
	x.text("}\n")
	return err
}

// dotText is a quoted string of DOT, on one line.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\r\n", `\n`, "\n", `\n`, "\r", `\n`).Replace(s) + `"`
}

// mermaid writes a flowchart. Its nodes are numbered, because names may be equal.
func (x *exporting) mermaid(ctx context.Context) error {
	x.text("flowchart LR\n")
	number := map[string]int{}
	err := x.entities(ctx, func(batch []*knowledge.Entity) error {
		for _, e := range batch {
			number[e.ID] = len(number) + 1
			x.text("  n", strconv.Itoa(number[e.ID]), `["`, mermaidText(e.Name), "\"]\n")
		}
		return nil
	})
	if err != nil {
		return err
	}
	return x.edges(ctx, func(batch []namedEdge) error {
		for _, e := range batch {
			from, to := number[e.FromID], number[e.ToID]
			if from == 0 || to == 0 {
				continue // an end came while this was written
			}
			x.text("  n", strconv.Itoa(from), ` -->|"`, mermaidText(e.Type), `"| n`, strconv.Itoa(to), "\n")
		}
		return nil
	})
}

// mermaidText is what stands between the quotes of a Mermaid string: what means something
// to Mermaid, HTML or Markdown is written as a character code.
func mermaidText(s string) string {
	s = knowledge.CollapseSpace(s)
	s = strings.NewReplacer("#", "#35;", `"`, "#quot;", "&", "#amp;", "<", "#lt;", ">", "#gt;", "`", "#96;", `\`, "#92;").Replace(s)
	digits := strings.TrimLeft(s, "0123456789")
	if digits != s && strings.HasPrefix(digits, ".") { // it would be taken for a list
		return strings.TrimSuffix(s, digits) + "#46;" + digits[1:]
	}
	for _, mark := range []string{"-", "+"} {
		if rest, ok := strings.CutPrefix(s, mark); ok {
			return "#" + strconv.Itoa(int(mark[0])) + ";" + rest
		}
	}
	return s
}
