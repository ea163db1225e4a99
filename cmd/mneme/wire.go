package main

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"mneme/cypher"
	"mneme/ingest"
	"mneme/internal/mavencache"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/localneo4j"
	"mneme/service"
)

// App is everything that a command may need, built once.
type App struct {
	Config Config
	Log    *slog.Logger
	Store  *cypher.Store
	Embed  embedder
	Chat   *llm.Chat // nil: no language model is configured
	*service.Services

	maintained *maintenanceMetrics
	database   cypher.Config // which Store is connected to
	documents  *ingest.Documents
	local      atomic.Pointer[localneo4j.Server] // nil where NEO4J_URI names another one
	stopLocal  bool
	stopWork   context.CancelFunc // nil: no background work runs
	work       errgroup.Group
}

// Local is the local Neo4j; nil where NEO4J_URI names another one.
func (a *App) Local() *localneo4j.Server { return a.local.Load() }

// startWork begins what goes on beside requests until Close: filling in vectors that
// could not be made at once, counting recalls, and what else is given.
func (a *App) startWork(ctx context.Context, more ...func(context.Context) error) {
	ctx, a.stopWork = context.WithCancel(ctx)
	a.work.Go(func() error { return a.Embeddings.Run(ctx) })
	a.work.Go(func() error { return a.Marks.Run(ctx) })
	for _, run := range more {
		a.work.Go(func() error { return run(ctx) })
	}
}

// fetchProgress shows the fetch of what a first run needs.
type fetchProgress func(what string) func(mavencache.Progress)

// buildOptions say how an App is built.
type buildOptions struct {
	Config   Config
	Log      *slog.Logger
	Progress fetchProgress
	// Patient: the embedder is made ready when it is first used, which then waits for it.
	Patient bool
	// Quick: workspaces are made ready only where this database was never used.
	Quick bool
	// StopLocal: Close stops the local Neo4j too, where this App has started it. Without,
	// it stays up for the next command.
	StopLocal bool
	// Trace, where set, is told every statement that is sent to the database.
	Trace func(name, text string, params map[string]any)
}

// build connects everything: the database, which it starts where it is the local one,
// its migrations and seeds, the embedder, which gets ready in the background, and the
// services. The caller closes the App.
func build(ctx context.Context, o buildOptions) (_ *App, err error) {
	a := &App{Config: o.Config, Log: o.Log, maintained: newMaintenanceMetrics(), stopLocal: o.StopLocal}
	defer func() {
		if err != nil {
			err = errors.Join(err, a.Close(context.WithoutCancel(ctx)))
		}
	}()
	if err := a.openStore(ctx, o); err != nil {
		return nil, err
	}
	// After the database: two first fetches at once would be two Mavens at work on the
	// same repository, and loading takes half a second.
	if a.Embed, err = a.Config.embedder(ctx, a.Log, o.Progress, o.Patient); err != nil {
		return nil, err
	}
	if a.Chat, err = a.Config.languageModel(a.Log); err != nil {
		return nil, err
	}
	a.documents = ingest.NewDocuments()
	a.Services = a.newServices()
	return a, a.seed(ctx, o.Patient || o.Quick)
}

func (c Config) localNeo4j(log *slog.Logger, progress fetchProgress) localneo4j.Config {
	return localneo4j.Config{DataDir: c.DataDir, CacheDir: c.CacheDir, Log: log, Progress: progress("Neo4j " + localneo4j.Version)}
}

func (a *App) openStore(ctx context.Context, o buildOptions) error {
	cfg := cypher.Config{
		URI: a.Config.Neo4jURI, Username: a.Config.Neo4jUsername, Password: a.Config.Neo4jPassword, Database: a.Config.Neo4jDatabase, Log: a.Log,
		Trace: o.Trace,
	}
	if cfg.URI == "" {
		local, err := localneo4j.Ensure(ctx, a.Config.localNeo4j(a.Log, o.Progress))
		if err != nil {
			return err
		}
		a.local.Store(local)
		cfg.URI, cfg.Username, cfg.Password, cfg.Database = local.URI, local.Username, local.Password, ""
	}
	store, err := cypher.Open(ctx, cfg)
	if err != nil {
		return err
	}
	a.Store, a.database = store, cfg
	return store.Migrate(ctx)
}

// seed makes what must be there from the start. A server looks at every workspace, a
// command only whether this database was ever used: with a thousand workspaces the
// former takes seconds.
func (a *App) seed(ctx context.Context, command bool) error {
	if command {
		if _, err := a.Workspaces.Get(ctx, knowledge.DefaultWorkspace); !knowledge.IsNotFound(err) {
			return err
		}
	}
	return a.Workspaces.Start(ctx)
}

// Close ends what build started; the local Neo4j only with StopLocal.
func (a *App) Close(ctx context.Context) error {
	var errs []error
	if a.stopWork != nil {
		a.stopWork()
		errs = append(errs, a.work.Wait())
	} else if a.Services != nil {
		errs = append(errs, a.Marks.Flush(ctx))
	}
	if a.Embed != nil {
		errs = append(errs, a.Embed.Close())
	}
	if a.documents != nil {
		errs = append(errs, a.documents.Close())
	}
	if a.Chat != nil {
		errs = append(errs, a.Chat.Close())
	}
	if a.Store != nil {
		errs = append(errs, a.Store.Close(ctx))
	}
	if local := a.Local(); a.stopLocal && local != nil && local.Started {
		errs = append(errs, local.Stop(ctx))
	}
	return errors.Join(errs...)
}

// withApp builds an App for one command and closes it afterwards. The local Neo4j stays
// up for the next command.
func (p *program) withApp(ctx context.Context, use func(*App) error) error {
	return p.withTracedApp(ctx, nil, use)
}

// withTracedApp is withApp with somebody who is told every statement.
func (p *program) withTracedApp(ctx context.Context, trace func(name, text string, params map[string]any), use func(*App) error) (err error) {
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	a, err := build(ctx, buildOptions{Config: cfg, Log: p.commandLogger(cfg), Progress: p.fetchMeter, Patient: true, Trace: trace})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close(context.WithoutCancel(ctx))) }()
	return use(a)
}

// commandLogger is the log of a command that is no server: only what matters, unless
// somebody asked for more.
func (p *program) commandLogger(cfg Config) *slog.Logger {
	if cfg.source("LOG_LEVEL") == sourceDefault {
		cfg.LogLevel = slog.LevelWarn
	}
	return cfg.logger(p.stderr)
}

// caller is who writes through the command line (SPEC O5).
func caller() knowledge.Caller {
	return knowledge.Caller{Name: "command line", Actor: knowledge.ActorManual}
}
