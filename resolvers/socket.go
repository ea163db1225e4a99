package resolvers

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/99designs/gqlgen/graphql"
	"github.com/gorilla/websocket"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// The protocol of GraphQL over WebSocket (graphql-transport-ws). gqlgen's own transport
// closes with other codes and completes operations that it has refused.
const (
	socketProtocol = "graphql-transport-ws"

	closeBadRequest     = 4400
	closeUnauthorized   = 4401
	closeProtocol       = 4406
	closeInitTimeout    = 4408
	closeDuplicate      = 4409
	closeInitialised    = 4429
	socketInitTime      = 10 * time.Second
	socketWriteTime     = 10 * time.Second
	socketPing          = 20 * time.Second
	socketSilence       = 3 * socketPing
	maxSocketOperations = 64
)

func isSocket(r *http.Request) bool { return websocket.IsWebSocketUpgrade(r) }

// socket is one connection with its operations.
type socket struct {
	transport
	conn *websocket.Conn

	write sync.Mutex
	mu    sync.Mutex
	ops   map[string]*operation
	group sync.WaitGroup
}

// operation is one that runs, and how it is stopped.
type operation struct{ stop context.CancelFunc }

// socketMessage is a message of the protocol, either way.
type socketMessage struct {
	ID      string          `json:"id,omitempty"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload,omitempty"`
}

// socket serves one connection until either side ends it.
func (t transport) socket(w http.ResponseWriter, r *http.Request) {
	upgrader := websocket.Upgrader{
		HandshakeTimeout: socketInitTime, Subprotocols: []string{socketProtocol},
		CheckOrigin: func(r *http.Request) bool { return sameOrigin(r) || slices.Contains(t.origins, r.Header.Get("Origin")) },
		Error:       func(w http.ResponseWriter, _ *http.Request, status int, _ error) { w.WriteHeader(status) },
	}
	conn, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // answered by the upgrader
	}
	s := &socket{transport: t, conn: conn, ops: map[string]*operation{}}
	ctx, cancel := context.WithCancel(r.Context())
	defer func() {
		cancel()
		_ = conn.Close()
		s.group.Wait()
	}()
	if conn.Subprotocol() != socketProtocol {
		s.close(closeProtocol, "Subprotocol not acceptable")
		return
	}
	conn.SetReadLimit(t.maxBody)
	s.group.Go(func() { s.ping(ctx) })
	s.read(ctx)
}

// sameOrigin tells whether a page that this server serves, or no page, asks.
func sameOrigin(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && strings.EqualFold(u.Host, r.Host)
}

// ping keeps the connection alive and ends it when the context does.
func (s *socket) ping(ctx context.Context) {
	ticker := time.NewTicker(socketPing)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			s.close(websocket.CloseGoingAway, "")
			_ = s.conn.SetReadDeadline(time.Now()) // wakes the reader
			return
		case <-ticker.C:
			_ = s.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(socketWriteTime))
		}
	}
}

// read takes messages in until the connection ends.
func (s *socket) read(ctx context.Context) {
	ready := false
	_ = s.conn.SetReadDeadline(time.Now().Add(socketInitTime))
	alive := func(string) error { return s.conn.SetReadDeadline(time.Now().Add(socketSilence)) }
	s.conn.SetPongHandler(func(data string) error {
		if !ready {
			return nil
		}
		return alive(data)
	})
	for {
		_, data, err := s.conn.ReadMessage()
		if err != nil {
			if !ready && ctx.Err() == nil {
				s.close(closeInitTimeout, "Connection initialisation timeout")
			}
			return
		}
		var m socketMessage
		if json.Unmarshal(data, &m) != nil || m.Type == "" {
			s.close(closeBadRequest, "Invalid message received")
			return
		}
		if ready {
			_ = alive("")
		}
		switch m.Type {
		case "connection_init":
			if ready {
				s.close(closeInitialised, "Too many initialisation requests")
				return
			}
			ready = true
			_ = alive("")
			s.send(socketMessage{Type: "connection_ack"})
		case "ping":
			s.send(socketMessage{Type: "pong", Payload: m.Payload})
		case "pong":
		case "subscribe":
			if !ready {
				s.close(closeUnauthorized, "Unauthorized")
				return
			}
			if !s.subscribe(ctx, m) {
				return
			}
		case "complete":
			s.end(m.ID)
		default:
			s.close(closeBadRequest, "Invalid message received")
			return
		}
	}
}

// subscribe begins an operation; false where the connection had to be closed.
func (s *socket) subscribe(ctx context.Context, m socketMessage) bool {
	params := &graphql.RawParams{}
	if m.ID == "" || decode(strings.NewReader(string(m.Payload)), params) != nil || checkParams(params) != nil {
		s.close(closeBadRequest, "Invalid message received")
		return false
	}
	ctx, cancel := context.WithCancel(ctx)
	running := &operation{cancel}
	if taken, full := s.admit(m.ID, running); taken || full {
		cancel()
		if taken {
			s.close(closeDuplicate, "Subscriber for "+m.ID+" already exists")
			return false
		}
		s.refuse(m.ID, gqlerror.List{gqlerror.Errorf("too many operations at once on this connection")})
		return true
	}
	s.group.Go(func() { s.operate(ctx, m.ID, running, params) })
	return true
}

// admit remembers an operation, unless its id is taken or there are too many.
func (s *socket) admit(id string, running *operation) (taken, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, taken = s.ops[id]
	full = len(s.ops) >= maxSocketOperations
	if !taken && !full {
		s.ops[id] = running
	}
	return taken, full
}

// operate runs an operation: next for each result and complete at its end, or error and
// nothing more for one that cannot be run.
func (s *socket) operate(ctx context.Context, id string, running *operation, params *graphql.RawParams) {
	ctx = graphql.StartOperationTrace(ctx)
	op, errs := s.exec.CreateOperationContext(ctx, params)
	if len(errs) > 0 {
		resp := s.exec.DispatchError(graphql.WithOperationContext(ctx, op), errs[:min(len(errs), maxErrors)])
		s.forget(id, running) // the caller may use the id again once it has heard the end
		s.refuse(id, resp.Errors)
		return
	}
	for result := range s.results(ctx, op) {
		s.send(socketMessage{ID: id, Type: "next", Payload: result})
	}
	wanted := ctx.Err() == nil
	s.forget(id, running)
	if wanted {
		s.send(socketMessage{ID: id, Type: "complete"})
	}
}

func (s *socket) refuse(id string, errs gqlerror.List) {
	if payload, err := json.Marshal(errs); err == nil {
		s.send(socketMessage{ID: id, Type: "error", Payload: payload})
	}
}

// end stops an operation that its caller does not want any more.
func (s *socket) end(id string) {
	s.mu.Lock()
	running := s.ops[id]
	s.mu.Unlock()
	if running != nil {
		s.forget(id, running)
	}
}

// forget frees the id of an operation, unless another one has it by now, and stops it.
func (s *socket) forget(id string, running *operation) {
	s.mu.Lock()
	if s.ops[id] == running {
		delete(s.ops, id)
	}
	s.mu.Unlock()
	running.stop()
}

func (s *socket) send(m socketMessage) {
	s.write.Lock()
	defer s.write.Unlock()
	_ = s.conn.SetWriteDeadline(time.Now().Add(socketWriteTime))
	_ = s.conn.WriteJSON(m) // a connection that is gone ends the reader
}

func (s *socket) close(code int, reason string) {
	_ = s.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(code, reason), time.Now().Add(socketWriteTime))
}
