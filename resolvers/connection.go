package resolvers

import (
	"mneme/graph/model"
	"mneme/graph/scalar"
	"mneme/knowledge"
	"mneme/service"
)

func workspaceConnection(p *pager, page *knowledge.Page[*knowledge.Workspace], count scalar.Counter) *model.WorkspaceConnection {
	edges, info := connect(p, page, func(cursor string, w *knowledge.Workspace) *model.WorkspaceEdge {
		return &model.WorkspaceEdge{Cursor: cursor, Node: w}
	})
	return &model.WorkspaceConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func entityConnection(p *pager, page *knowledge.Page[*knowledge.Entity], count scalar.Counter) *model.EntityConnection {
	edges, info := connect(p, page, func(cursor string, e *knowledge.Entity) *model.EntityEdge {
		return &model.EntityEdge{Cursor: cursor, Node: e}
	})
	return &model.EntityConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func entitySearchConnection(p *pager, page *knowledge.Page[knowledge.ScoredEntity], count scalar.Counter) *model.EntitySearchConnection {
	edges, info := connect(p, page, func(cursor string, s knowledge.ScoredEntity) *model.EntitySearchEdge {
		return &model.EntitySearchEdge{Cursor: cursor, Node: s.Entity, Score: s.Score}
	})
	nodes := make([]*knowledge.Entity, len(page.Items))
	for i, s := range page.Items {
		nodes[i] = s.Entity
	}
	return &model.EntitySearchConnection{Edges: edges, Nodes: nodes, PageInfo: info, Counter: count}
}

func edgeConnection(p *pager, page *knowledge.Page[*knowledge.Edge], count scalar.Counter) *model.EdgeConnection {
	edges, info := connect(p, page, func(cursor string, e *knowledge.Edge) *model.EdgeConnectionEdge {
		return &model.EdgeConnectionEdge{Cursor: cursor, Node: e}
	})
	return &model.EdgeConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func observationConnection(p *pager, page *knowledge.Page[*knowledge.Observation], count scalar.Counter) *model.ObservationConnection {
	edges, info := connect(p, page, func(cursor string, o *knowledge.Observation) *model.ObservationEdge {
		return &model.ObservationEdge{Cursor: cursor, Node: o}
	})
	return &model.ObservationConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func entryConnection(p *pager, page *knowledge.Page[*knowledge.Entry], count scalar.Counter) *model.EntryConnection {
	edges, info := connect(p, page, func(cursor string, e *knowledge.Entry) *model.EntryEdge {
		return &model.EntryEdge{Cursor: cursor, Node: e}
	})
	return &model.EntryConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func entrySearchConnection(p *pager, page *knowledge.Page[service.ScoredEntry], count scalar.Counter) *model.EntrySearchConnection {
	edges, info := connect(p, page, func(cursor string, s service.ScoredEntry) *model.EntrySearchEdge {
		return &model.EntrySearchEdge{Cursor: cursor, Node: s.Entry, Score: s.Score}
	})
	nodes := make([]*knowledge.Entry, len(page.Items))
	for i, s := range page.Items {
		nodes[i] = s.Entry
	}
	return &model.EntrySearchConnection{Edges: edges, Nodes: nodes, PageInfo: info, Counter: count}
}

func relationConnection(p *pager, page *knowledge.Page[*knowledge.Relation], count scalar.Counter) *model.RelationConnection {
	edges, info := connect(p, page, func(cursor string, r *knowledge.Relation) *model.RelationEdge {
		return &model.RelationEdge{Cursor: cursor, Node: r}
	})
	return &model.RelationConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func duplicateConnection(p *pager, page *knowledge.Page[*knowledge.Duplicate]) *model.DuplicateConnection {
	edges, info := connect(p, page, func(cursor string, d *knowledge.Duplicate) *model.DuplicateEdge {
		return &model.DuplicateEdge{Cursor: cursor, Node: d}
	})
	return &model.DuplicateConnection{Edges: edges, Nodes: page.Items, PageInfo: info}
}

func changeConnection(p *pager, page *knowledge.Page[*knowledge.Change]) *model.ChangeConnection {
	edges, info := connect(p, page, func(cursor string, c *knowledge.Change) *model.ChangeEdge {
		return &model.ChangeEdge{Cursor: cursor, Node: c}
	})
	return &model.ChangeConnection{Edges: edges, Nodes: page.Items, PageInfo: info}
}
