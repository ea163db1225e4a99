package service

// Curation joins, separates and erases.
type Curation struct {
	workspaces WorkspaceStore
	entities   *Entities
	duplicates DuplicateStore
}

// CurationConfig is what Curation needs.
type CurationConfig struct {
	Workspaces WorkspaceStore
	Entities   *Entities
	Duplicates DuplicateStore
}

// NewCuration makes the use cases of curation.
func NewCuration(c CurationConfig) *Curation {
	return &Curation{workspaces: c.Workspaces, entities: c.Entities, duplicates: c.Duplicates}
}
