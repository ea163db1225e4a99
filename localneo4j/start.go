package localneo4j

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
	"time"

	"golang.org/x/mod/semver"

	"mneme/internal/mavencache"
)

const (
	serverClass = "org.neo4j.server.CommunityEntryPoint"
	// adminClass is what Neo4j's own admin command starts in a second process,
	// with the password readable in the list of processes. Called directly it
	// takes half the time, and its arguments can come from a file.
	adminClass = "org.neo4j.cli.AdminTool"
	// startAttempts: between choosing a free port and Neo4j's binding it, another process may take it.
	startAttempts = 3
)

//go:embed conf
var confFiles embed.FS

// start fetches Neo4j when it is not in the cache and starts it. The caller
// holds the lock and knows that none runs; last is the record of the last run.
func start(ctx context.Context, cfg Config, h home, last record) (*Server, error) {
	if !supported {
		return nil, ErrPlatform
	}
	if last.Version != "" && semver.Compare(semver.MajorMinor("v"+last.Version), semver.MajorMinor("v"+Version)) > 0 {
		return nil, fmt.Errorf("%w: %s was written by Neo4j %s and this program brings %s; use the newer program, or another folder by MNEME_DATA_DIR", ErrNewerData, h, last.Version, Version)
	}
	java, err := findJava(ctx)
	if err != nil {
		return nil, err
	}
	lib, err := fetch(ctx, cfg)
	if err != nil {
		return nil, err
	}
	password, err := h.ensurePassword()
	if err != nil {
		return nil, err
	}
	if last.PID != 0 {
		cfg.Log.WarnContext(ctx, "local Neo4j had ended without being stopped and is started again", slog.Int("pid", last.PID))
	}
	l := launch{cfg: cfg, home: h, java: java, lib: lib, password: password}
	for attempt := 1; ; attempt++ {
		s, err := l.run(ctx, last)
		if err == nil {
			return s, nil
		}
		if !errors.Is(err, errPortTaken) || attempt == startAttempts {
			return nil, err
		}
		cfg.Log.WarnContext(ctx, "a port was taken while the local Neo4j started; trying others")
	}
}

// fetch returns the folder with Neo4j's jars.
func fetch(ctx context.Context, cfg Config) (lib string, err error) {
	lib = filepath.Join(cfg.CacheDir, "neo4j-"+Version)
	err = mavencache.Fetch(ctx, mavencache.Request{
		Dir: lib, Pom: pom, Transitive: true, SizeBytes: downloadBytes, Progress: cfg.Progress,
	})
	return lib, err
}

// errPortTaken tells a failed start that may succeed on other ports.
var errPortTaken = errors.New("a port of the local Neo4j was taken by another process")

// launch is what starting needs.
type launch struct {
	cfg       Config
	home      home
	java, lib string
	password  string
}

// run starts the process once, records it, and waits for its first answer. On an error it is gone again.
func (l launch) run(ctx context.Context, last record) (*Server, error) {
	r, err := choosePorts(last)
	if err != nil {
		return nil, err
	}
	if err := l.configure(r); err != nil {
		return nil, dataDirError(err)
	}
	if err := l.setInitialPassword(ctx); err != nil {
		return nil, err
	}
	began, logged := time.Now(), l.home.logSize()
	if r.PID, err = l.spawn(); err != nil {
		return nil, fmt.Errorf("start Neo4j: %w", err)
	}
	r.Version, r.StartedAt, r.ProcessStart = Version, began.UTC(), processStart(r.PID)
	p := r.process()
	if l.cfg.Progress != nil {
		l.cfg.Progress(Progress{Stage: StageStarting, Detail: "Neo4j " + Version})
	}
	err = l.home.writeRecord(r)
	if err == nil {
		err = waitReady(ctx, l.cfg.StartTimeout, l.home, r, l.password)
	}
	if err != nil {
		return nil, l.giveUp(ctx, p, r, logged, err)
	}
	l.cfg.Log.InfoContext(ctx, "local Neo4j started", slog.Int("pid", r.PID), slog.String("uri", r.uri()),
		slog.String("browser", r.browserURL()), slog.Duration("took", time.Since(began)))
	s := newServer(l.cfg, l.home, r, l.password)
	s.Started = true
	return s, nil
}

// giveUp ends a process that did not come to answer and says why it did not.
func (l launch) giveUp(ctx context.Context, p process, r record, logged int64, cause error) error {
	exited := !p.alive()
	// The caller's context may be what ended the wait; the process must go all the same.
	if _, err := p.end(context.WithoutCancel(ctx)); err != nil {
		cause = errors.Join(cause, err)
	}
	switch {
	case exited && (!free(r.BoltPort) || !free(r.HTTPPort)):
		return errPortTaken
	case errors.Is(cause, ErrExited) || errors.Is(cause, ErrNotReady):
		return fmt.Errorf("%w; the end of its log:\n%s", cause, l.home.logTail(logged))
	}
	return cause
}

