package main

import (
	"archive/zip"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"
)

// zipped writes a zip archive of texts by their names.
func zipped(t *testing.T, path string, parts map[string]string) {
	t.Helper()
	out, err := os.Create(path)
	require.NoError(t, err)
	w := zip.NewWriter(out)
	for name, text := range parts {
		part, err := w.Create(name)
		require.NoError(t, err)
		_, err = part.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, out.Close())
}

// folderOfDocuments has one file of each kind that is read, in three languages, and some
// that cannot be.
func folderOfDocuments(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	write("notes.txt", "The lighthouse keeper paints the railing every April.")
	write("guide.md", "# Vineyard\n\nThe vineyard harvest begins in late September.\n")
	write("page.html", "<html><head><title>Ferry</title></head><body><p>The ferry timetable changes in winter.</p></body></html>")
	write("prices.csv", "item,price\ncompass,42\nsextant,900\n")
	write("japanese.txt", "東京の図書館は月曜日に休館します。")
	write("german.md", "# Dachdecker\n\nDer Dachdecker repariert die Schieferziegel am Rathaus.\n")
	write("short.pdf", pdfOf("The glacier retreats eleven meters a year."))
	zipped(t, filepath.Join(dir, "letter.docx"), map[string]string{
		"word/document.xml": `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>The orchestra rehearses in the old granary.</w:t></w:r></w:p></w:body></w:document>`,
	})
	zipped(t, filepath.Join(dir, "talk.pptx"), map[string]string{
		"ppt/presentation.xml":            `<p:presentation xmlns:p="p" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="rId1"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Target="slides/slide1.xml"/></Relationships>`,
		"ppt/slides/slide1.xml":           `<p:sld xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><p:cSld><p:spTree><p:sp><p:txBody><a:p><a:r><a:t>The beekeeper moves forty hives.</a:t></a:r></a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`,
	})
	book := excelize.NewFile()
	require.NoError(t, book.SetCellValue("Sheet1", "A1", "The submarine museum opens at nine"))
	require.NoError(t, book.SaveAs(filepath.Join(dir, "table.xlsx")))
	require.NoError(t, book.Close())
	write("broken.pdf", "%PDF-1.7 and then nothing")
	write("broken.docx", "PK no archive")
	return dir
}

// pdfOf is a PDF of one page with one line.
func pdfOf(line string) string {
	content := "BT /F1 12 Tf 72 720 Td (" + line + ") Tj ET"
	return "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>endobj\n" +
		"4 0 obj<</Length " + strconv.Itoa(len(content)) + ">>stream\n" + content + "\nendstream endobj\n5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n"
}

func TestE2E_ImportedFilesAreFound(t *testing.T) {
	t.Parallel()
	env, key, dir := testEnvironment(t), freshKey(), folderOfDocuments(t)
	out := runMneme(t, env, "", "import", "files", dir, "--workspace", key, "--json")
	require.Equal(t, exitPartly, out.status, out.stderr)
	report := fromJSON[jobReport](t, out.stdout)
	assert.Equal(t, []int{12, 10, 2}, []int{report.Scanned, report.Imported, report.Failed}, out.stderr)
	assert.Contains(t, out.stderr, "broken.pdf: ")
	assert.Contains(t, out.stderr, "broken.docx: ")
	for name, c := range map[string]struct{ query, says string }{
		"txt": {"Who paints the railing?", "lighthouse"}, "md": {"When is the vineyard harvest?", "September"}, "html": {"ferry timetable", "winter"},
		"csv": {"price of the sextant", "900"}, "Japanese": {"図書館の休館日", "月曜日"}, "German": {"Wer repariert Schieferziegel?", "Dachdecker"},
		"pdf": {"glacier retreat", "eleven"}, "docx": {"Where does the orchestra rehearse?", "granary"}, "pptx": {"beekeeper hives", "forty"}, "xlsx": {"submarine museum", "nine"},
	} {
		out := runMneme(t, env, "", "recall", c.query, "--workspace", key, "--general", "--limit", "1")
		require.Equal(t, exitDone, out.status, out.stderr)
		assert.Contains(t, out.stdout, c.says, name)
	}
	out = runMneme(t, env, "", "files", "list", "--workspace", key, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Len(t, fromJSON[struct{ Files []fileRow }](t, out.stdout).Files, 10)

	require.NoError(t, os.Remove(filepath.Join(dir, "guide.md")))
	out = runMneme(t, env, "", "import", "files", dir, "--workspace", key, "--json")
	report = fromJSON[jobReport](t, out.stdout)
	assert.Equal(t, 1, report.Counts["filesRemoved"], "T5")
	assert.Equal(t, 9, report.Skipped, "what is unchanged is not read again")
	out = runMneme(t, env, "", "recall", "vineyard harvest", "--workspace", key, "--general")
	assert.NotContains(t, out.stdout, "September")
}
