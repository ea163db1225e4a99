package service

import (
	"context"
	"iter"
	"slices"
	"time"

	"mneme/knowledge"
)

// Sizes of the batches of an import: of the graph as large as the database likes them, of
// entries, which are embedded too, as many as are written within importPace, so that
// progress shows and an interruption loses little on a slow machine as well.
const (
	importedItems      = 1_000
	importedEntries    = 512
	importedEntriesMin = 64
	importPace         = 3 * time.Second
)

// Imports writes what files hold, batch by batch. What a batch wrote is there to stay,
// and writing it again changes nothing, so an import that was cut off is run again.
type Imports struct {
	workspaces *Workspaces
	entities   *Entities
	edges      *Edges
	entries    *Entries
	tx         Transactor
}

// ImportsConfig is what Imports needs.
type ImportsConfig struct {
	Workspaces *Workspaces
	Entities   *Entities
	Edges      *Edges
	Entries    *Entries
	Tx         Transactor
}

// NewImports makes the use cases of imports.
func NewImports(c ImportsConfig) *Imports {
	return &Imports{workspaces: c.Workspaces, entities: c.Entities, edges: c.Edges, entries: c.Entries, tx: c.Tx}
}

// ImportItem is one line of a file: exactly one of Entry, Entity, Edge and Err is set.
type ImportItem struct {
	Line   int
	Offset int64 // bytes of the file up to the end of the line
	Entry  *knowledge.EntryDraft
	Entity *knowledge.EntityDraft
	Edge   *knowledge.EdgeDraft
	Err    error // why the line holds none of them
}

// ImportCounts are the items of an import by what became of them.
type ImportCounts struct {
	Read    int `json:"read"`
	Created int `json:"created"`
	Matched int `json:"matched"` // were there already
	Failed  int `json:"failed"`
}

// ImportOptions say how an import is done and who is told.
type ImportOptions struct {
	// CreateMentions makes the entities that entries mention by name and type where
	// there are none, as an automatic writer.
	CreateMentions bool
	// OnItemError, where set, is told of each item that failed.
	OnItemError func(line int, err error)
	// OnBatch, where set, is told after each batch of what is written so far: every
	// item up to the one given.
	OnBatch func(counts ImportCounts, last ImportItem)
}

// Run writes items in their order. An item that is wrong is reported and counted and
// does not stop the others; an error is returned where writing itself failed, with the
// counts up to there.
func (s *Imports) Run(ctx context.Context, to Target, items iter.Seq[ImportItem], o ImportOptions) (ImportCounts, error) {
	ws, err := s.workspaces.Get(ctx, to.Workspace)
	if err != nil {
		return ImportCounts{}, err
	}
	r := &importRun{Imports: s, to: to, workspaceID: ws.ID, options: o, size: importedEntriesMin, known: map[knowledge.EntityRef]string{}}
	for item := range items {
		if len(r.batch) > 0 && (r.full() || r.batch[0].kind() != item.kind() && item.Err == nil) {
			if err := r.flush(ctx); err != nil {
				return r.counts, err
			}
		}
		if item.Err != nil {
			r.fail(item.Line, item.Err)
			r.last = item
			continue
		}
		r.batch = append(r.batch, item)
	}
	err = r.flush(ctx)
	return r.counts, err
}

type itemKind int

const (
	kindEntry itemKind = iota
	kindEntity
	kindEdge
)

func (i ImportItem) kind() itemKind {
	switch {
	case i.Entity != nil:
		return kindEntity
	case i.Edge != nil:
		return kindEdge
	default:
		return kindEntry
	}
}

// importRun is one import under way.
type importRun struct {
	*Imports
	to          Target
	workspaceID string
	options     ImportOptions
	counts      ImportCounts
	last        ImportItem
	batch       []ImportItem                   // items of one kind
	size        int                            // how many entries go into a batch
	known       map[knowledge.EntityRef]string // ids of mentions that are there for sure
}

func (r *importRun) full() bool {
	if r.batch[0].kind() == kindEntry {
		return len(r.batch) >= r.size
	}
	return len(r.batch) >= importedItems
}

func (r *importRun) fail(line int, err error) {
	r.counts.Read++
	r.counts.Failed++
	if r.options.OnItemError != nil {
		r.options.OnItemError(line, err)
	}
}

func (r *importRun) flush(ctx context.Context) error {
	if len(r.batch) > 0 {
		start := time.Now()
		if err := r.write(ctx); err != nil {
			return err
		}
		r.keepPace(time.Since(start))
		if last := r.batch[len(r.batch)-1]; last.Line > r.last.Line {
			r.last = last
		}
		r.batch = r.batch[:0]
	}
	if r.options.OnBatch != nil {
		r.options.OnBatch(r.counts, r.last)
	}
	return nil
}

