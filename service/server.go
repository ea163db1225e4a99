package service

import (
	"context"

	"mneme/knowledge"
)

// ServerInfo says what a server is and what it works with.
type ServerInfo struct {
	Version  string
	Neo4j    Neo4jInfo
	Embedder *EmbedderInfo // nil: switched off, or not to be had
	Model    *ModelInfo    // nil: no language model is configured
	Features []knowledge.Feature
}

// Neo4jInfo is the database behind a server.
type Neo4jInfo struct {
	Version    string
	Edition    string
	Local      bool
	BrowserURL *string
}

// EmbedderInfo is what turns texts into vectors.
type EmbedderInfo struct {
	Model      string
	Dimensions int
	Local      bool
}

// ModelInfo is the language model.
type ModelInfo struct {
	Model      string
	Configured bool
}

// DescribeServer gives what is known of the server now.
type DescribeServer func(ctx context.Context) (*ServerInfo, error)
