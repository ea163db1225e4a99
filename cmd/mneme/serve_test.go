package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// watchedBuffer is an output that a test waits on.
type watchedBuffer struct {
	mu      sync.Mutex
	text    bytes.Buffer
	written chan struct{}
}

func newWatchedBuffer() *watchedBuffer { return &watchedBuffer{written: make(chan struct{}, 1)} }

func (b *watchedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case b.written <- struct{}{}:
	default:
	}
	return b.text.Write(p)
}

func (b *watchedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// await gives the first group of pattern once it was written, or fails when the program has ended.
func (b *watchedBuffer) await(t *testing.T, ended <-chan int, pattern string) string {
	t.Helper()
	find := regexp.MustCompile(pattern)
	for {
		if found := find.FindStringSubmatch(b.String()); found != nil {
			return found[1]
		}
		select {
		case <-b.written:
		case status := <-ended:
			t.Fatalf("ended with status %d before it was ready", status)
		case <-t.Context().Done():
			t.Fatal("not ready before the test's end")
		}
	}
}

// served is a running server.
type served struct {
	url    string
	stop   func() int
	stderr *watchedBuffer
}

func startServer(t *testing.T, env environment, args ...string) served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stdout, stderr := newWatchedBuffer(), newWatchedBuffer()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), stdout, stderr, env.get)
	}()
	stop := sync.OnceValue(func() int { cancel(); return <-ended })
	t.Cleanup(func() { stop() })
	return served{url: stdout.await(t, ended, `GraphQL +(http://\S+)/graphql`), stop: stop, stderr: stderr}
}

// get asks the server and gives status and body.
func (s served) get(t *testing.T, method, path, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(text)
}

func TestServe(t *testing.T) {
	t.Parallel()
	env := testEnvironment(t)
	s := startServer(t, env)

	status, body := s.get(t, http.MethodGet, "/healthz", "")
	assert.Equal(t, http.StatusOK, status, body)
	status, body = s.get(t, http.MethodGet, "/readyz", "")
	assert.Equal(t, http.StatusOK, status, body)
	ready := fromJSON[readiness](t, body)
	assert.Equal(t, []string{statusReady, statusReady, statusOff}, []string{ready.Database.State, ready.Indexes.State, ready.Embedder.State})
	status, _ = s.get(t, http.MethodPost, "/readyz", "")
	assert.Equal(t, http.StatusMethodNotAllowed, status)
	status, body = s.get(t, http.MethodGet, "/playground", "")
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, strings.ToLower(body), "graphiql")

	query, err := json.Marshal(map[string]string{"query": `{ server { version neo4j { version local } embedder { model } } workspace { key } }`})
	require.NoError(t, err)
	status, body = s.get(t, http.MethodPost, "/graphql", string(query))
	assert.Equal(t, http.StatusOK, status, body)
	assert.Contains(t, body, `"key":"default"`)
	assert.Contains(t, body, `"local":false`)
	status, body = s.get(t, http.MethodPost, "/graphql", `{"query":"`+strings.Repeat(" ", 10<<20)+`"}`)
	assert.Equal(t, http.StatusRequestEntityTooLarge, status)
	assert.Contains(t, body, "LIMIT_EXCEEDED")

	status, body = s.get(t, http.MethodGet, "/metrics", "")
	assert.Equal(t, http.StatusOK, status)
	for _, want := range []string{
		`mneme_http_requests_total{code="413",path="/graphql"} 1`, `mneme_awaiting_vector{kind="entry"} `, "mneme_database_up 1", `mneme_jobs{state="queued"} `, "mneme_go_goroutines ", "mneme_build_info{",
	} {
		assert.Contains(t, body, want)
	}
	for _, line := range strings.Split(strings.TrimSpace(body), "\n") {
		assert.Regexp(t, `^(# (HELP|TYPE) )?mneme_`, line)
	}

	taken := runMneme(t, env, "", "serve", "--listen", strings.TrimPrefix(s.url, "http://"))
	assert.Equal(t, exitMissing, taken.status)
	assert.Contains(t, taken.stderr, "is in use")

	assert.Equal(t, exitDone, s.stop(), s.stderr)
}

// While the database is not there yet, the port is open and says so.
func TestFront_BeforeItIsOpen(t *testing.T) {
	t.Parallel()
	var f front
	for path, want := range map[string]int{"/healthz": http.StatusOK, "/readyz": http.StatusServiceUnavailable, "/graphql": http.StatusServiceUnavailable} {
		w := httptest.NewRecorder()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
		require.NoError(t, err)
		f.ServeHTTP(w, req)
		assert.Equal(t, want, w.Code, path)
	}
}

func TestServe_StopsWhileItStarts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	env := testEnvironment(t)
	status := run(ctx, []string{"serve", "--listen", "127.0.0.1:0"}, strings.NewReader(""), &stdout, &stderr, env.get)
	assert.Equal(t, exitDone, status, stderr.String())
	assert.NotContains(t, stdout.String(), "ready")
}

func TestDemo(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	p := &program{getenv: env.get, stdout: &output{w: io.Discard}, stderr: &output{w: io.Discard}}
	err := p.withApp(t.Context(), func(a *App) error {
		counts := func() *knowledge.GraphSummary {
			require.NoError(t, p.fillDemo(t.Context(), a, key))
			ws, err := a.Workspaces.Get(t.Context(), key)
			require.NoError(t, err)
			sum, err := a.Workspaces.Summary(t.Context(), ws, 0, knowledge.TimePoint{})
			require.NoError(t, err)
			return sum
		}
		first := counts()
		req, _, err := readDemo(now())
		require.NoError(t, err)
		assert.Equal(t, []int{len(req.Entities), len(req.Edges), len(req.Observations), len(req.Entries), len(req.Relations)},
			[]int{first.Entities, first.Edges, first.Observations, first.Entries, first.Relations}, "nothing of it is said twice")
		assert.Less(t, first.CurrentEdges, first.Edges, "it has a history")
		assert.Equal(t, first, counts(), "filling it again changes nothing")
		return nil
	})
	require.NoError(t, err)
}
