package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// plainWidth is how wide tables are where nobody tells (a pipe, a file).
const plainWidth = 120

// jsonFlag declares --json, which every command has that prints something.
func jsonFlag(cmd *cobra.Command, asJSON *bool) {
	cmd.Flags().BoolVar(asJSON, "json", false, "print JSON")
}

// printJSON prints a result as indented JSON.
func (p *program) printJSON(v any) error {
	enc := json.NewEncoder(p.stdout)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// printTable prints rows under a header. Where they are wider than the terminal, the
// widest column is wrapped.
func (p *program) printTable(header table.Row, rows []table.Row) error {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(header)
	t.AppendRows(rows)
	if column, width := widest(header, rows, terminalWidth(p.stdout)); width > 0 {
		t.SetColumnConfigs([]table.ColumnConfig{{Number: column + 1, WidthMax: width, WidthMaxEnforcer: wrapLines}})
	}
	_, err := io.WriteString(p.stdout, t.Render()+"\n")
	return err
}

// wrapLines wraps each line of a cell by itself.
func wrapLines(cell string, width int) string {
	lines := strings.Split(cell, "\n")
	for i, line := range lines {
		lines[i] = text.WrapSoft(line, width)
	}
	return strings.Join(lines, "\n")
}

// widest is the widest column and how wide it may be; 0 where all fit.
func widest(header table.Row, rows []table.Row, room int) (column, width int) {
	const margin, least = 2, 20 // spaces around a cell; narrower than this nobody can read
	total, longest := 0, 0
	for i := range header {
		w := text.LongestLineLen(fmt.Sprint(header[i]))
		for _, row := range rows {
			w = max(w, text.LongestLineLen(fmt.Sprint(row[i])))
		}
		total += w + margin
		if w > longest {
			column, longest = i, w
		}
	}
	if total <= room {
		return column, 0
	}
	return column, max(least, longest-(total-room))
}

// isTerminal tells whether a person watches what is written to w.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) //nolint:gosec // a file descriptor fits
}

func terminalWidth(w any) int {
	if f, ok := w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 { //nolint:gosec // a file descriptor fits
			return width
		}
	}
	return plainWidth
}

// counted is a number of things, in the plural where it is not one.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
