package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	testKey  = "sk-test-1234567890"
	testText = "a secret plan"
)

// reply is one scripted answer; nil answers well.
type reply func(w http.ResponseWriter, request embedRequest)

type embedRequest struct {
	Input      []string `json:"input"`
	Model      string   `json:"model"`
	Dimensions int      `json:"dimensions"`
	Encoding   string   `json:"encoding_format"`
}

// provider is a server that gives the scripted replies in turn, then good ones.
type provider struct {
	*httptest.Server
	mu       sync.Mutex
	script   []reply
	requests []embedRequest
}

func newProvider(t *testing.T, script ...reply) *provider {
	t.Helper()
	p := &provider{script: script}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		assert.Equal(t, "/v1/embeddings", r.URL.Path)
		assert.Equal(t, "Bearer "+testKey, r.Header.Get("Authorization"))
		var request embedRequest
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&request))
		p.next(request)(w, request)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *provider) next(request embedRequest) reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.requests = append(p.requests, request)
	if len(p.script) == 0 {
		return good
	}
	r := p.script[0]
	p.script = p.script[1:]
	return r
}

func (p *provider) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.requests)
}

// vectorFor has the text's length in its first place, so that order shows.
func vectorFor(text string) []float64 { return []float64{float64(len(text)), 1, 0} }

// good answers in reverse order, as the protocol allows.
func good(w http.ResponseWriter, request embedRequest) {
	data := []map[string]any{}
	for i := len(request.Input) - 1; i >= 0; i-- {
		data = append(data, map[string]any{"index": i, "embedding": vectorFor(request.Input[i])})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data, "model": request.Model})
}

func status(code int, body string, headers ...string) reply {
	return func(w http.ResponseWriter, _ embedRequest) {
		for i := 0; i+1 < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

func dropConnection(w http.ResponseWriter, _ embedRequest) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

func cutShort(w http.ResponseWriter, _ embedRequest) {
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1,`)
}

func (p *provider) open(t *testing.T, change func(*OpenAIConfig)) *OpenAI {
	t.Helper()
	c := OpenAIConfig{
		APIKey: testKey, BaseURL: p.URL + "/v1/", Model: "test-model", Dimensions: 3,
		MaxRetries: 2, FirstPause: time.Microsecond, MaxPause: time.Millisecond,
	}
	if change != nil {
		change(&c)
	}
	o, err := OpenOpenAI(c)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, o.Close()) })
	return o
}

func TestOpenAI_OrderUnitLengthBlankTexts(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	o := p.open(t, func(c *OpenAIConfig) { c.BatchTexts = 2 })
	texts := []string{"aaaa", " \n", "b", "", "cc", "ddddd", "eee"}
	vectors, err := o.Embed(t.Context(), texts)
	require.NoError(t, err)
	require.Len(t, vectors, len(texts))
	for i, text := range texts {
		if strings.TrimSpace(text) == "" {
			assert.Nil(t, vectors[i])
			continue
		}
		assert.InDelta(t, 1, cosine(vectors[i], vectors[i]), 1e-6)
		assert.InDelta(t, len(text), vectors[i][0]/vectors[i][1], 1e-4, "the vector of another text")
	}
	assert.Equal(t, 3, p.count(), "five texts by two")

	none, err := o.Embed(t.Context(), []string{""})
	require.NoError(t, err)
	assert.Equal(t, [][]float32{nil}, none)
	assert.Equal(t, 3, p.count(), "nothing to ask")
}

func cosine(a, b []float32) (dot float64) {
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
	}
	return dot
}

func TestOpenAI_Request(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	o := p.open(t, func(c *OpenAIConfig) { c.MaxTextBytes = 5 })
	_, err := o.Embed(t.Context(), []string{"日本語", "ab\xffcdefgh"})
	require.NoError(t, err)
	assert.Equal(t, embedRequest{Input: []string{"日", "abcde"}, Model: "test-model", Encoding: "float"}, p.requests[0],
		"cut at a character, no broken UTF-8, no dimensions for a model that may refuse them")

	o = p.open(t, func(c *OpenAIConfig) { c.Model = "text-embedding-3-small" })
	_, err = o.Embed(t.Context(), []string{"x"})
	require.NoError(t, err)
	assert.Equal(t, 3, p.requests[1].Dimensions)
	assert.Equal(t, Model{Name: "text-embedding-3-small", Hash: "text-embedding-3-small@3", Dimensions: 3}, o.Model())

	o = p.open(t, func(c *OpenAIConfig) { c.BatchBytes = 10 })
	_, err = o.Embed(t.Context(), []string{"123456", "123456", strings.Repeat("x", 50)})
	require.NoError(t, err)
	assert.Equal(t, 5, p.count(), "one each")
}

func TestOpenAI_RetriesWhatMayPass(t *testing.T) {
	t.Parallel()
	cases := map[string]reply{
		"408":                     status(408, ""),
		"409":                     status(409, "{}"),
		"429":                     status(429, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`, "Retry-After", "0.0001"),
		"500":                     status(500, "<html>oops</html>"),
		"503":                     status(503, `{"error":{"message":"overloaded"}}`),
		"connection dropped":      dropConnection,
		"answer cut short":        cutShort,
		"200 with an error":       status(200, `{"error":{"message":"upstream failed","code":503}}`),
		"200 with an error text":  status(200, `{"error":"upstream failed"}`),
		"200 with an error, data": status(200, `{"data":[],"error":{"message":"x","code":"server_error"}}`),
	}
	for name, bad := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, bad, bad)
			v, err := p.open(t, nil).Embed(t.Context(), []string{testText})
			require.NoError(t, err)
			assert.Len(t, v[0], 3)
			assert.Equal(t, 3, p.count())

			p = newProvider(t, bad, bad, bad, bad)
			_, err = p.open(t, nil).Embed(t.Context(), []string{testText})
			require.Error(t, err)
			assert.Equal(t, 3, p.count(), "two retries at most")

			p = newProvider(t, bad)
			_, err = p.open(t, func(c *OpenAIConfig) { c.MaxRetries = -1 }).Embed(t.Context(), []string{testText})
			require.Error(t, err)
			assert.Equal(t, 1, p.count(), "none")
		})
	}
}

