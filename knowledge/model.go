package knowledge

// ModelRole is what a language model is asked for. Each may be another model.
type ModelRole string

// Roles of a language model (SPEC M4, M12, M24).
const (
	ModelExtract ModelRole = "extract"
	ModelLink    ModelRole = "link"
	ModelAsk     ModelRole = "ask"
)

// ModelCall is one question to a language model.
type ModelCall struct {
	Role ModelRole
	// System says what to do and holds nothing that somebody else wrote.
	System string
	// User holds what others wrote, fenced (Fence).
	User string
	// Temperature is from 0, which is the lowest that the provider knows.
	Temperature float64
	// MaxTokens bounds the answer; 0 is the client's default.
	MaxTokens int
	// Shape is what the answer must look like; nil is plain text.
	Shape *ReplyShape
}

// ReplyShape is the JSON that a model is asked for: an object with lists of objects.
type ReplyShape struct {
	Name string
	// Schema is a strict JSON schema, as text.
	Schema string
	// Lists are the object's members. The first is the one that a bare array stands for.
	Lists []ListShape
}

// ListShape is a list of objects in a reply, with the names that models give to it
// and to its fields.
type ListShape struct {
	Key     string
	Aliases []string
	Fields  []FieldShape
	// Optional lists may be missing from a reply that has another one.
	Optional bool
}

// FieldShape is a field of an object in a list.
type FieldShape struct {
	Key     string
	Aliases []string
}

// ReplyLists are the lists of a decoded reply by their keys; an object's fields have
// the keys of the shape, others are dropped.
type ReplyLists map[string][]map[string]any

// ModelReply is what a language model answered.
type ModelReply struct {
	// Text is the answer as it came, without what the model thought aloud.
	Text string
	// Lists is the decoded answer, where a shape was asked for.
	Lists ReplyLists
	// Truncated: the answer was cut, and what was not complete is not in Lists.
	Truncated bool
	Model     string
	Usage     ModelUsage
}

// ModelUsage is what calls to a language model cost.
type ModelUsage struct {
	Calls            int // requests that were sent, repeated ones included
	PromptTokens     int
	CompletionTokens int
}

// Plus is the sum of two usages.
func (u ModelUsage) Plus(v ModelUsage) ModelUsage {
	return ModelUsage{u.Calls + v.Calls, u.PromptTokens + v.PromptTokens, u.CompletionTokens + v.CompletionTokens}
}

// Tokens are those of prompts and answers together.
func (u ModelUsage) Tokens() int { return u.PromptTokens + u.CompletionTokens }

// Counts is the usage as it is shown with a job.
func (u ModelUsage) Counts() []Count {
	return []Count{{"modelCalls", u.Calls}, {"modelPromptTokens", u.PromptTokens}, {"modelCompletionTokens", u.CompletionTokens}}
}

// BadReplyError means that a model answered, but with nothing that could be used,
// also when it was told so. It is never shown to a user as it is: Raw is what the
// model said, and is kept with the item that failed (SPEC T16).
type BadReplyError struct {
	Reason string
	Raw    string
}

// Error implements error. It holds nothing of what the model said.
func (e *BadReplyError) Error() string { return "the model's reply could not be used: " + e.Reason }
