package cypher

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j/config"

	"mneme/knowledge"
)

// DefaultTimeout bounds each transaction in the database (SPEC U: request time).
const DefaultTimeout = 30 * time.Second

// maxRetry bounds how long a write waits for other writers (SPEC O24).
const maxRetry = 10 * time.Second

// minServer is the oldest supported server: dynamic labels and types came with Neo4j 5.26.
const minServer = "5.26"

// Config says which database to use.
type Config struct {
	URI      string // bolt:// or neo4j://, with +s for TLS
	Username string
	Password string
	Database string        // empty: the server's default
	Timeout  time.Duration // of one transaction; 0: DefaultTimeout
	Log      *slog.Logger  // nil: slog.Default
	// OnStatement, where set, is told the name of every statement that is sent.
	OnStatement func(name string)
	// Trace, where set, is told every statement that is sent, with its parameters, which
	// must not be changed. For measurements: it slows everything down.
	Trace func(name, text string, params map[string]any)
}

// Store is the product's database. It is safe for concurrent use.
type Store struct {
	closed    atomic.Bool
	driver    neo4j.DriverWithContext
	cfg       Config
	log       *slog.Logger
	bookmarks neo4j.BookmarkManager // only where the address may route to several servers
	server    ServerVersion
	edgeTypes edgeRegistry
}

// ServerVersion says what the database is.
type ServerVersion struct {
	Version string
	Edition string
}

// Open connects to the database and checks that it can be used: UNAVAILABLE where it
// is not reachable, refuses the password, or is older than Neo4j 5.26.
func Open(ctx context.Context, cfg Config) (*Store, error) {
	if cfg.Timeout == 0 {
		cfg.Timeout = DefaultTimeout
	}
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	driver, err := neo4j.NewDriverWithContext(cfg.URI, neo4j.BasicAuth(cfg.Username, cfg.Password, ""), func(c *config.Config) {
		c.UserAgent = "mneme"
		c.ConnectionAcquisitionTimeout = cfg.Timeout
		c.SocketConnectTimeout = 5 * time.Second
		c.MaxTransactionRetryTime = maxRetry
	})
	if err != nil {
		return nil, knowledge.Errorf(knowledge.CodeUnavailable, "the database address is not usable: NEO4J_URI must look like bolt://host:7687 or neo4j://host:7687").Because(err)
	}
	s := &Store{driver: driver, cfg: cfg, log: cfg.Log}
	if strings.HasPrefix(cfg.URI, "neo4j") {
		s.bookmarks = neo4j.NewBookmarkManager(neo4j.BookmarkManagerConfig{})
	}
	if err := s.check(ctx); err != nil {
		_ = driver.Close(ctx)
		return nil, err
	}
	return s, nil
}

func (s *Store) check(ctx context.Context) error {
	if err := s.driver.VerifyConnectivity(ctx); err != nil {
		return s.translate("connect", err)
	}
	rows, err := read(ctx, s, serverVersion, nil, func(r row) ServerVersion {
		return ServerVersion{Version: r.text("version"), Edition: r.text("edition")}
	})
	if err != nil {
		return err
	}
	if len(rows) == 1 {
		s.server = rows[0]
	}
	if olderThan(s.server.Version, minServer) {
		return knowledge.Errorf(knowledge.CodeUnavailable, "the database is Neo4j %s; Mneme needs %s or newer", s.server.Version, minServer)
	}
	return nil
}

// olderThan compares two dotted versions by their first two numbers.
func olderThan(version, least string) bool {
	var a, b, c, d int
	if n, _ := fmt.Sscanf(version, "%d.%d", &a, &b); n < 2 {
		return true
	}
	if n, _ := fmt.Sscanf(least, "%d.%d", &c, &d); n < 2 {
		return true
	}
	return a < c || a == c && b < d
}

// Server says what the database is.
func (s *Store) Server() ServerVersion { return s.server }

// Ping tells whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	_, err := read(ctx, s, serverVersion, nil, func(row) struct{} { return struct{}{} })
	return err
}

// Close ends all connections.
func (s *Store) Close(ctx context.Context) error {
	s.closed.Store(true)
	return s.driver.Close(ctx)
}
