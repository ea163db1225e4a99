package bench

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"mneme/ingest"
	"mneme/knowledge"
	"mneme/service"
)

// firstHits is how many hits are asked for: as deep as the deepest measure.
const firstHits = 10

// removeTimeout bounds the removal of what a measurement made, which happens also when
// it was interrupted.
const removeTimeout = 2 * time.Minute

// passageType is the type of the entity that a passage's title names: nothing is known of it.
const passageType = "concept"

// Retriever measures recall on questions whose evidence is known, through the product's
// own import and recall.
type Retriever struct {
	Workspaces *service.Workspaces
	Imports    *service.Imports
	Recall     *service.Recall
	Caller     knowledge.Caller

	// Reuse keeps the workspaces afterwards, and uses those of an earlier measurement of
	// the same data.
	Reuse   bool
	Ranking knowledge.Ranking
	Expand  *bool // nil: as the workspace's feature says
	// Progress, where set, is told how many of a stage's items are done.
	Progress func(stage string, done, total int)
}

// question is one line of a file of questions.
type question struct {
	Conversation json.RawMessage `json:"conversation"`
	Question     string          `json:"question"`
	Category     json.RawMessage `json:"category"`
	Type         string          `json:"type"`
	Evidence     []string        `json:"evidence"`
}

// category is what a question is counted under: a number or a word of its data set.
func (q question) category() string {
	if q.Type != "" {
		return q.Type
	}
	return strings.Trim(string(q.Category), `"`)
}

// LoCoMo measures on conversations: each is a workspace of its own, each turn an entry,
// and each question is asked in its own conversation.
func (r *Retriever) LoCoMo(ctx context.Context, turns, questions io.Reader) (*Retrieval, error) {
	data, err := io.ReadAll(turns)
	if err != nil {
		return nil, fmt.Errorf("read the turns: %w", err)
	}
	conversations, err := byConversation(data)
	if err != nil {
		return nil, err
	}
	asked, err := readQuestions(questions)
	if err != nil {
		return nil, err
	}
	var all []answered
	entries, done := 0, 0
	for _, c := range conversations {
		chat := ingest.NewChat()
		of := slices.DeleteFunc(slices.Clone(asked), func(q question) bool { return string(q.Conversation) != c.id })
		run := measurement{
			name: "locomo " + c.id, data: data, lines: c.lines, questions: of,
			decode:  func(line []byte) (knowledge.EntryDraft, error) { return chat.Decode(line) },
			counted: entries, total: totalLines(conversations), asked: done, questionsInAll: len(asked),
		}
		got, n, err := r.measure(ctx, run)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
		entries, done = entries+n, done+len(of)
	}
	out := score(all)
	out.Entries = entries
	return &out, nil
}

// TwoWiki measures on encyclopedia passages in one workspace: each passage is an entry
// about the entity that its title names, and what else connects them the product finds.
func (r *Retriever) TwoWiki(ctx context.Context, passages, questions io.Reader) (*Retrieval, error) {
	data, err := io.ReadAll(passages)
	if err != nil {
		return nil, fmt.Errorf("read the passages: %w", err)
	}
	asked, err := readQuestions(questions)
	if err != nil {
		return nil, err
	}
	var lines [][]byte
	if err := eachLine(data, func(line []byte) error { lines = append(lines, line); return nil }); err != nil {
		return nil, err
	}
	got, n, err := r.measure(ctx, measurement{
		name: "2wiki", data: data, lines: lines, questions: asked, decode: decodePassage, total: len(lines), questionsInAll: len(asked),
	})
	if err != nil {
		return nil, err
	}
	out := score(got)
	out.Entries = n
	return &out, nil
}

// decodePassage reads a passage as an entry that mentions what its title names.
func decodePassage(line []byte) (knowledge.EntryDraft, error) {
	var p struct{ ID, Title, Text string }
	if err := json.Unmarshal(line, &p); err != nil {
		return knowledge.EntryDraft{}, knowledge.Invalid("", "the line is not a passage {id, title, text}")
	}
	return knowledge.EntryDraft{
		Type: knowledge.EntryFact, Title: p.Title, Content: p.Text, Source: knowledge.SourceFileText, SourceID: p.ID, Confidence: 0.8,
		Mentions: []knowledge.EntityRef{{Name: p.Title, Type: passageType}},
	}, nil
}

// conversation is the lines of one conversation.
type conversation struct {
	id    string
	lines [][]byte
}

func totalLines(all []conversation) int {
	n := 0
	for _, c := range all {
		n += len(c.lines)
	}
	return n
}

// byConversation sorts turns into conversations, in the order of their first turns.
func byConversation(data []byte) ([]conversation, error) {
	var out []conversation
	at := map[string]int{}
	err := eachLine(data, func(line []byte) error {
		var turn struct{ Conversation json.RawMessage }
		if err := json.Unmarshal(line, &turn); err != nil {
			return knowledge.Invalid("--turns", "a line is not a chat turn")
		}
		id := string(turn.Conversation)
		if _, known := at[id]; !known {
			at[id] = len(out)
			out = append(out, conversation{id: id})
		}
		c := &out[at[id]]
		c.lines = append(c.lines, line)
		return nil
	})
	return out, err
}

