// Package localneo4j gives a running Neo4j to those who have none: a community
// server made of Maven artifacts, on free loopback ports, with a generated
// password, one for each data folder, shared by all processes that use it.
//
//	Ensure ─┬─ recorded and alive ──────────────▶ adopted (Started is false)
//	        └─ no record, or a stale one: fetch ─▶ started (Started is true)
//	Watch  ─── returns when the process has ended, for whatever reason
//	Stop   ─── ends it cleanly; its ports stay recorded for the next start
//
// Everything is below <DataDir>/neo4j: the password (mode 0600), server.json
// (the record of the running process), conf, data, logs and a lock that
// serialises starting and stopping among processes.
package localneo4j

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"mneme/internal/mavencache"
)

// Version of Neo4j that is fetched and started. It is the one in pom.xml.
const Version = "5.26.25"

// Username of the account whose password is generated.
const Username = "neo4j"

// defaultStartTimeout is generous: a start takes 5 to 10 s, more on a busy machine
// and much more when Neo4j replays its log after a crash.
const defaultStartTimeout = 3 * time.Minute

// downloadBytes is what Version weighs, for the progress only.
const downloadBytes = 132_000_000

//go:embed pom.xml
var pom []byte

// The ways in which a local Neo4j cannot be had. They are to be compared with
// errors.Is; the error's text says what to do. Those of fetching are
// mavencache.ErrNoMaven, ErrNoJava, ErrNoSpace and ErrFetch.
var (
	// ErrOldJava means that the Java found is older than Neo4j needs.
	ErrOldJava = errors.New("the installed Java is too old for Neo4j")
	// ErrNewerData means that the data folder was written by a newer Neo4j, which this one cannot read.
	ErrNewerData = errors.New("the data folder belongs to a newer Neo4j")
	// ErrDataDir means that the data folder cannot be used: not writable, not a folder, its disk full.
	ErrDataDir = errors.New("the data folder cannot be used")
	// ErrPassword means that the password file is missing or does not fit the data.
	ErrPassword = errors.New("the local Neo4j does not accept the recorded password")
	// ErrExited means that the Neo4j process ended without Stop; the error's
	// text ends with the last lines of its log.
	ErrExited = errors.New("the local Neo4j has ended")
	// ErrNotReady means that the process lives but did not answer in time.
	ErrNotReady = errors.New("the local Neo4j does not answer")
	// ErrPlatform means that there is no local Neo4j for this operating system.
	ErrPlatform = errors.New("the local Neo4j needs Linux or macOS")
)

// Progress is a report about a start that takes time.
type Progress = mavencache.Progress

// StageStarting is reported when the server's process was started. The stages before it are those of mavencache.
const StageStarting mavencache.Stage = "starting"

// Config says where a local Neo4j keeps its files and how big it may get.
type Config struct {
	// DataDir is the product's data folder; Neo4j's files go to its subfolder neo4j.
	DataDir string
	// CacheDir is the product's cache folder; the program goes to its subfolder neo4j-<Version>.
	CacheDir string
	// HeapMiB is the largest heap, in MiB; 0 sizes it by the machine's memory.
	HeapMiB int
	// PageCacheMiB is the memory for cached pages of the store, in MiB; 0 makes it half of the heap.
	PageCacheMiB int
	// QuickStart compiles less: a faster start at a lower speed afterwards. For tests.
	QuickStart bool
	// StartTimeout limits the time from the start of the process to its first answer; 0 means 3 minutes.
	StartTimeout time.Duration
	// Progress, when set, is told what a start does, from one goroutine at a time.
	Progress func(Progress)
	// Log, when set, is told of starts, stops and recoveries.
	Log *slog.Logger
}

// Server is a Neo4j that answered when Ensure returned.
type Server struct {
	URI          string // bolt://127.0.0.1:port
	HTTPURL      string // http://127.0.0.1:port; served two seconds or so after Bolt
	BrowserURL   string // Neo4j Browser
	Username     string
	Password     string
	PasswordFile string
	LogDir       string
	Version      string
	PID          int
	// Started is true when this call of Ensure started the process, which
	// makes its caller the one to stop it.
	Started bool

	home    home
	process process
	log     *slog.Logger
}

// Status describes the local Neo4j of a data folder.
type Status struct {
	Running      bool   // its process is alive
	Ready        bool   // it answers queries
	URI          string // empty unless Running, as are the other addresses
	HTTPURL      string
	BrowserURL   string
	PID          int
	Version      string // of the running one, or of the last one; empty when there was none
	StartedAt    time.Time
	Username     string
	PasswordFile string // it does not exist before the first start
	LogDir       string
}

