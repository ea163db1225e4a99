package ingest_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"mneme/ingest"
	"mneme/knowledge"
)

func readFile(t *testing.T, name string, data []byte) (*knowledge.FileText, error) {
	t.Helper()
	f := ingest.NewFiles()
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	return f.Read(t.Context(), name, data)
}

func mustRead(t *testing.T, name string, data []byte) *knowledge.FileText {
	t.Helper()
	out, err := readFile(t, name, data)
	require.NoError(t, err)
	return out
}

// archive is a zip file of parts.
func archive(t *testing.T, parts map[string]string) []byte {
	t.Helper()
	var buf bytes.Buffer
	z := zip.NewWriter(&buf)
	for name, text := range parts {
		w, err := z.Create(name)
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return buf.Bytes()
}

func docx(t *testing.T) []byte {
	t.Helper()
	return archive(t, map[string]string{
		"word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>` +
			`<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Liefer</w:t></w:r><w:r><w:t>vertrag</w:t></w:r></w:p>` +
			`<w:p><w:r><w:t xml:space="preserve">Die Frist beträgt </w:t></w:r><w:r><w:t>vierzehn Tage.</w:t></w:r><w:del><w:r><w:t>gestrichen</w:t></w:r></w:del></w:p>` +
			`<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Teil</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Preis</w:t></w:r></w:p></w:tc></w:tr>` +
			`<w:tr><w:tc><w:p><w:r><w:t>Schraube</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>5</w:t></w:r></w:p></w:tc></w:tr></w:tbl>` +
			`<w:p><w:pPr><w:pStyle w:val="Heading2"/></w:pPr><w:r><w:t>Haftung</w:t></w:r></w:p><w:p><w:r><w:t>Keine.</w:t></w:r></w:p>` +
			`</w:body></w:document>`,
		"docProps/core.xml": `<cp:coreProperties xmlns:cp="x" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Vertrag 7</dc:title></cp:coreProperties>`,
	})
}

func pptx(t *testing.T) []byte {
	t.Helper()
	slide := func(lines ...string) string {
		var b strings.Builder
		for _, line := range lines {
			b.WriteString("<a:p><a:r><a:t>" + line + "</a:t></a:r></a:p>")
		}
		return `<p:sld xmlns:p="p" xmlns:a="a">` + b.String() + `<a:p><a:fld><a:t>7</a:t></a:fld></a:p></p:sld>`
	}
	return archive(t, map[string]string{
		"ppt/presentation.xml":            `<p:presentation xmlns:p="p" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:sldIdLst><p:sldId id="256" r:id="rId3"/><p:sldId id="257" r:id="rId2"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels": `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId2" Target="slides/slide1.xml"/><Relationship Id="rId3" Target="slides/slide2.xml"/></Relationships>`,
		"ppt/slides/slide1.xml":           slide("Outlook", "We grow."),
		"ppt/slides/slide2.xml":           slide("四半期報告", "売上は増えた。"),
		"ppt/notesSlides/notesSlide1.xml": slide("Say it slowly."),
	})
}

func xlsx(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	require.NoError(t, f.SetSheetName("Sheet1", "Prices"))
	for i, row := range [][]any{{"Item", "Price"}, {"Bolt", 5}, {"Nut", 2.5}} {
		require.NoError(t, f.SetSheetRow("Prices", fmt.Sprintf("A%d", i+1), &row))
	}
	buf, err := f.WriteToBuffer()
	require.NoError(t, err)
	require.NoError(t, f.Close())
	return buf.Bytes()
}

// pdf is a file of pages with one line each, in Latin letters.
func pdf(lines ...string) []byte {
	var b bytes.Buffer
	var offsets []int
	object := func(format string, args ...any) {
		offsets = append(offsets, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(offsets), fmt.Sprintf(format, args...))
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range lines {
		kids = append(kids, fmt.Sprintf("%d 0 R", 4+2*i))
	}
	object("<< /Type /Catalog /Pages 2 0 R >>")
	object("<< /Type /Pages /Kids [%s] /Count %d >>", strings.Join(kids, " "), len(lines))
	object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>")
	for i, line := range lines {
		stream := "BT /F1 12 Tf 72 700 Td (" + line + ") Tj ET"
		object("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", 5+2*i)
		object("<< /Length %d >>\nstream\n%s\nendstream", len(stream), stream)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(offsets)+1)
	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(offsets)+1, start)
	return b.Bytes()
}

func TestK3_Docx(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "Vertrag.DOCX", docx(t))
	assert.Equal(t, "Vertrag 7", f.Title)
	require.Len(t, f.Sections, 2)
	assert.Equal(t, "Liefervertrag", f.Sections[0].Heading)
	assert.Equal(t, "Die Frist beträgt vierzehn Tage.\nTeil | Preis\nSchraube | 5", f.Sections[0].Text)
	assert.Equal(t, "Liefervertrag › Haftung", f.Sections[1].Heading)
}

func TestK3_Pptx(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "show.pptx", pptx(t))
	require.Len(t, f.Sections, 2)
	assert.Equal(t, knowledge.FileSection{Heading: "四半期報告", Place: "slide 1", Text: "四半期報告\n売上は増えた。"}, f.Sections[0])
	assert.Equal(t, "Outlook\nWe grow.\nSay it slowly.", f.Sections[1].Text)
}