func readQuestions(in io.Reader) ([]question, error) {
	data, err := io.ReadAll(in)
	if err != nil {
		return nil, fmt.Errorf("read the questions: %w", err)
	}
	var out []question
	err = eachLine(data, func(line []byte) error {
		var q question
		if err := json.Unmarshal(line, &q); err != nil || q.Question == "" {
			return knowledge.Invalid("--questions", "line %d is not a question {question, evidence, …}", len(out)+1)
		}
		out = append(out, q)
		return nil
	})
	return out, err
}

func eachLine(data []byte, use func(line []byte) error) error {
	lines := ingest.NewLines(strings.NewReader(string(data)))
	for lines.Next() {
		line, err := lines.Data()
		if err == nil {
			err = use(slices.Clone(line))
		}
		if err != nil {
			return err
		}
	}
	return lines.Err()
}

// measurement is one workspace's worth of a measurement.
type measurement struct {
	name      string
	data      []byte // the whole file, which tells data sets apart
	lines     [][]byte
	decode    func(line []byte) (knowledge.EntryDraft, error)
	questions []question

	counted, total        int // entries before this one, and in all
	asked, questionsInAll int // questions before this one, and in all
}

// measure imports one workspace, asks its questions and removes it again.
func (r *Retriever) measure(ctx context.Context, m measurement) (_ []answered, entries int, err error) {
	key := "bench-" + strings.Map(keyRune, m.name)
	sum := sha256.Sum256(m.data)
	key += "-" + hex.EncodeToString(sum[:4])
	if !r.Reuse {
		key += fmt.Sprintf("-%x", time.Now().UnixNano())
	}
	ws, err := r.Workspaces.Get(ctx, key)
	if knowledge.IsNotFound(err) {
		ws, err = r.Workspaces.Create(ctx, r.Caller, key, "Measurement: "+m.name)
	}
	if err != nil {
		return nil, 0, err
	}
	to := service.Target{Workspace: key, Caller: r.Caller}
	if !r.Reuse {
		defer func() {
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTimeout)
			defer cancel()
			_, rerr := r.Workspaces.Clear(end, to, service.ClearRequest{Confirm: key})
			err = errors.Join(err, rerr)
		}()
	}
	if err := r.fill(ctx, to, m); err != nil {
		return nil, 0, err
	}
	all, err := r.ask(ctx, ws, m)
	return all, len(m.lines), err
}

// keyRune keeps what a workspace's key may hold.
func keyRune(r rune) rune {
	if r >= '0' && r <= '9' || r >= 'a' && r <= 'z' {
		return r
	}
	if r == ' ' {
		return '-'
	}
	return -1
}

func (r *Retriever) fill(ctx context.Context, to service.Target, m measurement) error {
	var wrong error
	_, err := r.Imports.Run(ctx, to, m.items(), service.ImportOptions{
		CreateMentions: true,
		OnItemError: func(line int, err error) {
			wrong = errors.Join(wrong, fmt.Errorf("%s, line %d: %w", m.name, line, err))
		},
		OnBatch: func(c service.ImportCounts, _ service.ImportItem) {
			r.report("importing", m.counted+c.Read, m.total)
		},
	})
	return errors.Join(err, wrong)
}

func (m measurement) items() iter.Seq[service.ImportItem] {
	return func(yield func(service.ImportItem) bool) {
		for i, line := range m.lines {
			draft, err := m.decode(line)
			item := service.ImportItem{Line: i + 1, Entry: &draft}
			if err != nil {
				item.Entry, item.Err = nil, err
			}
			if !yield(item) {
				return
			}
		}
	}
}

func (r *Retriever) ask(ctx context.Context, ws *knowledge.Workspace, m measurement) ([]answered, error) {
	var out []answered
	for i, q := range m.questions {
		start := time.Now()
		found, err := r.Recall.Recall(ctx, ws, knowledge.RecallQuery{
			Query: q.Question, Scope: knowledge.ScopeRef{OrgWide: true}, Limit: firstHits, Expand: r.Expand, Hops: 1, NeighborBudget: 16,
			Ranking: r.Ranking, Kinds: []knowledge.RecallKind{knowledge.RecallEntry},
		})
		if err != nil {
			return nil, fmt.Errorf("recall %q: %w", q.Question, err)
		}
		a := answered{category: q.category(), evidence: q.Evidence, took: time.Since(start)}
		for _, h := range found.Hits {
			if e := h.Entry(); e != nil && e.SourceID != nil {
				a.found = append(a.found, *e.SourceID)
			}
		}
		out = append(out, a)
		r.report("asking", m.asked+i+1, m.questionsInAll)
	}
	return out, nil
}

func (r *Retriever) report(stage string, done, total int) {
	if r.Progress != nil {
		r.Progress(stage, done, total)
	}
}
