package knowledge_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// cases reads a table that the benchmark of extraction uses too: a case a line, columns
// separated by tabs, \n and \t for line breaks and tabs.
func cases(t *testing.T, name string, columns int) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "bench", "testdata", "extraction", name+".tsv"))
	require.NoError(t, err)
	var out [][]string
	for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.Split(line, "\t")
		require.Len(t, row, columns, line)
		for i := range row {
			row[i] = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t").Replace(row[i])
		}
		out = append(out, row)
	}
	require.NotEmpty(t, out)
	return out
}

func TestD5_Technologies(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "technologies", 3) {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c[2], strings.Join(knowledge.FindTechnologies(c[1]), ", "), c[1])
		})
	}
}

func TestD21_Files(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "files", 3) {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c[2], strings.Join(knowledge.FindFiles(c[1]), ", "), c[1])
		})
	}
}

func TestD22_Endpoints(t *testing.T) {
	t.Parallel()
	for _, c := range cases(t, "endpoints", 3) {
		t.Run(c[0], func(t *testing.T) {
			t.Parallel()
			var names []string
			for _, e := range knowledge.FindEndpoints(c[1]) {
				names = append(names, e.Name())
			}
			assert.Equal(t, c[2], strings.Join(names, ", "), c[1])
		})
	}
}

func TestD2_Caps(t *testing.T) {
	t.Parallel()
	text := "TypeScript JavaScript Node.js Next.js Python Docker Redis\nsrc/a.ts src/b.ts src/c.ts src/d.ts src/e.ts src/f.ts src/a.ts\nGET /a GET /b GET /c GET /d"
	assert.Len(t, knowledge.FindTechnologies(text), 7, "D-T88")
	var names []string
	for _, d := range knowledge.ExtractPatterns(text, "") {
		names = append(names, d.Name)
	}
	assert.Equal(t, []string{
		"TypeScript", "JavaScript", "Node.js", "Next.js", "Python", "src/a.ts", "src/b.ts", "src/c.ts", "src/d.ts", "src/e.ts", "GET /a", "GET /b", "GET /c",
	}, names, "D-T88")
}

func TestD3_WhatIsWritten(t *testing.T) {
	t.Parallel()
	drafts := knowledge.ExtractPatterns("Redis, src/a.ts, POST /x", "task-1")
	require.Len(t, drafts, 3)
	for i, want := range []struct{ typ, description string }{{"technology", "Technology Redis"}, {"file", "File src/a.ts"}, {"api_endpoint", "API endpoint POST /x"}} {
		assert.Equal(t, want.typ, drafts[i].Type)
		assert.Equal(t, want.description, *drafts[i].Description)
		assert.Equal(t, knowledge.ActorAuto, drafts[i].Source)
		assert.InDelta(t, 0.85, *drafts[i].Confidence, 1e-9)
		assert.Equal(t, "task-1", drafts[i].TaskID)
		_, err := drafts[i].Checked()
		require.NoError(t, err)
	}
	assert.Equal(t, map[string]any{"method": "POST", "path": "/x"}, drafts[2].Properties, "D23")
}

func TestD20_NoisyTechnology(t *testing.T) {
	t.Parallel()
	for name, noisy := range map[string]bool{
		"go": true, "Go": true, " RUST ": true, "express": true, "React": true, "Ｇｏ": true,
		"rest": true, "restful": true, "electron": true, "vue": true, "VITE": true, "tailwind css": true, "flask": true,
		"REST": false, "RESTful": false, "Electron": false, "Vite": false, "vuejs": false, "Tailwind CSS": false, "golang": false, "typescript": false, "REDIS": false, "Elixir": false,
	} {
		assert.Equal(t, noisy, knowledge.NoisyTechnology(name), name)
	}
}

func TestA13_CanonicalTechnology(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"nodejs": "Node.js", "POSTGRES": "PostgreSQL", "golang": "Go", "tailwind  CSS": "Tailwind", "react native": "React"} {
		got, known := knowledge.CanonicalTechnology(name)
		assert.True(t, known, name)
		assert.Equal(t, want, got)
	}
	_, known := knowledge.CanonicalTechnology("Elixir")
	assert.False(t, known)
}

func FuzzD8_Extraction(f *testing.F) {
	for _, seed := range []string{"using Go", "`react@18`", "import {a} from 'react'", "npm i x", "src/a.ts", "GET /a", "\xff\x00Go v1", "npm i `"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, d := range knowledge.ExtractPatterns(text, "") {
			if _, err := d.Checked(); err != nil {
				t.Fatalf("%q gives a draft that is refused: %v", text, err)
			}
		}
	})
}
