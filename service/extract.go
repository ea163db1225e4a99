package service

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"mneme/knowledge"
)

// decayTimeout bounds how long an extraction waits for the decay that follows it.
const decayTimeout = 5 * time.Second

// ExtractFromText writes the technologies, files and endpoints that patterns find in a
// task's prompt and result, as the automatic writer (SPEC D). Where the memory settings
// or a marker forbid it nothing is written, and the answer says so. One item that cannot
// be written does not stop the others.
func (s *Intake) ExtractFromText(ctx context.Context, to Target, req knowledge.TextExtraction) (*knowledge.TextExtracted, error) {
	ws, err := s.c.Workspaces.Workspace(ctx, to.Workspace)
	if err != nil {
		return nil, err
	}
	for field, text := range map[string]string{"text": req.Text, "prompt": req.Prompt} {
		if err := knowledge.CheckText(field, text, knowledge.MaxTextLength); err != nil {
			return nil, err
		}
	}
	if err := knowledge.CheckText("taskId", req.TaskID, knowledge.MaxIDLength); err != nil {
		return nil, err
	}
	out := &knowledge.TextExtracted{Entities: []*knowledge.EntityUpsert{}}
	if strings.TrimSpace(req.Text) == "" {
		return out, nil
	}
	if out.Skipped = forbidden(to.Caller); out.Skipped != nil {
		return out, nil
	}
	verdict := s.c.Memory.judge(ctx, ws, []memoryWrite{{kind: knowledge.WriteAutomatic, taskID: req.TaskID, texts: []string{req.Prompt, req.Text}}})[0]
	if out.Skipped = skipped(verdict); out.Skipped != nil {
		return out, nil
	}
	drafts := knowledge.ExtractPatterns(req.Prompt+"\n"+req.Text, req.TaskID)
	written, err := s.c.Entities.upsertMany(ctx, ws, auto(to.Caller), drafts, false)
	if err != nil {
		return nil, err
	}
	for i, o := range written {
		if o.Err != nil {
			s.log.WarnContext(ctx, "an extracted entity was not written", slog.String("workspace", ws.ID), slog.String("type", drafts[i].Type), slog.Any("cause", o.Err))
			continue
		}
		out.Entities = append(out.Entities, o.Value)
	}
	s.decay(ctx, ws, len(out.Entities))
	return out, nil
}

// decay lets the decay of entities run where some were written and it is due (SPEC D4). A
// failure is no failure of the extraction.
func (s *Intake) decay(ctx context.Context, ws *knowledge.Workspace, written int) {
	if written == 0 || s.c.Decay == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, decayTimeout)
	defer cancel()
	if err := s.c.Decay(ctx, ws); err != nil {
		s.log.WarnContext(ctx, "entities did not decay after an extraction", slog.String("workspace", ws.ID), slog.Any("cause", err))
	}
}
