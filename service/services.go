package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// Store is all that the use cases keep. Each use case asks for its own part of it only.
type Store interface {
	Transactor
	WorkspaceStore
	WorkspaceContents
	TypeStore
	AuditStore
	EntityStore
	EntityLister
	FactSupports
	ContactEntries
	EdgeStore
	EdgeLister
	ObservationStore
	Walker
	DuplicateStore
	MergeStore
	TaskRemover
	Eraser
	ChangeStore
	EntryStore
	EntryLister
	RelationStore
	Searcher
	FactSearcher
	Expander
	VectorStore
	AccessStore
	NameStore
	GraphReader
	NodeStore
	IdempotencyStore
	TaskStore
	EventStore
	MessageStore
	FileStore
	JobStore
	ExtractionStore
	LinkStore
	MessageQueue
	UpkeepStore
	DecayStore
	ExportStore
	RestoreStore
	DedupStore
	CleanupStore
	LinkUpkeepStore
	ReembedStore
	CodeReader
	CodeLinks
	CodeWalker
	CodeWriter
	CodeExporter
}

// Services are the use cases, which every front door shares.
type Services struct {
	Workspaces   *Workspaces
	Types        *Types
	Entities     *Entities
	Edges        *Edges
	Observations *Observations
	Entries      *Entries
	Recall       *Recall
	Navigation   *Navigation
	Curation     *Curation
	Loading      *Loading
	Nodes        *Nodes
	Imports      *Imports
	Exports      *Exports
	GraphEdits   *GraphEdits
	Memory       *Memory
	Intake       *Intake
	Messages     *Messages
	Files        *Files
	Jobs         *Jobs
	Extraction   *Extraction
	Linker       *Linker
	Ask          *Ask
	Briefings    *Briefings
	Contexts     *Contexts
	Backfill     *Backfill
	Upkeep       *Upkeep
	Remember     *Remember
	Expansions   *Expansions
	Embeddings   *Embeddings
	Marks        *AccessMarks
	Idempotency  *Idempotency
	Audit        *Audit
	Code         *Code
}

// Config is what the use cases are built from.
type Config struct {
	Store Store
	// Embeddings says how entries get their vectors. Its Store, Clock and Log are set here.
	Embeddings EmbeddingsConfig
	// Model is the language model; nil: none is configured.
	Model LanguageModel
	// BackfillPause is how long a backfill rests after a message and after a batch; 0: as SPEC M16 says.
	BackfillPause time.Duration
	// Features tells a workspace's effective switches; nil is no workspace in particular.
	Features func(*knowledge.Workspace) []knowledge.Feature
	Clock    Clock
	NewID    NewID
	Log      *slog.Logger // nil: none
	// Mail, Documents and Lines read what jobs import; nil: jobs of their kinds cannot be started.
	Mail      MailReader
	Documents FileReader
	Lines     LineReader
	// ResolvePath is the real path that a caller's path means; nil: callers may name none.
	ResolvePath func(path string) (string, error)
	// Upkeep says how maintenance runs. Its ports, Clock, NewID and Log are set here.
	Upkeep UpkeepConfig
	// ScanCode reads folders of source; nil: nothing can be indexed. ResolveCode is the real path that a caller's
	// path means; nil: callers may name none.
	ScanCode    CodeScanner
	ResolveCode func(path string) (string, error)
	// JobLease is how long a worker that says nothing keeps a job; 0: 30 seconds.
	JobLease time.Duration
	// JobChunk is how many items a job takes in hand together; 0: 50.
	JobChunk int
}

// works are the kinds of jobs that can be worked on.
func (s *Services) works(c Config) map[knowledge.JobKind]JobWork {
	works := map[knowledge.JobKind]JobWork{
		knowledge.JobExtraction: s.Backfill.Extract, knowledge.JobBackfill: s.Backfill.Messages, knowledge.JobRelationBackfill: s.Backfill.Relations,
	}
	if c.ScanCode != nil {
		works[knowledge.JobCodeIndex] = s.Code.Work
	}
	if c.Mail != nil {
		works[knowledge.JobMailImport] = s.Backfill.followed(s.Intake.MailImport(c.Mail), ofMail)
	}
	if c.Documents != nil {
		works[knowledge.JobFileImport] = s.Backfill.followed(s.Intake.FileImport(c.Documents), ofFiles)
	}
	if c.Lines != nil {
		works[knowledge.JobBulkImport] = s.Imports.LineImport(c.Lines)
		works[knowledge.JobChatImport] = works[knowledge.JobBulkImport]
		if exports, ok := c.Lines.(ExportReader); ok {
			works[knowledge.JobBulkImport] = s.Exports.JobImport(exports, works[knowledge.JobBulkImport])
		}
	}
	return works
}

