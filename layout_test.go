// Package mneme_test checks what no package can check of itself: who imports whom, and the form of
// the files.
package mneme_test

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const module = "mneme"

// everything stands for all areas but cmd, which nobody imports.
var everything = []string{"*"}

// mayImport is the import table of docs/ARCHITECTURE.md: for each area of the module the others that
// it may import. An area is a top-level folder, or one below internal; packages inside one area are
// free to import each other. Tests wire real things together, so they may import all but cmd.
var mayImport = map[string][]string{
	"knowledge":           {},
	"service":             {"knowledge"},
	"cypher":              {"knowledge"},
	"llm":                 {"knowledge", "internal/mavencache"},
	"ingest":              {"knowledge"},
	"codegraph":           {"knowledge"},
	"localneo4j":          {"internal/mavencache"},
	"graph":               {"knowledge"},
	"resolvers":           {"graph", "service", "knowledge"},
	"mcp":                 {"service", "knowledge"},
	"maintenance":         {"service", "knowledge"},
	"web":                 {},
	"clients":             {},
	"bench":               everything,
	"internal/neo4jtest":  everything,
	"internal/mavencache": {},
	"internal/llmtest":    {},
	"cmd":                 everything,
}

// knowledgeLibraries are the modules beyond the standard library that the rules may use; what of the
// standard library they may not is knowledgeForbids.
var (
	knowledgeLibraries = []string{
		"golang.org/x/text", "golang.org/x/net/publicsuffix", "golang.org/x/net/idna", "github.com/blevesearch/snowballstem",
	}
	knowledgeForbids = []string{"context", "os", "net/http", "database/sql", "math/rand", "math/rand/v2", "crypto/rand", "log", "log/slog"}
)

// TestImportTable parses every Go file, whatever its build tags, so that no platform escapes it.
func TestImportTable(t *testing.T) {
	t.Parallel()
	for _, name := range sources(t) {
		if path.Ext(name) != ".go" {
			continue
		}
		from := area(path.Dir(name))
		if from == "" {
			continue
		}
		allowed, known := mayImport[from]
		if !assert.True(t, known, "%s: %q is not in the import table. Add it to mayImport here, to .golangci.yml and to docs/ARCHITECTURE.md, with what it may import and why it is needed.", name, from) {
			continue
		}
		for _, imported := range imports(t, name) {
			if from == "knowledge" && !strings.HasSuffix(name, "_test.go") {
				assert.True(t, pure(imported), "%s imports %s: the rules know no clock, context or I/O, and few libraries", name, imported)
			}
			ours, isOurs := strings.CutPrefix(imported, module+"/")
			if !isOurs {
				continue
			}
			to := area(ours)
			fine := to == from || slices.Contains(allowed, to) ||
				to != "cmd" && (slices.Equal(allowed, everything) || strings.HasSuffix(name, "_test.go"))
			assert.True(t, fine, "%s: %s must not import %s (it may import %v)", name, from, to, allowed)
		}
	}
}

// area is the row of the table that a folder belongs to, empty for the module's root.
func area(folder string) string {
	parts := strings.Split(folder, "/")
	switch {
	case folder == ".":
		return ""
	case parts[0] == "internal" && len(parts) > 1:
		return parts[0] + "/" + parts[1]
	default:
		return parts[0]
	}
}

// pure reports whether knowledge may import a package; those of this module are for the table to judge.
func pure(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	if !strings.Contains(first, ".") {
		return !slices.Contains(knowledgeForbids, imported)
	}
	return slices.ContainsFunc(knowledgeLibraries, func(library string) bool {
		return imported == library || strings.HasPrefix(imported, library+"/")
	})
}

func imports(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
	require.NoError(t, err)
	found := make([]string, 0, len(file.Imports))
	for _, spec := range file.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		found = append(found, imported)
	}
	return found
}

// TestFilesAreShort keeps one concept a file: beyond 500 lines there are two.
func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	const most = 500
	written := []string{".go", ".cypher", ".graphqls", ".js", ".jsx", ".ts", ".tsx", ".css", ".html", ".py", ".sh"}
	generated := regexp.MustCompile(`(?m)^(//|#|/\*) ?Code generated .* DO NOT EDIT`)
	for _, name := range sources(t) {
		if !slices.Contains(written, path.Ext(name)) {
			continue
		}
		body, err := os.ReadFile(name)
		require.NoError(t, err)
		if generated.Match(body) {
			continue
		}
		assert.LessOrEqual(t, bytes.Count(body, []byte("\n")), most, "%s is longer than %d lines: split it by concept", name, most)
	}
}

// TestNoFileNamesAMachine keeps the project free of what is true on one machine alone.
func TestNoFileNamesAMachine(t *testing.T) {
	t.Parallel()
	patterns := map[string]*regexp.Regexp{
		"a path of one machine":              regexp.MustCompile(`(^|[^\w./-])/(work|root)/`),
		"the host of a registry or a mirror": regexp.MustCompile(`(?i)\b(registry|proxy|mirrors?|repo\d*|deb)\.[a-z0-9-]+(\.[a-z0-9-]+)?\.(org|com|io|net)\b`),
	}
	for _, name := range sources(t) {
		body, err := os.ReadFile(name)
		require.NoError(t, err)
		if bytes.IndexByte(body[:min(len(body), 8000)], 0) >= 0 {
			continue
		}
		for what, pattern := range patterns {
			assert.Empty(t, string(pattern.Find(body)), "%s names %s", name, what)
		}
	}
}

// sources are the project's files by their path from the root: not what Git or npm keep, not what a
// build wrote, and not the module of the tools.
func sources(t *testing.T) []string {
	t.Helper()
	skipped := []string{".git", "bin", "node_modules", "tools", "web/dist"}
	var found []string
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && (slices.Contains(skipped, entry.Name()) || slices.Contains(skipped, name)) {
			return fs.SkipDir
		}
		if entry.Type().IsRegular() && name != ".git" {
			found = append(found, name)
		}
		return nil
	})
	require.NoError(t, err)
	require.NotEmpty(t, found)
	return found
}
