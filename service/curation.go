package service

import (
	"time"

	"mneme/knowledge"
)

// Curation joins, separates and erases.
type Curation struct {
	c CurationConfig
}

// CurationConfig is what Curation needs.
type CurationConfig struct {
	Workspaces WorkspaceStore
	Entities   *Entities
	Duplicates DuplicateStore
	Merges     MergeStore
	Tasks      TaskRemover
	Traces     Eraser
	Changes    ChangeStore
	Audit      *Audit
	Tx         Transactor
	Clock      Clock
	NewID      NewID
}

// NewCuration makes the use cases of curation.
func NewCuration(c CurationConfig) *Curation { return &Curation{c: c} }

// now is the moment of a use case, as it is stored.
func (s *Curation) now() time.Time { return knowledge.Moment(s.c.Clock()) }
