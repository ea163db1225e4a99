package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"mneme/llm"
	"mneme/resolvers"
	"mneme/web"
)

const (
	// probeTimeout bounds what a readiness probe waits for the database.
	probeTimeout = 3 * time.Second
	// embedderGrace is how long a server that is up is not called ready for want of the
	// embedding model. Loading takes a second; fetching it may take minutes, in which the
	// server answers by text.
	embedderGrace = 15 * time.Second
)

// front is what the server answers with: probes from the start, everything else once
// it is open.
type front struct {
	opened atomic.Pointer[opened]
}

type opened struct {
	app   *App
	mux   *http.ServeMux
	since time.Time
}

// open begins to serve an App.
func (f *front) open(a *App) error {
	api, err := a.handler()
	if err != nil {
		return err
	}
	exports, err := resolvers.NewExportHandler(a.apiConfig())
	if err != nil {
		return err
	}
	mux, m := http.NewServeMux(), newMetrics(a)
	mux.Handle("GET /metrics", m.handler())
	mux.Handle("/graphql", m.watched("/graphql", api))
	mux.Handle("/export/{workspace}", m.watched("/export", exports))
	mux.Handle("/mcp", m.watched("/mcp", a.mcp().Handler(sessionOfRequest)))
	playground := web.Playground()
	mux.Handle("/playground", playground)
	mux.Handle("/playground/", playground)
	mux.Handle("GET /{$}", http.RedirectHandler("/playground", http.StatusFound))
	f.opened.Store(&opened{app: a, mux: mux, since: time.Now()})
	return nil
}

// ServeHTTP implements http.Handler.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o := f.opened.Load()
	switch {
	case r.URL.Path == "/healthz":
		answer(w, r, http.StatusOK, map[string]string{"status": "alive"})
	case r.URL.Path == "/readyz" && o == nil:
		answer(w, r, http.StatusServiceUnavailable, readiness{Status: "starting"})
	case r.URL.Path == "/readyz":
		ready := o.readiness(r.Context())
		status := http.StatusOK
		if ready.Status != statusReady {
			status = http.StatusServiceUnavailable
		}
		answer(w, r, status, ready)
	case o == nil:
		w.Header().Set("Retry-After", "2")
		answer(w, r, http.StatusServiceUnavailable, map[string]string{"status": "starting"})
	default:
		o.mux.ServeHTTP(w, r)
	}
}

func answer(w http.ResponseWriter, r *http.Request, status int, body any) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		status = http.StatusMethodNotAllowed
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// States of readiness.
const (
	statusReady   = "ready"
	statusLoading = "loading"
	statusFailed  = "failed"
	statusOff     = "off"
)

// readiness is the answer of /readyz: ready when the database answers, its indexes can
// be used, and the embedder is ready, off, failed (recall then works on text), or still
// being fetched after a grace time.
type readiness struct {
	Status   string     `json:"status"`
	Database *partState `json:"database,omitempty"`
	Indexes  *partState `json:"indexes,omitempty"`
	Embedder *partState `json:"embedder,omitempty"`
}

type partState struct {
	State  string `json:"state"`
	Name   string `json:"name,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func (o *opened) readiness(ctx context.Context) readiness {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	out := readiness{
		Status:   statusReady,
		Database: &partState{State: statusReady, Name: "Neo4j " + o.app.Store.Server().Version},
		Indexes:  &partState{State: statusReady},
		Embedder: embedderState(o.app.Embed),
	}
	pending, err := o.app.Store.PendingIndexes(ctx)
	switch {
	case err != nil:
		out.Database.State, out.Database.Reason = statusFailed, err.Error() // of ours: without its cause
		out.Indexes.State = statusFailed
		out.Status = statusFailed
	case len(pending) > 0:
		out.Indexes.State, out.Indexes.Reason = statusLoading, fmt.Sprintf("not usable yet: %v", pending)
		out.Status = statusLoading
	case out.Embedder.State == statusLoading && time.Since(o.since) < embedderGrace:
		out.Status = statusLoading
	}
	return out
}

func embedderState(e embedder) *partState {
	err := e.Err()
	out := &partState{Name: e.Model().Name}
	switch {
	case err == nil:
		out.State = statusReady
	case errors.Is(err, errEmbedderOff):
		out.State = statusOff
	case errors.Is(err, llm.ErrNoLocalEmbedder):
		out.State, out.Reason = statusFailed, "this platform cannot run the model; recall works on text alone"
	case err == llm.ErrNotReady: //nolint:errorlint // by itself it means that the first attempt is under way
		out.State = statusLoading
	default:
		out.State, out.Reason = statusFailed, "the model cannot be had and is tried again; recall works on text alone: see the log"
	}
	return out
}