func TestK3_Xlsx(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "prices.xlsx", xlsx(t))
	require.Len(t, f.Sections, 1)
	assert.Equal(t, knowledge.FileSection{Heading: "Prices", Place: "rows 2–3", Lead: "Item | Price", Text: "Bolt | 5\nNut | 2.5"}, f.Sections[0])
}

func TestK3_PDF(t *testing.T) {
	t.Parallel()
	f := ingest.NewFiles()
	t.Cleanup(func() { assert.NoError(t, f.Close()) })
	out, err := f.Read(t.Context(), "a.pdf", pdf("The bolt costs five euros.", "Gr\\374\\337e aus K\\366ln."))
	require.NoError(t, err)
	assert.Equal(t, []knowledge.FileSection{{Place: "page 1", Text: "The bolt costs five euros."}, {Place: "page 2", Text: "Grüße aus Köln."}}, out.Sections)
	assert.Equal(t, "application/pdf", out.MediaType)
	locked := bytes.Replace(pdf("secret"), []byte("/Root 1 0 R"), []byte("/Root 1 0 R /ID [<01><01>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O ("+strings.Repeat("o", 32)+") /U ("+strings.Repeat("u", 32)+") >>"), 1)
	_, err = f.Read(t.Context(), "a.pdf", locked)
	require.ErrorContains(t, err, "encrypted")
	for name, data := range map[string][]byte{"cut off": pdf("x")[:60], "no PDF": []byte("hello"), "empty": nil, "encrypted": locked} {
		_, err := f.Read(t.Context(), "a.pdf", data)
		assert.Equal(t, knowledge.CodeInvalidInput, knowledge.CodeOf(err), name)
	}
	again, err := f.Read(t.Context(), "b.pdf", pdf("Still there."))
	require.NoError(t, err)
	assert.Equal(t, "Still there.", again.Sections[0].Text)
}

func TestK3_Texts(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "notes.md", []byte("---\nx: y\n---\nIntro\n# One\ntext\n```\n# no heading\n```\n## Two\nmore\n\nThree\n=====\nlast\n"))
	var got []string
	for _, s := range f.Sections {
		got = append(got, s.Heading+"|"+s.Place)
	}
	assert.Equal(t, []string{"|line 1", "One|line 5", "One › Two|line 10", "Three|line 13"}, got)

	page := mustRead(t, "page.html", []byte("<html><head><title>A &amp; B</title></head><body><h1>Preise</h1><p>Die Schraube kostet <a href='x'>fünf</a> Euro.</p><script>no()</script></body></html>"))
	assert.Equal(t, "A & B", page.Title)
	assert.Equal(t, "Preise", page.Sections[0].Heading)
	assert.Equal(t, "Die Schraube kostet fünf Euro.", page.Sections[0].Text)

	assert.Equal(t, "Grüße", mustRead(t, "a.txt", []byte("Gr\xfc\xdfe")).Sections[0].Text)
	assert.Equal(t, "漢字", mustRead(t, "a.txt", []byte("\xff\xfe\x22\x6f\x57\x5b")).Sections[0].Text)

	table := mustRead(t, "a.csv", []byte("Teil;Preis\nSchraube;\"5,0\"\n"))
	assert.Equal(t, knowledge.FileSection{Place: "rows 2–2", Lead: "Teil | Preis", Text: "Schraube | 5,0"}, table.Sections[0])
}

func TestK3_FilesThatCannotBeRead(t *testing.T) {
	t.Parallel()
	bomb := archive(t, map[string]string{"word/document.xml": strings.Repeat(" ", 201<<20)})
	for name, c := range map[string]struct {
		file string
		data []byte
		code knowledge.Code
		says string
	}{
		"encrypted":       {"a.docx", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest"), knowledge.CodeInvalidInput, "encrypted"},
		"cut off":         {"a.docx", docx(t)[:200], knowledge.CodeInvalidInput, "cut off"},
		"cut off table":   {"a.xlsx", xlsx(t)[:900], knowledge.CodeInvalidInput, "cut off"},
		"another archive": {"a.docx", archive(t, map[string]string{"x": "y"}), knowledge.CodeInvalidInput, "no document"},
		"no show":         {"a.pptx", archive(t, map[string]string{"x": "y"}), knowledge.CodeInvalidInput, "no presentation"},
		"broken XML":      {"a.docx", archive(t, map[string]string{"word/document.xml": "<w:p><w:t>x"}), knowledge.CodeInvalidInput, "damaged"},
		"a bomb":          {"a.docx", bomb, knowledge.CodeLimitExceeded, "unpacks"},
		"another kind":    {"a.exe", []byte("MZ"), knowledge.CodeInvalidInput, "not read"},
	} {
		_, err := readFile(t, c.file, c.data)
		assert.Equal(t, c.code, knowledge.CodeOf(err), name)
		assert.ErrorContains(t, err, c.says, name)
	}
}

func FuzzK3_Docx(f *testing.F) {
	f.Add([]byte(`<w:document xmlns:w="w"><w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>x</w:t></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:document>`))
	f.Fuzz(func(t *testing.T, body []byte) {
		files := ingest.NewFiles()
		_, err := files.Read(t.Context(), "a.docx", archive(t, map[string]string{"word/document.xml": string(body)}))
		if err != nil && knowledge.CodeOf(err) == knowledge.CodeInternal {
			t.Fatal(err)
		}
	})
}
