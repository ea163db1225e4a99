package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/knowledge"
	"mneme/service"
)

// session is one profile at work.
type session struct {
	*Server
	of      Session
	profile knowledge.Profile

	mu        sync.Mutex
	contactID string // once it was looked up
}

func (s *Server) newSession(of Session) (*session, error) {
	profile, err := knowledge.Profile{Mode: of.Mode, Channel: of.Channel, ReadOnly: of.ReadOnly}.Checked()
	if err != nil {
		return nil, err
	}
	if of.Workspace == "" {
		of.Workspace = knowledge.DefaultWorkspace
	}
	if err := knowledge.CheckText("workspace", of.Workspace, knowledge.MaxIDLength); err != nil {
		return nil, err
	}
	if err := knowledge.CheckText("contact", of.Contact, knowledge.MaxIDLength); err != nil {
		return nil, err
	}
	return &session{Server: s, of: of, profile: profile}, nil
}

// instructions tell an agent what this is for.
func (ss *session) instructions() string {
	var b strings.Builder
	b.WriteString("Mneme is a memory that lasts: a graph of entities and their dated connections (the kg_ tools), and entries of knowledge " +
		"with what they support, contradict and replace.\n" +
		"Before you answer, look things up: get_context for what the graph knows of a prompt, recall_knowledge for what was learned, kg_search for an entity.\n" +
		"After a turn, keep what will matter later with remember, or one thing at a time with save_knowledge, kg_create_entity, kg_create_edge and kg_add_observation.\n" +
		"When something stops being true, end it with kg_invalidate_edge rather than deleting it; as_of then shows what was true before.\n" +
		"Long lists come in pages: repeat the call with the cursor that the answer gave. Times are RFC 3339, as in 2026-03-01T09:30:00Z.\n")
	fmt.Fprintf(&b, "This session's workspace is %q.", ss.of.Workspace)
	if ss.of.Contact != "" {
		b.WriteString(" It is bound to one contact: what is about others is not there.")
	}
	if err := ss.profile.MayWrite(); err != nil {
		b.WriteString(" It cannot write: " + err.Error() + ".")
	}
	return b.String()
}

// view is what this session sees. Its contact is looked up once, so that nothing that is
// renamed later can take its place.
func (ss *session) view(ctx context.Context) (*service.View, error) {
	services, err := ss.config.Services(ctx)
	if err != nil {
		return nil, err
	}
	caller := knowledge.Caller{Name: "mcp", Actor: knowledge.ActorAgent, Profile: ss.profile}
	view, err := services.View(ctx, ss.of.Workspace, caller)
	if err != nil || ss.of.Contact == "" {
		return view, err
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if ss.contactID == "" {
		contact, err := view.Entity(ctx, "contact", knowledge.RefOf(ss.of.Contact))
		if err != nil {
			return nil, err
		}
		ss.contactID = contact.ID
	}
	caller.Profile.ContactID = ss.contactID
	return services.View(ctx, ss.of.Workspace, caller)
}

// handler answers calls of a tool.
func (ss *session) handler(t *tool) sdk.ToolHandler {
	return func(ctx context.Context, req *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
		result, err := ss.call(ctx, t, req.Params.Arguments)
		if err != nil {
			return errorResult(ss.explain(ctx, err)), nil
		}
		return result, nil
	}
}

func (ss *session) call(ctx context.Context, t *tool, arguments []byte) (result *sdk.CallToolResult, err error) {
	ctx, cancel := context.WithTimeout(ctx, ss.config.Timeout)
	defer cancel()
	defer func() {
		if cause := recover(); cause != nil {
			ss.config.Log.ErrorContext(ctx, "panic", slog.String("tool", t.name), slog.Any("cause", cause), slog.String("stack", string(debug.Stack())))
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	args, err := readArguments(t, arguments)
	if err != nil {
		return nil, err
	}
	view, err := ss.view(ctx)
	if err != nil {
		return nil, err
	}
	c := &call{view: view, tool: t, budget: newBudget(ss.config.MaxTokens), now: args.cursor}
	c.about = args.digest(t.name, view.Workspace.ID, view.Caller.Profile.ContactID)
	answer, err := t.run(ctx, c, args)
	if err != nil {
		return nil, err
	}
	return answerResult(answer, c.budget)
}

// refuseUnlisted tells callers why a tool that there is cannot be used in this session.
func (ss *session) refuseUnlisted(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		call, ok := req.(*sdk.CallToolRequest)
		if !ok || call.Params == nil {
			return next(ctx, method, req)
		}
		for _, t := range ss.tools {
			if t.name != call.Params.Name {
				continue
			}
			if err := t.allowed(ss.profile); err != nil {
				return errorResult(ss.explain(ctx, err)), nil
			}
		}
		return next(ctx, method, req)
	}
}
