package llm

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	openai "github.com/sashabaranov/go-openai"
	"golang.org/x/sync/errgroup"
)

// ErrBadAnswer means that a provider answered, but not with what was asked
// for: too few vectors, the wrong number of dimensions, values that are no
// numbers, no JSON. Asking again would not help.
var ErrBadAnswer = errors.New("unusable answer from the embedding provider")

const (
	defaultOpenAIBaseURL = "https://api.openai.com/v1"
	defaultOpenAIModel   = "text-embedding-3-small"
	// shortenable is how the names of OpenAI's models begin that can be asked
	// for fewer dimensions; other models and servers refuse the parameter.
	shortenable = "text-embedding-3"

	maxAnswerBytes = 64 << 20 // 128 vectors of 3,072 numbers as text have about 8 MB
)

// OpenAIConfig configures an embedder behind an OpenAI-compatible server. The
// zero value of a field is its default.
type OpenAIConfig struct {
	// APIKey is sent as a bearer token. It may be empty for a server at BaseURL that wants none.
	APIKey string
	// BaseURL ends before "/embeddings". Default https://api.openai.com/v1.
	BaseURL string
	// Model is the provider's name of the model. Default text-embedding-3-small.
	Model string
	// Dimensions is the length of a vector; an answer of another length is an
	// error. It is asked for where the model can shorten. Default 1,536.
	Dimensions int
	// Timeout ends one request. Default 30 s.
	Timeout time.Duration
	// MaxRetries is how often one request is repeated after 408, 409, 429, 5xx
	// or a failing network. Default 4; negative is never.
	MaxRetries int
	// FirstPause is about how long the first retry waits; each further one
	// waits twice as long, up to MaxPause. Defaults 500 ms and 20 s. A
	// Retry-After beyond MaxPause ends the retries.
	FirstPause, MaxPause time.Duration
	// BatchTexts and BatchBytes limit one request. Defaults 128 and 256 KiB
	// (below the provider's 300,000 tokens, since a token has at least a byte).
	BatchTexts, BatchBytes int
	// MaxTextBytes is where a text is cut. Default 8,191: so many tokens the
	// models read, and a token has at least a byte.
	MaxTextBytes int
	// Parallel is how many requests of one call run at once. Default 4.
	Parallel int
	// Log receives retries. Texts, keys and answers are never logged.
	Log *slog.Logger
}

func (c OpenAIConfig) withDefaults() OpenAIConfig {
	c.APIKey = strings.TrimSpace(c.APIKey)
	c.BaseURL = strings.TrimRight(strings.TrimSpace(c.BaseURL), "/")
	orDefault(&c.BaseURL, defaultOpenAIBaseURL)
	orDefault(&c.Model, defaultOpenAIModel)
	orDefault(&c.Dimensions, 1536)
	orDefault(&c.Timeout, 30*time.Second)
	orDefault(&c.MaxRetries, 4)
	c.MaxRetries = max(c.MaxRetries, 0)
	orDefault(&c.FirstPause, 500*time.Millisecond)
	orDefault(&c.MaxPause, 20*time.Second)
	orDefault(&c.BatchTexts, 128)
	orDefault(&c.BatchBytes, 256<<10)
	orDefault(&c.MaxTextBytes, 8191)
	orDefault(&c.Parallel, 4)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func orDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func (c OpenAIConfig) validate() error {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return errors.New("the base URL of the embedding provider is not an http or https URL")
	}
	if c.APIKey == "" && c.BaseURL == defaultOpenAIBaseURL {
		return errors.New("no API key for the embedding provider")
	}
	if c.Dimensions < 0 || c.Timeout < 0 || c.FirstPause < 0 || c.MaxPause < 0 ||
		c.BatchTexts < 0 || c.BatchBytes < 0 || c.MaxTextBytes < 0 || c.Parallel < 0 {
		return errors.New("a negative limit for the embedding provider")
	}
	return nil
}

// OpenAI embeds by a server that speaks OpenAI's protocol. It is safe for concurrent use.
type OpenAI struct {
	config OpenAIConfig
	client *openai.Client
	http   *http.Client
}

// OpenOpenAI makes the embedder; nothing is sent yet. The error says which setting is wrong.
func OpenOpenAI(c OpenAIConfig) (*OpenAI, error) {
	c = c.withDefaults()
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("open the embedding provider: %w", err)
	}
	o := &OpenAI{config: c, http: &http.Client{}}
	cc := openai.DefaultConfig(c.APIKey)
	cc.BaseURL = c.BaseURL
	cc.HTTPClient = &answerChecker{client: o.http, maxBytes: maxAnswerBytes}
	o.client = openai.NewClientWithConfig(cc)
	return o, nil
}

