package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"mneme/knowledge"
)

// maxStreamed bounds the text of a streamed answer, in bytes.
const maxStreamed = 1 << 20

// errCut means that a stream ended without saying why. go-openai reports a cut
// connection and a finished answer alike.
var errCut = errors.New("the answer was cut short")

// Stream asks for plain text and hands it to emit as it is written, without what the
// model thinks aloud. The reply holds the whole text, also the part of it that was
// written before an error. An answer that is cut short is UNAVAILABLE; one without
// text is a *knowledge.BadReplyError. An error of emit ends the call and is returned.
func (c *Chat) Stream(ctx context.Context, call knowledge.ModelCall, emit func(delta string) error) (knowledge.ModelReply, error) {
	call.Shape = nil
	t := c.begin(call)
	s := &spoken{emit: emit}
	err := c.stream(ctx, t, s)
	reply := knowledge.ModelReply{Text: strings.TrimSpace(s.text.String()), Truncated: s.cut}
	switch {
	case s.failed != nil:
		return c.end(t, reply), s.failed
	case err != nil:
		return c.end(t, reply), err
	case reply.Text == "":
		return c.end(t, reply), &knowledge.BadReplyError{Reason: "it is empty"}
	}
	return c.end(t, reply), nil
}

// stream tries dialects until the server takes one, as ask does.
func (c *Chat) stream(ctx context.Context, t *turn, s *spoken) error {
	w := c.wants(t)
	usage := true
	for {
		err := c.streamOnce(ctx, t, w, usage, s)
		if err == nil {
			c.remember(t, w)
			return nil
		}
		var bad *knowledge.BadReplyError
		if errors.As(err, &bad) {
			return err
		}
		next, ok := w.milder(err, false)
		var refused *ProviderError
		if !ok && usage && errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
			usage, ok = false, true // some servers do not know stream_options
		}
		if !ok || t.left <= 0 || s.begun() {
			return coded(ctx, err)
		}
		w = next
	}
}

func (c *Chat) streamOnce(ctx context.Context, t *turn, w wants, usage bool, s *spoken) error {
	request := c.request(t, w)
	if err := c.meter.allow(promptTokens(request)); err != nil {
		return err
	}
	if usage {
		request.StreamOptions = &openai.StreamOptions{IncludeUsage: true}
	}
	_, err := retry(ctx, c.policy(t), func() (struct{}, http.Header, error) {
		header, err := c.listen(ctx, t, request, s)
		var bad *knowledge.BadReplyError
		if err != nil && (s.begun() || s.failed != nil || errors.As(err, &bad)) {
			// What was said cannot be taken back: ErrBadAnswer is not repeated.
			err = fmt.Errorf("%w: %w", ErrBadAnswer, err)
		}
		return struct{}{}, header, err
	})
	return err
}

// listen sends one request and passes on what comes.
func (c *Chat) listen(ctx context.Context, t *turn, request openai.ChatCompletionRequest, s *spoken) (http.Header, error) {
	if err := c.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer c.slots.Release(1)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	silence := time.AfterFunc(c.config.Timeout, cancel)
	defer silence.Stop()
	t.left--
	t.usage.Calls++
	stream, err := c.streams.CreateChatCompletionStream(ctx, request)
	if err != nil {
		return stream0(stream), err
	}
	defer func() { _ = stream.Close() }()
	counted, finished := openai.Usage{}, false
	before := s.heard
	defer func() {
		if counted.PromptTokens == 0 && counted.CompletionTokens == 0 {
			counted.PromptTokens, counted.CompletionTokens = promptTokens(request), (s.heard-before)/charactersPerToken
		}
		t.usage.PromptTokens += counted.PromptTokens
		t.usage.CompletionTokens += counted.CompletionTokens
	}()
	for {
		part, err := stream.Recv()
		silence.Reset(c.config.Timeout)
		switch {
		case errors.Is(err, io.EOF) && finished:
			return stream.Header(), s.end()
		case errors.Is(err, io.EOF):
			return stream.Header(), errCut
		case err != nil:
			return stream.Header(), asStreamError(err)
		}
		if part.Usage != nil {
			counted = *part.Usage
		}
		if len(part.Choices) == 0 {
			continue
		}
		choice := part.Choices[0]
		if err := s.hear(choice.Delta); err != nil {
			return stream.Header(), err
		}
		switch choice.FinishReason {
		case "", openai.FinishReasonNull:
		case openai.FinishReasonContentFilter:
			return stream.Header(), refusal{&knowledge.BadReplyError{Reason: "the provider's content filter withheld it"}}
		default:
			finished, s.cut = true, choice.FinishReason == openai.FinishReasonLength
		}
	}
}

