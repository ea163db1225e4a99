package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/jedib0t/go-pretty/v6/table"
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

// printTable prints rows under a header, as wide as the terminal at most.
func (p *program) printTable(header table.Row, rows []table.Row) error {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Format.Header = 0 // as written
	style.Size.WidthMax = terminalWidth(p.stdout)
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(header)
	t.AppendRows(rows)
	_, err := io.WriteString(p.stdout, t.Render()+"\n")
	return err
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