func TestOpenAI_DoesNotRepeatWhatCannotPass(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		reply  reply
		status int
		code   string
	}{
		"400":                 {status(400, `{"error":{"message":"bad","type":"invalid_request_error","code":null}}`), 400, "invalid_request_error"},
		"401":                 {status(401, `{"error":{"message":"Incorrect API key `+testKey+`","code":"invalid_api_key"}}`), 401, "invalid_api_key"},
		"404 that is no JSON": {status(404, "not found: "+testText), 404, ""},
		"no money":            {status(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), 429, "insufficient_quota"},
		"200 with a 401":      {status(200, `{"error":{"message":"no","code":401}}`), 401, ""},
		"a code that is text": {status(403, `{"error":{"message":"no","code":"you sent: `+testText+`"}}`), 403, ""},
		"a wait too long":     {status(429, `{"error":{"message":"later","code":"rate_limit_exceeded"}}`, "Retry-After", "3600"), 429, "rate_limit_exceeded"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, c.reply)
			_, err := p.open(t, nil).Embed(t.Context(), []string{testText})
			var refused *ProviderError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, ProviderError{Status: c.status, Code: c.code}, *refused)
			assert.Equal(t, 1, p.count())
			assertNoSecret(t, err.Error())
		})
	}
}

func assertNoSecret(t *testing.T, text string) {
	t.Helper()
	assert.NotContains(t, text, testKey)
	assert.NotContains(t, text, testText)
}

func TestOpenAI_T10_RefusesBadVectors(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"no vectors":           `{"data":[]}`,
		"no data":              `{}`,
		"too few":              `{"data":[{"index":0,"embedding":[1,2,3]}]}`,
		"too many":             `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1,2,3]},{"index":2,"embedding":[1,2,3]}]}`,
		"the same index twice": `{"data":[{"index":1,"embedding":[1,2,3]},{"index":1,"embedding":[1,2,3]}]}`,
		"an index beyond":      `{"data":[{"index":0,"embedding":[1,2,3]},{"index":7,"embedding":[1,2,3]}]}`,
		"a negative index":     `{"data":[{"index":0,"embedding":[1,2,3]},{"index":-1,"embedding":[1,2,3]}]}`,
		"dimensions":           `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1,2]}]}`,
		"no vector":            `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":null}]}`,
		"NaN":                  `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[NaN,2,3]}]}`,
		"beyond float32":       `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1e300,2,3]}]}`,
		"zero":                 `{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[0,0,0]}]}`,
		"no numbers":           `{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":[1,2,3]}]}`,
		"HTML":                 `<html>login</html>`,
		"nothing":              ``,
		"half a JSON":          `{"data":[{"index":0,`,
	}
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProvider(t, status(200, body))
			v, err := p.open(t, nil).Embed(t.Context(), []string{testText, "another"})
			require.ErrorIs(t, err, ErrBadAnswer)
			assert.Nil(t, v)
			assert.Equal(t, 1, p.count(), "asking again would not help")
			assertNoSecret(t, err.Error())
		})
	}
}

func TestOpenAI_AnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	p := newProvider(t, func(w http.ResponseWriter, _ embedRequest) {
		for range 100 {
			_, _ = w.Write(bytes.Repeat([]byte(" "), 1<<10))
		}
	})
	checker := &answerChecker{client: p.Client(), maxBytes: 10 << 10}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.URL+"/v1/embeddings", strings.NewReader("{}"))
	require.NoError(t, err)
	request.Header.Set("Authorization", "Bearer "+testKey)
	response, err := checker.Do(request) //nolint:bodyclose // there is none
	require.ErrorIs(t, err, ErrBadAnswer)
	assert.Nil(t, response)
}

