package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
	"mneme/mcp"
	"mneme/service"
)

// mcpFlags are the flags of mcp as they were given.
type mcpFlags struct {
	http    bool
	listen  string
	mode    string
	channel string
	session mcp.Session
}

func (p *program) mcpCommand() *cobra.Command {
	var f mcpFlags
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer the memory to an agent: MCP on standard input and output, or over HTTP",
		Long: "Speaks the Model Context Protocol on standard input and output, as agents start it, or with\n" +
			"--http as streamable HTTP on a loopback address, at /mcp. The flags are the session's\n" +
			"profile: what the agent may see and do. docs/AGENTS.md shows the settings of common clients.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return p.mcp(cmd.Context(), f) },
	}
	workspaceFlag(cmd, &f.session.Workspace)
	flags := cmd.Flags()
	flags.BoolVar(&f.http, "http", false, "serve streamable HTTP instead of standard input and output")
	flags.StringVar(&f.listen, "listen", "", "`address` to listen on with --http, a loopback one; MNEME_LISTEN without it")
	flags.BoolVar(&f.session.ReadOnly, "read-only", false, "offer no tool that writes")
	flags.StringVar(&f.session.Contact, "contact", "", "id, name or mail address (`REF`) of the one contact whose knowledge, with what is general, may be seen")
	flags.StringVar(&f.mode, "mode", string(knowledge.CallerExecutes), "execute, plan, analyze or verify: only execute writes")
	flags.StringVar(&f.channel, "channel", string(knowledge.ChannelPrivate), "private, group or public: memory is neither read nor written but in private")
	return cmd
}

func (p *program) mcp(ctx context.Context, f mcpFlags) error {
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	if f.listen != "" {
		cfg.Listen = f.listen
		if err := checkListen(cfg.Listen); err != nil {
			return knowledge.InField("--listen", err)
		}
	}
	f.session.Mode, f.session.Channel = knowledge.CallerMode(f.mode), knowledge.CallerChannel(f.channel)
	app := &lazyApp{program: p, cfg: cfg, log: p.commandLogger(cfg), changed: make(chan struct{})}
	server := cfg.mcpServer(app.services, app.log)
	if _, err := server.Protocol(f.session); err != nil { // a wrong profile is told at once
		return err
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	var g errgroup.Group
	g.Go(func() error { return app.run(ctx) })
	g.Go(func() error {
		defer end()
		if f.http {
			return p.serveMCP(ctx, cfg, server, f.session)
		}
		err := server.Run(ctx, f.session, io.NopCloser(p.stdin), noCloser{p.stdout})
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			return nil // interrupted, or the client hung up
		}
		return err
	})
	return g.Wait()
}

// noCloser is a stream that whoever uses it must not close.
type noCloser struct{ io.Writer }

func (noCloser) Close() error { return nil }

// serveMCP serves one profile over HTTP until ctx ends.
func (p *program) serveMCP(ctx context.Context, cfg Config, server *mcp.Server, session mcp.Session) error {
	listener, err := listen(ctx, cfg.Listen)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.Handler(func(*http.Request) (mcp.Session, error) { return session, nil }))
	web := &http.Server{
		Handler: mux, ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	p.stdout.printf("MCP is served at http://%s/mcp. Ctrl-C stops it.\n", listener.Addr())
	var g errgroup.Group
	g.Go(func() error {
		<-ctx.Done()
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTimeout)
		defer cancel()
		return errors.Join(web.Shutdown(end), web.Close())
	})
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return knowledge.Errorf(knowledge.CodeUnavailable, "the server cannot go on listening").Because(err)
	}
	return g.Wait()
}

// mcpServer is the front door for agents over some services.
func (c Config) mcpServer(services func(context.Context) (*service.Services, error), log *slog.Logger) *mcp.Server {
	return mcp.New(mcp.Config{Services: services, Version: versionText(), MaxTokens: c.MCPTokens, Log: log})
}

// mcp is the front door for agents over this App.
func (a *App) mcp() *mcp.Server {
	return a.Config.mcpServer(func(context.Context) (*service.Services, error) { return a.Services, nil }, a.Log)
}

// sessionOfRequest is the profile that a request over HTTP asks for in its address. It can
// only narrow what its caller may do.
func sessionOfRequest(r *http.Request) (mcp.Session, error) {
	var s mcp.Session
	for name, values := range r.URL.Query() {
		value := values[len(values)-1]
		switch name {
		case "workspace":
			s.Workspace = value
		case "mode":
			s.Mode = knowledge.CallerMode(value)
		case "channel":
			s.Channel = knowledge.CallerChannel(value)
		case "contact":
			s.Contact = value
		case "read_only":
			only, err := strconv.ParseBool(value)
			if err != nil {
				return s, knowledge.Invalid(name, "must be true or false")
			}
			s.ReadOnly = only
		default:
			return s, knowledge.Invalid(name, "is not a part of a session; there are workspace, mode, channel, contact and read_only")
		}
		if len(values) > 1 || value == "" {
			return s, knowledge.Invalid(name, "must be given once, and not be empty")
		}
	}
	return s, nil
}

const (
	// startPatience is how long a call waits for a database that is just being started.
	startPatience = 25 * time.Second
	// startRetry is how long it takes until a database that could not be had is tried again.
	startRetry = 5 * time.Second
)

// lazyApp is an App that is built while a client is connected already: agents do not wait
// for a database that has to be started, or is away for a while.
type lazyApp struct {
	*program
	cfg Config
	log *slog.Logger

	mu      sync.Mutex
	app     *App
	err     error         // why it could not be built when that was last tried
	changed chan struct{} // closed when one of the two changes
}

// run builds the App, again and again until that works, and closes it when ctx ends.
func (l *lazyApp) run(ctx context.Context) error {
	for {
		a, err := build(ctx, buildOptions{Config: l.cfg, Log: l.log, Progress: l.fetchMeter, Quick: true})
		if ctx.Err() != nil && a == nil {
			return nil
		}
		l.set(a, err)
		if err == nil {
			a.startWork(ctx)
			<-ctx.Done()
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
			defer cancel()
			return a.Close(end)
		}
		l.log.WarnContext(ctx, "the database cannot be had; it is tried again", slog.Any("cause", err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(startRetry):
		}
	}
}

func (l *lazyApp) set(a *App, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.app, l.err = a, err
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *lazyApp) state() (app *App, changed <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.app, l.changed, l.err
}

// services waits for the first attempt to build the App, and is UNAVAILABLE while there is none.
func (l *lazyApp) services(ctx context.Context) (*service.Services, error) {
	patience := time.NewTimer(startPatience)
	defer patience.Stop()
	for {
		app, changed, err := l.state()
		switch {
		case app != nil:
			return app.Services, nil
		case err != nil:
			return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the database cannot be had at the moment; try again").Because(err)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-patience.C:
			return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the database is still being started; try again in a moment")
		}
	}
}
