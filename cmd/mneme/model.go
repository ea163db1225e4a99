package main

import (
	"log/slog"

	"mneme/knowledge"
	"mneme/llm"
	"mneme/service"
)

// defaultChatModel is asked where a key for OpenAI is given and no model is named.
const defaultChatModel = "gpt-4o-mini"

var _ service.LanguageModel = (*llm.Chat)(nil)

// modelConfigured tells whether a language model is to be had: a provider is named, and
// either a model of it, or it is OpenAI, whose models are known.
func (c Config) modelConfigured() bool {
	if c.OpenAIKey == "" && c.OpenAIBaseURL == "" {
		return false
	}
	for _, model := range c.Models {
		if model != "" {
			return true
		}
	}
	return c.OpenAIBaseURL == ""
}

// languageModel opens the client of the language model; nil where none is configured.
func (c Config) languageModel(log *slog.Logger) (*llm.Chat, error) {
	if !c.modelConfigured() {
		return nil, nil //nolint:nilnil // the product works without one
	}
	models := map[knowledge.ModelRole]string{knowledge.ModelExtract: defaultChatModel}
	for _, model := range c.Models {
		if model != "" {
			models = c.Models
		}
	}
	chat, err := llm.OpenChat(llm.ChatConfig{
		APIKey: c.OpenAIKey, BaseURL: c.OpenAIBaseURL, Models: models, TokensPerDay: c.ModelTokensADay, Now: now, Log: log,
	})
	if err != nil {
		return nil, knowledge.Invalid("OPENAI_BASE_URL", "%v", err)
	}
	return chat, nil
}

// languageModel is the model as the services take it.
func (a *App) languageModel() service.LanguageModel {
	if a.Chat == nil {
		return nil
	}
	return a.Chat
}
