package ingest

import (
	"context"
	"fmt"
	"mime"
	"net/http"
	"path"
	"strings"

	"mneme/knowledge"
)

// MaxFile is the largest file that is read, in bytes.
const MaxFile = 100 << 20

// Files reads documents. The PDF library is loaded when the first PDF comes.
type Files struct{ pdf *pdfReader }

// NewFiles makes a reader of documents. The caller closes it.
func NewFiles() *Files { return &Files{pdf: &pdfReader{}} }

// Close ends the PDF library, where it was loaded.
func (f *Files) Close() error { return f.pdf.close() }

// Extensions are the endings of files that are read, in lower case.
func Extensions() []string {
	return []string{".pdf", ".docx", ".xlsx", ".pptx", ".html", ".htm", ".md", ".markdown", ".txt", ".csv", ".tsv"}
}

// Read reads a file by its name's ending. INVALID_INPUT for one that is encrypted, cut
// off or of no known kind, LIMIT_EXCEEDED for one that is too large or would become so
// when it is unpacked.
func (f *Files) Read(ctx context.Context, name string, data []byte) (out *knowledge.FileText, err error) {
	if len(data) > MaxFile {
		return nil, knowledge.Limit("", "the file is larger than %d MiB", MaxFile>>20)
	}
	defer func() {
		// The libraries meet whatever strangers made; what breaks them is a wrong file.
		if cause := recover(); cause != nil {
			out, err = nil, knowledge.Invalid("", "the file cannot be read").Because(fmt.Errorf("panic: %v", cause))
		}
	}()
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".pdf":
		out, err = f.pdf.read(ctx, data)
	case ".docx":
		out, err = readDocx(data)
	case ".pptx":
		out, err = readPptx(data)
	case ".xlsx":
		out, err = readXlsx(data)
	case ".html", ".htm":
		out = readHTML(data)
	case ".md", ".markdown":
		out = &knowledge.FileText{Sections: markdownSections(decodeText(data))}
	case ".csv", ".tsv":
		out, err = readCSV(data)
	case ".txt":
		out = &knowledge.FileText{Sections: []knowledge.FileSection{{Text: decodeText(data)}}}
	default:
		return nil, knowledge.Invalid("", "files that end in %q are not read", ext)
	}
	if err != nil {
		return nil, err
	}
	out.MediaType = mediaTypeOf(ext, data)
	out.Title = clean(out.Title, knowledge.MaxNameLength)
	for i := range out.Sections {
		s := &out.Sections[i]
		s.Text, s.Heading = clean(s.Text, len(s.Text)), clean(knowledge.CollapseSpace(s.Heading), knowledge.MaxTagLength*3)
	}
	return out, nil
}

func mediaTypeOf(ext string, data []byte) string {
	switch ext {
	case ".docx":
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	case ".xlsx":
		return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	case ".pptx":
		return "application/vnd.openxmlformats-officedocument.presentationml.presentation"
	case ".md", ".markdown":
		return "text/markdown"
	case ".csv", ".tsv":
		return "text/csv"
	case ".pdf":
		return "application/pdf"
	case ".txt":
		return "text/plain"
	case ".html", ".htm":
		return "text/html"
	}
	if known, _, err := mime.ParseMediaType(http.DetectContentType(data)); err == nil {
		return known
	}
	return "application/octet-stream"
}

func readHTML(data []byte) *knowledge.FileText {
	source := decodeHTML(data)
	return &knowledge.FileText{Title: htmlTitle(source), Sections: markdownSections(htmlText(source, mailHTML{}))}
}
