package resolvers

import (
	"mneme/graph/model"
	"mneme/graph/scalar"
	"mneme/knowledge"
)

func messageConnection(p *pager, page *knowledge.Page[*knowledge.Message], count scalar.Counter) *model.MessageConnection {
	edges, info := connect(p, page, func(cursor string, m *knowledge.Message) *model.MessageEdge {
		return &model.MessageEdge{Cursor: cursor, Node: m}
	})
	return &model.MessageConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func sourceFileConnection(p *pager, page *knowledge.Page[*knowledge.SourceFile], count scalar.Counter) *model.SourceFileConnection {
	edges, info := connect(p, page, func(cursor string, f *knowledge.SourceFile) *model.SourceFileEdge {
		return &model.SourceFileEdge{Cursor: cursor, Node: f}
	})
	return &model.SourceFileConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func auditConnection(p *pager, page *knowledge.Page[*knowledge.AuditEvent], count scalar.Counter) *model.AuditConnection {
	edges, info := connect(p, page, func(cursor string, e *knowledge.AuditEvent) *model.AuditEdge {
		return &model.AuditEdge{Cursor: cursor, Node: e}
	})
	return &model.AuditConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func jobConnection(p *pager, page *knowledge.Page[*knowledge.Job], count scalar.Counter) *model.JobConnection {
	edges, info := connect(p, page, func(cursor string, j *knowledge.Job) *model.JobEdge {
		return &model.JobEdge{Cursor: cursor, Node: j}
	})
	return &model.JobConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func jobItemConnection(p *pager, page *knowledge.Page[*knowledge.JobItem], count scalar.Counter) *model.JobItemConnection {
	edges, info := connect(p, page, func(cursor string, i *knowledge.JobItem) *model.JobItemEdge {
		return &model.JobItemEdge{Cursor: cursor, Node: i}
	})
	return &model.JobItemConnection{Edges: edges, Nodes: page.Items, PageInfo: info, Counter: count}
}

func jobPayload(j *knowledge.Job, err error) (*model.JobPayload, error) {
	if err != nil {
		return nil, err
	}
	return &model.JobPayload{Job: j}, nil
}