// New builds all use cases over one store.
func New(c Config) *Services {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	st := c.Store
	s := &Services{Marks: NewAccessMarks(st, c.Log), Audit: NewAudit(st, c.Clock, c.NewID), Idempotency: NewIdempotency(st, c.Clock, c.NewID)}
	s.Memory = NewMemory(st, st, c.Clock, c.Log)
	s.Types = NewTypes(st, st, st, c.Clock, c.NewID)
	s.Workspaces = NewWorkspaces(WorkspacesConfig{Store: st, Contents: st, Types: s.Types, Audit: s.Audit, Clock: c.Clock, NewID: c.NewID, Features: c.Features, Switched: s.switched})
	s.Entities = NewEntities(EntitiesConfig{
		Store: st, Lists: st, Supports: st, Workspaces: st, Types: s.Types, Tx: st, Contacts: st, Memory: s.Memory, Clock: c.Clock, NewID: c.NewID,
	})
	s.Edges = NewEdges(EdgesConfig{
		Store: st, Lists: st, Supports: st, Entities: s.Entities, Types: st, Workspaces: st, Observations: st, Entries: st, Tx: st, Memory: s.Memory,
		Clock: c.Clock, NewID: c.NewID,
	})
	s.Observations = NewObservations(ObservationsConfig{
		Store: st, Supports: st, Entities: s.Entities, Workspaces: st, Tx: st, Memory: s.Memory, Clock: c.Clock, NewID: c.NewID,
	})
	s.Navigation = NewNavigation(st, s.Entities, c.Clock)
	s.Code = NewCode(CodeConfig{
		Reader: st, Links: st, Walker: st, Writer: st, Stored: st, Workspaces: st, Entities: s.Entities, Tx: st, Features: c.Features, Scan: c.ScanCode, Resolve: c.ResolveCode,
		Jobs: func() *Jobs { return s.Jobs }, Clock: c.Clock, NewID: c.NewID, Log: c.Log, Lease: c.JobLease,
	})
	s.knowledgeLayer(c)
	s.Curation = NewCuration(CurationConfig{
		Workspaces: st, Entities: s.Entities, Duplicates: st, Merges: st, Tasks: st, Traces: st, Changes: st, Audit: s.Audit, Tx: st, Clock: c.Clock, NewID: c.NewID,
	})
	s.Loading = NewLoading(s.Entities, s.Edges, s.Observations, s.Entries, st)
	s.Intake = NewIntake(IntakeConfig{
		Events: st, Messages: st, Files: st, Supports: st, Workspaces: st, Entries: s.Entries, Entities: s.Entities, Edges: s.Edges, Observations: s.Observations,
		Memory: s.Memory, Tx: st, Clock: c.Clock, NewID: c.NewID, Log: c.Log,
		Decay: func(ctx context.Context, ws *knowledge.Workspace) error {
			_, err := s.Upkeep.run(ctx, ws, MaintenanceCall{Task: knowledge.TaskEntityDecay}, nil)
			return err
		},
	})
	s.Messages, s.Files = NewMessages(st, s.Entities, s.Entries), NewFiles(st, s.Entries)
	s.modelLayer(c)
	s.Imports = NewImports(ImportsConfig{Workspaces: s.Workspaces, Entities: s.Entities, Edges: s.Edges, Entries: s.Entries, Tx: st})
	s.GraphEdits = NewGraphEdits(s.Entities, s.Edges, st)
	s.Exports = NewExports(ExportsConfig{Store: st, Restore: st, Workspaces: s.Workspaces, Services: s, Tx: st, Model: s.Embeddings.Model(), Clock: c.Clock})
	s.Jobs = NewJobs(JobsConfig{
		Store: st, Workspaces: st, Audit: s.Audit, Work: s.works(c), Clock: c.Clock, NewID: c.NewID, Log: c.Log, Resolve: c.ResolvePath, Lease: c.JobLease, Chunk: c.JobChunk,
	})
	s.upkeep(c)
	s.Nodes = NewNodes(st, s)
	return s
}

