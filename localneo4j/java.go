package localneo4j

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"

	"mneme/internal/mavencache"
)

// minJava is the oldest Java that Neo4j 5 runs on.
const minJava = 17

// findJava returns the java command of JAVA_HOME or PATH. Its errors are mavencache.ErrNoJava and ErrOldJava.
func findJava(ctx context.Context) (path string, err error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		path, err = exec.LookPath(filepath.Join(home, "bin", "java"))
	}
	if path == "" || err != nil {
		path, err = exec.LookPath("java")
	}
	if err != nil {
		return "", mavencache.ErrNoJava
	}
	out, err := exec.CommandContext(ctx, path, "-version").CombinedOutput()
	if ctx.Err() != nil {
		return "", ctx.Err()
	}
	if err != nil { // macOS has a java command that only says that there is no Java
		return "", fmt.Errorf("%w (%s -version: %w)", mavencache.ErrNoJava, path, err)
	}
	version, err := javaVersion(string(out))
	if err != nil {
		return "", fmt.Errorf("%s -version: %w", path, err)
	}
	if version < minJava {
		return "", fmt.Errorf("%w: %s is version %d and %d is needed: install a newer JDK (for example `apt-get install openjdk-17-jdk-headless`, `brew install openjdk`) and let JAVA_HOME name it", ErrOldJava, path, version, minJava)
	}
	return path, nil
}

// javaVersion reads 17 out of `openjdk version "17.0.15" …`, and 8 out of `java version "1.8.0_402"`.
func javaVersion(output string) (int, error) {
	m := regexp.MustCompile(`version "(?:1\.)?(\d+)`).FindStringSubmatch(output)
	if m == nil {
		return 0, errors.New("its version is not to be recognised")
	}
	return strconv.Atoi(m[1])
}
