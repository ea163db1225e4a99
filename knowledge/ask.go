package knowledge

// AskQuery is a question that is to be answered from what a workspace knows.
type AskQuery struct {
	Question       string
	Scope          ScopeRef
	Types          []EntryType
	KnowledgeLimit int
	FileLimit      int
	At             TimePoint
}

// Checked is the query with its limits checked; its errors name the fields of the input.
func (q AskQuery) Checked() (AskQuery, error) {
	if err := q.Scope.Check("scope"); err != nil {
		return q, err
	}
	if err := CheckText("question", q.Question, MaxTextLength); err != nil {
		return q, err
	}
	for _, limit := range []struct {
		field string
		n     int
	}{{"knowledgeLimit", q.KnowledgeLimit}, {"fileLimit", q.FileLimit}} {
		if limit.n < 0 || limit.n > MaxAskSources {
			return q, Invalid(limit.field, "must be from 0 to %d", MaxAskSources)
		}
	}
	return q, nil
}

// Answer is what a question got.
type Answer struct {
	Text string
	// Citations are those of the text, checked; Sources all that the model was given.
	Citations []*Citation
	Sources   []*Citation
	// Grounded: every sentence of the text cites a source.
	Grounded bool
	// DroppedCitations is how many markers of the model named no source, and were taken out.
	DroppedCitations int
	// Path is how two things relate, where that was asked for and there is a way.
	Path *Path
	// Model is the model that answered; nil where none did.
	Model *string
	Usage ModelUsage
}

// Citation is a numbered source with the passage that counts. Exactly one of entry and file is set.
type Citation struct {
	Number int
	Entry  *Entry
	File   *SourceFile
	Quote  string
}

// BriefingRequest asks for what an agent should know before it answers a message.
type BriefingRequest struct {
	Subject        string
	Message        string
	ThreadID       string
	Scope          ScopeRef
	MaxTokens      int
	KnowledgeLimit int
	FileLimit      int
	ActivityLimit  int
	At             TimePoint
}

// Checked is the request with its limits checked; its errors name the fields of the input.
func (r BriefingRequest) Checked() (BriefingRequest, error) {
	if err := r.Scope.Check("scope"); err != nil {
		return r, err
	}
	for _, text := range []struct {
		field, value string
		limit        int
	}{{"subject", r.Subject, MaxNameLength}, {"message", r.Message, MaxTextLength}, {"threadId", r.ThreadID, MaxIDLength}} {
		if err := CheckText(text.field, text.value, text.limit); err != nil {
			return r, err
		}
	}
	for _, limit := range []struct {
		field       string
		n, from, to int
	}{
		{"maxTokens", r.MaxTokens, MinBriefingTokens, MaxBriefingTokens},
		{"knowledgeLimit", r.KnowledgeLimit, 0, MaxRecallLimit},
		{"fileLimit", r.FileLimit, 0, MaxAskSources},
		{"activityLimit", r.ActivityLimit, 0, MaxPage},
	} {
		if limit.n < limit.from || limit.n > limit.to {
			return r, Invalid(limit.field, "must be from %d to %d", limit.from, limit.to)
		}
	}
	return r, nil
}