// keepPace makes batches larger while they are quick, and smaller when they are slow.
func (r *importRun) keepPace(took time.Duration) {
	switch {
	case took < importPace/2:
		r.size = min(2*r.size, importedEntries)
	case took > 2*importPace:
		r.size = max(r.size/2, importedEntriesMin)
	}
}

func (r *importRun) write(ctx context.Context) error {
	switch r.batch[0].kind() {
	case kindEntity:
		drafts := draftsOf(r.batch, func(i ImportItem) *knowledge.EntityDraft { return i.Entity })
		out, err := r.entities.UpsertMany(ctx, r.to, drafts, false)
		return tally(r, out, err, func(u *knowledge.EntityUpsert) bool { return u.Created })
	case kindEdge:
		drafts := draftsOf(r.batch, func(i ImportItem) *knowledge.EdgeDraft { return i.Edge })
		out, err := r.edges.AssertMany(ctx, r.to, drafts, false)
		return tally(r, out, err, func(a *knowledge.EdgeAssert) bool { return a.Created })
	default:
		drafts := draftsOf(r.batch, func(i ImportItem) *knowledge.EntryDraft { return i.Entry })
		if r.options.CreateMentions {
			if err := r.createMentions(ctx, drafts); err != nil {
				return err
			}
		}
		out, err := r.entries.CreateMany(ctx, r.to, drafts, false)
		return tally(r, out, err, func(s *knowledge.EntrySave) bool { return s.Created })
	}
}

func draftsOf[T any](batch []ImportItem, draft func(ImportItem) *T) []T {
	out := make([]T, len(batch))
	for i, item := range batch {
		out[i] = *draft(item)
	}
	return out
}

// tally counts what became of a batch.
func tally[T any](r *importRun, out []Outcome[T], err error, created func(T) bool) error {
	if err != nil {
		return err
	}
	for i, o := range out {
		switch {
		case o.Err != nil:
			r.fail(r.batch[i].Line, o.Err)
			continue
		case created(o.Value):
			r.counts.Created++
		default:
			r.counts.Matched++
		}
		r.counts.Read++
	}
	return nil
}

// createMentions makes the entities that drafts mention by name and type, where there
// are none, and puts the ids into the drafts. A name that several entities have, or that
// is no name, is left for its entry to fail on.
func (r *importRun) createMentions(ctx context.Context, drafts []knowledge.EntryDraft) error {
	if err := r.knowMentions(ctx, unknownMentions(drafts, r.known)); err != nil {
		return err
	}
	for i := range drafts {
		mentions := slices.Clone(drafts[i].Mentions)
		for j, ref := range mentions {
			if id := r.known[ref]; id != "" {
				mentions[j] = knowledge.EntityRef{ID: id}
			}
		}
		drafts[i].Mentions = mentions
	}
	return nil
}

// unknownMentions are the distinct mentions by name and type whose ids are not known yet.
func unknownMentions(drafts []knowledge.EntryDraft, known map[knowledge.EntityRef]string) []knowledge.EntityRef {
	var out []knowledge.EntityRef
	for _, d := range drafts {
		for _, ref := range d.Mentions {
			if ref.Name != "" && ref.Type != "" && known[ref] == "" && !slices.Contains(out, ref) {
				out = append(out, ref)
			}
		}
	}
	return out
}

func (r *importRun) knowMentions(ctx context.Context, refs []knowledge.EntityRef) error {
	if len(refs) == 0 {
		return nil
	}
	found, err := r.entities.store.EntitiesByRef(ctx, r.workspaceID, refs)
	if err != nil {
		return err
	}
	var missing []knowledge.EntityDraft
	var missingRefs []knowledge.EntityRef
	for i, ref := range refs {
		switch len(found[i]) {
		case 0:
			missing = append(missing, knowledge.EntityDraft{Name: ref.Name, Type: ref.Type, Source: knowledge.ActorAuto})
			missingRefs = append(missingRefs, ref)
		case 1:
			r.known[ref] = found[i][0].ID
		}
	}
	if len(missing) == 0 {
		return nil
	}
	made, err := r.entities.UpsertMany(ctx, r.to, missing, false)
	if err != nil {
		return err
	}
	for i, m := range made {
		if m.Err == nil {
			r.known[missingRefs[i]] = m.Value.Entity.ID
		}
	}
	return nil
}