func TestOpenAI_TimeoutAndCancelledContext(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{}, 10)
	release := make(chan struct{})
	hang := func(http.ResponseWriter, embedRequest) { arrived <- struct{}{}; <-release }
	p := newProvider(t, hang, hang, hang, hang, hang)
	t.Cleanup(func() { close(release) }) // before the server's Close, which waits for its handlers

	_, err := p.open(t, func(c *OpenAIConfig) { c.Timeout = time.Millisecond; c.MaxRetries = -1 }).Embed(t.Context(), []string{testText})
	require.ErrorIs(t, err, context.DeadlineExceeded)

	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-arrived; cancel() }()
	_, err = p.open(t, nil).Embed(ctx, []string{testText})
	require.ErrorIs(t, err, context.Canceled)

	_, err = p.open(t, nil).Embed(ctx, []string{testText})
	require.ErrorIs(t, err, context.Canceled)
}

func TestOpenAI_CancelledWhileItPauses(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	p := newProvider(t, status(429, "", "Retry-After", "3000"))
	o := p.open(t, func(c *OpenAIConfig) {
		c.MaxPause = time.Hour
		c.Log = slog.New(slog.NewTextHandler(writerFunc(func([]byte) { cancel() }), nil)) // the pause begins with a line
	})
	_, err := o.Embed(ctx, []string{testText})
	require.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, 1, p.count())
}

type writerFunc func([]byte)

func (f writerFunc) Write(p []byte) (int, error) { f(p); return len(p), nil }

func TestOpenAI_LogsNoTextAndNoKey(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var log strings.Builder
	p := newProvider(t,
		status(500, `{"error":{"message":"cannot embed `+testText+` for `+testKey+`"}}`),
		status(503, testText+testKey))
	o := p.open(t, func(c *OpenAIConfig) {
		c.Log = slog.New(slog.NewTextHandler(writerFunc(func(line []byte) {
			mu.Lock()
			defer mu.Unlock()
			log.Write(line)
		}), nil))
	})
	_, err := o.Embed(t.Context(), []string{testText})
	require.NoError(t, err)
	assert.Equal(t, 2, strings.Count(log.String(), "trying again"))
	assertNoSecret(t, log.String())
}

func TestOpenOpenAI_Settings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]OpenAIConfig{
		"no key":       {},
		"no URL":       {APIKey: testKey, BaseURL: "localhost"},
		"other scheme": {APIKey: testKey, BaseURL: "file:///etc"},
		"negative":     {APIKey: testKey, Dimensions: -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := OpenOpenAI(c)
			require.Error(t, err)
			assertNoSecret(t, err.Error())
		})
	}
	o, err := OpenOpenAI(OpenAIConfig{APIKey: testKey})
	require.NoError(t, err)
	assert.Equal(t, Model{Name: "text-embedding-3-small", Hash: "text-embedding-3-small@1536", Dimensions: 1536}, o.Model())
	_, err = OpenOpenAI(OpenAIConfig{BaseURL: "http://127.0.0.1:1/v1"})
	require.NoError(t, err, "a server of one's own may need no key")
}

func TestOpenAI_UnreachableServer(t *testing.T) {
	t.Parallel()
	p := newProvider(t)
	o := p.open(t, nil)
	p.Close()
	_, err := o.Embed(t.Context(), []string{testText})
	require.ErrorContains(t, err, "reach the provider")
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for header, want := range map[[2]string]time.Duration{
		{"Retry-After", "2"}:                             2 * time.Second,
		{"Retry-After", "0.5"}:                           500 * time.Millisecond,
		{"Retry-After", "Fri, 02 Jan 2026 03:04:15 GMT"}: 10 * time.Second,
		{"Retry-After", "Fri, 02 Jan 2026 03:00:00 GMT"}: 0,
		{"Retry-After", "-3"}:                            0,
		{"Retry-After", "soon"}:                          0,
		{"Retry-After", "1e99"}:                          1e6 * time.Second,
		{"Retry-After-Ms", "250"}:                        250 * time.Millisecond,
		{"X-Other", "1"}:                                 0,
	} {
		h := http.Header{}
		h.Set(header[0], header[1])
		assert.Equal(t, want, retryAfter(h, now), fmt.Sprint(header))
	}
	assert.Zero(t, retryAfter(nil, now))
}

func TestPauses_NeverBelowWhatIsAsked(t *testing.T) {
	t.Parallel()
	p := &pauses{atLeast: time.Second, longest: time.Minute}
	p.exponential.InitialInterval, p.exponential.MaxInterval, p.exponential.Multiplier = time.Millisecond, time.Minute, 2
	assert.Equal(t, time.Second, p.NextBackOff())
	p.atLeast = 2 * time.Minute
	assert.Negative(t, p.NextBackOff(), "stop")
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	v := []float32{3, 4}
	assert.True(t, normalize(v))
	assert.InDeltaSlice(t, []float32{0.6, 0.8}, v, 1e-7)
	assert.True(t, normalize([]float32{math.MaxFloat32, math.MaxFloat32}))
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for _, bad := range [][]float32{{0, 0}, {nan, 1}, {inf, 1}, {}} {
		assert.False(t, normalize(bad))
	}
}

func TestProviderError_Text(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "the provider answered 429 Too Many Requests (slow)", (&ProviderError{Status: 429, Code: "slow"}).Error())
	require.NotErrorIs(t, &ProviderError{Status: 500}, ErrBadAnswer)
}
