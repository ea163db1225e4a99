package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/dbtype"
	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mneme/knowledge"
	"mneme/localneo4j"
)

// shellRows is how many rows of a result the shell prints; the rest is counted.
const shellRows = 1_000

func (p *program) neo4jShellCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "shell [STATEMENT]",
		Short: "Run Cypher: the statement given, those on standard input, or one after the other by hand",
		Long: "Runs Cypher against the database, the local one or that of NEO4J_URI. Statements end\n" +
			"with a semicolon; results are tables. On a terminal, :quit or Ctrl-D ends it.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := p.loadConfig()
			if err != nil {
				return err
			}
			s, err := p.openShell(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			defer func() { _ = s.driver.Close(context.WithoutCancel(cmd.Context())) }() // only connections
			if len(args) == 1 {
				return s.execute(cmd.Context(), strings.TrimRight(strings.TrimSpace(args[0]), ";"))
			}
			return s.repl(cmd.Context())
		},
	}
}

// shell runs Cypher and prints results.
type shell struct {
	*program
	driver   neo4j.DriverWithContext
	database string
}

func (p *program) openShell(ctx context.Context, cfg Config) (*shell, error) {
	uri, user, password, database := cfg.Neo4jURI, cfg.Neo4jUsername, cfg.Neo4jPassword, cfg.Neo4jDatabase
	if uri == "" {
		local, err := localneo4j.Ensure(ctx, cfg.localNeo4j(p.commandLogger(cfg), p.fetchMeter))
		if err != nil {
			return nil, err
		}
		uri, user, password, database = local.URI, local.Username, local.Password, ""
	}
	driver, err := neo4j.NewDriverWithContext(uri, neo4j.BasicAuth(user, password, ""))
	if err != nil {
		return nil, knowledge.Invalid("NEO4J_URI", "the address is not usable").Because(err)
	}
	if err := driver.VerifyConnectivity(ctx); err != nil {
		return nil, errors.Join(shellError(err), driver.Close(ctx))
	}
	return &shell{program: p, driver: driver, database: database}, nil
}

// shellError shows what the database says: whoever writes Cypher needs it.
func shellError(err error) error {
	var said *neo4j.Neo4jError
	if errors.As(err, &said) {
		if said.Title() == "Unauthorized" {
			return knowledge.Errorf(knowledge.CodeUnavailable, "the database refused the user name or password: check NEO4J_USERNAME and NEO4J_PASSWORD").Because(err)
		}
		return knowledge.Invalid("statement", "%s", said.Msg).Because(err)
	}
	if neo4j.IsConnectivityError(err) {
		return knowledge.Errorf(knowledge.CodeUnavailable, "the database does not answer: check that it runs and that NEO4J_URI is right").Because(err)
	}
	return err
}

// repl reads statements up to their semicolon and runs them. On a terminal an error is
// shown and the next statement awaited; elsewhere the first error ends it.
func (s *shell) repl(ctx context.Context) error {
	interactive := isTerminal(s.stdin)
	next := s.lineReader()
	pending := ""
	for {
		prompt := "mneme> "
		if pending != "" {
			prompt = "  ...> "
		}
		line, err := next(prompt)
		ended := errors.Is(err, io.EOF)
		if err != nil && !ended {
			return fmt.Errorf("read statements: %w", err)
		}
		if word := strings.TrimSpace(line); pending == "" && (word == ":quit" || word == ":exit") {
			return nil
		}
		var statements []string
		statements, pending = splitCypher(pending+line, ended)
		for _, statement := range statements {
			if err := s.execute(ctx, statement); err != nil {
				if !interactive || ctx.Err() != nil {
					return err
				}
				s.stderr.printf("%s\n", describe(err))
			}
		}
		if ended {
			return nil
		}
	}
}

// lineReader reads lines with their ends: with editing and history on a terminal, where
// the end of input is Ctrl-D or Ctrl-C.
func (s *shell) lineReader() func(prompt string) (string, error) {
	file, ok := s.stdin.(*os.File)
	if !ok || !isTerminal(s.stdin) {
		in := bufio.NewReader(s.stdin)
		return func(string) (string, error) { return in.ReadString('\n') }
	}
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{s.stdin, s.stdout}, "")
	fd := int(file.Fd())
	return func(prompt string) (_ string, err error) {
		// Raw only while a line is typed, so that Ctrl-C ends a statement that runs.
		before, err := term.MakeRaw(fd)
		if err != nil {
			return "", err
		}
		defer func() { err = errors.Join(err, term.Restore(fd, before)) }()
		screen.SetPrompt(prompt)
		line, err := screen.ReadLine()
		return line + "\n", err
	}
}

