package localneo4j

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"mneme/internal/mavencache"
)

// cacheDir is the user's cache folder, as the product takes it.
func cacheDir(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("MNEME_CACHE_DIR"); dir != "" {
		return dir
	}
	dir, err := os.UserCacheDir()
	require.NoError(t, err)
	return filepath.Join(dir, "mneme")
}

// config is a small Neo4j in a fresh data folder, stopped at the end of the test.
func config(t *testing.T) Config {
	t.Helper()
	cfg := Config{DataDir: t.TempDir(), CacheDir: cacheDir(t), HeapMiB: 256, PageCacheMiB: 64, QuickStart: true}
	t.Cleanup(func() {
		if err := Stop(context.Background(), cfg); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return cfg
}

// query runs one statement and returns its single value.
func query(t *testing.T, s *Server, cypher string) any {
	t.Helper()
	driver, err := neo4j.NewDriverWithContext(s.URI, neo4j.BasicAuth(s.Username, s.Password, ""))
	require.NoError(t, err)
	defer func() { _ = driver.Close(context.Background()) }()
	result, err := neo4j.ExecuteQuery(t.Context(), driver, cypher, nil, neo4j.EagerResultTransformer)
	require.NoError(t, err)
	require.Len(t, result.Records, 1)
	return result.Records[0].Values[0]
}

func port(t *testing.T, s *Server) string {
	t.Helper()
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.URI, "bolt://"))
	require.NoError(t, err)
	return port
}

// One data folder through its whole life, since a start takes seconds.
func TestLifeOfAServer(t *testing.T) {
	t.Parallel()
	cfg := config(t)

	status, err := Inspect(t.Context(), cfg)
	require.NoError(t, err)
	require.False(t, status.Running, "nothing runs before the first start")

	s := concurrentFirstStart(t, cfg)
	requirePrivateAndLocal(t, s)
	requireBrowser(t, s)
	require.EqualValues(t, 1, query(t, s, "CREATE (n:Kept {v: 1}) RETURN n.v"))

	status, err = Inspect(t.Context(), cfg)
	require.NoError(t, err)
	require.True(t, status.Running)
	require.True(t, status.Ready)
	require.Equal(t, s.URI, status.URI)
	require.Equal(t, s.PID, status.PID)

	s = crashAndRecover(t, cfg, s)
	s = startWithTakenPort(t, cfg, s)

	require.NoError(t, s.Stop(t.Context()))
	require.Error(t, syscall.Kill(s.PID, 0), "the process is gone")
	require.NoError(t, s.Stop(t.Context()), "a second stop does nothing")
	status, err = Inspect(t.Context(), cfg)
	require.NoError(t, err)
	require.False(t, status.Running)
	require.Equal(t, Version, status.Version)
}

// concurrentFirstStart lets several callers ask at once: one starts Neo4j, the others adopt it.
func concurrentFirstStart(t *testing.T, cfg Config) *Server {
	t.Helper()
	servers := make([]*Server, 3)
	g, ctx := errgroup.WithContext(t.Context())
	for i := range servers {
		g.Go(func() (err error) {
			servers[i], err = Ensure(ctx, cfg)
			return err
		})
	}
	require.NoError(t, g.Wait())
	started := 0
	for _, s := range servers {
		require.Equal(t, servers[0].PID, s.PID)
		require.Equal(t, servers[0].URI, s.URI)
		require.Equal(t, servers[0].Password, s.Password)
		if s.Started {
			started++
		}
	}
	require.Equal(t, 1, started)
	return servers[0]
}

// requirePrivateAndLocal: the secret files are the user's alone, and no other machine reaches the ports.
func requirePrivateAndLocal(t *testing.T, s *Server) {
	t.Helper()
	for _, file := range []string{s.home.passwordFile(), s.home.recordFile()} {
		info, err := os.Stat(file)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), file)
	}
	require.NoFileExists(t, s.home.path("conf", "set-password.args"))
	addresses, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addresses {
		ip, _, err := net.ParseCIDR(a.String())
		require.NoError(t, err)
		if ip.IsLoopback() || ip.To4() == nil {
			continue
		}
		_, err = net.DialTimeout("tcp", net.JoinHostPort(ip.String(), port(t, s)), time.Second)
		require.Error(t, err, "reachable by %s", ip)
	}
	require.Error(t, probe(t.Context(), s.URI, "wrong"))
}

func requireBrowser(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, poll(ctx, readyInterval, func() (bool, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.BrowserURL, nil)
		if err != nil {
			return false, err
		}
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			return false, nil // HTTP comes up after Bolt
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode == http.StatusOK, nil
	}))
}

