package resolvers

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const progress = `subscription($w: String!, $id: ID!){jobProgress(workspace: $w, id: $id){id state scanned}}`

// eventsOf reads a stream of server-sent events to its end.
func eventsOf(t *testing.T, url, query string, variables map[string]any) (types, data []string) {
	t.Helper()
	body, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	require.NoError(t, err)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(string(body)))
	require.NoError(t, err)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { assert.NoError(t, resp.Body.Close()) }()
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	lines := bufio.NewScanner(resp.Body)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			types = append(types, name)
		}
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			data = append(data, text)
		}
	}
	require.NoError(t, lines.Err())
	return types, data
}

func TestT15_ProgressByEvents(t *testing.T) {
	t.Parallel()
	w := newAPI(t).fill(t)
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	w.do(t, `mutation($w: String!, $id: ID!){cancelJob(workspace: $w, id: $id){job{id}}}`, map[string]any{"id": w.ids["job"]})
	types, data := eventsOf(t, server.URL, progress, map[string]any{"w": w.key, "id": w.ids["job"]})
	assert.Equal(t, []string{"next", "complete"}, types, "it ends with the job")
	assert.Contains(t, data[0], `"state":"CANCELLED"`)

	types, data = eventsOf(t, server.URL, `query($w: String!){workspace(key: $w){key}}`, map[string]any{"w": w.key})
	assert.Equal(t, []string{"next", "complete"}, types, "a query too")
	assert.Contains(t, data[0], w.key)

	a := post(t, w.handler, progress, map[string]any{"w": w.key, "id": w.ids["job"]})
	assert.Equal(t, http.StatusNotAcceptable, a.Status, "without a stream")
}

func TestR1_Subscriptions(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	own, other := a.fill(t), a.fill(t)
	server := httptest.NewServer(a.handler)
	t.Cleanup(server.Close)
	_, foreign := eventsOf(t, server.URL, progress, map[string]any{"w": own.key, "id": other.ids["job"]})
	_, unknown := eventsOf(t, server.URL, progress, map[string]any{"w": own.key, "id": missing().ids["job"]})
	require.Len(t, foreign, 1)
	assert.Contains(t, foreign[0], "NOT_FOUND")
	assert.Equal(t, idPattern.ReplaceAllString(unknown[0], "ID"), idPattern.ReplaceAllString(foreign[0], "ID"))
}

// dial opens a WebSocket with the protocol.
func dial(t *testing.T, server *httptest.Server, protocol string) *websocket.Conn {
	t.Helper()
	d := websocket.Dialer{Subprotocols: []string{protocol}, HandshakeTimeout: 10 * time.Second}
	conn, resp, err := d.DialContext(t.Context(), strings.Replace(server.URL, "http", "ws", 1), nil)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func receive(t *testing.T, conn *websocket.Conn) socketMessage {
	t.Helper()
	var m socketMessage
	require.NoError(t, conn.ReadJSON(&m))
	return m
}

func subscribe(t *testing.T, conn *websocket.Conn, id, query string, variables map[string]any) {
	t.Helper()
	payload, err := json.Marshal(map[string]any{"query": query, "variables": variables})
	require.NoError(t, err)
	require.NoError(t, conn.WriteJSON(socketMessage{ID: id, Type: "subscribe", Payload: payload}))
}

func TestT15_ProgressBySocket(t *testing.T) {
	t.Parallel()
	w := newAPI(t).fill(t)
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	conn := dial(t, server, socketProtocol)
	require.NoError(t, conn.WriteJSON(socketMessage{Type: "connection_init"}))
	assert.Equal(t, "connection_ack", receive(t, conn).Type)
	require.NoError(t, conn.WriteJSON(socketMessage{Type: "ping"}))
	assert.Equal(t, "pong", receive(t, conn).Type)

	subscribe(t, conn, "wrong", `subscription{nothing}`, nil)
	m := receive(t, conn)
	assert.Equal(t, []string{"error", "wrong"}, []string{m.Type, m.ID})

	subscribe(t, conn, "job", progress, map[string]any{"w": w.key, "id": w.ids["job"]})
	m = receive(t, conn)
	assert.Equal(t, "next", m.Type, "nothing came after the error")
	assert.Contains(t, string(m.Payload), `"state":"QUEUED"`)
	for range 30 {
		subscribe(t, conn, "query", `{server{version}}`, nil)
		assert.Equal(t, "next", receive(t, conn).Type)
		assert.Equal(t, "complete", receive(t, conn).Type)
	}
	w.do(t, `mutation($w: String!, $id: ID!){cancelJob(workspace: $w, id: $id){job{id}}}`, map[string]any{"id": w.ids["job"]})
	m = receive(t, conn)
	assert.Contains(t, string(m.Payload), `"state":"CANCELLED"`)
	m = receive(t, conn)
	assert.Equal(t, []string{"complete", "job"}, []string{m.Type, m.ID})
}

func TestSocket_ClosesByTheProtocol(t *testing.T) {
	t.Parallel()
	w := newAPI(t).fill(t)
	server := httptest.NewServer(w.handler)
	t.Cleanup(server.Close)
	job := map[string]any{"w": w.key, "id": w.ids["job"]}
	for name, c := range map[string]struct {
		code     int
		protocol string
		say      func(conn *websocket.Conn)
	}{
		"another protocol":   {closeProtocol, "graphql-ws", func(*websocket.Conn) {}},
		"no JSON":            {closeBadRequest, socketProtocol, func(c *websocket.Conn) { _ = c.WriteMessage(websocket.TextMessage, []byte("x")) }},
		"an unknown message": {closeBadRequest, socketProtocol, func(c *websocket.Conn) { _ = c.WriteJSON(socketMessage{Type: "x"}) }},
		"not initialised":    {closeUnauthorized, socketProtocol, func(c *websocket.Conn) { subscribe(t, c, "a", progress, job) }},
		"initialised twice": {closeInitialised, socketProtocol, func(c *websocket.Conn) {
			for range 2 {
				_ = c.WriteJSON(socketMessage{Type: "connection_init"})
			}
		}},
		"an id that is used twice": {closeDuplicate, socketProtocol, func(c *websocket.Conn) {
			_ = c.WriteJSON(socketMessage{Type: "connection_init"})
			subscribe(t, c, "a", progress, job)
			subscribe(t, c, "a", progress, job)
		}},
	} {
		conn := dial(t, server, c.protocol)
		c.say(conn)
		for {
			if _, _, err := conn.ReadMessage(); err != nil {
				assert.True(t, websocket.IsCloseError(err, c.code), "%s: %v", name, err)
				break
			}
		}
	}
	_, resp, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(server.URL, "http", "ws", 1), http.Header{"Origin": {"https://evil.example"}})
	require.Error(t, err)
	assert.Equal(t, http.StatusForbidden, resp.StatusCode)
	require.NoError(t, resp.Body.Close())
}
