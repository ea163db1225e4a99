package service

import (
	"context"
	"log/slog"
	"time"

	"mneme/knowledge"
)

// TaskStore keeps the tasks that writes belong to.
type TaskStore interface {
	// BeginTask notes a task and whether its prompt carries the opt-out marker, and says
	// whether any of its prompts ever did.
	BeginTask(ctx context.Context, workspaceID, taskID string, noMemory bool, at time.Time) (bool, error)
	// TasksWithoutMemory are those of the tasks whose prompts carry the marker.
	TasksWithoutMemory(ctx context.Context, workspaceID string, taskIDs []string) (map[string]bool, error)
}

// Memory decides what may be written, by a workspace's memory settings and by the opt-out
// marker of texts and tasks (SPEC F). A nil one allows everything.
type Memory struct {
	store      TaskStore
	workspaces WorkspaceFinder
	clock      Clock
	log        *slog.Logger
}

// NewMemory makes the gate that writes pass; a nil log logs nothing.
func NewMemory(store TaskStore, workspaces WorkspaceFinder, clock Clock, log *slog.Logger) *Memory {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Memory{store: store, workspaces: workspaces, clock: clock, log: log}
}

// Begin notes the prompt that a task works under. Where it carries the marker the task's
// writes are refused from then on, whatever it is begun with later.
func (m *Memory) Begin(ctx context.Context, to Target, taskID, prompt string) (*knowledge.TaskBegun, error) {
	ws, err := m.workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	if err := knowledge.CheckID("taskId", taskID); err != nil {
		return nil, err
	}
	if err := knowledge.CheckText("prompt", prompt, knowledge.MaxTextLength); err != nil {
		return nil, err
	}
	noMemory, err := m.store.BeginTask(ctx, ws.ID, taskID, knowledge.HasNoMemory(prompt), m.clock())
	if err != nil {
		return nil, err
	}
	return &knowledge.TaskBegun{TaskID: taskID, NoMemory: noMemory}, nil
}

// memoryWrite is a write that is to be judged: who writes, for which task, and what.
type memoryWrite struct {
	kind       knowledge.WriteKind
	taskID     string
	texts      []string
	properties map[string]any
}

// judge decides on writes by what they say and by their tasks. Where a task cannot be
// looked up explicit writes go on and automatic ones are skipped (SPEC F2, F7).
func (m *Memory) judge(ctx context.Context, ws *knowledge.Workspace, writes []memoryWrite) []knowledge.MemoryVerdict {
	verdicts := make([]knowledge.MemoryVerdict, len(writes))
	if m == nil {
		return verdicts
	}
	var tasks []string
	for _, w := range writes {
		if w.taskID != "" {
			tasks = append(tasks, w.taskID)
		}
	}
	marked, err := m.marked(ctx, ws.ID, tasks)
	if err != nil {
		m.log.WarnContext(ctx, "tasks could not be looked up; automatic writes are skipped", slog.Any("cause", err))
	}
	for i, w := range writes {
		settings := settingsOf(ws)
		if err != nil && w.taskID != "" {
			settings = nil
		}
		optOut := marked[w.taskID] || knowledge.HasNoMemory(w.texts...) || knowledge.PropertiesHaveNoMemory(w.properties)
		verdicts[i] = knowledge.JudgeMemory(w.kind, settings, optOut)
	}
	return verdicts
}

func (m *Memory) marked(ctx context.Context, workspaceID string, tasks []string) (map[string]bool, error) {
	if len(tasks) == 0 {
		return map[string]bool{}, nil
	}
	return m.store.TasksWithoutMemory(ctx, workspaceID, tasks)
}

// settingsOf are the workspace's memory settings; nil where what is stored makes no sense.
func settingsOf(ws *knowledge.Workspace) *knowledge.MemorySettings {
	switch ws.Memory.PrivacyMode {
	case knowledge.PrivacyNormal, knowledge.PrivacyStrict, knowledge.PrivacyDisabled:
		return &ws.Memory
	default:
		return nil
	}
}

