package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
)

// importMark remembers in the data folder how far the import of a file into a workspace
// has come. It is a help, not a truth: importing a line twice changes nothing, so what
// cannot be read or written is passed over.
type importMark struct {
	path string // empty: nothing is remembered
	what markedImport
}

// markedImport is which import a mark is about: the same file, unchanged.
type markedImport struct {
	File      string `json:"file"`
	Size      int64  `json:"size"`
	ModTime   int64  `json:"modTime"` // nanoseconds since 1970
	Format    string `json:"format"`
	Workspace string `json:"workspace"`
	Database  string `json:"database"`
	Line      int    `json:"line"`
}

func (j *importJob) mark(path string, size int64) *importMark {
	file, err := filepath.Abs(path)
	info, statErr := os.Stat(path)
	if path == "-" || err != nil || statErr != nil {
		return &importMark{}
	}
	what := markedImport{File: file, Size: size, ModTime: info.ModTime().UnixNano(), Format: j.format.name, Workspace: j.workspace, Database: j.app.Config.Neo4jURI}
	sum := sha256.Sum256([]byte(what.File + "\x00" + what.Format + "\x00" + what.Workspace + "\x00" + what.Database))
	return &importMark{path: filepath.Join(j.app.Config.DataDir, "imports", hex.EncodeToString(sum[:16])+".json"), what: what}
}

// load is the last line that was imported; 0 where nothing is known of this very file.
func (m *importMark) load() int {
	data, err := os.ReadFile(m.path)
	if err != nil {
		return 0
	}
	var was markedImport
	if json.Unmarshal(data, &was) != nil {
		return 0
	}
	line := was.Line
	if was.Line = 0; was != m.what {
		return 0
	}
	return line
}

func (m *importMark) save(line int) {
	if m.path == "" {
		return
	}
	now := m.what
	now.Line = line
	data, err := json.Marshal(now)
	if err != nil || os.MkdirAll(filepath.Dir(m.path), 0o700) != nil {
		return
	}
	if os.WriteFile(m.path+".new", data, 0o600) == nil {
		_ = os.Rename(m.path+".new", m.path) // see importMark
	}
}

func (m *importMark) remove() {
	if m.path != "" {
		_ = os.Remove(m.path) // see importMark
	}
}
