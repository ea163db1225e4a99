package ingest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klippa-app/go-pdfium"
	pdferrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"mneme/knowledge"
)

const (
	maxPages = 5_000
	pdfStart = time.Minute     // loading compiles the library, which takes seconds
	pdfTime  = 2 * time.Minute // for one file
)

// pdfReader reads PDF files by a library that is compiled on first use (some seconds, some
// 300 MB of memory). One file is read at a time.
type pdfReader struct {
	mu   sync.Mutex
	pool pdfium.Pool
	end  context.CancelFunc
}

func (p *pdfReader) read(ctx context.Context, data []byte) (*knowledge.FileText, error) {
	if !bytes.Contains(data[:min(len(data), 1024)], []byte("%PDF-")) {
		return nil, knowledge.Invalid("", "the file is no PDF")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.load(ctx); err != nil {
		return nil, err
	}
	type result struct {
		text *knowledge.FileText
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := p.document(ctx, data)
		done <- result{text, err}
	}()
	timeout := time.NewTimer(pdfTime)
	defer timeout.Stop()
	select {
	case r := <-done:
		return r.text, r.err
	case <-ctx.Done():
		p.drop()
		<-done
		return nil, ctx.Err()
	case <-timeout.C:
		p.drop()
		<-done
		return nil, knowledge.Limit("", "the PDF takes longer than %s to read", pdfTime)
	}
}

// load compiles the library, whose life is its own and not the first file's.
func (p *pdfReader) load(ctx context.Context) error {
	if p.pool != nil {
		return nil
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	pool, err := webassembly.Init(webassembly.Config{
		Context: life, MaxIdle: 1, MaxTotal: 1,
		// It sees no files and prints nothing.
		FSConfig: wazero.NewFSConfig(), Stdout: io.Discard, Stderr: io.Discard,
		// The library needs exception handling; the context ends it in the middle of its work.
		RuntimeConfig: wazero.NewRuntimeConfig().WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).WithCloseOnContextDone(true),
	})
	if err != nil {
		end()
		return knowledge.Errorf(knowledge.CodeUnavailable, "the PDF library cannot be loaded").Because(err)
	}
	p.pool, p.end = pool, end
	return nil
}

// drop ends the library in the middle of its work; the next file loads it anew.
func (p *pdfReader) drop() {
	if p.end != nil {
		p.end()
	}
	p.pool, p.end = nil, nil
}

func (p *pdfReader) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pool == nil {
		return nil
	}
	err := p.pool.Close()
	p.drop()
	return err
}

func (p *pdfReader) document(ctx context.Context, data []byte) (out *knowledge.FileText, err error) {
	instance, err := p.pool.GetInstance(pdfStart)
	if err != nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the PDF library does not answer").Because(err)
	}
	defer func() { err = errors.Join(err, instance.Close()) }()
	doc, err := instance.OpenDocument(&requests.OpenDocument{File: &data})
	if errors.Is(err, pdferrors.ErrPassword) {
		return nil, knowledge.Invalid("", "the PDF is encrypted")
	}
	if err != nil {
		return nil, knowledge.Invalid("", "the PDF is cut off or damaged").Because(err)
	}
	defer func() {
		_, closing := instance.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc.Document})
		err = errors.Join(err, closing)
	}()
	pages, err := instance.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: doc.Document})
	if err != nil {
		return nil, knowledge.Invalid("", "the PDF is damaged").Because(err)
	}
	if pages.PageCount > maxPages {
		return nil, knowledge.Limit("", "the PDF has more than %d pages", maxPages)
	}
	out = &knowledge.FileText{Title: pdfTitle(instance, doc.Document)}
	for i := range pages.PageCount {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		page, err := instance.GetPageText(&requests.GetPageText{Page: requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document, Index: i}}})
		if err != nil {
			continue // one damaged page is not the whole file
		}
		if text := pdfText(page.Text); text != "" {
			out.Sections = append(out.Sections, knowledge.FileSection{Place: "page " + strconv.Itoa(i+1), Text: text})
		}
	}
	return out, nil
}

func pdfTitle(instance pdfium.Pdfium, doc references.FPDF_DOCUMENT) string {
	meta, err := instance.FPDF_GetMetaText(&requests.FPDF_GetMetaText{Document: doc, Tag: "Title"})
	if err != nil {
		return ""
	}
	return meta.Value
}

// pdfText joins words that were divided at the end of a line, and lines of one paragraph.
func pdfText(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u0002\n", "", "\ufffe\n", "", "\u00ad\n", "").Replace(text)
	return strings.TrimSpace(text)
}
