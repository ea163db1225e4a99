package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/knowledge"
)

const (
	internalMessage  = "internal error"
	maxErrorMessage  = 1_000 // characters
	maxCandidates    = 10
	maxCandidateName = 100
)

// failure is an error as a client sees it (SPEC J13).
type failure struct {
	Code       knowledge.Code `json:"code"`
	Field      string         `json:"field,omitempty"`
	Message    string         `json:"message"`
	Candidates []candidate    `json:"candidates,omitempty"`
}

type candidate struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	Name string `json:"name"`
}

// explain is the one place that decides what a client learns of an error: the message of a
// knowledge.Error, and nothing of any other, which goes to the log.
func (s *Server) explain(ctx context.Context, err error) failure {
	var known *knowledge.Error
	switch {
	case errors.As(err, &known) && known.Code != knowledge.CodeInternal:
		if cause := known.Unwrap(); cause != nil {
			s.config.Log.DebugContext(ctx, "call refused", slog.String("code", string(known.Code)), slog.Any("cause", cause))
		}
	case errors.Is(err, context.DeadlineExceeded), errors.Is(ctx.Err(), context.DeadlineExceeded):
		known = knowledge.Errorf(knowledge.CodeTimeout, "the call took longer than it may")
	case errors.Is(err, context.Canceled):
		known = knowledge.Errorf(knowledge.CodeTimeout, "the call was given up by the caller")
	default:
		s.config.Log.ErrorContext(ctx, "call failed", slog.Any("error", err))
		known = knowledge.Errorf(knowledge.CodeInternal, internalMessage)
	}
	out := failure{Code: known.Code, Field: knowledge.Ellipsis(known.Field, knowledge.MaxTagLength), Message: knowledge.Ellipsis(known.Message, maxErrorMessage)}
	for _, c := range known.Candidates[:min(len(known.Candidates), maxCandidates)] {
		out.Candidates = append(out.Candidates, candidate{c.ID, c.Type, knowledge.Ellipsis(c.Name, maxCandidateName)})
	}
	return out
}

func errorResult(f failure) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, StructuredContent: f, Content: []sdk.Content{&sdk.TextContent{Text: textOf(f)}}}
}

// protocolError is an error of what is no tool.
func protocolError(f failure) error {
	code := int64(jsonrpc.CodeInternalError)
	switch f.Code {
	case knowledge.CodeNotFound, knowledge.CodeInvalidInput, knowledge.CodeAmbiguous, knowledge.CodeLimitExceeded:
		code = jsonrpc.CodeInvalidParams
	default:
	}
	return &jsonrpc.Error{Code: code, Message: f.Message, Data: json.RawMessage(textOf(f))}
}

// refuse answers a request over HTTP that belongs to no session.
func refuse(w http.ResponseWriter, f failure) {
	status := http.StatusInternalServerError
	switch f.Code {
	case knowledge.CodeInvalidInput, knowledge.CodeLimitExceeded:
		status = http.StatusBadRequest
	case knowledge.CodeUnauthenticated:
		status = http.StatusUnauthorized
	case knowledge.CodeForbidden:
		status = http.StatusForbidden
	case knowledge.CodeUnavailable:
		status = http.StatusServiceUnavailable
	default:
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(textOf(f))) // the client may be gone
}
