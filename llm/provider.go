package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"
	openai "github.com/sashabaranov/go-openai"
)

// ProviderError is a refusal by a provider. It holds no text of the answer,
// which may repeat what was sent, or a key.
type ProviderError struct {
	// Status is the HTTP status, or the one that the body of a 200 gave.
	Status int
	// Code is the provider's word for it, such as insufficient_quota; may be empty.
	Code string
	// Param is the part of the request that it did not like, such as temperature; may be empty.
	Param string
}

func (e *ProviderError) Error() string {
	text := fmt.Sprintf("the provider answered %d", e.Status)
	if name := http.StatusText(e.Status); name != "" {
		text += " " + name
	}
	if e.Code != "" {
		text += " (" + e.Code + ")"
	}
	return text
}

// temporary reports whether the same request may succeed later.
func (e *ProviderError) temporary() bool {
	switch e.Status {
	case http.StatusRequestTimeout, http.StatusConflict:
		return true
	case http.StatusTooManyRequests:
		// An account without money answers 429 as well, for ever.
		return e.Code != "insufficient_quota"
	}
	return e.Status >= http.StatusInternalServerError
}

// asProviderError turns an error of go-openai or of the network into one that
// is safe to show and log.
func asProviderError(err error) error {
	var refused *openai.APIError
	var unreadable *openai.RequestError
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	var network *url.Error
	switch {
	case errors.As(err, &unreadable): // first: it may wrap an APIError without a status
		return &ProviderError{Status: unreadable.HTTPStatusCode}
	case errors.As(err, &refused):
		param := ""
		if refused.Param != nil {
			param = plainCode(*refused.Param)
		}
		return &ProviderError{Status: refused.HTTPStatusCode, Code: plainCode(refused.Code, refused.Type), Param: param}
	case errors.As(err, &network):
		// The URL may hold a key.
		return fmt.Errorf("reach the provider: %w", network.Err)
	case errors.As(err, &syntax), errors.As(err, &mistyped), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: it is not the JSON that was expected", ErrBadAnswer)
	}
	return err
}

// plainCode returns the first of a provider's words that looks like a code and not like prose.
func plainCode(words ...any) string {
	for _, w := range words {
		code, ok := w.(string)
		if ok && code != "" && len(code) <= 64 && !strings.ContainsFunc(code, func(r rune) bool {
			return r != '_' && r != '.' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
		}) && !strings.HasPrefix(code, "sk-") {
			return code
		}
	}
	return ""
}

// retryPolicy says how often and how patiently a request is repeated.
type retryPolicy struct {
	retries        int
	first, longest time.Duration
	log            *slog.Logger
}

// retry calls send until it succeeds, fails for good, or the policy or ctx
// ends it. send's header is that of the answer, also of a refusal.
func retry[T any](ctx context.Context, p retryPolicy, send func() (T, http.Header, error)) (T, error) {
	wait := &pauses{exponential: backoff.ExponentialBackOff{
		InitialInterval: p.first, MaxInterval: p.longest, Multiplier: 2, RandomizationFactor: backoff.DefaultRandomizationFactor,
	}, longest: p.longest}
	result, err := backoff.Retry(ctx, func() (T, error) {
		result, header, err := send()
		if err == nil {
			return result, nil
		}
		if ctx.Err() != nil {
			return result, backoff.Permanent(ctx.Err())
		}
		err = asProviderError(err)
		var refused *ProviderError
		if errors.Is(err, ErrBadAnswer) || errors.As(err, &refused) && !refused.temporary() {
			return result, backoff.Permanent(err)
		}
		wait.atLeast = retryAfter(header, time.Now())
		return result, err
	},
		backoff.WithBackOff(wait),
		backoff.WithMaxTries(uint(p.retries)+1), //nolint:gosec // not negative
		backoff.WithMaxElapsedTime(0),           // the number of tries and ctx bound it
		backoff.WithNotify(func(err error, pause time.Duration) {
			p.log.WarnContext(ctx, "provider failed, trying again", slog.Any("cause", err), slog.Duration("pause", pause))
		}))
	// The last of the tries is returned as it was, also when it was permanent.
	var permanent *backoff.PermanentError
	if errors.As(err, &permanent) {
		err = permanent.Unwrap()
	}
	return result, err
}

// pauses is exponential backoff with jitter that never undercuts what the
// provider asked for, and gives up when that is too long.
type pauses struct {
	exponential      backoff.ExponentialBackOff
	atLeast, longest time.Duration
}

func (p *pauses) Reset() { p.exponential.Reset() }

func (p *pauses) NextBackOff() time.Duration {
	if p.atLeast > p.longest {
		return backoff.Stop
	}
	return max(p.exponential.NextBackOff(), p.atLeast)
}

// retryAfter reads the pause that a provider asks for, in milliseconds, seconds or as a date; 0 is none.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return time.Duration(min(ms, 1e9) * float64(time.Millisecond))
	}
	value := header.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(value, 64); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1e6) * float64(time.Second))
	}
	if at, err := http.ParseTime(value); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// answerChecker is between go-openai and the network. It reads an answer whole,
// so that a cut one is a network error, refuses one that is too long, and gives
// a 200 whose body is an error the status that it should have had: go-openai
// would take it for an empty success.
type answerChecker struct {
	client   *http.Client
	maxBytes int64
}

// Do sends the request.
func (a *answerChecker) Do(request *http.Request) (*http.Response, error) {
	response, err := a.client.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, a.maxBytes+1))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return nil, &url.Error{Op: "read", URL: request.URL.Redacted(), Err: err}
	}
	if int64(len(body)) > a.maxBytes {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrBadAnswer, a.maxBytes)
	}
	if response.StatusCode == http.StatusOK {
		if status, failed := hiddenError(body); failed {
			response.StatusCode = status
		}
	}
	response.Body = io.NopCloser(bytes.NewReader(body))
	return response, nil
}

// hiddenError looks for {"error": …} and returns its code where that is an
// HTTP status, else 502, on which a request is repeated.
func hiddenError(body []byte) (status int, failed bool) {
	if !bytes.Contains(body, []byte(`"error"`)) {
		return 0, false
	}
	var answer struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &answer) != nil || len(answer.Error) == 0 || string(answer.Error) == "null" {
		return 0, false
	}
	var detail struct {
		Code json.Number `json:"code"`
	}
	if json.Unmarshal(answer.Error, &detail) == nil {
		if code, err := strconv.Atoi(detail.Code.String()); err == nil && code >= 400 && code <= 599 {
			return code, true
		}
	}
	return http.StatusBadGateway, true
}
