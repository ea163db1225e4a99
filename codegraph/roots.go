package codegraph

import (
	"os"
	"path/filepath"
	"strings"

	"mneme/knowledge"
)

// Roots are the folders below which callers may name folders to index.
type Roots []string

// Resolve is the real path that a caller's path means: a folder at or below one of the roots, symbolic links
// followed; a relative path is below the first root that has it. FORBIDDEN (path) where there is no root,
// INVALID_INPUT (path) for what is not below one or is no folder; which of the two, nobody learns.
func (r Roots) Resolve(path string) (string, error) {
	if len(r) == 0 {
		return "", &knowledge.Error{Code: knowledge.CodeForbidden, Field: "path", Message: "this server reads no source: MNEME_CODE_ROOTS is not set"}
	}
	if strings.ContainsRune(path, 0) {
		return "", knowledge.Invalid("path", "must be a path without NUL characters")
	}
	for _, dir := range r {
		if resolved, ok := below(dir, path); ok {
			return resolved, nil
		}
	}
	return "", knowledge.Invalid("path", "there is no such folder under the code roots")
}

func below(dir, path string) (string, bool) {
	root, err := filepath.Abs(dir)
	if err != nil {
		return "", false
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return "", false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", false
	}
	if rest, err := filepath.Rel(root, resolved); err != nil || rest == ".." || strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
		return "", false
	}
	info, err := os.Stat(resolved)
	return resolved, err == nil && info.IsDir()
}