// permitted runs those of many drafts that the memory settings let through and gives the
// others their refusal. Atomic: where one is refused none is run.
func permitted[D, R any](ctx context.Context, m *Memory, ws *knowledge.Workspace, drafts []D, atomic bool, write func(D) memoryWrite,
	run func(drafts []D) ([]Outcome[R], error),
) ([]Outcome[R], error) {
	if m == nil || len(drafts) == 0 {
		return run(drafts)
	}
	writes := make([]memoryWrite, len(drafts))
	for i, d := range drafts {
		writes[i] = write(d)
	}
	out := make([]Outcome[R], len(drafts))
	var allowed []D
	var at []int
	for i, v := range m.judge(ctx, ws, writes) {
		if out[i].Err = v.Err(); out[i].Err == nil {
			allowed, at = append(allowed, drafts[i]), append(at, i)
		}
	}
	if len(allowed) == len(drafts) {
		return run(drafts)
	}
	if atomic || len(allowed) == 0 {
		return out, nil
	}
	ran, err := run(allowed)
	for n, o := range ran {
		out[at[n]] = o
	}
	return out, err
}

// permit is the refusal of one write; nil where it may be written.
func (m *Memory) permit(ctx context.Context, ws *knowledge.Workspace, w memoryWrite) error {
	return m.judge(ctx, ws, []memoryWrite{w})[0].Err()
}

func entityWrite(by knowledge.Caller) func(knowledge.EntityDraft) memoryWrite {
	return func(d knowledge.EntityDraft) memoryWrite {
		texts := append([]string{d.Name}, d.Aliases...)
		if d.Description != nil {
			texts = append(texts, *d.Description)
		}
		return memoryWrite{kind: knowledge.WriteKindOf(by.Claim(d.Source)), taskID: d.TaskID, texts: texts, properties: d.Properties}
	}
}

func patchWrite(by knowledge.Caller, p knowledge.EntityPatch) memoryWrite {
	var texts []string
	for _, text := range []*string{p.Name, p.Description} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	if p.Aliases != nil {
		texts = append(texts, *p.Aliases...)
	}
	return memoryWrite{kind: knowledge.WriteKindOf(by.Claim(p.Source)), taskID: p.TaskID, texts: texts, properties: p.Properties}
}

func edgeWrite(by knowledge.Caller) func(knowledge.EdgeDraft) memoryWrite {
	return func(d knowledge.EdgeDraft) memoryWrite {
		return memoryWrite{kind: knowledge.WriteKindOf(by.Claim(d.Source)), taskID: d.TaskID, texts: []string{d.Fact, d.Type}, properties: d.Properties}
	}
}

func observationWrite(by knowledge.Caller) func(knowledge.ObservationDraft) memoryWrite {
	return func(d knowledge.ObservationDraft) memoryWrite {
		return memoryWrite{kind: knowledge.WriteKindOf(by.Claim(d.Source)), taskID: d.TaskID, texts: []string{d.Text}}
	}
}

func entryWrite(by knowledge.Caller) func(knowledge.EntryDraft) memoryWrite {
	return func(d knowledge.EntryDraft) memoryWrite {
		return memoryWrite{kind: knowledge.WriteKindOf(by.Actor), taskID: d.TaskID, texts: append([]string{d.Title, d.Content}, d.Tags...)}
	}
}

func entryPatchWrite(by knowledge.Caller, p knowledge.EntryPatch) memoryWrite {
	var texts []string
	for _, text := range []*string{p.Title, p.Content} {
		if text != nil {
			texts = append(texts, *text)
		}
	}
	if p.Tags != nil {
		texts = append(texts, *p.Tags...)
	}
	return memoryWrite{kind: knowledge.WriteKindOf(by.Actor), texts: texts}
}
