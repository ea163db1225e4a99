package codegraph_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/codegraph"
	"mneme/knowledge"
)

func paths(x *codegraph.Index) []string {
	found := []string{}
	for _, f := range x.Files {
		found = append(found, f.Path)
	}
	return found
}

func TestP9_IgnoredFolders(t *testing.T) {
	t.Parallel()
	archive := "-- keep.ts --\n-- .config/kept.ts --\n"
	for _, folder := range []string{".git", "node_modules", "vendor", "dist", "build", "out", ".next", ".nuxt", "coverage", "__pycache__"} {
		archive += "-- a/" + folder + "/x.ts --\n-- " + folder + "/x.ts --\n"
	}
	assert.Equal(t, []string{".config/kept.ts", "keep.ts"}, paths(index(t, archive)))
}

func TestP9_IgnoreFilesAtEveryLevel(t *testing.T) {
	t.Parallel()
	x := index(t, "-- .gitignore --\n\xef\xbb\xbf# comment\n*.gen.ts\r\n/top\n!a/kept.gen.ts\nlogs/\n"+`
-- x.gen.ts --
-- top/x.ts --
-- a/top/x.ts --
-- a/kept.gen.ts --
-- a/.gitignore --
inner.ts
/b/*
!/b/back.ts
-- a/inner.ts --
-- a/deep/inner.ts --
-- a/b/gone.ts --
-- a/b/back.ts --
-- inner.ts --
-- a/logs/x.ts --
`)
	assert.Equal(t, []string{"a/b/back.ts", "a/kept.gen.ts", "a/top/x.ts", "inner.ts"}, paths(x))
}

func TestP9_NothingOutsideTheRoot(t *testing.T) {
	t.Parallel()
	outside := write(t, "-- secret.ts --\nexport const secret = 1;\n")
	dir := write(t, `
-- m.ts --
import "../secret"; import "./link"; import "./folder/secret"; import "./file";
-- real/r.ts --
-- tsconfig.json --
{"extends": "../../etc/passwd", "compilerOptions": {"baseUrl": "../..", "paths": {"*": ["../../*"]}}}
`)
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "folder")))
	require.NoError(t, os.Symlink(filepath.Join(dir, "real"), filepath.Join(dir, "link")))
	require.NoError(t, os.Symlink(filepath.Join(outside, "secret.ts"), filepath.Join(dir, "file.ts")))
	x := build(t, dir, codegraph.Options{})
	assert.Equal(t, []string{"m.ts", "real/r.ts", "tsconfig.json"}, paths(x))
	assert.Equal(t, 3, x.Report.Left[codegraph.LeftSymlink])
	assert.Empty(t, edges(x, knowledge.CodeImportsFile, nil))
}

func TestP9_WhatIsNotParsed(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- small.ts --\nexport const a = 1;\n")
	put(t, dir, "large.ts", "export const large = 1;\n"+strings.Repeat("// comment\n", 1<<17))
	put(t, dir, "minified.js", strings.Repeat("var a=1;", 30_000))
	put(t, dir, "lib.min.js", "var a = 1;\n")
	put(t, dir, "many-lines.js", strings.Repeat("var a = 1;\n", 30_000))
	put(t, dir, "binary.ts", "export const b = 1;\x00")
	put(t, dir, "nul-later.ts", strings.Repeat("// x\n", 3000)+"\x00")
	x := build(t, dir, codegraph.Options{})
	for name, why := range map[string]string{
		"small.ts": "", "large.ts": codegraph.SkippedTooLarge, "minified.js": codegraph.SkippedMinified,
		"lib.min.js": codegraph.SkippedMinified, "many-lines.js": "", "binary.ts": codegraph.SkippedBinary, "nul-later.ts": "",
	} {
		assert.Equal(t, why, file(t, x, name).Skipped, name)
	}
	assert.Len(t, file(t, x, "large.ts").ContentHash, 64, "it is known when it changes")
}

