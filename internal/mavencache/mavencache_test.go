package mavencache

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
)

// pom names one small artifact that is part of the local Neo4j as well.
const pom = `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>mneme</groupId>
  <artifactId>mavencache-test</artifactId>
  <version>1</version>
  <packaging>pom</packaging>
  <dependencies>
    <dependency>
      <groupId>org.neo4j</groupId>
      <artifactId>neo4j-token-api</artifactId>
      <version>5.26.25</version>
    </dependency>
  </dependencies>
</project>
`

const jarName = "neo4j-token-api-5.26.25.jar"

// stages records the stages that a fetch went through.
type stages struct {
	mu   sync.Mutex
	seen []Progress
}

func (s *stages) add(p Progress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, p)
}

func (s *stages) has(stage Stage) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.seen {
		if p.Stage == stage {
			return true
		}
	}
	return false
}

func request(t *testing.T) (Request, *stages) {
	t.Helper()
	s := &stages{}
	return Request{Dir: filepath.Join(t.TempDir(), "cache", "thing-1"), Pom: []byte(pom), Progress: s.add}, s
}

// whole is a request that was carried out with the machine's mvn.
func whole(t *testing.T) Request {
	t.Helper()
	r, _ := request(t)
	require.NoError(t, Fetch(t.Context(), r))
	return r
}

// copyOf is a request whose folder is a copy of another's.
func copyOf(t *testing.T, original Request) Request {
	t.Helper()
	r, _ := request(t)
	require.NoError(t, os.CopyFS(r.Dir, os.DirFS(original.Dir)))
	return r
}

// requireNoLeftovers fails when anything but the folder and its lock stands in the cache.
func requireNoLeftovers(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(dir))
	require.NoError(t, err)
	for _, e := range entries {
		require.Contains(t, []string{filepath.Base(dir), filepath.Base(dir) + ".lock"}, e.Name())
	}
}

// fakeMaven puts an mvn with this shell body before the real one.
func fakeMaven(t *testing.T, body string) {
	t.Helper()
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "mvn"), []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func TestFetch_ConcurrentFirstUsesRunMavenOnce(t *testing.T) {
	t.Parallel()
	r, _ := request(t)
	var downloads atomic.Int32
	r.Progress = func(p Progress) {
		if p.Stage == StageDownloading && p.Files == 0 {
			downloads.Add(1)
		}
	}
	g, ctx := errgroup.WithContext(t.Context())
	for range 4 {
		g.Go(func() error { return Fetch(ctx, r) })
	}
	require.NoError(t, g.Wait())
	require.EqualValues(t, 1, downloads.Load())
	jars, err := Jars(r.Dir)
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(r.Dir, jarName)}, jars)
	requireNoLeftovers(t, r.Dir)
}

func TestVerify_FindsDamage(t *testing.T) {
	t.Parallel()
	original := whole(t)
	jar := func(dir string) string { return filepath.Join(dir, jarName) }
	damages := map[string]struct {
		do     func(dir string) error
		reason string
	}{
		"a changed byte": {reason: jarName + " is changed", do: func(dir string) error {
			raw, err := os.ReadFile(jar(dir))
			if err != nil {
				return err
			}
			raw[len(raw)/2] ^= 1
			return os.WriteFile(jar(dir), raw, 0o600)
		}},
		"a truncated file": {reason: jarName + " is changed", do: func(dir string) error { return os.Truncate(jar(dir), 10) }},
		"a missing file":   {reason: jarName + " is missing", do: func(dir string) error { return os.Remove(jar(dir)) }},
		"a file too many": {reason: "evil.jar does not belong there", do: func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "evil.jar"), nil, 0o600)
		}},
		"no manifest": {reason: manifestName, do: func(dir string) error { return os.Remove(filepath.Join(dir, manifestName)) }},
		"a truncated manifest": {reason: manifestName + " is unreadable", do: func(dir string) error {
			return os.Truncate(filepath.Join(dir, manifestName), 30)
		}},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := copyOf(t, original)
			require.NoError(t, Verify(r.Dir, r.Pom))
			require.NoError(t, damage.do(r.Dir))
			require.ErrorIs(t, Verify(r.Dir, r.Pom), ErrDamaged)
			require.ErrorContains(t, Verify(r.Dir, r.Pom), damage.reason)
		})
	}
	t.Run("another pom", func(t *testing.T) {
		t.Parallel()
		require.ErrorIs(t, Verify(original.Dir, []byte("another")), ErrDamaged)
	})
	t.Run("no folder", func(t *testing.T) {
		t.Parallel()
		require.ErrorIs(t, Verify(filepath.Join(original.Dir, "none"), original.Pom), os.ErrNotExist)
	})
}

func TestFetch_DamagedFolderIsFetchedAgain(t *testing.T) {
	t.Parallel()
	r := whole(t)
	require.NoError(t, os.Truncate(filepath.Join(r.Dir, jarName), 10))
	s := &stages{}
	r.Progress = s.add
	require.NoError(t, Fetch(t.Context(), r))
	require.True(t, s.has(StageRepairing), "the user is told that the folder was damaged")
	require.NoError(t, Verify(r.Dir, r.Pom))
	requireNoLeftovers(t, r.Dir)
}

