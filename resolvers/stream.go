package resolvers

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"mneme/knowledge"
)

// typeEvents is the media type of server-sent events.
const typeEvents = "text/event-stream"

// streamPing is how often a stream that has nothing to say shows that it is alive, so that
// nobody between closes it.
const streamPing = 15 * time.Second

// wantsEvents tells whether the caller takes an answer in events.
func wantsEvents(r *http.Request) bool {
	return strings.Contains(r.Header.Get("Accept"), typeEvents)
}

// lasting tells whether a request may last longer than others: it is a stream.
func lasting(r *http.Request) bool { return wantsEvents(r) || isSocket(r) }

// events answers an operation by server-sent events: next for each result, complete at the
// end (the distinct connections mode of GraphQL over SSE).
func (t transport) events(ctx context.Context, w http.ResponseWriter, op *graphql.OperationContext) {
	connection := http.NewResponseController(w)
	w.Header().Set("Content-Type", typeEvents)
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if err := connection.Flush(); err != nil {
		return // a connection that cannot stream
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	results := t.results(ctx, op)
	ticker := time.NewTicker(streamPing)
	defer ticker.Stop()
	for {
		var event string
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			event = ":\n\n"
		case result, more := <-results:
			if !more {
				_, _ = w.Write([]byte("event: complete\ndata:\n\n")) // the caller may have left
				_ = connection.Flush()
				return
			}
			event = "event: next\ndata: " + string(result) + "\n\n"
		}
		if _, err := w.Write([]byte(event)); err != nil {
			return
		}
		if err := connection.Flush(); err != nil {
			return
		}
	}
}

// results are the results of an operation as JSON, until it ends or the context does.
func (t transport) results(ctx context.Context, op *graphql.OperationContext) <-chan json.RawMessage {
	out := make(chan json.RawMessage)
	go func() {
		defer close(out)
		responses, ctx := t.exec.DispatchOperation(ctx, op)
		for {
			resp := t.next(ctx, responses)
			if resp == nil {
				return
			}
			body, err := json.Marshal(response{Errors: resp.Errors, Data: resp.Data})
			if err != nil {
				return
			}
			select {
			case out <- body:
			case <-ctx.Done():
				return
			}
			if op.Operation.Operation != ast.Subscription {
				return
			}
		}
	}()
	return out
}

// next is an operation's next result; a panic of ours is one too, its last.
func (t transport) next(ctx context.Context, responses graphql.ResponseHandler) (resp *graphql.Response) {
	defer func() {
		if cause := recover(); cause != nil {
			resp = &graphql.Response{Errors: gqlerror.List{t.errs.present(ctx, t.errs.recover(ctx, cause))}}
		}
	}()
	return responses(ctx)
}

func notByHTTP() error {
	return knowledge.Invalid("", "subscriptions are answered by server-sent events (Accept: text/event-stream) or over a WebSocket")
}
