package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/spf13/cobra"

	"mneme/cypher"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/localneo4j"
)

// doctorTimeout bounds each check.
const doctorTimeout = 15 * time.Second

// minFree is the free disk space below which doctor warns: a first run fetches and
// unpacks 300 MB, and a graph needs room to grow.
const minFree = 1 << 30

// check is one thing that doctor looked at.
type check struct {
	Name   string `json:"name"`
	State  string `json:"state"` // ok, warning or failed
	Detail string `json:"detail"`
	Mend   string `json:"mend,omitempty"`
}

// States of a check.
const (
	checkOK      = "ok"
	checkWarning = "warning"
	checkFailed  = "failed"
)

func (p *program) doctorCommand() *cobra.Command {
	var asJSON, fetch bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check everything the server needs and say how to mend what is not right",
		Long: "Checks Java, Maven, the folders, the database and the embedding model, and prints\n" +
			"every setting with where it came from. It starts nothing and, without --fetch, fetches\n" +
			"nothing. The exit status is 2 where something has to be mended.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.doctor(cmd.Context(), asJSON, fetch)
		},
	}
	jsonFlag(cmd, &asJSON)
	cmd.Flags().BoolVar(&fetch, "fetch", false, "fetch what a first run would: the embedding model and, without NEO4J_URI, Neo4j;\nthe database of NEO4J_URI is not asked then")
	return cmd
}

func (p *program) doctor(ctx context.Context, asJSON, fetch bool) error {
	cfg, err := p.loadConfig()
	if err != nil {
		return err
	}
	d := &doctor{program: p, cfg: cfg, fetch: fetch}
	d.run(ctx)
	if asJSON {
		if err := p.printJSON(map[string]any{"checks": d.checks, "settings": maskedSettings(cfg)}); err != nil {
			return err
		}
	} else {
		d.print()
	}
	for _, c := range d.checks {
		if c.State == checkFailed {
			return knowledge.Errorf(knowledge.CodeUnavailable, "something has to be mended: see the checks above")
		}
	}
	return nil
}

// maskedSettings are all settings as they may be shown.
func maskedSettings(cfg Config) []effective {
	out := make([]effective, len(cfg.Effective))
	for i, e := range cfg.Effective {
		e.Value = e.Shown()
		out[i] = e
	}
	return out
}

// doctor gathers checks.
type doctor struct {
	*program
	cfg    Config
	fetch  bool
	checks []check
}

func (d *doctor) add(name, state, detail, mend string) {
	d.checks = append(d.checks, check{Name: name, State: state, Detail: detail, Mend: mend})
}

func (d *doctor) run(ctx context.Context) {
	if d.cfg.Neo4jURI == "" {
		d.java(ctx)
		d.maven(ctx)
	}
	d.folder("data folder", d.cfg.DataDir, "MNEME_DATA_DIR")
	d.folder("cache folder", d.cfg.CacheDir, "MNEME_CACHE_DIR")
	if !d.fetch || d.cfg.Neo4jURI == "" {
		d.database(ctx)
	}
	d.embedder(ctx)
}

func (d *doctor) java(ctx context.Context) {
	detail, err := firstLine(ctx, "java", "-version")
	if err != nil {
		d.add("Java", checkFailed, "there is no java that runs", "install a JDK, version 17 or newer, or set NEO4J_URI")
		return
	}
	d.add("Java", checkOK, detail, "")
}

func (d *doctor) maven(ctx context.Context) {
	detail, err := firstLine(ctx, "mvn", "-B", "-version")
	if err == nil {
		d.add("Maven", checkOK, detail, "")
		return
	}
	state := checkFailed
	if _, err := os.Stat(filepath.Join(d.cfg.CacheDir, "neo4j-"+localneo4j.Version)); err == nil {
		state = checkWarning // what it would fetch is there
	}
	d.add("Maven", state, "there is no mvn that runs", "install Maven, or set NEO4J_URI")
}

func firstLine(ctx context.Context, name string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return line, err
}

func (d *doctor) folder(name, dir, setting string) {
	free, err := usableFolder(dir)
	switch {
	case err != nil:
		d.add(name, checkFailed, fmt.Sprintf("%s: %v", dir, err), "make it writable, or set "+setting)
	case free < minFree:
		d.add(name, checkWarning, fmt.Sprintf("%s: %d MB free", dir, free>>20), "free some space, or set "+setting)
	default:
		d.add(name, checkOK, fmt.Sprintf("%s: writable, %d GB free", dir, free>>30), "")
	}
}

// usableFolder tries to write to a folder, or to the nearest one above it that exists.
func usableFolder(dir string) (free uint64, err error) {
	for {
		info, err := os.Stat(dir)
		if err == nil && !info.IsDir() {
			return 0, errors.New("it is not a folder")
		}
		if err == nil {
			break
		}
		if !errors.Is(err, os.ErrNotExist) || dir == filepath.Dir(dir) {
			return 0, errors.Unwrap(err)
		}
		dir = filepath.Dir(dir)
	}
	probe, err := os.CreateTemp(dir, ".mneme-doctor-*")
	if err != nil {
		return 0, errors.New("it cannot be written to")
	}
	if err := errors.Join(probe.Close(), os.Remove(probe.Name())); err != nil {
		return 0, errors.New("it cannot be written to")
	}
	return freeSpace(dir)
}

