package service_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
	"mneme/service"
)

func document(path, hash string, texts ...string) service.FileContent {
	c := service.FileContent{Path: path, Name: path, Hash: hash, Text: &knowledge.FileText{MediaType: "text/plain"}}
	for _, text := range texts {
		c.Text.Sections = append(c.Text.Sections, knowledge.FileSection{Heading: text[:5], Text: text})
	}
	return c
}

func (b *entryBundle) file(t *testing.T, c service.FileContent) *knowledge.FileImport {
	t.Helper()
	ws, err := b.workspaces.Get(t.Context(), b.ws.Key)
	require.NoError(t, err)
	out, err := b.intake.ImportFile(t.Context(), ws, b.to.Caller, c, nil)
	require.NoError(t, err)
	return out
}

func (b *entryBundle) contents(t *testing.T) []string {
	t.Helper()
	found, err := b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{}, knowledge.PageRequest{First: 100})
	require.NoError(t, err)
	out := []string{}
	for _, e := range found.Items {
		out = append(out, e.Content)
	}
	return out
}

func TestT5_FilesAreIncremental(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	one, two, three := "First text of the file.", "Second text of it.", "Third text of it."
	out := b.file(t, document("/a.txt", "h1", one, two))
	assert.Equal(t, []int{2, 0, 0}, []int{out.Created, out.Kept, out.Removed})
	kept, err := b.entries.List(t.Context(), b.ws.ID, knowledge.EntryFilter{}, knowledge.TimePoint{}, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	assert.Equal(t, knowledge.SourceFileText, kept.Items[0].Source)
	assert.Equal(t, out.File.ID, *kept.Items[0].SourceID, "K23")

	again := b.file(t, document("/a.txt", "h2", one, three))
	assert.Equal(t, []int{1, 1, 1}, []int{again.Created, again.Kept, again.Removed})
	assert.Equal(t, out.File.ID, again.File.ID)
	assert.ElementsMatch(t, []string{one, three}, b.contents(t))

	b.file(t, document("/b.txt", "h3", one))
	_, err = b.intake.RemoveFile(t.Context(), b.ws.ID, "/a.txt", nil)
	require.NoError(t, err)
	left := b.contents(t)
	assert.Contains(t, left, one, "the other file says it too")
	assert.NotContains(t, left, three)
	files, err := b.all.Files.List(t.Context(), b.ws.ID, knowledge.PageRequest{First: 10})
	require.NoError(t, err)
	require.Len(t, files.Items, 1)
	assert.Equal(t, "/b.txt", files.Items[0].Path)
	_, err = b.all.Files.Get(t.Context(), b.ws.ID, out.File.ID)
	assert.True(t, knowledge.IsNotFound(err))
}

func TestF2_ImportedFiles(t *testing.T) {
	t.Parallel()
	b := withEntries(t)
	b.file(t, document("/a.txt", "h1", "Plain text."))
	out := b.file(t, document("/a.txt", "h2", "Plain text, now <no-memory>."))
	assert.Equal(t, "NO_MEMORY", *out.Skipped)
	assert.Empty(t, b.contents(t), "what an earlier version gave is taken back")
	b.settings(t, "strict")
	strict := b.file(t, document("/b.txt", "h1", "Plain text."))
	assert.NotNil(t, strict.File)
	assert.Empty(t, b.contents(t), "text is not kept")
	b.settings(t, "off")
	assert.Equal(t, "MEMORY_DISABLED", *b.file(t, document("/c.txt", "h1", "Plain text.")).Skipped)
}
