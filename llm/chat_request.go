package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"mneme/knowledge"
)

// replyFormat is how a server is told to answer with JSON. Servers that do not know
// one refuse it with 400; then the next is tried, and remembered where it works.
type replyFormat int

const (
	formatSchema replyFormat = iota
	formatObject
	formatPrompt
)

// dialect is what a model wants otherwise than most.
type dialect struct {
	noTemperature bool // refuses any but its own
	oldMaxTokens  bool // does not know max_completion_tokens
}

// reasoning is how the names of models begin that refuse a temperature; go-openai
// refuses it for most of them before anything is sent.
var reasoning = []string{"o1", "o3", "o4", "gpt-5", "gpt-6"}

// errNoReply is temporary: some servers answer 200 with nothing while they are overloaded.
var errNoReply = errors.New("the provider answered without a reply")

// errRefused marks a reply that the model or its provider withheld. Asking again gives the same.
var errRefused = errors.New("refused")

// answer is a model's text as it came.
type answer struct {
	text string
	cut  bool // it ended for want of room
}

// refusal is a BadReplyError that is not worth a second request.
type refusal struct{ *knowledge.BadReplyError }

func (r refusal) Unwrap() []error { return []error{r.BadReplyError, errRefused} }

// ask sends a turn's conversation until it is answered, in the richest format that
// the server knows.
func (c *Chat) ask(ctx context.Context, t *turn) (answer, error) {
	w := c.wants(t)
	for {
		completion, err := c.send(ctx, t, w)
		if err == nil {
			c.remember(t, w)
			return read(completion)
		}
		next, ok := w.milder(err, t.call.Shape != nil)
		if !ok || t.left <= 0 {
			return answer{}, coded(ctx, err)
		}
		w = next
	}
}

// wants is how a request is put: what is known of the server and the model.
type wants struct {
	format replyFormat
	dialect
}

func (c *Chat) wants(t *turn) wants {
	c.mu.Lock()
	defer c.mu.Unlock()
	w := wants{format: c.format}
	if d := c.dialects[t.model]; d != nil {
		w.dialect = *d
	}
	for _, prefix := range reasoning {
		w.noTemperature = w.noTemperature || strings.HasPrefix(t.model, prefix)
	}
	return w
}

// remember keeps what worked. The format is the server's and holds for all of its models.
func (c *Chat) remember(t *turn, w wants) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t.call.Shape != nil {
		c.format = max(c.format, w.format)
	}
	d := w.dialect
	c.dialects[t.model] = &d
}

// milder asks for less after a 400; false where nothing is left to give up.
func (w wants) milder(err error, shaped bool) (wants, bool) {
	var refused *ProviderError
	if !errors.As(err, &refused) || refused.Status != http.StatusBadRequest || strings.Contains(refused.Code, "context_length") {
		return w, false
	}
	switch {
	case refused.Param == "temperature" && !w.noTemperature:
		w.noTemperature = true
	case strings.HasPrefix(refused.Param, "max_") && !w.oldMaxTokens:
		w.oldMaxTokens = true
	case shaped && w.format < formatPrompt:
		w.format++
	default:
		return w, false
	}
	return w, true
}

// send makes one request, and repeats it where that may help.
func (c *Chat) send(ctx context.Context, t *turn, w wants) (openai.ChatCompletionResponse, error) {
	request := c.request(t, w)
	if err := c.meter.allow(promptTokens(request)); err != nil {
		return openai.ChatCompletionResponse{}, err
	}
	return retry(ctx, c.policy(t), func() (openai.ChatCompletionResponse, http.Header, error) {
		if err := c.slots.Acquire(ctx, 1); err != nil {
			return openai.ChatCompletionResponse{}, nil, err
		}
		defer c.slots.Release(1)
		attempt, cancel := context.WithTimeout(ctx, c.config.Timeout)
		defer cancel()
		t.left--
		t.usage.Calls++
		completion, err := c.client.CreateChatCompletion(attempt, request)
		t.count(request, completion.Usage, completion)
		if err == nil && (len(completion.Choices) == 0 || blank(completion.Choices[0])) {
			err = errNoReply
		}
		return completion, completion.Header(), err
	})
}

// blank tells whether a choice holds nothing at all, not even a reason why.
func blank(choice openai.ChatCompletionChoice) bool {
	m := choice.Message
	return choice.FinishReason == "" && m.Content == "" && m.ReasoningContent == "" && m.Refusal == "" && len(m.ToolCalls) == 0
}

