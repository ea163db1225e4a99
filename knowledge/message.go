package knowledge

import "time"

// Message is a stored mail: what was said, by whom, to whom, when, in which conversation.
type Message struct {
	ID             string
	WorkspaceID    string
	MessageID      string // as mail knows it
	ThreadID       string
	Subject        *string
	Text           *string // nil where privacy forbids to keep it
	FromID         *string
	ParticipantIDs []string // who wrote and got it, as far as they are known; the writer first
	SentAt         time.Time
	CreatedAt      time.Time
}

// MessageClaim is a mail that is to be stored under an id.
type MessageClaim struct{ MessageID, ID string }

// ThreadQuestion asks for the conversation of a mail: the stored mails that it answers,
// and the newest one of a subject among some people since a moment; no subject asks for none.
type ThreadQuestion struct {
	Ancestors []string
	Subject   string
	People    []string // ids
	Since     time.Time
}

// ThreadHint is a stored message to whose conversation another may belong.
type ThreadHint struct {
	MessageID string
	ThreadID  string
	SentAt    time.Time
}

// MailImport is what became of a mail. Skipped, where it is set, is the code that says why
// nothing was written; Duplicate says that it was stored before.
type MailImport struct {
	Message   *Message
	Duplicate bool
	Skipped   *string
}

// SourceFile is a file that entries came from.
type SourceFile struct {
	ID          string
	WorkspaceID string
	Path        string // by which an import knows it again
	Name        string
	MediaType   string
	Title       *string
	Summary     *string
	ContentHash string
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// FileText is what a file says.
type FileText struct {
	MediaType string
	Title     string // as the file itself says; empty where it does not
	Sections  []FileSection
}

// FileImport is what became of a file: how many of its chunks are new, were there before,
// and went.
type FileImport struct {
	File      *SourceFile
	Created   int
	Kept      int
	Removed   int
	Unchanged bool
	Skipped   *string
}

// MailItem is one mail of a folder or a mailbox file, or the error that it cannot be read with.
type MailItem struct {
	Key  string // by which an import knows it again
	Mail *Mail
	Err  error
}

// FileItem is one file of a folder.
type FileItem struct {
	Path string // by which an import knows it again
	Name string // below what is imported
}

// LineItem is one line of a file of JSON lines: exactly one of Entry, Entity, Edge,
// Message and Err is set.
type LineItem struct {
	Line    int
	Entry   *EntryDraft
	Entity  *EntityDraft
	Edge    *EdgeDraft
	Message *MessageExtraction
	Err     error
}
