package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"mneme/cypher"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/resolvers"
	"mneme/service"
)

// The store is what the services expect.
var (
	_ service.Transactor        = (*cypher.Store)(nil)
	_ service.WorkspaceStore    = (*cypher.Store)(nil)
	_ service.WorkspaceContents = (*cypher.Store)(nil)
	_ service.TypeStore         = (*cypher.Store)(nil)
	_ service.AuditStore        = (*cypher.Store)(nil)
	_ service.EntityStore       = (*cypher.Store)(nil)
	_ service.EntityLister      = (*cypher.Store)(nil)
	_ service.SupportStore      = (*cypher.Store)(nil)
	_ service.FactSupports      = (*cypher.Store)(nil)
	_ service.ContactEntries    = (*cypher.Store)(nil)
	_ service.EdgeStore         = (*cypher.Store)(nil)
	_ service.EdgeLister        = (*cypher.Store)(nil)
	_ service.ObservationStore  = (*cypher.Store)(nil)
	_ service.Walker            = (*cypher.Store)(nil)
	_ service.DuplicateStore    = (*cypher.Store)(nil)
	_ service.EntryStore        = (*cypher.Store)(nil)
	_ service.EntryLister       = (*cypher.Store)(nil)
	_ service.RelationStore     = (*cypher.Store)(nil)
	_ service.Searcher          = (*cypher.Store)(nil)
	_ service.VectorStore       = (*cypher.Store)(nil)
	_ service.AccessStore       = (*cypher.Store)(nil)
	_ service.NodeStore         = (*cypher.Store)(nil)
	_ service.IdempotencyStore  = (*cypher.Store)(nil)
	_ service.EdgeStore         = (*cypher.Store)(nil)
	_ service.EdgeLister        = (*cypher.Store)(nil)
	_ service.FactSupports      = (*cypher.Store)(nil)
	_ service.ObservationStore  = (*cypher.Store)(nil)
	_ service.Walker            = (*cypher.Store)(nil)
	_ service.IdempotencyStore  = (*cypher.Store)(nil)
)

// services are the use cases, which every front door shares.
type services struct {
	Workspaces   *service.Workspaces
	Types        *service.Types
	Entities     *service.Entities
	Edges        *service.Edges
	Observations *service.Observations
	Entries      *service.Entries
	Recall       *service.Recall
	Navigation   *service.Navigation
	Curation     *service.Curation
	Loading      *service.Loading
	Nodes        *service.Nodes
	Imports      *service.Imports
	Embeddings   *service.Embeddings
	Marks        *service.AccessMarks
}

// now is the product's clock: UTC, in the microseconds that the API speaks.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// newID makes ids: sortable by time, without hyphens.
func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

// newServices builds all use cases over one store.
func (a *App) newServices() services {
	store := a.Store
	features := func(ws *knowledge.Workspace) []knowledge.Feature {
		return knowledge.EffectiveFeatures(a.Config.Deployment, switchesOf(ws))
	}
	s := services{Marks: service.NewAccessMarks(store, a.Log)}
	s.Types = service.NewTypes(store, store, store, now, newID)
	s.Workspaces = service.NewWorkspaces(service.WorkspacesConfig{
		Store: store, Contents: store, Types: s.Types, Audit: service.NewAudit(store, now, newID), Clock: now, NewID: newID, Features: features,
	})
	s.Entities = service.NewEntities(service.EntitiesConfig{
		Store: store, Lists: store, Supports: store, Workspaces: store, Types: s.Types, Tx: store, Contacts: store, Clock: now, NewID: newID,
	})
	s.Edges = service.NewEdges(service.EdgesConfig{
		Store: store, Lists: store, Supports: store, Entities: s.Entities, Types: store, Workspaces: store, Observations: store, Tx: store, Clock: now, NewID: newID,
	})
	s.Observations = service.NewObservations(service.ObservationsConfig{
		Store: store, Supports: store, Entities: s.Entities, Workspaces: store, Tx: store, Clock: now, NewID: newID,
	})
	s.Embeddings = service.NewEmbeddings(service.EmbeddingsConfig{Embedder: a.servedEmbedder(), Model: llm.LocalModel(), Store: store, Clock: now, Log: a.Log})
	search := service.NewEntrySearch(store)
	s.Entries = service.NewEntries(service.EntriesConfig{
		Store: store, Lists: store, Relations: store, Supports: store, Workspaces: store, Entities: s.Entities,
		Embeddings: s.Embeddings, Search: search, Tx: store, Features: features, Clock: now, NewID: newID, Log: a.Log,
	})
	s.Recall = service.NewRecall(service.RecallConfig{
		Search: search, Entries: store, Entities: s.Entities, Embeddings: s.Embeddings, Marks: s.Marks, Features: features, Clock: now, Log: a.Log,
	})
	s.Navigation = service.NewNavigation(store, s.Entities, now)
	s.Curation = service.NewCuration(service.CurationConfig{Workspaces: store, Entities: s.Entities, Duplicates: store})
	s.Loading = &service.Loading{}
	s.Nodes = service.NewNodes(store, s.Workspaces, s.Entities, s.Edges, s.Observations, s.Entries)
	s.Imports = service.NewImports(service.ImportsConfig{Workspaces: s.Workspaces, Entities: s.Entities, Edges: s.Edges, Entries: s.Entries})
	return s
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
func (a *App) handler() (http.Handler, error) {
	return resolvers.NewHandler(resolvers.Config{
		Resolver: &resolvers.Resolver{
			Workspaces: a.Workspaces, Types: a.Types, Entities: a.Entities, Edges: a.Edges, Observations: a.Observations,
			Entries: a.Entries, Recalls: a.Recall, Navigation: a.Navigation, Curation: a.Curation, Loading: a.Loading, Nodes: a.Nodes,
			Describe: a.describeServer, Idempotency: service.NewIdempotency(a.Store, now, newID), Clock: now,
		},
		Log: a.Log, Introspection: true, CORSOrigins: a.Config.CORSOrigins, LoopbackOnly: true,
	})
}

// describeServer says what this server works with.
func (a *App) describeServer(context.Context) (*service.ServerInfo, error) {
	server := a.Store.Server()
	info := &service.ServerInfo{
		Version: versionText(),
		Neo4j:   service.Neo4jInfo{Version: server.Version, Edition: server.Edition, Local: a.Local != nil},
	}
	if a.Local != nil {
		info.Neo4j.BrowserURL = &a.Local.BrowserURL
	}
	if a.Embed.Err() == nil {
		m := a.Embed.Model()
		info.Embedder = &service.EmbedderInfo{Model: m.Name, Dimensions: m.Dimensions, Local: m.Local}
	}
	info.Features = knowledge.EffectiveFeatures(a.Config.Deployment, nil)
	return info, nil
}
