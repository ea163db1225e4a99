package mcp

import (
	"context"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/knowledge"
)

const jsonType = "application/json"

// addResources offers what can be read without a tool: the workspace's summary and each entity.
func (ss *session) addResources(protocol *sdk.Server) {
	workspace := url.PathEscape(ss.of.Workspace)
	const about = "How much the workspace holds, by type, and its most connected entities."
	protocol.AddResource(&sdk.Resource{
		Name: "summary", Title: "Summary of the workspace", MIMEType: jsonType, Description: about, URI: "mneme://" + workspace + "/summary",
	}, ss.resource(ss.summary))
	protocol.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "workspace-summary", Title: "Summary of a workspace", MIMEType: jsonType, URITemplate: "mneme://{workspace}/summary", Description: about,
	}, ss.resource(ss.summary))
	protocol.AddResourceTemplate(&sdk.ResourceTemplate{
		Name: "entity", Title: "An entity", MIMEType: jsonType, URITemplate: "mneme://{workspace}/entity/{id}{?cursor}",
		Description: "What is known of one entity: description, properties, observations and connections. next is the address of what did not fit.",
	}, ss.resource(ss.entity))
}

// resource reads a resource of this session's workspace; those of others are not there.
func (ss *session) resource(read func(ctx context.Context, at *url.URL) (any, error)) sdk.ResourceHandler {
	return func(ctx context.Context, req *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		ctx, cancel := context.WithTimeout(ctx, ss.config.Timeout)
		defer cancel()
		at, err := url.Parse(req.Params.URI)
		if err != nil || at.Host != ss.of.Workspace {
			return nil, sdk.ResourceNotFoundError(req.Params.URI)
		}
		answer, err := read(ctx, at)
		if err != nil {
			return nil, protocolError(ss.explain(ctx, err))
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: req.Params.URI, MIMEType: jsonType, Text: textOf(answer)}}}, nil
	}
}

// summaryTop is how many of the most connected entities a summary names.
const summaryTop = 10

type summaryOut struct {
	Workspace      string          `json:"workspace"`
	Name           string          `json:"name"`
	Entities       int             `json:"entities"`
	Edges          int             `json:"edges"`
	CurrentEdges   int             `json:"currentEdges"`
	Observations   int             `json:"observations"`
	Entries        int             `json:"entries"`
	Relations      int             `json:"relations"`
	EntitiesByType []typeCount     `json:"entitiesByType"`
	EdgesByType    []typeCount     `json:"edgesByType"`
	EntriesByType  []typeCount     `json:"entriesByType"`
	MostConnected  []connectedCard `json:"mostConnected"`
	Truncated      bool            `json:"truncated"`
}

type typeCount struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

type connectedCard struct {
	nearEntity
	Degree int `json:"degree"`
}

// mostTypes bounds how many types a summary counts one by one.
const mostTypes = 50

func typeCounts(counts []knowledge.Count, cutOff *bool) []typeCount {
	out := []typeCount{}
	for _, c := range counts[:min(len(counts), mostTypes)] {
		out = append(out, typeCount{c.Key, c.Count})
	}
	*cutOff = *cutOff || len(counts) > mostTypes
	return out
}

func (ss *session) summary(ctx context.Context, _ *url.URL) (any, error) {
	view, err := ss.view(ctx)
	if err != nil {
		return nil, err
	}
	sum, err := view.Summary(ctx, summaryTop)
	if err != nil {
		return nil, err
	}
	c := &call{budget: newBudget(ss.config.MaxTokens)}
	out := summaryOut{
		Workspace: view.Workspace.Key, Name: cut(view.Workspace.Name, c.budget.short()), Entities: sum.Entities, Edges: sum.Edges, CurrentEdges: sum.CurrentEdges,
		Observations: sum.Observations, Entries: sum.Entries, Relations: sum.Relations, MostConnected: []connectedCard{},
	}
	out.EntitiesByType, out.EdgesByType = typeCounts(sum.EntitiesByType, &out.Truncated), typeCounts(sum.EdgesByType, &out.Truncated)
	out.EntriesByType = typeCounts(sum.EntriesByType, &out.Truncated)
	for _, m := range sum.MostConnected {
		e := m.Entity
		out.MostConnected = append(out.MostConnected, connectedCard{nearEntity{e.ID, e.TypeKey, cut(e.Name, c.budget.short()/2), cut(given(e.Description), c.budget.short()/2)}, m.Degree})
	}
	return out, nil
}

type entityResource struct {
	*entityOut
	Next string `json:"next,omitempty"` // where the rest is
}

func (ss *session) entity(ctx context.Context, at *url.URL) (any, error) {
	view, err := ss.view(ctx)
	if err != nil {
		return nil, err
	}
	id := strings.TrimPrefix(at.Path, "/entity/")
	c := &call{view: view, budget: newBudget(ss.config.MaxTokens), now: at.Query().Get(cursorArgument)}
	c.about = arguments{}.digest("resource", view.Workspace.ID, view.Caller.Profile.ContactID, id)
	found, err := entity(ctx, c, &entityIn{Entity: reference{knowledge.RefOf(id)}})
	if err != nil {
		return nil, err
	}
	out := entityResource{entityOut: found}
	if found.Cursor != "" {
		out.Next = "mneme://" + url.PathEscape(ss.of.Workspace) + "/entity/" + url.PathEscape(id) + "?" + cursorArgument + "=" + found.Cursor
	}
	return out, nil
}
