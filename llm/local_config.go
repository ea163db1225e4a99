package llm

import (
	"log/slog"
	"runtime"

	"mneme/internal/mavencache"
)

const (
	localName       = "bge-small-en-v1.5-int8"
	localDimensions = 384
	localMaxTokens  = 512 // position embeddings of the model

	// maxDefaultThreads keeps a process with the model below 250 MB whatever
	// the machine: the base is 90 MB, a running text of 512 tokens about 35.
	maxDefaultThreads = 4
)

// LocalConfig configures the local embedder.
type LocalConfig struct {
	// CacheDir holds fetched files, in its folder "models". Required.
	CacheDir string
	// Threads is how many texts are embedded at once; 0 is one a processor, at
	// most 4. Each takes up to 35 MB while it runs.
	Threads int
	// Progress, when set, is told how a first fetch goes on.
	Progress func(mavencache.Progress)
	// Log receives what happened to the cache; nil is silent. Texts are never logged.
	Log *slog.Logger
}

func (c LocalConfig) withDefaults() LocalConfig {
	if c.Threads <= 0 {
		c.Threads = min(runtime.GOMAXPROCS(0), maxDefaultThreads)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

// LocalModel is the model that OpenLocal opens, known before it is opened.
func LocalModel() Model {
	return Model{Name: localName, Hash: modelSHA256, Dimensions: localDimensions, Local: true}
}
