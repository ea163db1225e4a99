package resolvers

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mneme/graph/scalar"
	"mneme/knowledge"
	"mneme/service"
)

// Limits of an export that is one value of an answer; /export has none.
const (
	maxExportEdges = 10_000
	maxExportBytes = 32 << 20
	// exportCost is what an export costs of the 100,000 that an operation may: with its
	// edges and as many entities.
	exportCost = 20_000
)

// exportText is an export that is gathered, up to its limit.
type exportText struct{ strings.Builder }

// Write implements io.Writer; LIMIT_EXCEEDED above 32 MiB.
func (t *exportText) Write(p []byte) (int, error) {
	if t.Len()+len(p) > maxExportBytes {
		return 0, knowledge.Limit("format", "this graph is larger than %d MiB as text: /export and `mneme export` stream any size", maxExportBytes>>20)
	}
	return t.Builder.Write(p)
}

func (t *exportText) result(err error) (*string, error) {
	if err != nil {
		return nil, err
	}
	text := t.String()
	return &text, nil
}

// NewExportHandler serves whole graphs as downloads, at a path with the wildcard
// {workspace}: ?format=json|dot|mermaid|graphml|cypher, and asOf, knownAt and history as
// in the API. It asks of its callers what the API does.
func NewExportHandler(cfg Config) (http.Handler, error) {
	cfg = cfg.withDefaults()
	if cfg.Resolver == nil {
		return nil, fmt.Errorf("export handler: no resolver")
	}
	errs := presenter{cfg.Log}
	return withCORS(cfg, requests{cfg: cfg, errs: errs, endless: true, next: exports{r: cfg.Resolver, errs: errs, log: cfg.Log}}), nil
}

type exports struct {
	r    *Resolver
	errs presenter
	log  *slog.Logger
}

// ServeHTTP implements http.Handler.
func (h exports) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx := r.Context()
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		refuse(ctx, w, r, h.errs, http.StatusMethodNotAllowed, knowledge.Invalid("", "an export is got by GET"))
		return
	}
	ws, req, err := h.asked(ctx, r)
	if err != nil {
		refuse(ctx, w, r, h.errs, exportStatus(err), err)
		return
	}
	out := &download{w: w, name: ws.Key + req.Format.Extension(), mediaType: req.Format.MediaType()}
	err = h.r.Exports.Write(ctx, ws, out, req)
	switch {
	case err == nil:
	case !out.begun:
		refuse(ctx, w, r, h.errs, exportStatus(err), err)
	default:
		if !errors.Is(err, context.Canceled) {
			h.log.ErrorContext(ctx, "an export was cut off", slog.String("request_id", requestIDOf(ctx)), slog.Any("cause", err))
		}
		panic(http.ErrAbortHandler) // the only way to tell a client that what it has is not all
	}
}

// asked is what a request asks for.
func (h exports) asked(ctx context.Context, r *http.Request) (*knowledge.Workspace, service.ExportRequest, error) {
	req := service.ExportRequest{Caller: callerOf(ctx)}
	query := r.URL.Query()
	for name := range query {
		if name != "format" && name != "asOf" && name != "knownAt" && name != "history" {
			return nil, req, knowledge.Invalid(name, "is not one of format, asOf, knownAt, history")
		}
	}
	format := query.Get("format")
	if format == "" {
		format = string(knowledge.ExportJSON)
	}
	var err error
	if req.Format, err = knowledge.ExportFormatOf(format); err != nil {
		return nil, req, err
	}
	for name, into := range map[string]**time.Time{"asOf": &req.At.AsOf, "knownAt": &req.At.KnownAt} {
		if text := query.Get(name); text != "" {
			t, err := scalar.UnmarshalDateTime(text)
			if err != nil {
				return nil, req, knowledge.InField(name, err)
			}
			*into = &t
		}
	}
	if text := query.Get("history"); text != "" {
		if req.At.IncludeHistory, err = strconv.ParseBool(text); err != nil {
			return nil, req, knowledge.Invalid("history", "is neither true nor false")
		}
	}
	ws, err := h.r.Workspaces.Get(ctx, r.PathValue("workspace"))
	return ws, req, err
}

func exportStatus(err error) int {
	switch knowledge.CodeOf(err) {
	case knowledge.CodeForbidden:
		return http.StatusForbidden
	case knowledge.CodeNotFound:
		return http.StatusNotFound
	case knowledge.CodeUnavailable, knowledge.CodeTimeout:
		return http.StatusServiceUnavailable
	case knowledge.CodeInternal:
		return http.StatusInternalServerError
	default:
		return http.StatusBadRequest
	}
}

// download is an answer that becomes a file; its header is sent with its first bytes.
type download struct {
	w               http.ResponseWriter
	name, mediaType string
	begun           bool
}

// Write implements io.Writer.
func (d *download) Write(p []byte) (int, error) {
	if !d.begun {
		d.begun = true
		d.w.Header().Set("Content-Type", d.mediaType)
		d.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": d.name}))
		d.w.WriteHeader(http.StatusOK)
	}
	return d.w.Write(p)
}