func (s *Services) knowledgeLayer(c Config) {
	st := c.Store
	c.Embeddings.Store, c.Embeddings.Clock, c.Embeddings.Log = st, c.Clock, c.Log
	s.Embeddings = NewEmbeddings(c.Embeddings)
	search, mentions := NewEntrySearch(st), NewMentionFinder(st)
	s.Expansions = NewExpansions(ExpansionsConfig{Graph: st, Symbols: s.Code, Features: c.Features, Clock: c.Clock, Log: c.Log})
	s.Entries = NewEntries(EntriesConfig{
		Store: st, Lists: st, Relations: st, Supports: st, Workspaces: st, Entities: s.Entities,
		Embeddings: s.Embeddings, Mentions: mentions, Search: search, Expansions: s.Expansions, Tx: st, Memory: s.Memory, Features: c.Features, Clock: c.Clock, NewID: c.NewID, Log: c.Log,
	})
	s.Recall = NewRecall(RecallConfig{
		Search: search, Entries: st, Entities: s.Entities, Mentions: mentions, Expander: st, Expansions: s.Expansions, Facts: st, Edges: s.Edges, Observations: s.Observations, Embeddings: s.Embeddings, Marks: s.Marks, Features: c.Features, Clock: c.Clock, Log: c.Log,
	})
}

// upkeep is what keeps workspaces true as they age.
func (s *Services) upkeep(c Config) {
	st := c.Store
	u := c.Upkeep
	u.Store, u.Workspaces, u.Audit, u.Clock, u.NewID, u.Log = st, st, s.Audit, c.Clock, c.NewID, c.Log
	if u.Tx == nil {
		u.Tx = st
	}
	s.Upkeep = NewUpkeep(u)
	s.Upkeep.AddDecay(st, s.Idempotency, knowledge.EntityDecayPolicy{})
	s.Upkeep.AddDedup(st, s.Embeddings.Model)
	s.Upkeep.AddCleanup(st, s.Curation)
	s.Upkeep.AddLinks(st, s.Embeddings.Model, c.Features)
	s.Upkeep.AddReembed(st, s.Embeddings)
}

// switched is what follows when a feature was switched on.
func (s *Services) switched(ctx context.Context, to Target, ws *knowledge.Workspace, name knowledge.FeatureName) error {
	return s.Backfill.Switched(ctx, to, ws, name)
}

// modelLayer is what works with a language model, or in place of one.
func (s *Services) modelLayer(c Config) {
	st := c.Store
	s.Linker = NewLinker(LinkerConfig{
		Model: c.Model, Store: st, Entries: s.Entries, Search: s.Entries.search, Tx: st, Features: c.Features, Clock: c.Clock, NewID: c.NewID, Log: c.Log,
	})
	s.Remember = NewRemember(RememberConfig{
		Entries: s.Entries, Entities: s.Entities, Linker: s.Linker, Workspaces: st, Memory: s.Memory, Tx: st, Features: c.Features,
		Follow: func(ctx context.Context, to Target, ws *knowledge.Workspace, d knowledge.RememberDraft, out *knowledge.Remembered) (*knowledge.Job, error) {
			return s.Backfill.FollowRemembered(ctx, to, ws, d, out)
		},
	})
	s.Extraction = NewExtraction(ExtractionConfig{
		Model: c.Model, Claims: st, Workspaces: st, Entries: s.Entries, Entities: s.Entities, Linker: s.Linker, Memory: s.Memory,
		Graph: s.Entities, Edges: s.Edges, Files: st, Documents: c.Documents, Tx: st, Features: c.Features, Clock: c.Clock, NewID: c.NewID, Log: c.Log,
	})
	s.Backfill = NewBackfill(BackfillConfig{
		Extraction: s.Extraction, Linker: s.Linker, Entries: s.Entries, Entities: s.Entities, Messages: st, Workspaces: st, Jobs: func() *Jobs { return s.Jobs },
		Intake: s.Intake, Mail: c.Mail, Lines: c.Lines, Resolve: c.ResolvePath, Files: st,
		Audit: s.Audit, Features: c.Features, Log: c.Log, MessagePause: c.BackfillPause, BatchPause: c.BackfillPause,
	})
	files := NewFileFinder(s.Recall, s.Files).Find
	s.Ask = NewAsk(AskConfig{Model: c.Model, Recall: s.Recall, Navigation: s.Navigation, Expansions: s.Expansions, Files: files, Features: c.Features, Log: c.Log})
	s.Contexts = NewContexts(s.Entities, s.Edges, c.Features)
	s.Briefings = NewBriefings(BriefingsConfig{
		Recall: s.Recall, Entries: s.Entries, Entities: s.Entities, Observations: s.Observations, Files: files, Features: c.Features,
		History: s.Messages.History, Context: s.Contexts.Text,
	})
}