func (c *Chat) policy(t *turn) retryPolicy {
	return retryPolicy{
		retries: max(0, min(c.config.MaxRetries, t.left-1)), first: c.config.FirstPause, longest: c.config.MaxPause, log: c.config.Log,
	}
}

// count adds what a request cost: the server's figures, or an estimate where an
// answer has none.
func (t *turn) count(request openai.ChatCompletionRequest, u openai.Usage, completion openai.ChatCompletionResponse) {
	if u.PromptTokens == 0 && u.CompletionTokens == 0 && len(completion.Choices) > 0 {
		u.PromptTokens, u.CompletionTokens = promptTokens(request), tokensOf(completion.Choices[0].Message.Content)
	}
	t.usage.PromptTokens += u.PromptTokens
	t.usage.CompletionTokens += u.CompletionTokens
}

func promptTokens(request openai.ChatCompletionRequest) int {
	n := 0
	for _, m := range request.Messages {
		n += tokensOf(m.Content)
	}
	return n
}

// request puts a turn into the words of the protocol.
func (c *Chat) request(t *turn, w wants) openai.ChatCompletionRequest {
	r := openai.ChatCompletionRequest{Model: t.model, Messages: t.messages}
	if !w.noTemperature {
		// go-openai drops a zero from the request, and the provider's default is 1.
		r.Temperature = max(float32(t.call.Temperature), math.SmallestNonzeroFloat32)
	}
	if w.oldMaxTokens {
		r.MaxTokens = t.call.MaxTokens //nolint:staticcheck // deprecated, and all that some servers know
	} else {
		r.MaxCompletionTokens = t.call.MaxTokens
	}
	shape := t.call.Shape
	if shape == nil {
		return r
	}
	if w.format != formatSchema {
		r.Messages = withSchema(t.messages, shape)
	}
	switch w.format {
	case formatSchema:
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{
			Type:       openai.ChatCompletionResponseFormatTypeJSONSchema,
			JSONSchema: &openai.ChatCompletionResponseFormatJSONSchema{Name: shape.Name, Schema: json.RawMessage(shape.Schema), Strict: true},
		}
	case formatObject:
		r.ResponseFormat = &openai.ChatCompletionResponseFormat{Type: openai.ChatCompletionResponseFormatTypeJSONObject}
	}
	return r
}

// withSchema puts the schema into words, for servers that take none.
func withSchema(messages []openai.ChatCompletionMessage, shape *knowledge.ReplyShape) []openai.ChatCompletionMessage {
	words := "Reply with one JSON object and nothing else: no prose, no code fence. It must fit this JSON schema:\n" + shape.Schema
	out := append([]openai.ChatCompletionMessage{}, messages...)
	if out[0].Role == openai.ChatMessageRoleSystem {
		out[0].Content += "\n\n" + words
		return out
	}
	return append([]openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleSystem, Content: words}}, out...)
}

// read takes a model's text out of a completion.
func read(completion openai.ChatCompletionResponse) (answer, error) {
	choice := completion.Choices[0]
	m := choice.Message
	text := m.Content
	if text == "" && len(m.MultiContent) > 0 {
		for _, part := range m.MultiContent {
			text += part.Text
		}
	}
	if text == "" && len(m.ToolCalls) > 0 { // some servers answer a schema with a call of a function
		text = m.ToolCalls[0].Function.Arguments
	}
	switch {
	case m.Refusal != "":
		return answer{}, refusal{&knowledge.BadReplyError{Reason: "the model refused", Raw: kept(m.Refusal)}}
	case choice.FinishReason == openai.FinishReasonContentFilter:
		return answer{}, refusal{&knowledge.BadReplyError{Reason: "the provider's content filter withheld it", Raw: kept(text)}}
	}
	return answer{text: text, cut: choice.FinishReason == openai.FinishReasonLength}, nil
}

// coded gives an error of the provider or the network its code.
func coded(ctx context.Context, err error) error {
	var own *knowledge.Error
	var refused *ProviderError
	switch {
	case errors.As(err, &own):
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case ctx.Err() != nil:
		return knowledge.Errorf(knowledge.CodeTimeout, "the language model did not answer in time").Because(err)
	case errors.As(err, &refused) && refused.Status == http.StatusTooManyRequests && refused.temporary():
		return knowledge.Errorf(knowledge.CodeRateLimited, "the language model's provider wants fewer requests").Because(err)
	case errors.As(err, &refused):
		return knowledge.Errorf(knowledge.CodeUnavailable, "the language model is not available: %s", refused.Error()).Because(err)
	default:
		return knowledge.Errorf(knowledge.CodeUnavailable, "the language model is not available").Because(fmt.Errorf("ask the language model: %w", err))
	}
}
