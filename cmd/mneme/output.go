package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

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
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("print JSON: %w", err)
	}
	return nil
}

// printTable prints rows under a header. Where they are wider than the terminal, the
// widest column is wrapped.
func (p *program) printTable(header table.Row, rows []table.Row) {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options.DrawBorder = false
	style.Options.SeparateColumns = false
	style.Format.Header = text.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(header)
	t.AppendRows(rows)
	if column, width := widest(header, rows, p.stdout.width()); width > 0 {
		t.SetColumnConfigs([]table.ColumnConfig{{Number: column + 1, WidthMax: width, WidthMaxEnforcer: wrapLines}})
	}
	p.stdout.printf("%s\n", t.Render())
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

// output is where a program prints. It remembers that printing failed, so that what
// prints needs no checks: the exit status tells of it. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

// Write implements io.Writer.
func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	n, err := o.w.Write(b)
	if err != nil && o.err == nil {
		o.err = err
	}
	return n, err
}

// printf prints a formatted text.
func (o *output) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(o, format, args...) // kept by Write
}

// failed is what kept the output from being written whole.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

// isTerminal tells whether a person watches.
func (o *output) isTerminal() bool { return isTerminal(o.w) }

// width is how many characters fit on a line.
func (o *output) width() int {
	if f, ok := o.w.(*os.File); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 20 {
			return width
		}
	}
	return plainWidth
}

// isTerminal tells whether a person is at the other end of a stream.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// counted is a number of things, in the plural where it is not one.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
