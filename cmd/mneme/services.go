package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"mneme/codegraph"
	"mneme/cypher"
	"mneme/ingest"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/resolvers"
	"mneme/service"
)

var _ service.Store = (*cypher.Store)(nil)

// now is the product's clock: UTC, in the microseconds that the API speaks.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// newID makes ids: sortable by time, without hyphens.
func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

// newServices builds all use cases over one store.
func (a *App) newServices() *service.Services {
	return service.New(service.Config{
		Store:      a.Store,
		Model:      a.languageModel(),
		Embeddings: service.EmbeddingsConfig{Embedder: a.servedEmbedder(), Model: llm.LocalModel()},
		Features: func(ws *knowledge.Workspace) []knowledge.Feature {
			return knowledge.EffectiveFeatures(a.Config.Deployment, switchesOf(ws))
		},
		Clock: now, NewID: newID, Log: a.Log, Upkeep: a.upkeep(),
		Mail: ingest.Mails{}, Documents: a.documents, Lines: ingest.LineFiles{}, ResolvePath: ingest.NewRoot(a.Config.ImportRoot).Resolve,
		ScanCode: codeSource{cacheDir: a.Config.CacheDir, log: a.Log}.scan, ResolveCode: codegraph.Roots(a.Config.CodeRoots).Resolve,
	})
}

// servedEmbedder is the embedder as the services take it: none where it is switched off.
func (a *App) servedEmbedder() service.Embedder {
	if a.Config.Embedder == embedderOff {
		return nil
	}
	return a.Embed
}

func switchesOf(ws *knowledge.Workspace) knowledge.FeatureSwitches {
	if ws == nil {
		return nil
	}
	return ws.Switches
}

// handler is the GraphQL API over this App.
func (a *App) handler() (http.Handler, error) { return resolvers.NewHandler(a.apiConfig()) }

// apiConfig is how this App answers over HTTP.
func (a *App) apiConfig() resolvers.Config {
	return resolvers.Config{
		Resolver: resolvers.NewResolver(a.Services, a.describeServer, now),
		Log:      a.Log, Introspection: true, CORSOrigins: a.Config.CORSOrigins, LoopbackOnly: true,
	}
}

// describeServer says what this server works with.
func (a *App) describeServer(context.Context) (*service.ServerInfo, error) {
	server := a.Store.Server()
	info := &service.ServerInfo{
		Version: versionText(),
		Neo4j:   service.Neo4jInfo{Version: server.Version, Edition: server.Edition, Local: a.Local() != nil},
	}
	if local := a.Local(); local != nil {
		info.Neo4j.BrowserURL = &local.BrowserURL
	}
	if a.Embed.Err() == nil {
		m := a.Embed.Model()
		info.Embedder = &service.EmbedderInfo{Model: m.Name, Dimensions: m.Dimensions, Local: m.Local}
	}
	if a.Chat != nil {
		info.Model = &service.ModelInfo{Model: a.Chat.Model(knowledge.ModelAsk), Configured: true}
	}
	info.Features = knowledge.EffectiveFeatures(a.Config.Deployment, nil)
	return info, nil
}
