package resolvers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mneme/knowledge"
)

// Media types of GraphQL over HTTP.
const (
	typeJSON    = "application/json"
	typeGraphQL = "application/graphql-response+json"
)

// maxErrors bounds how many errors of one document are told.
const maxErrors = 20

// transport is GraphQL over HTTP as its specification says: gqlgen's own answers
// request errors with status 200 and "data": null.
type transport struct {
	exec    graphql.GraphExecutor
	maxBody int64
	errs    presenter
	origins []string // pages of other servers that may open a WebSocket
}

func (t transport) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if isSocket(r) {
		t.socket(w, r)
		return
	}
	ctx := graphql.StartOperationTrace(r.Context())
	var params *graphql.RawParams
	var status int
	var err error
	switch r.Method {
	case http.MethodOptions:
		w.Header().Set("Allow", "OPTIONS, GET, POST")
		w.WriteHeader(http.StatusNoContent)
		return
	case http.MethodGet:
		status = http.StatusBadRequest
		params, err = fromURL(r)
	case http.MethodPost:
		params, status, err = t.fromBody(w, r)
	default:
		w.Header().Set("Allow", "OPTIONS, GET, POST")
		status, err = http.StatusMethodNotAllowed, knowledge.Invalid("", "only GET and POST are answered")
	}
	if err != nil {
		refuse(ctx, w, r, t.errs, status, err)
		return
	}
	params.Headers = r.Header
	op, requestErrors := t.exec.CreateOperationContext(ctx, params)
	if len(requestErrors) > 0 {
		requestErrors = requestErrors[:min(len(requestErrors), maxErrors)]
		resp := t.exec.DispatchError(graphql.WithOperationContext(ctx, op), requestErrors)
		respond(w, r, requestErrorStatus(r), resp.Errors, nil)
		return
	}
	if op.Operation.Operation == ast.Subscription && !wantsEvents(r) {
		refuse(ctx, w, r, t.errs, http.StatusNotAcceptable, notByHTTP())
		return
	}
	if r.Method == http.MethodGet && op.Operation.Operation == ast.Mutation {
		w.Header().Set("Allow", "POST")
		refuse(ctx, w, r, t.errs, http.StatusMethodNotAllowed, knowledge.Invalid("", "only queries may come by GET"))
		return
	}
	if wantsEvents(r) {
		t.events(ctx, w, op)
		return
	}
	responses, ctx := t.exec.DispatchOperation(ctx, op)
	resp := responses(ctx)
	if resp == nil { // the request ended before the operation began
		refuse(ctx, w, r, t.errs, http.StatusOK, context.Cause(ctx))
		return
	}
	respond(w, r, http.StatusOK, resp.Errors, resp.Data)
}

// fromURL reads a request out of the address.
func fromURL(r *http.Request) (*graphql.RawParams, error) {
	q := r.URL.Query()
	params := &graphql.RawParams{Query: q.Get("query"), OperationName: q.Get("operationName")}
	for name, into := range map[string]*map[string]any{"variables": &params.Variables, "extensions": &params.Extensions} {
		if text := q.Get(name); text != "" && decode(strings.NewReader(text), into) != nil {
			return nil, knowledge.Invalid(name, "must be a JSON object")
		}
	}
	return params, checkParams(params)
}

// fromBody reads a request out of a JSON body.
func (t transport) fromBody(w http.ResponseWriter, r *http.Request) (*graphql.RawParams, int, error) {
	media, mediaParams, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != typeJSON || !isUTF8(mediaParams["charset"]) {
		return nil, http.StatusUnsupportedMediaType, knowledge.Invalid("", "the body must be application/json in UTF-8")
	}
	params := &graphql.RawParams{}
	err = t.read(w, r, params)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, http.StatusRequestEntityTooLarge, knowledge.Limit("", "a request may take at most %d bytes", t.maxBody)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, http.StatusRequestTimeout, knowledge.Errorf(knowledge.CodeTimeout, "the request did not arrive in time")
	}
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) && wrong.Field != "" {
		return nil, http.StatusBadRequest, knowledge.Invalid(wrong.Field, "must not be a %s", wrong.Value)
	}
	if err != nil {
		return nil, http.StatusBadRequest, knowledge.Invalid("", "the body must be one JSON object")
	}
	return params, http.StatusBadRequest, checkParams(params)
}

// read decodes the body, which must be there before the request's own time is over.
func (t transport) read(w http.ResponseWriter, r *http.Request, params *graphql.RawParams) error {
	connection := http.NewResponseController(w)
	if deadline, ok := r.Context().Deadline(); ok {
		_ = connection.SetReadDeadline(deadline) // not every connection has one
		defer func() { _ = connection.SetReadDeadline(time.Time{}) }()
	}
	body := &counting{r: http.MaxBytesReader(w, r.Body, t.maxBody+fileRoom)}
	err := decode(body, params)
	if err == nil && body.n > t.maxBody && !strings.Contains(params.Query, takesFiles) {
		return &http.MaxBytesError{Limit: t.maxBody}
	}
	return err
}

const (
	// takesFiles is the mutation whose requests may be larger by fileRoom: a file in base64.
	takesFiles = "extractFromFile"
	fileRoom   = knowledge.MaxFileData / 3 * 4
)

// counting counts what is read.
type counting struct {
	r io.Reader
	n int64
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func isUTF8(charset string) bool { return charset == "" || strings.EqualFold(charset, "utf-8") }

func checkParams(p *graphql.RawParams) error {
	if strings.TrimSpace(p.Query) == "" {
		return knowledge.Invalid("query", "must not be empty")
	}
	return nil
}

// decode reads one JSON value and nothing behind it; numbers keep their digits.
func decode(r io.Reader, into any) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errors.New("more than one value")
		}
		return err
	}
	return nil
}

// answerType is the media type that the caller prefers; JSON where it does not say.
func answerType(r *http.Request) string {
	for _, part := range strings.Split(strings.Join(r.Header.Values("Accept"), ","), ",") {
		media, _, err := mime.ParseMediaType(strings.TrimSpace(part))
		if err != nil {
			continue
		}
		switch media {
		case typeGraphQL:
			return typeGraphQL
		case typeJSON, "application/*", "*/*":
			return typeJSON
		}
	}
	return typeJSON
}

// requestErrorStatus is the status for an operation that cannot be run: by the
// specification 200 for those who take plain JSON, who may not look further otherwise.
func requestErrorStatus(r *http.Request) int {
	if answerType(r) == typeGraphQL {
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// refuse answers a request that never became an operation.
func refuse(ctx context.Context, w http.ResponseWriter, r *http.Request, errs presenter, status int, err error) {
	respond(w, r, status, gqlerror.List{errs.present(ctx, err)}, nil)
}

// response is what is sent; data is left out where nothing was run.
type response struct {
	Errors gqlerror.List   `json:"errors,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

func respond(w http.ResponseWriter, r *http.Request, status int, errs gqlerror.List, data json.RawMessage) {
	body, err := json.Marshal(response{Errors: errs, Data: data})
	if err != nil {
		http.Error(w, internalMessage, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", answerType(r)+"; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may have left
}
