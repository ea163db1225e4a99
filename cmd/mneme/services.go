package main

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"mneme/cypher"
	"mneme/knowledge"
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
}

// now is the product's clock: UTC, in the microseconds that the API speaks.
func now() time.Time { return time.Now().UTC().Truncate(time.Microsecond) }

// newID makes ids: sortable by time, without hyphens.
func newID(prefix string) string { return prefix + "_" + strings.ToLower(ulid.Make().String()) }

func newServices(store *cypher.Store) services {
	var s services
	s.Types = service.NewTypes(store, store, store, now, newID)
	s.Workspaces = service.NewWorkspaces(service.WorkspacesConfig{
		Store: store, Contents: store, Types: s.Types, Audit: service.NewAudit(store, now, newID), Clock: now, NewID: newID,
		Features: func(*knowledge.Workspace) []knowledge.Feature { return nil },
	})
	s.Entities = service.NewEntities(service.EntitiesConfig{
		Store: store, Lists: store, Supports: store, Workspaces: store, Types: s.Types, Tx: store, Contacts: noContacts{}, Clock: now, NewID: newID,
	})
	s.Edges = service.NewEdges(service.EdgesConfig{
		Store: store, Lists: store, Supports: store, Entities: s.Entities, Types: store, Workspaces: store, Observations: store, Tx: store, Clock: now, NewID: newID,
	})
	s.Observations = service.NewObservations(service.ObservationsConfig{
		Store: store, Supports: store, Entities: s.Entities, Workspaces: store, Tx: store, Clock: now, NewID: newID,
	})
	s.Navigation = service.NewNavigation(store, s.Entities, now)
	s.Entries, s.Recall = &service.Entries{}, &service.Recall{}
	s.Curation, s.Loading = &service.Curation{}, &service.Loading{}
	s.Nodes = service.NewNodes(store, s.Workspaces, s.Entities, s.Edges, s.Observations, s.Entries)
	return s
}

// noContacts stands in until entries have contacts.
type noContacts struct{}

func (noContacts) DropContact(context.Context, string, string) (int, int, error) { return 0, 0, nil }

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
	return info, nil
}
