package llm

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/internal/llmtest"
	"mneme/knowledge"
)

func openChat(t *testing.T, server *llmtest.Server, change func(*ChatConfig)) *Chat {
	t.Helper()
	c := ChatConfig{
		APIKey: "k", BaseURL: server.URL, Models: map[knowledge.ModelRole]string{knowledge.ModelExtract: "m"},
		FirstPause: llmtest.Quick, MaxPause: 50 * llmtest.Quick,
	}
	if change != nil {
		change(&c)
	}
	chat, err := OpenChat(c)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, chat.Close()) })
	return chat
}

func extractCall() knowledge.ModelCall {
	return knowledge.ModelCall{Role: knowledge.ModelExtract, System: "Do it.", User: "A text.", Temperature: 0.1, Shape: testShape}
}

func fine(knowledge.ReplyLists) error { return nil }

const goodReply = `{"entries":[` + one + `]}`

// TestT16_StructuredReplies plays what servers and models do wrong: each ends with
// entries or with an error, and its requests are counted.
func TestT16_StructuredReplies(t *testing.T) {
	t.Parallel()
	say := llmtest.Say
	cases := map[string]struct {
		replies []llmtest.Reply
		items   int
		code    knowledge.Code // of the error
		raw     string         // of the bad reply
		calls   int
	}{
		"well":                          {[]llmtest.Reply{say(goodReply)}, 1, "", "", 1},
		"429, then well":                {[]llmtest.Reply{{Status: 429, Body: "{}", Header: map[string]string{"Retry-After-Ms": "5"}}, say(goodReply)}, 1, "", "", 2},
		"a storm of 429":                {llmtest.Times(9, llmtest.Fail(429)), 0, knowledge.CodeRateLimited, "", 5},
		"429 that asks for an hour":     {[]llmtest.Reply{{Status: 429, Body: "{}", Header: map[string]string{"Retry-After": "3600"}}}, 0, knowledge.CodeRateLimited, "", 1},
		"an account without money":      {[]llmtest.Reply{{Status: 429, Body: `{"error":{"message":"x","code":"insufficient_quota"}}`}}, 0, knowledge.CodeUnavailable, "", 1},
		"500, then well":                {[]llmtest.Reply{{Status: 500, Body: "oops"}, say(goodReply)}, 1, "", "", 2},
		"503 for ever":                  {llmtest.Times(9, llmtest.Fail(503)), 0, knowledge.CodeUnavailable, "", 5},
		"a wrong key":                   {[]llmtest.Reply{llmtest.Fail(401)}, 0, knowledge.CodeUnavailable, "", 1},
		"200 with an error":             {llmtest.Times(9, llmtest.Reply{Body: `{"error":{"message":"quota"}}`}), 0, knowledge.CodeUnavailable, "", 5},
		"200 with an error, then well":  {[]llmtest.Reply{{Body: `{"error":{"message":"busy","code":503}}`}, say(goodReply)}, 1, "", "", 2},
		"no choices":                    {llmtest.Times(9, llmtest.Reply{Body: `{"choices":[]}`}), 0, knowledge.CodeUnavailable, "", 5},
		"an empty body":                 {llmtest.Times(9, llmtest.Reply{Body: " "}), 0, knowledge.CodeUnavailable, "", 1},
		"a page of HTML":                {[]llmtest.Reply{{Body: "<html>proxy</html>"}}, 0, knowledge.CodeUnavailable, "", 1},
		"a body that is cut, then well": {[]llmtest.Reply{{Text: goodReply, CutAt: 40}, say(goodReply)}, 1, "", "", 2},
		"garbage, then well":            {[]llmtest.Reply{say("no json here"), say(goodReply)}, 1, "", "", 2},
		"garbage twice":                 {llmtest.Times(9, say("no json here")), 0, "", "no json here", 2},
		"an empty text twice":           {llmtest.Times(9, say("")), 0, "", "", 2},
		"no list twice":                 {llmtest.Times(9, say("{}")), 0, "", "{}", 2},
		"a refusal":                     {llmtest.Times(9, llmtest.Reply{Refusal: "I cannot"}), 0, "", "I cannot", 1},
		"a content filter":              {llmtest.Times(9, llmtest.Reply{Text: "x", Finish: "content_filter"}), 0, "", "x", 1},
		"cut with a complete item":      {[]llmtest.Reply{{Text: `{"entries":[` + one + `,{"ty`, Finish: "length"}}, 1, "", "", 1},
		"cut before one, then well":     {[]llmtest.Reply{{Text: `{"entries":[{"ty`, Finish: "length"}, say(goodReply)}, 1, "", "", 2},
		"cut before one twice":          {llmtest.Times(9, llmtest.Reply{Text: `{"entries":[{"ty`, Finish: "length"}), 0, "", `{"entries":[{"ty`, 2},
		"no reason for the end":         {[]llmtest.Reply{{Text: goodReply, Finish: "-"}}, 1, "", "", 1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, c.replies...)
			reply, err := openChat(t, server, nil).Structured(t.Context(), extractCall(), fine)
			assert.Equal(t, c.calls, reply.Usage.Calls)
			assert.Len(t, server.Requests(), c.calls)
			assert.Len(t, reply.Lists["entries"], c.items)
			var bad *knowledge.BadReplyError
			switch {
			case c.items > 0:
				require.NoError(t, err)
			case c.code != "":
				assert.Equal(t, c.code, knowledge.CodeOf(err), "%v", err)
			default:
				require.ErrorAs(t, err, &bad)
				assert.Equal(t, c.raw, bad.Raw)
			}
		})
	}
}

