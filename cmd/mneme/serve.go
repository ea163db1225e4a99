package main

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
	"mneme/localneo4j"
	"mneme/maintenance"
)

// Times of the HTTP server.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	// shutdownTimeout is how long requests that are running may take to end.
	shutdownTimeout = 10 * time.Second
	// stopTimeout is how long everything else may take to end, the local Neo4j included.
	stopTimeout = time.Minute
)

func (p *program) serveCommand() *cobra.Command {
	var demo bool
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the GraphQL API, the playground and MCP",
		Long: "Serves the GraphQL API (/graphql), the playground (/playground), MCP (/mcp) and the\n" +
			"probes /healthz, /readyz and /metrics on a loopback address until it is interrupted. Without NEO4J_URI\n" +
			"it starts the local Neo4j of --data, or uses the one that runs, and stops what it started.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.serve(cmd.Context(), demo) },
	}
	p.settingFlag(cmd, "MNEME_LISTEN", "listen", "`address` to listen on, a loopback one; port 0 is any free port")
	cmd.Flags().BoolVar(&demo, "demo", false, "fill the workspace demo with an example")
	return cmd
}

// serve is the server from start to stop. The port is open from the start, so that
// probes are answered while the database starts.
func (p *program) serve(ctx context.Context, demo bool) error {
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	listener, err := listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	s := &server{program: p, cfg: cfg, log: cfg.logger(p.stderr), address: listener.Addr().String(), started: time.Now(), drained: make(chan struct{})}
	return s.run(ctx, listener, demo)
}

func listen(ctx context.Context, address string) (net.Listener, error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", address)
	if errors.Is(err, syscall.EADDRINUSE) {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "%s is in use by another program: stop it, or choose another port with --listen 127.0.0.1:PORT", address)
	}
	if errors.Is(err, syscall.EACCES) {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "listening on %s is not allowed: choose a port above 1023 with --listen 127.0.0.1:PORT", address)
	}
	if err != nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "cannot listen on %s", address).Because(err)
	}
	return listener, nil
}

// server is one run of serve.
type server struct {
	*program
	cfg     Config
	log     *slog.Logger
	address string
	started time.Time
	front   front
	// drained is closed when the last request has ended.
	drained chan struct{}
}

func (s *server) run(ctx context.Context, listener net.Listener, demo bool) error {
	requests, endRequests := context.WithCancel(context.WithoutCancel(ctx))
	defer endRequests()
	web := &http.Server{
		Handler:           &s.front,
		ReadHeaderTimeout: readHeaderTimeout,
		IdleTimeout:       idleTimeout,
		ErrorLog:          slog.NewLogLogger(s.log.Handler(), slog.LevelDebug), // clients that hang up are no news
		BaseContext:       func(net.Listener) context.Context { return requests },
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			return knowledge.Errorf(knowledge.CodeUnavailable, "the server cannot go on listening").Because(err)
		}
		return nil
	})
	g.Go(func() error { return s.work(ctx, demo) })
	g.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		err := web.Shutdown(end)
		endRequests() // long-lived connections are not waited for by Shutdown
		err = errors.Join(err, web.Close())
		close(s.drained)
		return err
	})
	if err := g.Wait(); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// work builds what the server serves, opens it and waits for the end.
func (s *server) work(ctx context.Context, demo bool) (err error) {
	a, err := build(ctx, buildOptions{Config: s.cfg, Log: s.log, Progress: s.fetchMeter, StopLocal: true})
	if ctx.Err() != nil && a == nil {
		return nil // interrupted while it started, which fails in many ways
	}
	if err != nil {
		return err
	}
	defer func() {
		if ctx.Err() != nil {
			err = nil   // as above
			<-s.drained // requests that are running still need the database
		}
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
		defer cancel()
		err = errors.Join(err, a.Close(end))
	}()
	return s.open(ctx, a, demo)
}

// open makes an App ready and serves it until ctx ends.
func (s *server) open(ctx context.Context, a *App, demo bool) error {
	upkeep, err := a.scheduler()
	if err != nil {
		return err
	}
	a.startWork(ctx, maintenance.NewWorker(maintenance.WorkerConfig{Jobs: a.Jobs, Log: a.Log}).Run, upkeep)
	if demo {
		if err := s.fillDemo(ctx, a, demoWorkspace); err != nil {
			return err
		}
	}
	if err := s.front.open(a); err != nil {
		return err
	}
	s.announce(a, demo)
	if a.Local() == nil {
		<-ctx.Done()
		return nil
	}
	return a.keepLocal(ctx, s.fetchMeter)
}

func (s *server) announce(a *App, demo bool) {
	base := "http://" + s.address
	s.stdout.printf("Mneme is ready after %s.\n", time.Since(s.started).Round(100*time.Millisecond))
	s.stdout.printf("  GraphQL        %s/graphql\n", base)
	s.stdout.printf("  playground     %s/playground\n", base)
	s.stdout.printf("  MCP            %s/mcp\n", base)
	if local := a.Local(); local != nil {
		s.stdout.printf("  Neo4j Browser  %s (user %s, password in %s)\n", local.BrowserURL, local.Username, local.PasswordFile)
	}
	if demo {
		s.stdout.printf("  example        workspace %q\n", demoWorkspace)
	}
	s.stdout.printf("Ctrl-C stops it.\n")
}

// keepLocal keeps the local Neo4j running while the server does. It returns when ctx
// ends, or when a Neo4j that ended cannot be had again at its address. The driver's
// connections come back by themselves.
func (a *App) keepLocal(ctx context.Context, progress fetchProgress) error {
	for {
		before := a.Local()
		err := before.Watch(ctx)
		if ctx.Err() != nil {
			return nil
		}
		a.Log.ErrorContext(ctx, "the local Neo4j has ended and is started again", slog.Any("cause", err))
		again, err := localneo4j.Ensure(ctx, a.Config.localNeo4j(a.Log, progress))
		if ctx.Err() != nil && again == nil {
			return nil
		}
		if err != nil {
			return err
		}
		a.local.Store(again)
		if again.URI != before.URI {
			return knowledge.Errorf(knowledge.CodeUnavailable, "the local Neo4j had to move to another port: start the server again")
		}
		a.Log.InfoContext(ctx, "the local Neo4j is back")
	}
}