// splitCypher splits text at the semicolons that end statements: not those in strings,
// quoted names and comments. What follows the last one is the rest; at the end of the
// input it is a statement too.
func splitCypher(text string, ended bool) (statements []string, rest string) {
	var quote byte
	start := 0
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case quote != 0:
			if c == '\\' && quote != '`' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"' || c == '`':
			quote = c
		case strings.HasPrefix(text[i:], "//"):
			i = endOf(text, i, "\n")
		case strings.HasPrefix(text[i:], "/*"):
			i = endOf(text, i+2, "*/")
		case c == ';':
			statements = appendStatement(statements, text[start:i])
			start = i + 1
		}
	}
	rest = text[start:]
	if ended || strings.TrimSpace(rest) == "" {
		if ended {
			statements = appendStatement(statements, rest)
		}
		rest = ""
	}
	return statements, rest
}

// endOf is the index of the last byte of mark in text from i on, or of text.
func endOf(text string, i int, mark string) int {
	if i > len(text) {
		return len(text)
	}
	if n := strings.Index(text[i:], mark); n >= 0 {
		return i + n + len(mark) - 1
	}
	return len(text)
}

func appendStatement(statements []string, text string) []string {
	if text = strings.TrimSpace(text); text != "" {
		return append(statements, text)
	}
	return statements
}

func (s *shell) execute(ctx context.Context, statement string) (err error) {
	session := s.driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: s.database})
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	start := time.Now()
	result, err := session.Run(ctx, statement, nil)
	if err != nil {
		return shellError(err)
	}
	var rows []table.Row
	total := 0
	for result.Next(ctx) {
		if total++; total > shellRows {
			continue
		}
		row := make(table.Row, 0, len(result.Record().Values))
		for _, value := range result.Record().Values {
			row = append(row, cypherText(value))
		}
		rows = append(rows, row)
	}
	if err := result.Err(); err != nil {
		return shellError(err)
	}
	summary, err := result.Consume(ctx)
	if err != nil {
		return shellError(err)
	}
	keys, err := result.Keys()
	if err != nil {
		return shellError(err)
	}
	s.printResult(keys, rows, total, summary.Counters(), time.Since(start))
	return nil
}

func (s *shell) printResult(keys []string, rows []table.Row, total int, counters neo4j.Counters, took time.Duration) {
	if len(keys) > 0 {
		header := make(table.Row, 0, len(keys))
		for _, key := range keys {
			header = append(header, key)
		}
		s.printTable(header, rows)
	}
	line := counted(total, "row", "rows")
	if total > len(rows) {
		line += fmt.Sprintf(", the first %d shown", len(rows))
	}
	if counters.ContainsUpdates() || counters.ContainsSystemUpdates() {
		line += fmt.Sprintf(", created %d nodes and %d relationships, deleted %d and %d, set %d properties",
			counters.NodesCreated(), counters.RelationshipsCreated(), counters.NodesDeleted(), counters.RelationshipsDeleted(), counters.PropertiesSet())
	}
	s.stdout.printf("%s (%s)\n\n", line, took.Round(time.Millisecond))
}

// cypherText is a value of a result, as it would be written in Cypher.
func cypherText(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return v
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case dbtype.Node:
		return strings.TrimSpace("(:" + strings.Join(v.Labels, ":") + " " + jsonText(v.Props) + ")")
	case dbtype.Relationship:
		return "[:" + v.Type + " " + jsonText(v.Props) + "]"
	case dbtype.Path:
		return pathText(v)
	case []any:
		parts := make([]string, len(v))
		for i, x := range v {
			parts[i] = cypherText(x)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case map[string]any:
		return jsonText(v)
	default:
		return fmt.Sprint(v)
	}
}

func pathText(p dbtype.Path) string {
	var b strings.Builder
	for i, n := range p.Nodes {
		b.WriteString(cypherText(n))
		if i < len(p.Relationships) {
			left, right := "-", "->"
			if r := p.Relationships[i]; r.StartElementId != n.ElementId {
				left, right = "<-", "-"
			}
			b.WriteString(left + cypherText(p.Relationships[i]) + right)
		}
	}
	return b.String()
}

// jsonText prints properties; a vector only says how long it is.
func jsonText(props map[string]any) string {
	const longestList = 16
	shown := make(map[string]any, len(props))
	for key, value := range props {
		if list, ok := value.([]any); ok && len(list) > longestList {
			value = fmt.Sprintf("[%d values]", len(list))
		}
		shown[key] = value
	}
	b, err := json.Marshal(shown)
	if err != nil {
		return fmt.Sprint(shown)
	}
	return string(b)
}