func TestT16_TheSecondRequestSaysWhatWasWrong(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Say(goodReply), llmtest.Say(goodReply))
	_, err := openChat(t, server, nil).Structured(t.Context(), extractCall(), func(knowledge.ReplyLists) error { return errors.New("entry 1 has no type") })
	var bad *knowledge.BadReplyError
	require.ErrorAs(t, err, &bad)
	assert.Equal(t, goodReply, bad.Raw) //nolint:testifylint // byte for byte as it came
	second := server.Requests()[1]
	require.Len(t, second.Messages, 4)
	assert.Equal(t, "assistant", second.Messages[2].Role)
	assert.Contains(t, second.Messages[3].Content, "entry 1 has no type")
}

func TestO8_TwiceTheRoomAfterACut(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Reply{Text: `{"entries":[`, Finish: "length"}, llmtest.Say(goodReply))
	call := extractCall()
	call.MaxTokens = 8192
	_, err := openChat(t, server, nil).Structured(t.Context(), call, fine)
	require.NoError(t, err)
	assert.Equal(t, 8192, server.Requests()[0].MaxTokens)
	assert.Equal(t, 16384, server.Requests()[1].MaxTokens)
}

func TestTrap_LadderOfFormats(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Answer(func(r llmtest.Request) llmtest.Reply {
		if r.Format != "" {
			return llmtest.Fail(400)
		}
		return llmtest.Say(goodReply)
	})
	chat := openChat(t, server, nil)
	reply, err := chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err)
	assert.Equal(t, 3, reply.Usage.Calls)
	reply, err = chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err)
	assert.Equal(t, 1, reply.Usage.Calls, "what worked is remembered")
	var formats []string
	for _, r := range server.Requests() {
		formats = append(formats, r.Format)
	}
	assert.Equal(t, []string{"json_schema", "json_object", "", ""}, formats)
	assert.NotContains(t, server.Requests()[0].System(), "schema")
	assert.Contains(t, server.Requests()[3].System(), testShape.Schema)
}

func TestTrap_OnlyA400LowersTheFormat(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 404, 422} {
		server := llmtest.New(t, llmtest.Times(3, llmtest.Fail(status))...)
		reply, err := openChat(t, server, nil).Structured(t.Context(), extractCall(), fine)
		require.Error(t, err)
		assert.Equal(t, 1, reply.Usage.Calls, "%d", status)
	}
	// A request that no format mends is not remembered.
	server := llmtest.New(t, append(llmtest.Times(3, llmtest.Fail(400)), llmtest.Say(goodReply))...)
	chat := openChat(t, server, nil)
	_, err := chat.Structured(t.Context(), extractCall(), fine)
	require.Error(t, err)
	_, err = chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err)
	assert.Equal(t, "json_schema", server.Requests()[3].Format)
}

func TestTrap_Dialects(t *testing.T) {
	t.Parallel()
	refuse := func(param string) llmtest.Reply {
		return llmtest.Reply{Status: 400, Body: `{"error":{"message":"no","type":"invalid_request_error","param":"` + param + `","code":"unsupported_parameter"}}`}
	}
	server := llmtest.New(t, refuse("temperature"), refuse("max_completion_tokens"), llmtest.Say(goodReply), llmtest.Say(goodReply))
	chat := openChat(t, server, nil)
	for range 2 {
		_, err := chat.Structured(t.Context(), extractCall(), fine)
		require.NoError(t, err)
	}
	for _, r := range server.Requests()[2:] {
		assert.Nil(t, r.Temperature)
		assert.Zero(t, r.MaxTokens)
		assert.Equal(t, 4096, r.OldTokens)
		assert.Equal(t, "json_schema", r.Format)
	}
}