// crashAndRecover kills the process: Watch notices, and the next Ensure brings
// it back where it was, with what it had acknowledged.
func crashAndRecover(t *testing.T, cfg Config, s *Server) *Server {
	t.Helper()
	require.NoError(t, syscall.Kill(s.PID, syscall.SIGKILL))
	require.ErrorIs(t, s.Watch(t.Context()), ErrExited)
	again, err := Ensure(t.Context(), cfg)
	require.NoError(t, err)
	require.True(t, again.Started)
	require.NotEqual(t, s.PID, again.PID)
	require.Equal(t, s.URI, again.URI, "clients find it again")
	require.EqualValues(t, 1, query(t, again, "MATCH (n:Kept) RETURN n.v"))
	return again
}

// startWithTakenPort stops the server and has another listen on its port.
func startWithTakenPort(t *testing.T, cfg Config, s *Server) *Server {
	t.Helper()
	require.NoError(t, Stop(t.Context(), cfg))
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port(t, s)))
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	again, err := Ensure(t.Context(), cfg)
	require.NoError(t, err)
	require.NotEqual(t, s.URI, again.URI)
	require.EqualValues(t, 1, query(t, again, "MATCH (n:Kept) RETURN n.v"))
	return again
}

// A port that is taken after it was chosen ends the attempt, not the start.
func TestLaunch_PortTakenMeanwhile(t *testing.T) {
	t.Parallel()
	cfg, h, err := config(t).resolve()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(string(h), privateDir))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = l.Close() }()
	taken := l.Addr().(*net.TCPAddr).Port

	failed := launch{cfg: cfg, home: h}
	require.ErrorIs(t, failed.giveUp(t.Context(), process{}, record{BoltPort: taken, HTTPPort: taken}, 0, ErrExited), errPortTaken)
}

func TestEnsure_CancelledStartLeavesNoProcess(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	cfg.Progress = func(p Progress) {
		if p.Stage == StageStarting {
			cancel()
		}
	}
	_, err := Ensure(ctx, cfg)
	require.ErrorIs(t, err, context.Canceled)
	status, err := Inspect(t.Context(), cfg)
	require.NoError(t, err)
	require.False(t, status.Running)
}

func TestEnsure_FailingStartSaysWhy(t *testing.T) {
	t.Parallel()
	cfg := config(t)
	cfg.HeapMiB = 2 // too small for any Java program of this size
	_, err := Ensure(t.Context(), cfg)
	require.ErrorIs(t, err, ErrExited)
	require.ErrorContains(t, err, "heap")
}

// A record whose PID belongs to another process by now is stale: nobody's process is adopted or stopped.
func TestStaleRecord(t *testing.T) {
	t.Parallel()
	other := exec.CommandContext(t.Context(), "sleep", "600")
	require.NoError(t, other.Start())
	t.Cleanup(func() {
		_ = other.Process.Kill()
		_ = other.Wait()
	})
	cases := map[string]string{
		"a reused PID":       fmt.Sprintf(`{"version":%q,"pid":%d,"processStart":"yesterday","boltPort":7,"httpPort":8}`, Version, other.Process.Pid),
		"no process start":   fmt.Sprintf(`{"version":%q,"pid":%d,"boltPort":7,"httpPort":8}`, Version, other.Process.Pid),
		"a PID of no one":    fmt.Sprintf(`{"version":%q,"pid":4194305,"processStart":"x"}`, Version),
		"nothing runs":       fmt.Sprintf(`{"version":%q,"pid":0}`, Version),
		"a PID of all users": `{"pid":-1,"processStart":""}`,
	}
	for name, content := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg := Config{DataDir: t.TempDir(), CacheDir: cacheDir(t)}
			require.NoError(t, os.Mkdir(filepath.Join(cfg.DataDir, "neo4j"), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(cfg.DataDir, "neo4j", "server.json"), []byte(content), 0o600))
			status, err := Inspect(t.Context(), cfg)
			require.NoError(t, err)
			require.False(t, status.Running)
			require.NoError(t, Stop(t.Context(), cfg))
			require.NoError(t, other.Process.Signal(syscall.Signal(0)), "the other process lives")
		})
	}
}

func TestProcess_IdentityOutlivesNoProcess(t *testing.T) {
	t.Parallel()
	self := process{pid: os.Getpid(), start: processStart(os.Getpid())}
	require.True(t, self.alive())
	require.False(t, process{pid: self.pid, start: self.start + "0"}.alive())

	child := exec.CommandContext(t.Context(), "sleep", "600")
	require.NoError(t, child.Start())
	p := process{pid: child.Process.Pid, start: processStart(child.Process.Pid)}
	require.True(t, p.alive())
	killed, err := p.end(t.Context())
	require.NoError(t, err)
	require.False(t, killed)
	require.False(t, p.alive())
	_ = child.Wait()
}

