package neo4jtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/oklog/ulid/v2"

	"mneme/localneo4j"
)

// keepVariable set to "keep" leaves the shared Neo4j up, with its data, for the next run.
const keepVariable = "MNEME_TEST_NEO4J"

// What the shared Neo4j gets, in MiB: a bulk write of a test must not end it.
const heapMiB, pageCacheMiB = 512, 64

// shared is this process's use of the shared Neo4j: it joins once. It is a
// variable of the package because the tests of a package share nothing else.
var shared = sync.OnceValues(joinShared)

// Connect returns the address, user and password of the test database. The
// first call in a run may start it, which takes seconds, or minutes when Neo4j
// has to be fetched. Without a database the test fails.
func Connect(tb testing.TB) (uri, user, password string) {
	tb.Helper()
	if uri := os.Getenv("NEO4J_URI"); uri != "" {
		user := os.Getenv("NEO4J_USERNAME")
		if user == "" {
			user = localneo4j.Username
		}
		return uri, user, os.Getenv("NEO4J_PASSWORD")
	}
	s, err := shared()
	if err != nil {
		tb.Fatalf("no database for this test: %v", err)
	}
	return s.URI, s.Username, s.Password
}

// Workspace returns the id of a workspace that no other test uses: the database
// is shared, and workspaces are what isolates tests in it.
func Workspace(tb testing.TB) string {
	tb.Helper()
	return "ws_" + strings.ToLower(ulid.Make().String())
}

// joinShared joins the shared Neo4j of this checkout on behalf of the running `go test`.
func joinShared() (*localneo4j.Server, error) {
	p, err := sharedPool()
	if err != nil {
		return nil, err
	}
	return p.join(context.Background(), member{pid: runner(), keeps: os.Getenv(keepVariable) == "keep"})
}

// sharedPool lies in the cache folder, apart for each checkout.
func sharedPool() (pool, error) {
	cache := os.Getenv("MNEME_CACHE_DIR")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return pool{}, fmt.Errorf("find the cache folder: %w", err)
		}
		cache = filepath.Join(user, "mneme")
	}
	root, err := moduleRoot()
	if err != nil {
		return pool{}, err
	}
	hash := sha256.Sum256([]byte(root))
	return newPool(filepath.Join(cache, "test-neo4j-"+hex.EncodeToString(hash[:4])), cache), nil
}

// moduleRoot is the folder of go.mod above the working directory, which is the package's in a test.
func moduleRoot() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for dir := start; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no go.mod above " + start)
		}
	}
}

// runner returns the PID whose end is the end of the test run: the go command
// above this process, or this process when it was started in another way (by a
// debugger, or by hand).
func runner() int {
	parent := os.Getppid()
	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", parent)); err == nil {
		if filepath.Base(exe) == "go" {
			return parent
		}
		return os.Getpid()
	}
	name, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(parent)).Output()
	if err == nil && filepath.Base(strings.TrimSpace(string(name))) == "go" {
		return parent
	}
	return os.Getpid()
}