// Model names the provider's model; its Hash changes with the dimensions.
func (o *OpenAI) Model() Model {
	return Model{
		Name: o.config.Model, Hash: fmt.Sprintf("%s@%d", o.config.Model, o.config.Dimensions),
		Dimensions: o.config.Dimensions,
	}
}

// Close lets go of idle connections.
func (o *OpenAI) Close() error {
	o.http.CloseIdleConnections()
	return nil
}

// Embed returns a vector for each text, in order; nil for a blank text, which
// is not sent. A text is cut at MaxTextBytes. Errors: ctx's own, ErrBadAnswer,
// *ProviderError for what the provider refused (after the retries that make
// sense), or the network's. On an error there are no vectors at all.
func (o *OpenAI) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	group, running := errgroup.WithContext(ctx)
	group.SetLimit(o.config.Parallel)
	for _, batch := range o.batches(texts) {
		if running.Err() != nil {
			break
		}
		group.Go(func() error {
			answer, err := o.embedBatch(running, batch.texts)
			if err != nil {
				return err
			}
			for i, at := range batch.at {
				vectors[at] = answer[i]
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return vectors, nil
}

// textBatch is what goes into one request.
type textBatch struct {
	texts []string
	at    []int // where each text's vector goes
	bytes int
}

// batches spreads the texts that are not blank over requests.
func (o *OpenAI) batches(texts []string) []textBatch {
	var batches []textBatch
	var b textBatch
	for i, text := range texts {
		text = cut(strings.ToValidUTF8(strings.TrimSpace(text), ""), o.config.MaxTextBytes)
		if text == "" {
			continue
		}
		if len(b.texts) == o.config.BatchTexts || len(b.texts) > 0 && b.bytes+len(text) > o.config.BatchBytes {
			batches, b = append(batches, b), textBatch{}
		}
		b = textBatch{texts: append(b.texts, text), at: append(b.at, i), bytes: b.bytes + len(text)}
	}
	if len(b.texts) > 0 {
		batches = append(batches, b)
	}
	return batches
}

// cut shortens text to at most n bytes of whole characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n]
}

// embedBatch sends one request, with retries, and checks its answer.
func (o *OpenAI) embedBatch(ctx context.Context, texts []string) ([][]float32, error) {
	request := openai.EmbeddingRequestStrings{
		Input: texts, Model: openai.EmbeddingModel(o.config.Model), EncodingFormat: openai.EmbeddingEncodingFormatFloat,
	}
	if strings.HasPrefix(o.config.Model, shortenable) {
		request.Dimensions = o.config.Dimensions
	}
	policy := retryPolicy{retries: o.config.MaxRetries, first: o.config.FirstPause, longest: o.config.MaxPause, log: o.config.Log}
	answer, err := retry(ctx, policy, func() (openai.EmbeddingResponse, http.Header, error) {
		attempt, cancel := context.WithTimeout(ctx, o.config.Timeout)
		defer cancel()
		answer, err := o.client.CreateEmbeddings(attempt, request)
		return answer, answer.Header(), err
	})
	if err != nil {
		return nil, err
	}
	return o.check(answer.Data, len(texts))
}

// check puts the vectors in the order of the texts; ErrBadAnswer unless there
// is exactly one good vector for each.
func (o *OpenAI) check(data []openai.Embedding, texts int) ([][]float32, error) {
	if len(data) != texts {
		return nil, fmt.Errorf("%w: %d vectors for %d texts", ErrBadAnswer, len(data), texts)
	}
	slices.SortFunc(data, func(a, b openai.Embedding) int { return a.Index - b.Index })
	vectors := make([][]float32, texts)
	for i, d := range data {
		if d.Index != i {
			return nil, fmt.Errorf("%w: no vector, or two, for text %d", ErrBadAnswer, min(i, d.Index))
		}
		if len(d.Embedding) != o.config.Dimensions {
			return nil, fmt.Errorf("%w: %d dimensions, not %d", ErrBadAnswer, len(d.Embedding), o.config.Dimensions)
		}
		if !normalize(d.Embedding) {
			return nil, fmt.Errorf("%w: the vector of text %d is zero or not finite", ErrBadAnswer, i)
		}
		vectors[i] = d.Embedding
	}
	return vectors, nil
}