func TestTrap_Temperature(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		model string
		asked float64
		want  float64 // -1: none
	}{
		"M4 0.1":                  {"m", 0.1, 0.1},
		"O8 zero is not left out": {"m", 0, math.SmallestNonzeroFloat32},
		"a model that has one":    {"gpt-5-mini", 0.1, -1},
		"an older one":            {"o3-mini", 0, -1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, llmtest.Say(goodReply))
			chat := openChat(t, server, func(cfg *ChatConfig) { cfg.Models[knowledge.ModelExtract] = c.model })
			call := extractCall()
			call.Temperature = c.asked
			_, err := chat.Structured(t.Context(), call, fine)
			require.NoError(t, err)
			got := server.Requests()[0]
			assert.Equal(t, 4096, got.MaxTokens, "max_completion_tokens, which newer models need")
			if c.want < 0 {
				assert.Nil(t, got.Temperature)
				return
			}
			require.NotNil(t, got.Temperature)
			assert.InDelta(t, c.want, *got.Temperature, 1e-6)
			assert.Positive(t, *got.Temperature)
		})
	}
}

func TestT16_AHangEndsWithItsTimeout(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Reply{Hang: true}, llmtest.Say(goodReply))
	chat := openChat(t, server, func(c *ChatConfig) { c.Timeout = time.Second })
	reply, err := chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err)
	assert.Equal(t, 2, reply.Usage.Calls)

	server = llmtest.New(t, llmtest.Reply{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err = openChat(t, server, nil).Structured(ctx, extractCall(), fine)
	assert.Equal(t, knowledge.CodeTimeout, knowledge.CodeOf(err))

	ctx, stop := context.WithCancel(t.Context())
	stop()
	_, err = openChat(t, server, nil).Structured(ctx, extractCall(), fine)
	require.ErrorIs(t, err, context.Canceled)
}

func TestT16_RequestsOfACallAreBounded(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	n := 0
	server.Answer(func(llmtest.Request) llmtest.Reply { // every third is garbage, the others fail
		if n++; n%3 == 0 {
			return llmtest.Say("garbage")
		}
		return llmtest.Fail(503)
	})
	reply, err := openChat(t, server, func(c *ChatConfig) { c.MaxRequests = 5 }).Structured(t.Context(), extractCall(), fine)
	require.Error(t, err)
	assert.Equal(t, 5, reply.Usage.Calls)
}

func TestT16_ConcurrencyIsBounded(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Answer(func(llmtest.Request) llmtest.Reply { return llmtest.Say(goodReply) })
	chat := openChat(t, server, func(c *ChatConfig) { c.Parallel = 3 })
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			_, err := chat.Structured(t.Context(), extractCall(), fine)
			assert.NoError(t, err)
		})
	}
	all.Wait()
	assert.LessOrEqual(t, server.MostAtOnce(), 3)
	assert.Len(t, server.Requests(), 40)
}

func TestUsage_CountedByDayAndBounded(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t)
	server.Answer(func(llmtest.Request) llmtest.Reply {
		return llmtest.Reply{Text: goodReply, PromptTokens: 60, CompletionTokens: 30}
	})
	now := time.Date(2026, 3, 1, 23, 0, 0, 0, time.UTC)
	var observed knowledge.ModelUsage
	chat := openChat(t, server, func(c *ChatConfig) {
		c.TokensPerDay = 100
		c.Now = func() time.Time { return now }
		c.Observe = func(role knowledge.ModelRole, u knowledge.ModelUsage) {
			assert.Equal(t, knowledge.ModelExtract, role)
			observed = observed.Plus(u)
		}
	})
	_, err := chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err)
	reply, err := chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err, "the budget was not used up")
	assert.Equal(t, knowledge.ModelUsage{Calls: 1, PromptTokens: 60, CompletionTokens: 30}, reply.Usage)
	_, err = chat.Structured(t.Context(), extractCall(), fine)
	assert.Equal(t, knowledge.CodeLimitExceeded, knowledge.CodeOf(err))
	assert.Len(t, server.Requests(), 2, "nothing is sent")
	assert.Equal(t, 180, chat.Today().Tokens())
	assert.Equal(t, 180, observed.Tokens())
	now = now.Add(time.Hour)
	_, err = chat.Structured(t.Context(), extractCall(), fine)
	require.NoError(t, err, "a new day")
	assert.Equal(t, "2026-03-02", chat.Today().Day)
}

func TestUsage_EstimatedWhereTheServerDoesNotSay(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Reply{Body: `{"choices":[{"finish_reason":"stop","message":{"role":"assistant","content":"12345678"}}]}`})
	reply, err := openChat(t, server, nil).Text(t.Context(), knowledge.ModelCall{Role: knowledge.ModelAsk, User: "1234"})
	require.NoError(t, err)
	assert.Equal(t, knowledge.ModelUsage{Calls: 1, PromptTokens: 1, CompletionTokens: 2}, reply.Usage)
}

