package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	openai "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/semaphore"

	"mneme/knowledge"
)

// maxReplyBytes bounds an answer: 16,384 tokens have about 64 KB, and a server's
// envelope may say them twice.
const maxReplyBytes = 4 << 20

// maxKept is how much of a bad reply is kept, and shown to the model again, in characters.
const maxKept = 4_000

// Chat asks a language model behind a server that speaks OpenAI's protocol. It is
// safe for concurrent use.
//
// Its errors have codes: RATE_LIMITED after 429, LIMIT_EXCEEDED where the day's
// budget is used up, TIMEOUT where the caller's time ran out, UNAVAILABLE for
// everything else that the provider or the network did. A *knowledge.BadReplyError
// means that the model did answer. What was spent is in the reply also then.
type Chat struct {
	config  ChatConfig
	client  *openai.Client
	streams *openai.Client
	http    *http.Client
	slots   *semaphore.Weighted
	meter   *meter

	mu       sync.Mutex
	format   replyFormat         // what the server is known to understand
	dialects map[string]*dialect // by model
}

// OpenChat makes the client; nothing is sent yet. The error says which setting is wrong.
func OpenChat(c ChatConfig) (*Chat, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("open the language model: %w", err)
	}
	chat := &Chat{
		config: c, http: &http.Client{}, slots: semaphore.NewWeighted(int64(c.Parallel)),
		meter: &meter{now: c.Now, budget: c.TokensPerDay}, dialects: map[string]*dialect{},
	}
	cc := openai.DefaultConfig(c.APIKey)
	cc.BaseURL = c.BaseURL
	cc.HTTPClient = &answerChecker{client: chat.http, maxBytes: maxReplyBytes}
	chat.client = openai.NewClientWithConfig(cc)
	cc.HTTPClient = &streamChecker{client: chat.http, maxBytes: maxReplyBytes}
	chat.streams = openai.NewClientWithConfig(cc)
	return chat, nil
}

// Model names the model of a role.
func (c *Chat) Model(role knowledge.ModelRole) string { return c.config.Models[role] }

// Today is what was spent since midnight, UTC.
func (c *Chat) Today() DayUsage { return c.meter.today() }

// Close lets go of idle connections.
func (c *Chat) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// turn is one call under way: what it may still send, and what it has cost.
type turn struct {
	call     knowledge.ModelCall
	model    string
	messages []openai.ChatCompletionMessage
	left     int // requests
	usage    knowledge.ModelUsage
}

func (c *Chat) begin(call knowledge.ModelCall) *turn {
	if call.MaxTokens == 0 {
		call.MaxTokens = c.config.MaxTokens
	}
	t := &turn{call: call, model: c.config.Models[call.Role], left: c.config.MaxRequests}
	if call.System != "" {
		t.messages = append(t.messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleSystem, Content: call.System})
	}
	t.messages = append(t.messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleUser, Content: call.User})
	return t
}

// end counts what a call cost.
func (c *Chat) end(t *turn, reply knowledge.ModelReply) knowledge.ModelReply {
	reply.Usage, reply.Model = t.usage, t.model
	c.meter.add(t.call.Role, t.usage)
	c.config.Observe(t.call.Role, t.usage)
	return reply
}

// Text asks for plain text. An empty answer is a *knowledge.BadReplyError.
func (c *Chat) Text(ctx context.Context, call knowledge.ModelCall) (knowledge.ModelReply, error) {
	t := c.begin(call)
	answer, err := c.ask(ctx, t)
	if err != nil {
		return c.end(t, knowledge.ModelReply{}), err
	}
	text := withoutThoughts(answer.text)
	if text == "" {
		return c.end(t, knowledge.ModelReply{}), &knowledge.BadReplyError{Reason: "it is empty", Raw: kept(answer.text)}
	}
	return c.end(t, knowledge.ModelReply{Text: text, Truncated: answer.cut}), nil
}

// Structured asks for JSON of the call's shape. A reply that cannot be decoded, or
// that check rejects, is asked for once more with the reason, and with twice the
// room where it was cut. What cannot be used even then is a *knowledge.BadReplyError.
func (c *Chat) Structured(ctx context.Context, call knowledge.ModelCall, check func(knowledge.ReplyLists) error) (knowledge.ModelReply, error) {
	if call.Shape == nil {
		return knowledge.ModelReply{}, errors.New("structured call without a shape")
	}
	t := c.begin(call)
	reply, err := c.structured(ctx, t, check)
	var bad *knowledge.BadReplyError
	if errors.As(err, &bad) && !errors.Is(err, errRefused) && t.left > 0 {
		t.correct(bad, reply.Truncated)
		reply, err = c.structured(ctx, t, check)
	}
	if err != nil {
		return c.end(t, knowledge.ModelReply{Text: reply.Text, Truncated: reply.Truncated}), err
	}
	return c.end(t, reply), nil
}

func (c *Chat) structured(ctx context.Context, t *turn, check func(knowledge.ReplyLists) error) (knowledge.ModelReply, error) {
	answer, err := c.ask(ctx, t)
	if err != nil {
		return knowledge.ModelReply{}, err
	}
	lists, cut, err := decode(answer.text, t.call.Shape)
	reply := knowledge.ModelReply{Text: answer.text, Lists: lists, Truncated: cut || answer.cut}
	if err == nil {
		err = check(lists)
	}
	if err == nil && reply.Truncated && empty(lists) {
		err = errors.New("it was cut before anything in it was complete")
	}
	if err != nil {
		return reply, &knowledge.BadReplyError{Reason: err.Error(), Raw: kept(answer.text)}
	}
	return reply, nil
}

func empty(lists knowledge.ReplyLists) bool {
	for _, items := range lists {
		if len(items) > 0 {
			return false
		}
	}
	return true
}

// correct adds to the conversation what was wrong with the last reply.
func (t *turn) correct(bad *knowledge.BadReplyError, truncated bool) {
	if truncated {
		t.call.MaxTokens *= 2
	}
	if strings.TrimSpace(bad.Raw) != "" {
		t.messages = append(t.messages, openai.ChatCompletionMessage{Role: openai.ChatMessageRoleAssistant, Content: bad.Raw})
	}
	t.messages = append(t.messages, openai.ChatCompletionMessage{
		Role:    openai.ChatMessageRoleUser,
		Content: "That reply cannot be used: " + bad.Reason + ". Reply again, with nothing but the JSON object that was asked for.",
	})
}

// kept is as much of a reply as is worth keeping.
func kept(text string) string {
	runes := []rune(strings.ToValidUTF8(text, "\uFFFD"))
	if len(runes) > maxKept {
		return string(runes[:maxKept-1]) + "…"
	}
	return string(runes)
}