// A file of 100 MB is a node that is neither read nor parsed.
func TestP9_AHugeFile(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.ts --\nimport './huge';\n-- huge.ts --\n")
	require.NoError(t, os.Truncate(filepath.Join(dir, "huge.ts"), 100<<20))
	x := build(t, dir, codegraph.Options{})
	huge := file(t, x, "huge.ts")
	assert.Equal(t, codegraph.SkippedTooLarge, huge.Skipped)
	assert.Empty(t, huge.ContentHash)
	assert.EqualValues(t, 100<<20, huge.Size)
	assert.Equal(t, []string{"a.ts → huge.ts"}, edges(x, knowledge.CodeImportsFile, nil))
}

func TestP9_Encodings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := "export const größe = 1;\n"
	utf16 := func(big bool) string {
		var b strings.Builder
		for _, r := range "\uFEFF" + source {
			if big {
				b.Write([]byte{byte(r >> 8), byte(r)})
				continue
			}
			b.Write([]byte{byte(r), byte(r >> 8)})
		}
		return b.String()
	}
	put(t, dir, "plain.ts", source)
	put(t, dir, "bom.ts", "\uFEFF"+source)
	put(t, dir, "little.ts", utf16(false))
	put(t, dir, "big.ts", utf16(true))
	put(t, dir, "invalid.ts", source+"// \xff\xfe\x80\n")
	x := build(t, dir, codegraph.Options{})
	for name, encoding := range map[string]string{
		"plain.ts": "utf-8", "bom.ts": "utf-8 with BOM", "little.ts": "utf-16le", "big.ts": "utf-16be", "invalid.ts": "utf-8 with invalid bytes",
	} {
		assert.Equal(t, encoding, file(t, x, name).Encoding, name)
		assert.False(t, file(t, x, name).ParseErrors, name)
		symbol(t, x, name, "größe")
	}
}

func TestP9_MostFiles(t *testing.T) {
	t.Parallel()
	x := build(t, write(t, "-- a.ts --\n-- b.ts --\n-- c.ts --\n"), codegraph.Options{MaxFiles: 2})
	assert.Equal(t, []string{"a.ts", "b.ts"}, paths(x))
	assert.True(t, x.Report.Truncated)
	assert.Equal(t, 1, x.Report.Left[codegraph.LeftTooMany])
}

func TestP9_BadRoots(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.ts --\n")
	for _, root := range []string{filepath.Join(dir, "missing"), filepath.Join(dir, "a.ts")} {
		_, err := codegraph.Build(t.Context(), root, codegraph.Options{})
		require.ErrorIs(t, err, codegraph.ErrNotAFolder, root)
	}
}

func TestP10_SettingsThatAreWrongAreNamed(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- tsconfig.json --
{"extends": "./other.json"}
-- other.json --
{"extends": "./tsconfig.json"}
-- a/tsconfig.json --
{"compilerOptions": {
-- a/package.json --
[1,
-- a/m.ts --
import "./n";
-- m.ts --
import "./a/n";
-- a/n.ts --
`)
	assert.Equal(t, []string{"a/m.ts → a/n.ts", "m.ts → a/n.ts"}, edges(x, knowledge.CodeImportsFile, nil))
	assert.NotEmpty(t, x.Digest, "what is wrong was read: it is the same until it changes")
	named := []string{}
	for _, p := range x.Report.Problems {
		named = append(named, p.Path)
	}
	assert.Equal(t, []string{"a/package.json", "a/tsconfig.json", "tsconfig.json"}, named)
}

func TestP10_AFileThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	dir := write(t, "-- a.ts --\nexport const a = 1;\n-- b.ts --\nexport const b = 1;\n-- gone.ts --\nexport const gone = 1;\n")
	s, err := codegraph.NewScan(t.Context(), dir, codegraph.Options{})
	require.NoError(t, err)
	put(t, dir, "a.ts", "export const changed = 1;\n")
	require.NoError(t, os.Remove(filepath.Join(dir, "gone.ts")))
	x, err := s.Index(t.Context())
	require.NoError(t, errors.Join(err, s.Close()))
	assert.Empty(t, x.Digest, "the next run must look again")
	assert.Equal(t, []codegraph.Problem{
		{Path: "a.ts", Message: "changed while it was read"}, {Path: "gone.ts", Message: "no such file or directory"},
	}, x.Report.Problems)
	symbol(t, x, "b.ts", "b")
}

func TestP12_Cancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := codegraph.Build(ctx, write(t, "-- a.ts --\n"), codegraph.Options{})
	require.ErrorIs(t, err, context.Canceled)
}
