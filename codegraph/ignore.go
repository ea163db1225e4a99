package codegraph

import (
	"bytes"
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitignore"
)

// maxIgnoreFile bounds how much of one .gitignore is read, in bytes.
const maxIgnoreFile = 256 << 10

// prunedFolders hold what others wrote or what a build made; nothing below them is looked at.
var prunedFolders = []string{
	".git", "node_modules", "vendor", "dist", "build", "out", ".next", ".nuxt", "coverage", "__pycache__",
}

func isPruned(folder string) bool { return slices.Contains(prunedFolders, path.Base(folder)) }

// ignoreRules are the patterns of the .gitignore files from the root down to one folder.
type ignoreRules struct{ patterns []gitignore.Pattern }

// with returns the rules of a subfolder: these and those of its own .gitignore, if it has one.
func (r ignoreRules) with(root *os.Root, folder string) ignoreRules {
	file, err := root.Open(path.Join(folder, ".gitignore"))
	if err != nil {
		return r
	}
	defer closeRead(file)
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return r
	}
	raw, err := io.ReadAll(io.LimitReader(file, maxIgnoreFile))
	if err != nil {
		return r
	}
	var domain []string
	if folder != "." {
		domain = strings.Split(folder, "/")
	}
	patterns := slices.Clone(r.patterns)
	for line := range strings.Lines(string(bytes.TrimPrefix(raw, []byte{0xef, 0xbb, 0xbf}))) {
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		patterns = append(patterns, gitignore.ParsePattern(line, domain))
	}
	return ignoreRules{patterns}
}

func (r ignoreRules) match(name string, isFolder bool) bool {
	if len(r.patterns) == 0 {
		return false
	}
	return gitignore.NewMatcher(r.patterns).Match(strings.Split(name, "/"), isFolder)
}
