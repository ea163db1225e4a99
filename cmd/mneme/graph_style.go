package main

import (
	"fmt"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// coloured tells whether a person sees colours: on a terminal that has not asked to be
// left without (no-color.org).
func (p *program) coloured() bool {
	return p.stdout.isTerminal() && p.getenv("NO_COLOR") == "" && p.getenv("TERM") != "dumb"
}

func (p *program) painted(s string, colours ...text.Color) string {
	if s == "" || !p.coloured() {
		return s
	}
	return text.Colors(colours).EscapeSeq() + s + text.EscapeReset
}

// bold is what is looked at first, dim what is not looked at, verb what joins.
func (p *program) bold(s string) string { return p.painted(s, text.Bold) }

func (p *program) dim(s string) string { return p.painted(s, text.Faint) }

func (p *program) verb(s string) string { return p.painted(s, text.FgCyan) }

// list prints rows as a table on a terminal, and elsewhere as lines with tabs between the
// columns, which other programs read.
func (p *program) list(header table.Row, rows []table.Row) {
	if p.stdout.isTerminal() {
		p.printTable(header, rows)
		return
	}
	for _, row := range append([]table.Row{header}, rows...) {
		cells := make([]string, len(row))
		for i, cell := range row {
			cells[i] = strings.NewReplacer("\t", " ", "\n", " ").Replace(fmt.Sprint(cell))
		}
		p.stdout.printf("%s\n", strings.Join(cells, "\t"))
	}
}
