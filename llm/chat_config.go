package llm

import (
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"mneme/knowledge"
)

// ChatConfig configures a language model behind an OpenAI-compatible server. The
// zero value of a field is its default.
type ChatConfig struct {
	// APIKey is sent as a bearer token. It may be empty for a server at BaseURL that wants none.
	APIKey string
	// BaseURL ends before "/chat/completions". Default https://api.openai.com/v1.
	BaseURL string
	// Models names the model of each role. A role without one uses another role's;
	// at least one must be named.
	Models map[knowledge.ModelRole]string
	// Timeout ends one request, and for a stream the wait for its next part. Default 60 s.
	Timeout time.Duration
	// MaxRetries is how often one request is repeated after 408, 409, 429, 5xx or a
	// failing network. Default 4; negative is never.
	MaxRetries int
	// MaxRequests bounds the requests of one call, with everything that makes it
	// repeat one: failures, formats that a server does not know, a bad reply. Default 8.
	MaxRequests int
	// FirstPause is about how long the first retry waits; each further one waits twice
	// as long, up to MaxPause. Defaults 500 ms and 20 s. A Retry-After beyond MaxPause
	// ends the retries.
	FirstPause, MaxPause time.Duration
	// Parallel is how many requests run at once, of all callers together. Default 4.
	Parallel int
	// MaxTokens bounds an answer where the call does not say. Default 4,096.
	MaxTokens int
	// TokensPerDay is the budget of this process for a day (UTC). Default 0: none.
	TokensPerDay int
	// Observe is told what each call cost. May be nil.
	Observe func(role knowledge.ModelRole, usage knowledge.ModelUsage)
	// Now is the clock by which days are told. Default time.Now.
	Now func() time.Time
	// Log receives retries. Prompts, keys and answers are never logged.
	Log *slog.Logger
}

func (c ChatConfig) withDefaults() ChatConfig {
	c.APIKey = strings.TrimSpace(c.APIKey)
	c.BaseURL = strings.TrimRight(strings.TrimSpace(c.BaseURL), "/")
	orDefault(&c.BaseURL, defaultOpenAIBaseURL)
	orDefault(&c.Timeout, time.Minute)
	orDefault(&c.MaxRetries, 4)
	c.MaxRetries = max(c.MaxRetries, 0)
	orDefault(&c.MaxRequests, 8)
	orDefault(&c.FirstPause, 500*time.Millisecond)
	orDefault(&c.MaxPause, 20*time.Second)
	orDefault(&c.Parallel, 4)
	orDefault(&c.MaxTokens, 4096)
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Observe == nil {
		c.Observe = func(knowledge.ModelRole, knowledge.ModelUsage) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	models := make(map[knowledge.ModelRole]string, len(c.Models))
	roles := []knowledge.ModelRole{knowledge.ModelExtract, knowledge.ModelLink, knowledge.ModelAsk}
	first := ""
	for _, role := range roles {
		models[role] = strings.TrimSpace(c.Models[role])
		orDefault(&first, models[role])
	}
	for _, role := range roles {
		if models[role] == "" {
			models[role] = first
		}
	}
	c.Models = models
	return c
}

func (c ChatConfig) validate() error {
	base, err := url.Parse(c.BaseURL)
	if err != nil || base.Host == "" || (base.Scheme != "http" && base.Scheme != "https") {
		return errors.New("the base URL of the language model is not an http or https URL")
	}
	if c.APIKey == "" && c.BaseURL == defaultOpenAIBaseURL {
		return errors.New("no API key for the language model")
	}
	if c.Models[knowledge.ModelExtract] == "" {
		return errors.New("no language model is named")
	}
	if c.Timeout < 0 || c.FirstPause < 0 || c.MaxPause < 0 || c.Parallel < 0 || c.MaxRequests < 0 || c.MaxTokens < 0 || c.TokensPerDay < 0 {
		return fmt.Errorf("a negative limit for the language model")
	}
	return nil
}
