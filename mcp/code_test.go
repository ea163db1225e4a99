package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
	"mneme/knowledge"
	"mneme/mcp"
	"mneme/service"
)

// withCode is a world whose workspace holds the code of some files.
func withCode(t *testing.T, files map[string]string) *world {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "cars")
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o750))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	w := newWorld(t, func(c *service.Config) {
		c.ScanCode = func(ctx context.Context, r service.CodeScanRequest) (service.CodeScan, error) {
			return codegraph.NewScan(ctx, r.Folder, codegraph.Options{Repository: r.Repository, Progress: r.Progress})
		}
		c.ResolveCode = codegraph.Roots{dir}.Resolve
	})
	_, err := w.services.Code.Index(t.Context(), w.ws, service.CodeIndexRequest{Folder: dir})
	require.NoError(t, err)
	return w
}

func TestP15_P16_CodeTools(t *testing.T) {
	t.Parallel()
	w := withCode(t, map[string]string{
		"engine.ts": "/** Turns fuel into motion. */\nexport class Engine { start(): void {} }\n",
		"car.ts":    "import { Engine } from './engine';\nexport class Car { engine = new Engine(); }\n",
	})
	w.entity(t, "concept", "engine", "")
	for _, of := range []mcp.Session{{}, {Contact: w.entity(t, "person", "Ann", "").ID}} {
		c := w.session(t, of)
		got := c.call(t, "code_neighbors", args{"entity": "Engine"})
		assert.Equal(t, "Engine", at(t, got, "bridges", 0, "name"), "P14")
		var paths []string
		items, _ := c.all(t, "code_neighbors", args{"entity": "Engine"}, "files")
		for _, f := range items {
			paths = append(paths, f["path"].(string))
			if f["path"] == "car.ts" {
				assert.Equal(t, []any{"Car"}, f["symbols"], "P15")
			}
		}
		assert.Contains(t, paths, "car.ts", "P15")
		code, field := c.refused(t, "code_neighbors", args{"entity": "Nobody"})
		assert.Equal(t, []string{"NOT_FOUND", "entity"}, []string{code, field})

		found := c.call(t, "search_code", args{"query": "engine"})
		assert.NotEmpty(t, found["results"])
		found = c.call(t, "search_code", args{"query": "fuel", "kinds": []string{"Class"}, "limit": 1_000})
		assert.Equal(t, []any{1.0, "class", "Engine", "engine.ts"}, []any{found["count"], at(t, found, "results", 0, "kind"), at(t, found, "results", 0, "name"), at(t, found, "results", 0, "path")})
		assert.Empty(t, c.call(t, "search_code", args{"query": " "})["results"], "P16 blank")
		code, field = c.refused(t, "search_code", args{"query": "x", "kinds": []string{"gadget"}})
		assert.Equal(t, []string{"INVALID_INPUT", "kinds"}, []string{code, field})
	}
	hidden := w.entity(t, "person", "Engines", "")
	_, err := w.services.Entities.Update(t.Context(), w.by, knowledge.EntityPatch{ID: hidden.ID, Aliases: &[]string{"Car"}})
	require.NoError(t, err)
	code, _ := w.session(t, mcp.Session{Contact: "Ann"}).refused(t, "code_neighbors", args{"entity": hidden.ID})
	assert.Equal(t, "NOT_FOUND", code, "L22")
}

// Much code stays under the budget too.
func TestT14_CodeToolsDoNotFlood(t *testing.T) {
	t.Parallel()
	files := map[string]string{"engine.ts": "export class Engine {}\n"}
	for i := range 120 {
		var b strings.Builder
		fmt.Fprintf(&b, "import { Engine } from './engine';\n")
		for j := range 12 {
			fmt.Fprintf(&b, "/** %s */\nexport function engineFunctionNumber%dOfFile%d(first: Engine, second: Engine, third: Engine): Engine { return first }\n", strings.Repeat("engine ", 10), j, i)
		}
		files[fmt.Sprintf("a/rather/long/folder/name/for/a/file/number-%d.ts", i)] = strings.ReplaceAll(b.String(), "'./engine'", "'../../../../../../../../engine'")
	}
	w := withCode(t, files)
	w.entity(t, "concept", "Engine", "")
	c := w.session(t, mcp.Session{})
	found, pages := c.all(t, "search_code", args{"query": "engine", "limit": 100}, "results")
	assert.Len(t, idsOf(found), 100)
	assert.Greater(t, pages, 1)
	near, _ := c.all(t, "code_neighbors", args{"entity": "Engine", "limit": 100}, "files")
	assert.Len(t, idsOf(near), 100)
	assert.Equal(t, true, c.call(t, "code_neighbors", args{"entity": "Engine", "limit": 100})["truncated"])
}