func TestEnsure_UnusableDataFolder(t *testing.T) {
	t.Parallel()
	t.Run("a file in its place", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "file")
		require.NoError(t, os.WriteFile(file, nil, 0o600))
		_, err := Ensure(t.Context(), Config{DataDir: file, CacheDir: cacheDir(t)})
		require.ErrorIs(t, err, ErrDataDir)
		require.ErrorContains(t, err, "MNEME_DATA_DIR")
	})
	t.Run("data of a newer Neo4j", func(t *testing.T) {
		t.Parallel()
		for _, version := range []string{"5.27.0", "2025.11.2", "2026.1.0"} {
			cfg := Config{DataDir: t.TempDir(), CacheDir: cacheDir(t)}
			require.NoError(t, os.Mkdir(filepath.Join(cfg.DataDir, "neo4j"), 0o700))
			require.NoError(t, home(filepath.Join(cfg.DataDir, "neo4j")).writeRecord(record{Version: version}))
			_, err := Ensure(t.Context(), cfg)
			require.ErrorIs(t, err, ErrNewerData, version)
		}
	})
	t.Run("a store without its password", func(t *testing.T) {
		t.Parallel()
		cfg := Config{DataDir: t.TempDir(), CacheDir: cacheDir(t)}
		h := home(filepath.Join(cfg.DataDir, "neo4j"))
		require.NoError(t, os.MkdirAll(h.systemStore(), 0o700))
		_, err := Ensure(t.Context(), cfg)
		require.ErrorIs(t, err, ErrPassword)
		require.ErrorContains(t, err, h.passwordFile())
	})
	t.Run("no folders named", func(t *testing.T) {
		t.Parallel()
		_, err := Ensure(t.Context(), Config{})
		require.ErrorContains(t, err, "must be set")
	})
}

func TestReadPassword_TakesItAwayFromOthers(t *testing.T) {
	t.Parallel()
	h := home(t.TempDir())
	require.NoError(t, os.WriteFile(h.passwordFile(), []byte("secret\n"), 0o644))
	password, err := h.readPassword()
	require.NoError(t, err)
	require.Equal(t, "secret", password)
	info, err := os.Stat(h.passwordFile())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// fakeJava makes a java that says this version the only program on PATH.
func fakeJava(t *testing.T, version string) {
	t.Helper()
	bin := t.TempDir()
	script := "#!/bin/sh\necho '" + version + "' >&2\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "java"), []byte(script), 0o755))
	t.Setenv("PATH", bin)
	t.Setenv("JAVA_HOME", "")
}

func TestEnsure_MissingTools(t *testing.T) {
	sh, err := exec.LookPath("sh")
	require.NoError(t, err)
	cases := map[string]struct {
		arrange func(t *testing.T)
		want    error
		says    string
	}{
		"no java": {want: mavencache.ErrNoJava, says: "install a JDK", arrange: func(t *testing.T) {
			t.Setenv("PATH", t.TempDir())
			t.Setenv("JAVA_HOME", "")
		}},
		"an old java": {want: ErrOldJava, says: "version 11 and 17 is needed", arrange: func(t *testing.T) {
			fakeJava(t, `openjdk version "11.0.22" 2024-01-16`)
		}},
		"no maven": {want: mavencache.ErrNoMaven, says: "install maven", arrange: func(t *testing.T) {
			fakeJava(t, `openjdk version "21.0.2" 2024-01-16`)
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.arrange(t)
			// The fake java needs its shell where nothing else is found.
			require.NoError(t, os.Symlink(sh, filepath.Join(os.Getenv("PATH"), "sh")))
			_, err := Ensure(t.Context(), Config{DataDir: t.TempDir(), CacheDir: t.TempDir()})
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.says)
			require.ErrorContains(t, err, "NEO4J_URI")
		})
	}
}

func TestJavaVersion(t *testing.T) {
	t.Parallel()
	cases := map[string]int{
		`openjdk version "17.0.15" 2025-04-15`: 17,
		`java version "1.8.0_402"`:             8,
		`openjdk version "25" 2025-09-16`:      25,
		"Picked up JAVA_TOOL_OPTIONS: -Dx=version\nopenjdk version \"21.0.2\" 2024-01-16": 21,
	}
	for output, want := range cases {
		got, err := javaVersion(output)
		require.NoError(t, err)
		require.Equal(t, want, got, output)
	}
	_, err := javaVersion("no such thing")
	require.Error(t, err)
}

func TestHeapFor(t *testing.T) {
	t.Parallel()
	for memory, want := range map[int]int{0: 512, 1024: 256, 2048: 256, 4096: 512, 8192: 512, 16384: 1024, 65536: 2048} {
		require.Equal(t, want, heapFor(memory), strconv.Itoa(memory)+" MiB")
	}
}

func TestVersionIsThatOfPom(t *testing.T) {
	t.Parallel()
	require.Equal(t, 2, strings.Count(string(pom), "<version>"+Version+"</version>"))
}
