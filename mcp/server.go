package mcp

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mneme/knowledge"
	"mneme/service"
)

// Defaults of Config.
const (
	DefaultMaxTokens = 8_000 // SPEC T14
	// MinMaxTokens is the smallest budget that a single item fits into.
	MinMaxTokens   = 2_000
	defaultTimeout = 30 * time.Second // SPEC U
	maxBody        = 4 << 20          // SPEC U
	// maxSessions bounds how many profiles are kept ready for requests over HTTP.
	maxSessions = 1_000
)

// Config is what a Server needs.
type Config struct {
	// Services are the use cases. It may wait for them, and is UNAVAILABLE while they
	// cannot be had.
	Services func(ctx context.Context) (*service.Services, error)
	Version  string
	// MaxTokens is how large an answer may be; 0: DefaultMaxTokens.
	MaxTokens int
	Timeout   time.Duration // of a call, down to the database; 0: 30 s
	Log       *slog.Logger  // nil: nothing is logged
}

// Session says whose a connection is: which workspace it reads and writes, and what its
// profile allows (SPEC F9).
type Session struct {
	Workspace string // key; empty: default
	Mode      knowledge.CallerMode
	Channel   knowledge.CallerChannel
	ReadOnly  bool
	// Contact names the contact to whose knowledge the session is bound, by id, name or
	// mail address; empty: none. It is looked up once.
	Contact string
}

// Server offers the tools and resources. It is safe for concurrent use.
type Server struct {
	config Config
	tools  []*tool

	mu       sync.Mutex
	sessions map[Session]*sdk.Server // over HTTP
}

// New makes a Server.
func New(c Config) *Server {
	if c.MaxTokens == 0 {
		c.MaxTokens = DefaultMaxTokens
	}
	c.MaxTokens = max(c.MaxTokens, MinMaxTokens)
	if c.Timeout == 0 {
		c.Timeout = defaultTimeout
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{config: c, tools: tools(), sessions: map[Session]*sdk.Server{}}
}

// Protocol is the protocol's side of a session, to be connected to a transport.
// INVALID_INPUT names the part of the session that is wrong.
func (s *Server) Protocol(of Session) (*sdk.Server, error) {
	ss, err := s.newSession(of)
	if err != nil {
		return nil, err
	}
	protocol := sdk.NewServer(&sdk.Implementation{Name: "mneme", Title: "Mneme", Version: s.config.Version}, &sdk.ServerOptions{
		Instructions: ss.instructions(), Logger: s.config.Log,
		Capabilities: &sdk.ServerCapabilities{Tools: &sdk.ToolCapabilities{}, Resources: &sdk.ResourceCapabilities{}},
		// What one caller may see is nobody else's to keep.
		SetCacheable: func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	for _, t := range s.tools {
		if t.allowed(ss.profile) == nil {
			protocol.AddTool(t.listed, ss.handler(t))
		}
	}
	protocol.AddReceivingMiddleware(ss.refuseUnlisted)
	if ss.profile.MayRead() == nil {
		ss.addResources(protocol)
	}
	return protocol, nil
}

// Run serves one session over a pair of streams, a message a line, until the client hangs
// up or ctx ends.
func (s *Server) Run(ctx context.Context, of Session, in io.ReadCloser, out io.WriteCloser) error {
	protocol, err := s.Protocol(of)
	if err != nil {
		return err
	}
	return protocol.Run(ctx, &sdk.IOTransport{Reader: in, Writer: out, MaxLineLength: maxBody})
}

// Handler serves sessions over streamable HTTP. Each request stands for itself, so that any
// of several servers can answer it; sessionOf says whose it is. Pages of other origins are
// refused.
func (s *Server) Handler(sessionOf func(*http.Request) (Session, error)) http.Handler {
	streams := sdk.NewStreamableHTTPHandler(func(r *http.Request) *sdk.Server {
		protocol, _ := r.Context().Value(protocolKey{}).(*sdk.Server)
		return protocol
	}, &sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true, Logger: s.config.Log, MaxRequestBodyBytes: maxBody, PropagateRequestCancellation: true})
	return http.NewCrossOriginProtection().Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		of, err := sessionOf(r)
		var protocol *sdk.Server
		if err == nil {
			protocol, err = s.protocolOf(of)
		}
		if err != nil {
			refuse(w, s.explain(r.Context(), err))
			return
		}
		streams.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), protocolKey{}, protocol)))
	}))
}

type protocolKey struct{}

// protocolOf is Protocol, remembered.
func (s *Server) protocolOf(of Session) (*sdk.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.sessions[of]; known != nil {
		return known, nil
	}
	protocol, err := s.Protocol(of)
	if err != nil {
		return nil, err
	}
	if len(s.sessions) >= maxSessions {
		clear(s.sessions)
	}
	s.sessions[of] = protocol
	return protocol, nil
}
