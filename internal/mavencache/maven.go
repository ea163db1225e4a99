package mavencache

import (
	"archive/zip"
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// copyGoal names the plugin with its version: without one Maven takes whatever
// its own version prefers, which differs between machines.
const copyGoal = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

const (
	tailLines = 20              // of mvn's output that go into an error
	killWait  = 5 * time.Second // for mvn's pipes to close once it was killed
)

// runMaven copies the dependencies of r.Pom into files. temp is a folder that it may use.
// When a jar in the machine's Maven repository turns out to be broken (a
// download cut short by a crash or a full disk: Maven does not look twice at
// what it has), it fetches all of them anew, past that repository.
func runMaven(ctx context.Context, r Request, temp, files string) error {
	if err := fetchInto(ctx, r, temp, files); err != nil {
		return err
	}
	broken := brokenJar(files)
	if broken == nil {
		return nil
	}
	r.report(Progress{Stage: StageRepairing, Detail: fmt.Sprintf("Maven's repository holds a broken file: %v", broken)})
	if err := os.RemoveAll(files); err != nil {
		return fmt.Errorf("remove broken files: %w", err)
	}
	if err := fetchInto(ctx, r, temp, files, "-Dmaven.repo.local="+filepath.Join(temp, "repository")); err != nil {
		return err
	}
	if broken := brokenJar(files); broken != nil {
		return fmt.Errorf("%w: %w", ErrFetch, broken)
	}
	return nil
}

// fetchInto runs mvn once.
func fetchInto(ctx context.Context, r Request, temp, files string, options ...string) error {
	mvn, err := findMaven()
	if err != nil {
		return err
	}
	pom := filepath.Join(temp, "pom.xml")
	if err := os.WriteFile(pom, r.Pom, 0o644); err != nil { //nolint:gosec // public content
		return fmt.Errorf("write pom.xml: %w", asNoSpace(err))
	}
	args := []string{
		"--batch-mode", "--file", pom, copyGoal,
		"-DoutputDirectory=" + files,
		"-DexcludeTransitive=" + strconv.FormatBool(!r.Transitive),
	}
	cmd := exec.CommandContext(ctx, mvn, append(args, options...)...) //nolint:gosec // mvn of the user's own PATH
	cmd.Dir = temp
	// Its messages are parsed: they must be in English and without colours. UTF-8
	// is what lets Java open files whose names are not ASCII.
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=dumb")
	cmd.WaitDelay = killWait

	out, in := io.Pipe()
	cmd.Stdout, cmd.Stderr = in, in
	read := make(chan []string, 1)
	go func() { read <- follow(r, out) }()
	r.report(Progress{Stage: StageDownloading})
	err = cmd.Run()
	_ = in.Close()
	tail := <-read
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return mavenError(err, tail)
}

// findMaven returns the path of mvn, and knows that it will find a Java.
func findMaven() (string, error) {
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		return "", ErrNoMaven
	}
	if home := os.Getenv("JAVA_HOME"); home != "" {
		if _, err := exec.LookPath(filepath.Join(home, "bin", "java")); err == nil {
			return mvn, nil
		}
	}
	if _, err := exec.LookPath("java"); err != nil {
		return "", ErrNoJava
	}
	return mvn, nil
}

// follow reports each downloaded file and returns the last lines of the output.
func follow(r Request, output io.Reader) (tail []string) {
	// "Downloaded from central: https://…/name-1.0.jar (18 kB at 146 kB/s)"
	downloaded := regexp.MustCompile(`Downloaded from \S+: \S+\.jar \(([0-9.]+) (B|kB|MB|GB) at`)
	units := map[string]float64{"B": 1, "kB": 1e3, "MB": 1e6, "GB": 1e9}
	p := Progress{Stage: StageDownloading}
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if m := downloaded.FindStringSubmatch(line); m != nil {
			size, _ := strconv.ParseFloat(m[1], 64) // the pattern admits digits and points only
			p.Files++
			p.Bytes += int64(size * units[m[2]])
			if r.SizeBytes > 0 {
				p.Bytes = min(p.Bytes, r.SizeBytes)
			}
			r.report(p)
			continue
		}
		if line == "" || strings.Contains(line, "Downloading from ") || strings.Contains(line, "Downloaded from ") {
			continue
		}
		tail = append(tail, line)
		if len(tail) > tailLines {
			tail = tail[1:]
		}
	}
	// A line beyond the scanner's limit ends it early; mvn must still be able to write.
	_, _ = io.Copy(io.Discard, output)
	return tail
}

// mavenError gives mvn's exit status with the end of its output.
func mavenError(err error, tail []string) error {
	text := strings.Join(tail, "\n")
	// mvn gives its causes as text only, in English by the environment above.
	if strings.Contains(text, "No space left on device") || strings.Contains(text, "Disk quota exceeded") {
		return fmt.Errorf("%w (%w):\n%s", ErrNoSpace, err, text)
	}
	return fmt.Errorf("%w (%w); it needs a network for the first start; the end of its output:\n%s", ErrFetch, err, text)
}

// brokenJar returns an error for the first jar in dir that is no whole zip file.
func brokenJar(dir string) error {
	jars, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err != nil {
		return err
	}
	for _, jar := range jars {
		z, err := zip.OpenReader(jar)
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Base(jar), err)
		}
		_ = z.Close() // only read
	}
	return nil
}
