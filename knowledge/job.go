package knowledge

import "time"

// JobKind is what a job does.
type JobKind string

// Kinds of jobs.
const (
	JobExtraction       JobKind = "extraction"
	JobBackfill         JobKind = "backfill"
	JobRelationBackfill JobKind = "relation_backfill"
	JobMailImport       JobKind = "mail_import"
	JobFileImport       JobKind = "file_import"
	JobChatImport       JobKind = "chat_import"
	JobCodeIndex        JobKind = "code_index"
	JobReembed          JobKind = "reembed"
	JobBulkImport       JobKind = "bulk_import"
)

// JobState is how far a job is.
type JobState string

// States of a job; the last three are final.
const (
	JobQueued    JobState = "queued"
	JobRunning   JobState = "running"
	JobSucceeded JobState = "succeeded"
	JobFailed    JobState = "failed"
	JobCancelled JobState = "cancelled"
)

// Final tells whether a job of this state will not change any more.
func (s JobState) Final() bool {
	return s == JobSucceeded || s == JobFailed || s == JobCancelled
}

// Job is long work that is kept in the database, so that it outlives the server.
type Job struct {
	ID          string
	WorkspaceID string
	Kind        JobKind
	State       JobState
	Input       map[string]any // what it works on, by its kind
	Caller      Caller         // on whose behalf it writes
	Local       bool           // only the command that made it works on it
	Total       *int           // items, once they are known
	Scanned     int
	Extracted   int
	Skipped     int
	Errors      int
	LastError   *string
	Counts      []Count
	CreatedAt   time.Time
	StartedAt   *time.Time
	FinishedAt  *time.Time
}

// Text is a text of the job's input; empty where there is none.
func (j *Job) Text(key string) string {
	s, _ := j.Input[key].(string)
	return s
}

// ItemState is what became of one item of a job.
type ItemState string

// States of an item.
const (
	ItemDone    ItemState = "done"
	ItemSkipped ItemState = "skipped"
	ItemFailed  ItemState = "failed"
)

// JobItem is what became of one item of a job: an outcome in one line, a reason for a skip
// or a failure, the raw text of a model's bad reply for a failure.
type JobItem struct {
	Key     string
	State   ItemState
	Outcome *string
	Raw     *string
	At      time.Time
	Counts  map[string]int // what it adds to the job's own counts; not kept with the item
}

// JobReport is how far a job is whose items are not counted one by one.
type JobReport struct {
	Total     int
	Scanned   int
	Extracted int
	Skipped   int
	Counts    map[string]int // absolute
}

// JobClaim is a job in the hands of a worker.
type JobClaim struct {
	JobID string
	Owner string // the worker; no other may write for the job while its lease runs
	Now   time.Time
	Until time.Time
}

// ImportFormat is what can be imported.
type ImportFormat string

// Formats of imports.
const (
	ImportEntries ImportFormat = "entries"
	ImportGraph   ImportFormat = "graph"
	ImportMail    ImportFormat = "mail"
	ImportFiles   ImportFormat = "files"
	ImportChat    ImportFormat = "chat"
)

// LinesOfMessages is the format of JSON lines that a backfill reads; it is no import.
const LinesOfMessages ImportFormat = "messages"

// Job is the kind of job that imports the format; empty for what is no format.
func (f ImportFormat) Job() JobKind {
	switch f {
	case ImportMail:
		return JobMailImport
	case ImportFiles:
		return JobFileImport
	case ImportChat:
		return JobChatImport
	case ImportEntries, ImportGraph:
		return JobBulkImport
	default:
		return ""
	}
}
