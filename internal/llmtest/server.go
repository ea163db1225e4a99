// Package llmtest is a language model for tests: an HTTP server that speaks OpenAI's
// protocol and says what the test wrote, well or badly.
package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// Reply is one answer of the server. The zero value is a completion without text.
type Reply struct {
	// Text is what the model says.
	Text string
	// Finish is why it stopped; empty is "stop", "-" is none.
	Finish string
	// Refusal is what the model says in place of an answer.
	Refusal string
	// Status is the HTTP status; 0 is 200.
	Status int
	// Body is the whole body, in place of a completion.
	Body string
	// Header is added to the answer.
	Header map[string]string
	// Hang keeps the request waiting until the client gives up or the test ends.
	Hang bool
	// CutAt closes the connection after so many bytes of the body, or parts of the stream.
	CutAt int
	// PromptTokens and CompletionTokens are the usage that is reported; both 0: 10 each.
	PromptTokens, CompletionTokens int
	// NoStream answers a request for a stream with a whole completion.
	NoStream bool
}

// Say is a reply that is well in every way.
func Say(text string) Reply { return Reply{Text: text} }

// Fail is a refusal of the provider.
func Fail(status int) Reply {
	return Reply{Status: status, Body: `{"error":{"message":"no","type":"test","code":null}}`}
}

// Times repeats a reply.
func Times(n int, r Reply) []Reply {
	replies := make([]Reply, n)
	for i := range replies {
		replies[i] = r
	}
	return replies
}

// Request is what the server was asked.
type Request struct {
	Model       string
	Temperature *float64
	Messages    []struct{ Role, Content string }
	Format      string // json_schema, json_object or none
	MaxTokens   int
	OldTokens   int // max_tokens
	Stream      bool
	Raw         string
}

// Prompt is all that was said to the model.
func (r Request) Prompt() string {
	var b strings.Builder
	for _, m := range r.Messages {
		b.WriteString(m.Role + ": " + m.Content + "\n")
	}
	return b.String()
}

// System is what the model was told to do.
func (r Request) System() string {
	for _, m := range r.Messages {
		if m.Role == "system" {
			return m.Content
		}
	}
	return ""
}

// Server is the scripted model.
type Server struct {
	URL string

	mu       sync.Mutex
	replies  []Reply
	answer   func(Request) Reply
	requests []Request
	running  int
	most     int
	stop     chan struct{}
}

// New starts a server that gives its replies one after another, and fails the
// request with 418 when there are none left.
func New(t testing.TB, replies ...Reply) *Server {
	t.Helper()
	s := &Server{replies: replies, stop: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(s.handle))
	s.URL = server.URL + "/v1"
	t.Cleanup(func() {
		close(s.stop)
		server.Close()
	})
	return s
}

// Then adds replies.
func (s *Server) Then(replies ...Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies = append(s.replies, replies...)
}

// Answer makes the server answer by a function when it has no replies left.
func (s *Server) Answer(f func(Request) Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = f
}

// Requests are what the server was asked so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// MostAtOnce is the largest number of requests that ran together.
func (s *Server) MostAtOnce() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.most
}

func (s *Server) handle(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	request := parse(raw)
	reply := s.next(request)
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.running--
	}()
	if reply.Hang {
		select {
		case <-r.Context().Done():
		case <-s.stop:
		}
		return
	}
	for key, value := range reply.Header {
		w.Header().Set(key, value)
	}
	if request.Stream && reply.Body == "" && !reply.NoStream {
		stream(w, reply)
		return
	}
	body := reply.Body
	if body == "" {
		body = completion(reply)
	}
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	if reply.CutAt > 0 {
		w.Header().Set("Content-Length", fmt.Sprint(len(body)))
		body = body[:reply.CutAt]
	}
	if reply.Status != 0 {
		w.WriteHeader(reply.Status)
	}
	_, _ = io.WriteString(w, body)
}

func (s *Server) next(request Request) Reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	s.running++
	s.most = max(s.most, s.running)
	if len(s.replies) > 0 {
		reply := s.replies[0]
		s.replies = s.replies[1:]
		return reply
	}
	if s.answer != nil {
		return s.answer(request)
	}
	return Fail(http.StatusTeapot)
}

func parse(raw []byte) Request {
	var body struct {
		Model               string
		Temperature         *float64
		Messages            []struct{ Role, Content string }
		MaxCompletionTokens int `json:"max_completion_tokens"`
		MaxTokens           int `json:"max_tokens"`
		Stream              bool
		ResponseFormat      struct{ Type string } `json:"response_format"`
	}
	_ = json.Unmarshal(raw, &body)
	return Request{
		Model: body.Model, Temperature: body.Temperature, Messages: body.Messages, Format: body.ResponseFormat.Type,
		MaxTokens: body.MaxCompletionTokens, OldTokens: body.MaxTokens, Stream: body.Stream, Raw: string(raw),
	}
}

func (r Reply) usage() map[string]int {
	p, c := r.PromptTokens, r.CompletionTokens
	if p == 0 && c == 0 {
		p, c = 10, 10
	}
	return map[string]int{"prompt_tokens": p, "completion_tokens": c, "total_tokens": p + c}
}

func (r Reply) finish() any {
	switch r.Finish {
	case "":
		return "stop"
	case "-":
		return nil
	}
	return r.Finish
}

func completion(r Reply) string {
	body, _ := json.Marshal(map[string]any{
		"id": "c", "object": "chat.completion", "usage": r.usage(),
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": r.finish(),
			"message": map[string]any{"role": "assistant", "content": r.Text, "refusal": r.Refusal},
		}},
	})
	return string(body)
}

// stream says the text word by word.
func stream(w http.ResponseWriter, r Reply) {
	w.Header().Set("Content-Type", "text/event-stream")
	if r.Status != 0 {
		w.WriteHeader(r.Status)
	}
	send := func(v any) {
		body, _ := json.Marshal(v)
		_, _ = fmt.Fprintf(w, "data: %s\n\n", body)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
	choice := func(content string, finish any) map[string]any {
		return map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{"content": content}, "finish_reason": finish}}}
	}
	for i, word := range strings.SplitAfter(r.Text, " ") {
		if r.CutAt > 0 && i == r.CutAt {
			return
		}
		send(choice(word, nil))
	}
	send(choice("", r.finish()))
	send(map[string]any{"choices": []any{}, "usage": r.usage()})
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

// Quick are pauses short enough for tests.
const Quick = time.Millisecond
