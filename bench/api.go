package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
)

// API is the product's GraphQL API in this process: what a measurement asks goes the
// way of every request but for the network.
type API struct {
	Handler http.Handler
}

// apiError is one error of an answer.
type apiError struct {
	Message    string `json:"message"`
	Extensions struct {
		Code  string `json:"code"`
		Field string `json:"field"`
	} `json:"extensions"`
}

// Do sends an operation and reads its data. An answer with errors is an error that says
// the code of the first one.
func (a API) Do(ctx context.Context, query string, variables map[string]any, data any) error {
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://localhost/graphql", bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	answer := &memoryResponse{header: http.Header{}, status: http.StatusOK}
	a.Handler.ServeHTTP(answer, req)
	var read struct {
		Data   json.RawMessage `json:"data"`
		Errors []apiError      `json:"errors"`
	}
	if err := json.Unmarshal(answer.body.Bytes(), &read); err != nil {
		return fmt.Errorf("the API answered %d without JSON", answer.status)
	}
	if len(read.Errors) > 0 {
		e := read.Errors[0]
		return fmt.Errorf("the API answered %s %s: %s", e.Extensions.Code, e.Extensions.Field, e.Message)
	}
	return json.Unmarshal(read.Data, data)
}

// memoryResponse keeps an answer.
type memoryResponse struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (m *memoryResponse) Header() http.Header { return m.header }

// WriteHeader implements http.ResponseWriter.
func (m *memoryResponse) WriteHeader(status int) { m.status = status }

// Write implements http.ResponseWriter.
func (m *memoryResponse) Write(b []byte) (int, error) { return m.body.Write(b) }
