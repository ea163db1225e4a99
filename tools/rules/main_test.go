package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	write := func(name, body string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("SPEC.md", "# Rules\nA1. One.\nA2. Two.\nA3. Three.\nA4. Four.\nA17. Seventeen.\nnot A5. a rule\nB1. B one.\nB2. B two.\nB3. B three.\n")
	write("x/x_test.go", "package x\n\nfunc TestA1_A2_Both(t *T) {}\nfunc TestA17Precedence(t *T) { t.Run(\"B1, B2: both\", nil); _ = \"see A3\" }\n")
	write("x/x.go", "package x\n\nvar _ = \"A3 not a test\"\n")
	write("x/testdata/case.json", `{"name": "A4 from a file"}`)
	write("node_modules/y_test.go", "func TestB3(t *T) {}")

	var out strings.Builder
	if err := run([]string{filepath.Join(root, "SPEC.md"), root}, &out); err != nil {
		t.Fatal(err)
	}
	const want = "A3    Three.\nB3    B three.\n2 of 8 rules are named by no test\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.md")
	if err := os.WriteFile(empty, []byte("nothing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"", "."}, {"no such file", "."}, {empty, "."}} {
		if err := run(args, &strings.Builder{}); err == nil {
			t.Errorf("run(%q) is no error", args)
		}
	}
}