func (d *doctor) database(ctx context.Context) {
	cfg := cypher.Config{
		URI: d.cfg.Neo4jURI, Username: d.cfg.Neo4jUsername, Password: d.cfg.Neo4jPassword, Database: d.cfg.Neo4jDatabase, Log: d.commandLogger(d.cfg),
	}
	if cfg.URI == "" {
		local, ok := d.localNeo4j(ctx)
		if !ok {
			return
		}
		cfg.URI, cfg.Username, cfg.Password = local.URI, local.Username, local.Password
	}
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	store, err := cypher.Open(ctx, cfg)
	if err != nil {
		d.add("database", checkFailed, describe(err), "check NEO4J_URI, NEO4J_USERNAME and NEO4J_PASSWORD")
		return
	}
	defer func() { _ = store.Close(ctx) }() // only connections
	version := store.Server()
	d.add("database", checkOK, fmt.Sprintf("Neo4j %s %s answers", version.Version, version.Edition), "")
	d.lockTimeout(ctx, store)
	pending, err := store.PendingIndexes(ctx)
	switch {
	case err != nil:
		d.add("indexes", checkFailed, describe(err), "see the database's log")
	case len(pending) > 0:
		d.add("indexes", checkWarning, fmt.Sprintf("not usable yet: %s", strings.Join(pending, ", ")), "wait, or see the database's log")
	default:
		d.add("indexes", checkOK, "all can be used", "")
	}
}

// lockTimeout looks at how long writers of the same thing wait for each other (SPEC O24).
// A database whose settings may not be seen is not asked again.
func (d *doctor) lockTimeout(ctx context.Context, store *cypher.Store) {
	const most = 10 * time.Second
	wait, err := store.LockTimeout(ctx)
	switch {
	case err != nil:
	case wait == 0 || wait > most:
		d.add("lock timeout", checkWarning, "writers that wait for each other give up only when their transactions end, after 30 s", "set db.lock.acquisition.timeout=10s in neo4j.conf")
	default:
		d.add("lock timeout", checkOK, fmt.Sprintf("writers wait for each other for %s at most", wait), "")
	}
}

// localNeo4j looks at the local Neo4j; false where there is nothing to connect to.
func (d *doctor) localNeo4j(ctx context.Context) (*localneo4j.Server, bool) {
	local := d.cfg.localNeo4j(d.commandLogger(d.cfg), d.fetchMeter)
	status, err := localneo4j.Inspect(ctx, local)
	if err != nil {
		d.add("local Neo4j", checkFailed, err.Error(), "")
		return nil, false
	}
	if !status.Running && !d.fetch {
		d.add("local Neo4j", checkOK, "does not run; the next command starts it", "")
		return nil, false
	}
	server, err := localneo4j.Ensure(ctx, local)
	if err == nil && server.Started && d.fetch {
		if err = server.Stop(ctx); err == nil {
			d.add("local Neo4j", checkOK, "fetched, started and stopped again", "")
			return nil, false
		}
	}
	if err != nil {
		d.add("local Neo4j", checkFailed, err.Error(), "")
		return nil, false
	}
	d.add("local Neo4j", checkOK, fmt.Sprintf("runs as process %d at %s", server.PID, server.URI), "")
	return server, true
}

func (d *doctor) embedder(ctx context.Context) {
	if d.cfg.Embedder == embedderOff {
		d.add("embedder", checkOK, "switched off: recall works on text alone", "")
		return
	}
	if d.cfg.Embedder == embedderOpenAI {
		d.remoteEmbedder(ctx)
		return
	}
	if _, err := os.Stat(filepath.Join(d.cfg.CacheDir, "models")); err != nil && !d.fetch {
		d.add("embedder", checkOK, "is not fetched yet; the next command fetches it", "")
		return
	}
	model, err := llm.OpenLocal(ctx, llm.LocalConfig{CacheDir: d.cfg.CacheDir, Progress: d.fetchMeter("the embedding model")})
	switch {
	case errors.Is(err, llm.ErrNoLocalEmbedder):
		d.add("embedder", checkWarning, err.Error(), "recall works on text alone")
		return
	case err != nil:
		d.add("embedder", checkFailed, err.Error(), "")
		return
	}
	defer func() { _ = model.Close() }() // only memory
	d.tryEmbedder(ctx, model.Embed, model.Model())
}

func (d *doctor) remoteEmbedder(ctx context.Context) {
	e, err := d.cfg.embedder(ctx, d.commandLogger(d.cfg), d.fetchMeter, true)
	if err != nil {
		d.add("embedder", checkFailed, err.Error(), "check OPENAI_API_KEY, OPENAI_BASE_URL and MNEME_MODEL_EMBED")
		return
	}
	defer func() { _ = e.Close() }() // only connections
	d.tryEmbedder(ctx, e.Embed, e.Model())
}

func (d *doctor) tryEmbedder(ctx context.Context, embed func(context.Context, []string) ([][]float32, error), model llm.Model) {
	start := time.Now()
	if _, err := embed(ctx, []string{"Is everything as it should be?"}); err != nil {
		d.add("embedder", checkFailed, err.Error(), "")
		return
	}
	d.add("embedder", checkOK, fmt.Sprintf("%s, %d dimensions, a sentence takes %s", model.Name, model.Dimensions, time.Since(start).Round(time.Millisecond)), "")
}

func (d *doctor) print() {
	rows := make([]table.Row, 0, len(d.checks))
	for _, c := range d.checks {
		detail := c.Detail
		if c.Mend != "" {
			detail += "\n→ " + c.Mend
		}
		rows = append(rows, table.Row{c.State, c.Name, detail})
	}
	d.printTable(table.Row{"state", "check", "detail"}, rows)
	d.stdout.printf("\n")
	rows = rows[:0]
	for _, e := range d.cfg.Effective {
		rows = append(rows, table.Row{e.Name, e.Shown(), e.Source})
	}
	d.printTable(table.Row{"setting", "value", "from"}, rows)
}