// configure writes the configuration folder and makes the folder of the logs.
func (l launch) configure(r record) error {
	for _, dir := range []string{l.home.confDir(), l.home.logDir()} {
		if err := os.MkdirAll(dir, privateDir); err != nil {
			return err
		}
	}
	conf, err := template.ParseFS(confFiles, "conf/neo4j.conf.tmpl")
	if err != nil {
		return err
	}
	var text strings.Builder
	values := struct{ BoltPort, HTTPPort, PageCacheMiB int }{r.BoltPort, r.HTTPPort, l.cfg.PageCacheMiB}
	if err := conf.Execute(&text, values); err != nil {
		return err
	}
	if err := writeAtomically(filepath.Join(l.home.confDir(), "neo4j.conf"), []byte(text.String())); err != nil {
		return err
	}
	for _, name := range []string{"user-logs.xml", "server-logs.xml"} {
		raw, err := confFiles.ReadFile("conf/" + name)
		if err != nil {
			return err
		}
		if err := writeAtomically(filepath.Join(l.home.confDir(), name), raw); err != nil {
			return err
		}
	}
	return nil
}

// setInitialPassword tells a Neo4j that never ran its password. Java reads the
// arguments from a file, so that no other user sees them.
func (l launch) setInitialPassword(ctx context.Context) error {
	if _, err := os.Stat(l.home.systemStore()); err == nil {
		return nil
	}
	args := strings.Join([]string{
		"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC",
		"-cp", strconv.Quote(filepath.Join(l.lib, "*")),
		adminClass, "dbms", "set-initial-password", l.password,
	}, "\n")
	file := l.home.path("conf", "set-password.args")
	if err := writeAtomically(file, []byte(args)); err != nil {
		return dataDirError(err)
	}
	defer func() { _ = os.Remove(file) }()
	cmd := exec.CommandContext(ctx, l.java, "@"+file) //nolint:gosec // the user's own Java
	cmd.Env = append(l.environ(), "NEO4J_HOME="+string(l.home), "NEO4J_CONF="+l.home.confDir())
	if out, err := cmd.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("set the initial password of Neo4j: %w:\n%s", err, strings.TrimSpace(string(out)))
	}
	return nil
}

// spawn starts the server's process in a session of its own, so that Ctrl-C in
// a terminal reaches only its starter, which stops it in its own time.
func (l launch) spawn() (pid int, err error) {
	console, err := os.OpenFile(l.home.consoleLog(), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, privateFile)
	if err != nil {
		return 0, err
	}
	defer func() { _ = console.Close() }() // the process has its own descriptor
	// Not exec.CommandContext: the process outlives the call.
	cmd := exec.Command(l.java, l.arguments()...) //nolint:gosec,noctx // the user's own Java
	cmd.Dir, cmd.Env = string(l.home), l.environ()
	cmd.Stdout, cmd.Stderr = console, console
	detach(cmd)
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	pid = cmd.Process.Pid
	return pid, cmd.Process.Release()
}

func (l launch) arguments() []string {
	args := []string{fmt.Sprintf("-Xmx%dm", l.cfg.HeapMiB), "-Xms" + strconv.Itoa(min(initialHeapMiB, l.cfg.HeapMiB)) + "m", "-XX:+UseSerialGC"}
	if l.cfg.QuickStart {
		args = append(args, "-XX:TieredStopAtLevel=1")
	}
	return append(args,
		"--add-opens=java.base/java.nio=ALL-UNNAMED",
		"--add-opens=java.base/java.io=ALL-UNNAMED",
		"--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
		"--add-opens=java.base/java.util.concurrent=ALL-UNNAMED",
		"--add-modules", "jdk.incubator.vector",
		"-XX:+ExitOnOutOfMemoryError", // a dead process is noticed, one without memory lingers
		"-cp", filepath.Join(l.lib, "*"),
		serverClass, "--home-dir="+string(l.home), "--config-dir="+l.home.confDir())
}

// environ keeps the user's environment, but for what would change Neo4j's
// settings (NEO4J_…) and what would keep Java from opening file names that are
// not ASCII.
func (l launch) environ() []string {
	env := []string{}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "NEO4J_") && !strings.HasPrefix(v, "LC_ALL=") {
			env = append(env, v)
		}
	}
	return append(env, "LC_ALL=C.UTF-8")
}

// choosePorts takes those of the last run while they are free, so that clients find it again.
func choosePorts(last record) (record, error) {
	bolt, err := choosePort(last.BoltPort)
	if err != nil {
		return record{}, err
	}
	http, err := choosePort(last.HTTPPort)
	return record{BoltPort: bolt, HTTPPort: http}, err
}

func choosePort(preferred int) (int, error) {
	if preferred != 0 && free(preferred) {
		return preferred, nil
	}
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // returns at once
	if err != nil {
		return 0, fmt.Errorf("find a free port: %w", err)
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

func free(port int) bool {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))) //nolint:noctx // returns at once
	if err != nil {
		return false
	}
	return l.Close() == nil
}