// Ensure returns the local Neo4j of cfg.DataDir: the running one, or one that
// it fetches and starts. Among any number of concurrent calls, in whatever
// processes, one starts it and the others adopt it. Errors are this package's
// and mavencache's Err…, or ctx's; what was started is stopped again then.
func Ensure(ctx context.Context, cfg Config) (*Server, error) {
	cfg, h, err := cfg.resolve()
	if err != nil {
		return nil, err
	}
	unlock, err := h.lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()

	last, err := h.readRecord()
	if err != nil {
		cfg.Log.WarnContext(ctx, "unreadable record of the local Neo4j is ignored", slog.Any("error", err))
	}
	if last.process().alive() {
		s, err := adopt(ctx, cfg, h, last)
		if !errors.Is(err, ErrExited) {
			return s, err
		}
	}
	s, err := start(ctx, cfg, h, last)
	if err != nil && needsInstallation(err) {
		return nil, fmt.Errorf("%w; or set NEO4J_URI to use a Neo4j of your own", err)
	}
	return s, err
}

// needsInstallation tells the errors whose other way out is a Neo4j from elsewhere.
func needsInstallation(err error) bool {
	for _, target := range []error{ErrPlatform, ErrOldJava, mavencache.ErrNoJava, mavencache.ErrNoMaven, mavencache.ErrFetch} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}

// adopt waits until the recorded process, which may have been started a moment ago, answers.
func adopt(ctx context.Context, cfg Config, h home, r record) (*Server, error) {
	password, err := h.readPassword()
	if err != nil {
		return nil, err
	}
	if err := waitReady(ctx, cfg.StartTimeout, h, r, password); err != nil {
		return nil, err
	}
	cfg.Log.DebugContext(ctx, "local Neo4j adopted", slog.Int("pid", r.PID), slog.String("uri", r.uri()))
	return newServer(cfg, h, r, password), nil
}

func newServer(cfg Config, h home, r record, password string) *Server {
	return &Server{
		URI: r.uri(), HTTPURL: r.httpURL(), BrowserURL: r.browserURL(),
		Username: Username, Password: password, PasswordFile: h.passwordFile(),
		LogDir: h.logDir(), Version: r.Version, PID: r.PID,
		home: h, process: r.process(), log: cfg.Log,
	}
}

// Watch returns an error that is ErrExited when the process has ended, within
// a second of its end, and ctx's error when ctx is done before. After ErrExited,
// Ensure starts it again, on the same ports when they are still free.
func (s *Server) Watch(ctx context.Context) error {
	err := poll(ctx, watchInterval, func() (bool, error) { return !s.process.alive(), nil })
	if err != nil {
		return err
	}
	return fmt.Errorf("%w (pid %d):\n%s", ErrExited, s.PID, s.home.logTail(0))
}

// Stop ends the process cleanly and returns when it is gone; one that does not
// end in 30 s is killed, which loses nothing that was acknowledged. It does
// nothing when the process has ended before, even if another one runs by now.
func (s *Server) Stop(ctx context.Context) error {
	return s.home.stop(ctx, s.log, s.process)
}

// Stop ends the local Neo4j of cfg.DataDir, whoever started it, as Server.Stop
// does. It does nothing when none runs.
func Stop(ctx context.Context, cfg Config) error {
	cfg, h, err := cfg.resolve()
	if err != nil {
		return err
	}
	r, err := h.readRecord()
	if err != nil {
		return err
	}
	return h.stop(ctx, cfg.Log, r.process())
}

// Inspect says whether a local Neo4j runs for cfg.DataDir, and where. It
// changes nothing; a data folder that does not exist is not running.
func Inspect(ctx context.Context, cfg Config) (Status, error) {
	_, h, err := cfg.resolve()
	if err != nil {
		return Status{}, err
	}
	r, err := h.readRecord()
	if err != nil {
		return Status{}, err
	}
	s := Status{Version: r.Version, Username: Username, PasswordFile: h.passwordFile(), LogDir: h.logDir()}
	if !r.process().alive() {
		return s, nil
	}
	s.Running, s.PID, s.StartedAt = true, r.PID, r.StartedAt
	s.URI, s.HTTPURL, s.BrowserURL = r.uri(), r.httpURL(), r.browserURL()
	if password, err := h.readPassword(); err == nil {
		s.Ready = probe(ctx, r.uri(), password) == nil
	}
	return s, nil
}

// resolve checks cfg, fills in its defaults and makes its folders absolute.
func (cfg Config) resolve() (Config, home, error) {
	if cfg.DataDir == "" || cfg.CacheDir == "" {
		return cfg, "", errors.New("local Neo4j: DataDir and CacheDir must be set")
	}
	dataDir, err := filepath.Abs(cfg.DataDir)
	if err != nil {
		return cfg, "", fmt.Errorf("%w: %w", ErrDataDir, err)
	}
	if cfg.CacheDir, err = filepath.Abs(cfg.CacheDir); err != nil {
		return cfg, "", fmt.Errorf("cache folder: %w", err)
	}
	if cfg.HeapMiB == 0 {
		cfg.HeapMiB = heapFor(machineMemoryMiB())
	}
	if cfg.PageCacheMiB == 0 {
		cfg.PageCacheMiB = cfg.HeapMiB / 2
	}
	if cfg.StartTimeout == 0 {
		cfg.StartTimeout = defaultStartTimeout
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return cfg, home(filepath.Join(dataDir, "neo4j")), nil
}