func TestFetch_PrepareDecidesWhatIsKept(t *testing.T) {
	t.Parallel()
	r, _ := request(t)
	r.Prepare = func(_ context.Context, dir string) error {
		return errors.Join(os.Remove(filepath.Join(dir, jarName)), os.WriteFile(filepath.Join(dir, "model.bin"), []byte("x"), 0o600))
	}
	require.NoError(t, Fetch(t.Context(), r))
	require.FileExists(t, filepath.Join(r.Dir, "model.bin"))
	jars, err := Jars(r.Dir)
	require.NoError(t, err)
	require.Empty(t, jars)
}

func TestFetch_FailingPrepareLeavesNothing(t *testing.T) {
	t.Parallel()
	r, _ := request(t)
	failure := errors.New("wrong sha256")
	r.Prepare = func(context.Context, string) error { return failure }
	killed := filepath.Join(filepath.Dir(r.Dir), temporaryPrefix(r.Dir)+"123", "files") // left by another process
	require.NoError(t, os.MkdirAll(killed, 0o755))
	require.ErrorIs(t, Fetch(t.Context(), r), failure)
	require.NoDirExists(t, r.Dir)
	requireNoLeftovers(t, r.Dir)
}

func TestFetch_BrokenJarInMavensRepositoryIsPassedBy(t *testing.T) {
	// The real mvn, cutting the jar short unless it is told to use another repository than the
	// machine's; told so, it uses the machine's all the same, to download nothing twice.
	mvn, err := exec.LookPath("mvn")
	require.NoError(t, err)
	fakeMaven(t, `
for option in "$@"; do
	case $option in
	-DoutputDirectory=*) jar=${option#*=}/`+jarName+` ;;
	-Dmaven.repo.local=*) passed_by=yes ;;
	esac
done
`+mvn+` $(printf '%s\n' "$@" | grep -v repo.local) || exit
[ "$passed_by" ] && exit
head -c 1000 "$jar" >"$jar.short" && mv "$jar.short" "$jar"`)
	r, s := request(t)
	require.NoError(t, Fetch(t.Context(), r))
	require.True(t, s.has(StageRepairing))
	require.NoError(t, brokenJar(r.Dir))
	jars, err := Jars(r.Dir)
	require.NoError(t, err)
	require.Len(t, jars, 1)
}

func TestFetch_WithoutMaven(t *testing.T) {
	r := whole(t)
	t.Setenv("PATH", t.TempDir())
	t.Run("a whole folder needs none", func(t *testing.T) {
		r.Progress = func(p Progress) { t.Errorf("progress reported: %+v", p) }
		require.NoError(t, Fetch(t.Context(), r))
	})
	t.Run("a damaged folder is named as well", func(t *testing.T) {
		r.Progress = nil
		require.NoError(t, os.Truncate(filepath.Join(r.Dir, jarName), 10))
		err := Fetch(t.Context(), r)
		require.ErrorIs(t, err, ErrDamaged)
		require.ErrorIs(t, err, ErrNoMaven)
	})
}

func TestFetch_FailuresAreNamed(t *testing.T) {
	cases := map[string]struct {
		arrange func(t *testing.T)
		want    error
		says    string
	}{
		"no mvn": {want: ErrNoMaven, says: "apt-get install maven", arrange: func(t *testing.T) {
			t.Setenv("PATH", t.TempDir())
		}},
		"no java": {want: ErrNoJava, says: "install a JDK", arrange: func(t *testing.T) {
			fakeMaven(t, "exit 1")
			t.Setenv("PATH", strings.Split(os.Getenv("PATH"), string(os.PathListSeparator))[0])
			t.Setenv("JAVA_HOME", "")
		}},
		"full disk": {want: ErrNoSpace, says: "no space left", arrange: func(t *testing.T) {
			fakeMaven(t, `echo "[ERROR] neo4j.jar: No space left on device"; exit 1`)
		}},
		"no network": {want: ErrFetch, says: "Unknown host", arrange: func(t *testing.T) {
			fakeMaven(t, `echo "[ERROR] Unknown host" >&2; exit 1`)
		}},
		"nothing copied": {says: "no such file", want: os.ErrNotExist, arrange: func(t *testing.T) {
			fakeMaven(t, "exit 0")
		}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			c.arrange(t)
			r, _ := request(t)
			err := Fetch(t.Context(), r)
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.says)
			require.NoDirExists(t, r.Dir)
			requireNoLeftovers(t, r.Dir)
		})
	}
}

func TestFetch_CancelledContextEndsMaven(t *testing.T) {
	// The fake says a word and then hangs: the word is the moment to cancel at.
	fakeMaven(t, `echo "Downloaded from x: http://x/y.jar (1 kB at 1 kB/s)"; exec sleep 600`)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, _ := request(t)
	r.Progress = func(p Progress) {
		if p.Files == 1 {
			cancel()
		}
	}
	require.ErrorIs(t, Fetch(ctx, r), context.Canceled)
	requireNoLeftovers(t, r.Dir)
}