func TestText(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Say("<think>hm</think>\n They pay [1]. "), llmtest.Say("<think>hm</think>"))
	chat := openChat(t, server, nil)
	call := knowledge.ModelCall{Role: knowledge.ModelAsk, User: "?", Temperature: 0.2}
	reply, err := chat.Text(t.Context(), call)
	require.NoError(t, err)
	assert.Equal(t, "They pay [1].", reply.Text)
	_, err = chat.Text(t.Context(), call)
	var bad *knowledge.BadReplyError
	require.ErrorAs(t, err, &bad, "never an empty success")
}

func TestStream(t *testing.T) {
	t.Parallel()
	const text = "They pay for the Team plan [1]. "
	cases := map[string]struct {
		replies []llmtest.Reply
		emitted string
		fails   bool
		calls   int
	}{
		"well":                           {[]llmtest.Reply{llmtest.Say(text)}, text, false, 1},
		"thoughts are not said":          {[]llmtest.Reply{llmtest.Say("<think>I see { a plan </think> " + text)}, text, false, 1},
		"503, then well":                 {[]llmtest.Reply{llmtest.Fail(503), llmtest.Say(text)}, text, false, 2},
		"a server that does not stream":  {[]llmtest.Reply{{Text: text, NoStream: true}}, text, false, 1},
		"an error in a 200":              {llmtest.Times(9, llmtest.Reply{Body: `{"error":{"message":"quota"}}`}), "", true, 5},
		"an error in the stream":         {llmtest.Times(9, llmtest.Reply{Body: "data: {\"error\":{\"message\":\"x\"}}\n\n", Header: map[string]string{"Content-Type": "text/event-stream"}}), "", true, 5},
		"cut after some words":           {llmtest.Times(9, llmtest.Reply{Text: text, CutAt: 3}), "They pay for ", true, 1},
		"without a reason for its end":   {llmtest.Times(9, llmtest.Reply{Text: text, Finish: "-"}), text, true, 1},
		"nothing but thoughts":           {[]llmtest.Reply{llmtest.Say("<think>hm")}, "", true, 1},
		"withheld":                       {[]llmtest.Reply{{Text: "", Finish: "content_filter"}}, "", true, 1},
		"no stream options, then well":   {[]llmtest.Reply{llmtest.Fail(400), llmtest.Say(text)}, text, false, 2},
		"a page of HTML with status 200": {llmtest.Times(9, llmtest.Reply{Body: "<html>"}), "", true, 5},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := llmtest.New(t, c.replies...)
			var said strings.Builder
			reply, err := openChat(t, server, nil).Stream(t.Context(), knowledge.ModelCall{Role: knowledge.ModelAsk, User: "?"}, func(delta string) error {
				said.WriteString(delta)
				return nil
			})
			assert.Equal(t, strings.TrimSpace(c.emitted), strings.TrimSpace(said.String()))
			assert.Equal(t, strings.TrimSpace(c.emitted), reply.Text)
			assert.Equal(t, c.fails, err != nil, "%v", err)
			assert.Equal(t, c.calls, reply.Usage.Calls)
		})
	}
}

func TestStream_EndsWithItsListener(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Times(3, llmtest.Say("one two three"))...)
	gone := errors.New("gone")
	_, err := openChat(t, server, nil).Stream(t.Context(), knowledge.ModelCall{Role: knowledge.ModelAsk, User: "?"}, func(string) error { return gone })
	require.ErrorIs(t, err, gone)
	assert.Len(t, server.Requests(), 1)
}

func TestStream_SilenceEndsIt(t *testing.T) {
	t.Parallel()
	server := llmtest.New(t, llmtest.Times(9, llmtest.Reply{Hang: true})...)
	chat := openChat(t, server, func(c *ChatConfig) { c.Timeout, c.MaxRetries = 20*time.Millisecond, 1 })
	reply, err := chat.Stream(t.Context(), knowledge.ModelCall{Role: knowledge.ModelAsk, User: "?"}, func(string) error { return nil })
	assert.Equal(t, knowledge.CodeUnavailable, knowledge.CodeOf(err))
	assert.Equal(t, 2, reply.Usage.Calls)
}

func TestOpenChat_Settings(t *testing.T) {
	t.Parallel()
	model := map[knowledge.ModelRole]string{knowledge.ModelAsk: "a"}
	for name, c := range map[string]ChatConfig{
		"no model":        {APIKey: "k"},
		"no key":          {Models: model},
		"no address":      {APIKey: "k", Models: model, BaseURL: "localhost:1"},
		"negative limits": {APIKey: "k", Models: model, Parallel: -1},
	} {
		_, err := OpenChat(c)
		require.Error(t, err, name)
		assert.NotContains(t, err.Error(), "k ", name)
	}
	chat, err := OpenChat(ChatConfig{BaseURL: "http://127.0.0.1:1/v1", Models: model})
	require.NoError(t, err, "a server of one's own may want no key")
	assert.Equal(t, "a", chat.Model(knowledge.ModelExtract), "a role without a model uses another's")
}
