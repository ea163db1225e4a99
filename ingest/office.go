package ingest

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"

	"mneme/knowledge"
)

// What an office file may unpack to.
const (
	maxUnpacked = 200 << 20
	maxEntries  = 10_000
)

// office is the archive that an office file is.
type office struct {
	zip  *zip.Reader
	left int64 // bytes that may still be unpacked
}

// openOffice opens an office file. What is encrypted is not an archive but one of the old
// binary files, with the archive inside.
func openOffice(data []byte) (*office, error) {
	if bytes.HasPrefix(data, []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")) {
		return nil, knowledge.Invalid("", "the file is encrypted, or of the kind that was written before 2007")
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, knowledge.Invalid("", "the file is cut off or damaged").Because(err)
	}
	if len(z.File) > maxEntries {
		return nil, knowledge.Limit("", "the file has more than %d parts", maxEntries)
	}
	o := &office{zip: z, left: maxUnpacked}
	if slices.ContainsFunc(z.File, func(f *zip.File) bool { return f.Flags&1 != 0 }) {
		return nil, knowledge.Invalid("", "the file is encrypted")
	}
	return o, nil
}

var errNoPart = errors.New("no such part")

// part unpacks a part of the file, trusting no size that the archive claims.
func (o *office) part(name string) ([]byte, error) {
	for _, f := range o.zip.File {
		if f.Name != name {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, knowledge.Invalid("", "the file is damaged").Because(err)
		}
		data, err := io.ReadAll(io.LimitReader(r, o.left+1))
		err = errors.Join(err, r.Close())
		if int64(len(data)) > o.left {
			return nil, knowledge.Limit("", "the file unpacks to more than %d MiB", maxUnpacked>>20)
		}
		o.left -= int64(len(data))
		if err != nil {
			return nil, knowledge.Invalid("", "the file is damaged").Because(err)
		}
		return data, nil
	}
	return nil, fmt.Errorf("%s: %w", name, errNoPart)
}

// title is what the file's properties call it.
func (o *office) title() string {
	data, err := o.part("docProps/core.xml")
	if err != nil {
		return ""
	}
	var core struct {
		Title string `xml:"title"`
	}
	if xml.Unmarshal(data, &core) != nil {
		return ""
	}
	return core.Title
}

func readDocx(data []byte) (*knowledge.FileText, error) {
	o, err := openOffice(data)
	if err != nil {
		return nil, err
	}
	body, err := o.part("word/document.xml")
	if errors.Is(err, errNoPart) {
		return nil, knowledge.Invalid("", "the file holds no document")
	}
	if err != nil {
		return nil, err
	}
	text, err := wordText(body)
	if err != nil {
		return nil, err
	}
	sections := markdownSections(text)
	for i := range sections {
		sections[i].Place = "paragraph " + strings.TrimPrefix(sections[i].Place, "line ")
	}
	return &knowledge.FileText{Title: o.title(), Sections: sections}, nil
}

// headingStyle is the name of a heading's style, in the languages of Word.
var headingStyle = regexp.MustCompile(`(?i)^(?:heading|überschrift|berschrift|titre|título|ttulo|titolo|title|titel)\s*(\d?)$`)

// wordText is a document's text as Markdown: a paragraph a line, headings marked, the
// cells of a table's row in one line.
func wordText(body []byte) (string, error) { //nolint:revive // one flat switch over the tokens
	var out, paragraph strings.Builder
	var cells []string
	level, inCell, deleted := 0, 0, 0
	d := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), nil
		}
		if err != nil {
			return "", damaged(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "pStyle":
				if m := headingStyle.FindStringSubmatch(attr(t, "val")); m != nil {
					level = max(1, atoi(m[1]))
				}
			case "t":
				var text string
				if err := d.DecodeElement(&text, &t); err != nil {
					return "", damaged(err)
				}
				if deleted == 0 {
					paragraph.WriteString(text)
				}
			case "tab", "br", "cr":
				paragraph.WriteByte(' ')
			case "tc":
				inCell++
			case "del":
				deleted++
			}
		case xml.EndElement:
			switch t.Name.Local {
			case "p":
				if inCell > 0 {
					paragraph.WriteByte(' ')
					break
				}
				if level > 0 && strings.TrimSpace(paragraph.String()) != "" {
					out.WriteString(strings.Repeat("#", min(level, 6)) + " ")
				}
				out.WriteString(strings.TrimSpace(paragraph.String()) + "\n")
				paragraph.Reset()
				level = 0
			case "tc":
				if inCell--; inCell == 0 {
					cells = append(cells, paragraph.String())
					paragraph.Reset()
				}
			case "tr":
				if inCell == 0 {
					out.WriteString(rowText(cells) + "\n")
					cells = nil
				}
			case "del":
				deleted--
			}
		}
	}
}

