package resolvers

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/99designs/gqlgen/graphql/errcode"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mneme/knowledge"
)

// internalMessage is all that a caller learns of a fault of the server.
const internalMessage = "internal error"

// presenter makes every error of the API: the message and code of a
// knowledge.Error, and nothing but a request id of any other.
type presenter struct{ log *slog.Logger }

// present is the one place where GraphQL errors are built.
func (p presenter) present(ctx context.Context, err error) *gqlerror.Error {
	out := &gqlerror.Error{Path: graphql.GetPath(ctx)}
	var located *gqlerror.Error
	if errors.As(err, &located) {
		out.Path, out.Locations = located.Path, located.Locations
	}
	var known *knowledge.Error
	switch {
	case errors.As(err, &known) && known.Code != knowledge.CodeInternal:
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		known = knowledge.Errorf(knowledge.CodeTimeout, "the request took longer than it may")
	case errors.Is(err, context.Canceled):
		known = knowledge.Errorf(knowledge.CodeTimeout, "the request was given up by the caller")
	case located != nil && isRequestError(located):
		known = requestError(located)
		out.Path = nil
	default:
		p.log.ErrorContext(ctx, "request failed",
			slog.String("request_id", requestIDOf(ctx)), slog.String("path", out.Path.String()), slog.Any("error", err), slog.Any("cause", causeOf(err)))
		out.Message = internalMessage
		out.Extensions = map[string]any{"code": knowledge.CodeInternal, "requestId": requestIDOf(ctx)}
		return out
	}
	out.Message = known.Message
	out.Extensions = extensions(known)
	return out
}

// causeOf is what is behind an error, which is for the log and never for the caller.
func causeOf(err error) error {
	var known *knowledge.Error
	if errors.As(err, &known) {
		return known.Unwrap()
	}
	return nil
}

func extensions(e *knowledge.Error) map[string]any {
	out := map[string]any{"code": e.Code}
	if e.Field != "" {
		out["field"] = e.Field
	}
	if len(e.Candidates) > 0 {
		out["candidates"] = e.Candidates
	}
	return out
}

// isRequestError tells errors that the parser and the validator found from faults of ours.
func isRequestError(err *gqlerror.Error) bool {
	code, _ := err.Extensions["code"].(string)
	return code == errcode.ParseFailed || code == errcode.ValidationFailed
}

// requestError is what the parser or the validator found. Errors in variables have a
// path of the form variable.NAME.FIELD…, from which the field is taken.
func requestError(err *gqlerror.Error) *knowledge.Error {
	e := knowledge.Invalid("", "%s", err.Message)
	if len(err.Path) < 2 || err.Path[0] != ast.PathName("variable") {
		return e
	}
	rest := err.Path[1:]
	if len(rest) > 1 {
		rest = rest[1:]
	}
	parts := make([]string, len(rest))
	for i, element := range rest {
		parts[i] = fmt.Sprint(element)
	}
	e.Field = strings.Join(parts, ".")
	return e
}

// recover turns a panic into an error for present; the stack goes to the log.
func (p presenter) recover(ctx context.Context, cause any) error {
	p.log.ErrorContext(ctx, "panic",
		slog.String("request_id", requestIDOf(ctx)), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
	return knowledge.Errorf(knowledge.CodeInternal, internalMessage).Because(fmt.Errorf("panic: %v", cause))
}

type requestIDKey struct{}

// withRequestID gives a request its id, by which its log lines are found.
func withRequestID(ctx context.Context) (context.Context, string) {
	id := "req_" + strings.ToLower(rand.Text())
	return context.WithValue(ctx, requestIDKey{}, id), id
}

// requestIDOf is the id of the request; empty outside one.
func requestIDOf(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