// asStreamError gives an error that came in a stream the status that it could not have.
func asStreamError(err error) error {
	var refused *openai.APIError
	if errors.As(err, &refused) && refused.HTTPStatusCode == 0 {
		refused.HTTPStatusCode = http.StatusBadGateway
	}
	return err
}

// stream0 is the header of an answer that is no stream; go-openai gives none then.
func stream0(stream *openai.ChatCompletionStream) http.Header {
	if stream == nil {
		return nil
	}
	return stream.Header()
}

// spoken passes a streamed text on, without what the model thought aloud before it.
type spoken struct {
	emit   func(string) error
	text   strings.Builder // what was passed on
	held   string          // what is not yet known to be text
	open   bool            // the text has begun
	cut    bool
	heard  int   // characters that came
	failed error // of emit
}

func (s *spoken) begun() bool { return s.text.Len() > 0 }

// hear takes a part of the text.
func (s *spoken) hear(delta openai.ChatCompletionStreamChoiceDelta) error {
	if delta.Refusal != "" {
		return refusal{&knowledge.BadReplyError{Reason: "the model refused", Raw: kept(delta.Refusal)}}
	}
	s.heard += len(delta.Content)
	if s.heard > maxStreamed {
		return fmt.Errorf("%w: longer than %d bytes", ErrBadAnswer, maxStreamed)
	}
	if s.open {
		return s.say(delta.Content)
	}
	s.held += delta.Content
	switch trimmed := strings.TrimLeft(s.held, " \t\r\n"); {
	case trimmed == "" || thinking(trimmed):
		return nil
	default:
		s.open = true
		return s.say(afterThoughts(trimmed))
	}
}

// afterThoughts is a text without the thoughts at its beginning; its end stays as it
// is, since more may follow.
func afterThoughts(text string) string {
	for _, tag := range thoughtTags {
		if shut := "</" + tag + ">"; hasPrefixFold(text, "<"+tag+">") {
			if at := lastIndexFold(text, shut); at >= 0 {
				return strings.TrimLeft(text[at+len(shut):], " \t\r\n")
			}
		}
	}
	return text
}

// thinking tells whether a text may be, or is, inside a block of thoughts.
func thinking(text string) bool {
	for _, tag := range thoughtTags {
		open := "<" + tag + ">"
		if len(text) < len(open) && strings.HasPrefix(open, strings.ToLower(text)) {
			return true
		}
		if hasPrefixFold(text, open) {
			return strings.TrimSpace(withoutThoughts(text)) == ""
		}
	}
	return false
}

// end passes on what was held back, should it be text after all.
func (s *spoken) end() error {
	if s.open {
		return nil
	}
	return s.say(withoutThoughts(s.held))
}

func (s *spoken) say(text string) error {
	if text == "" {
		return nil
	}
	s.text.WriteString(text)
	if err := s.emit(text); err != nil {
		s.failed = err
		return err
	}
	return nil
}

// streamChecker is answerChecker for streams: what is no stream is read whole and
// judged, and a whole answer from a server that does not stream becomes a stream of
// one part.
type streamChecker struct {
	client   *http.Client
	maxBytes int64
}

// Do sends the request.
func (s *streamChecker) Do(request *http.Request) (*http.Response, error) {
	response, err := s.client.Do(request)
	if err != nil {
		return nil, err
	}
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode == http.StatusOK && kind == "text/event-stream" {
		return response, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, s.maxBytes))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, &url.Error{Op: "read", URL: request.URL.Redacted(), Err: err}
	}
	if response.StatusCode == http.StatusOK {
		if status, failed := hiddenError(body); failed {
			response.StatusCode = status
		} else {
			body = asStream(body)
		}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// asStream is a whole completion as the stream that was asked for. What is no
// completion is left, and fails as a stream.
func asStream(body []byte) []byte {
	var whole openai.ChatCompletionResponse
	if json.Unmarshal(body, &whole) != nil || len(whole.Choices) == 0 {
		return body
	}
	choice := whole.Choices[0]
	part, err := json.Marshal(openai.ChatCompletionStreamResponse{
		Usage: &whole.Usage,
		Choices: []openai.ChatCompletionStreamChoice{{
			Delta:        openai.ChatCompletionStreamChoiceDelta{Content: choice.Message.Content, Refusal: choice.Message.Refusal},
			FinishReason: choice.FinishReason,
		}},
	})
	if err != nil {
		return body
	}
	return []byte("data: " + string(part) + "\n\ndata: [DONE]\n\n")
}
