package knowledge

// TaskBegun is a task that an agent works on. NoMemory: a prompt of it carries the opt-out
// marker, so that its writes are refused.
type TaskBegun struct {
	TaskID   string
	NoMemory bool
}

// TextExtraction asks for what patterns find in a task's result, and in its prompt.
type TextExtraction struct {
	Text   string
	TaskID string
	Prompt string
}

// TextExtracted is what patterns found. Skipped, where it is set, is the code that says
// why nothing was written.
type TextExtracted struct {
	Entities []*EntityUpsert
	Skipped  *string
}

// MailboxIngest is what became of a mailbox event. Duplicate: it was delivered before, and
// nothing was written. Skipped, where it is set, is the code that says why nothing was.
type MailboxIngest struct {
	Person       *Entity
	Organization *Entity
	Project      *Entity
	Observations []*Observation
	Duplicate    bool
	Skipped      *string
}

// EventClaim is a mailbox event that was taken in, with what it gave.
type EventClaim struct {
	First          bool // this call was the first to claim it
	PersonID       string
	OrganizationID string
	ProjectID      string
	ObservationIDs []string
}
