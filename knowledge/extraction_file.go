package knowledge

// FileExtraction is a file that knowledge is to be extracted from.
type FileExtraction struct {
	FileID    string
	Name      string
	MediaType string
	Title     string
	Summary   string
	ThreadID  string
	Contacts  []EntityRef
	// Force extracts again from what was done before with nothing found (SPEC M8).
	Force bool
	// Data are the file's bytes, in base64.
	Data string
}

// MaxFileData is the largest file that a request may hold, in bytes (SPEC U).
const MaxFileData = 20 << 20

// BackfillRequest says what a backfill reads: the stored messages, or, where a path is
// given, what lies there.
type BackfillRequest struct {
	Path string
}

// AnswerEvent is a part of an answer as it is written; the last one has the checked answer.
type AnswerEvent struct {
	Delta  string
	Answer *Answer
}