func attr(t xml.StartElement, name string) string {
	for _, a := range t.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

func readPptx(data []byte) (*knowledge.FileText, error) {
	o, err := openOffice(data)
	if err != nil {
		return nil, err
	}
	slides, err := o.slides()
	if err != nil {
		return nil, err
	}
	out := &knowledge.FileText{Title: o.title()}
	for i, name := range slides {
		text, err := o.slideText(name)
		if err != nil {
			return nil, err
		}
		notes, err := o.slideText(path.Join("ppt/notesSlides", strings.Replace(path.Base(name), "slide", "notesSlide", 1)))
		if err != nil && !errors.Is(err, errNoPart) {
			return nil, err
		}
		lines := slices.Concat(text, notes)
		if len(lines) == 0 {
			continue
		}
		out.Sections = append(out.Sections, knowledge.FileSection{Heading: text2heading(text), Place: "slide " + strconv.Itoa(i+1), Text: strings.Join(lines, "\n")})
	}
	return out, nil
}

func text2heading(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return lines[0]
}

// slides are the parts of the slides in the order of the presentation.
func (o *office) slides() ([]string, error) {
	var show struct {
		Slides []struct {
			ID string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sldIdLst>sldId"`
	}
	var rels struct {
		List []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	for name, into := range map[string]any{"ppt/presentation.xml": &show, "ppt/_rels/presentation.xml.rels": &rels} {
		data, err := o.part(name)
		if errors.Is(err, errNoPart) {
			return nil, knowledge.Invalid("", "the file holds no presentation")
		}
		if err != nil {
			return nil, err
		}
		if err := xml.Unmarshal(data, into); err != nil {
			return nil, knowledge.Invalid("", "the presentation is damaged").Because(err)
		}
	}
	targets := map[string]string{}
	for _, r := range rels.List {
		targets[r.ID] = r.Target
	}
	var out []string
	for _, s := range show.Slides {
		if target := targets[s.ID]; target != "" {
			out = append(out, strings.TrimPrefix(path.Join("ppt", target), "/"))
		}
	}
	return out, nil
}

// slideText are the paragraphs of a slide or of its notes.
func (o *office) slideText(name string) ([]string, error) {
	data, err := o.part(name)
	if err != nil {
		return nil, err
	}
	var out []string
	var paragraph strings.Builder
	d := xml.NewDecoder(bytes.NewReader(data))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, knowledge.Invalid("", "the presentation is cut off or damaged").Because(err)
		}
		switch t := token.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "t":
				var text string
				if err := d.DecodeElement(&text, &t); err != nil {
					return nil, knowledge.Invalid("", "the presentation is cut off or damaged").Because(err)
				}
				paragraph.WriteString(text)
			case "br":
				paragraph.WriteByte(' ')
			case "fld": // the slide's number and the date
				if err := d.Skip(); err != nil {
					return nil, knowledge.Invalid("", "the presentation is cut off or damaged").Because(err)
				}
			}
		case xml.EndElement:
			if t.Name.Local == "p" {
				if text := knowledge.CollapseSpace(paragraph.String()); text != "" {
					out = append(out, text)
				}
				paragraph.Reset()
			}
		}
	}
}

func readXlsx(data []byte) (*knowledge.FileText, error) {
	o, err := openOffice(data)
	if err != nil {
		return nil, err
	}
	book, err := excelize.OpenReader(bytes.NewReader(data), excelize.Options{UnzipSizeLimit: maxUnpacked, UnzipXMLSizeLimit: maxUnpacked})
	if err != nil {
		if strings.Contains(err.Error(), "unzip size") {
			return nil, knowledge.Limit("", "the file unpacks to more than %d MiB", maxUnpacked>>20).Because(err)
		}
		return nil, knowledge.Invalid("", "the workbook is cut off or damaged").Because(err)
	}
	defer func() { _ = book.Close() }() // only read
	out := &knowledge.FileText{Title: o.title()}
	for _, sheet := range book.GetSheetList() {
		rows, err := sheetRows(book, sheet)
		if err != nil {
			return nil, err
		}
		out.Sections = append(out.Sections, tableSections(sheet, rows)...)
	}
	return out, nil
}

func sheetRows(book *excelize.File, sheet string) ([][]string, error) {
	rows, err := book.Rows(sheet)
	if err != nil {
		return nil, knowledge.Invalid("", "a sheet of the workbook is damaged").Because(err)
	}
	var out [][]string
	for rows.Next() && len(out) < maxTableRows {
		columns, err := rows.Columns()
		if err != nil {
			return nil, errors.Join(knowledge.Invalid("", "a sheet of the workbook is damaged").Because(err), rows.Close())
		}
		out = append(out, columns)
	}
	return out, rows.Close()
}

func damaged(err error) error {
	return knowledge.Invalid("", "the document is cut off or damaged").Because(err)
}
