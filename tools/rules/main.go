// Command rules compares a specification with the tests: which of its numbered rules does no test name?
//
//	go run ./rules SPEC ROOT
//
// A rule is a line of SPEC that begins with its number, as "A17. Upsert, match: …". A test under ROOT
// names it in its function's name (TestA17_DescriptionPrecedence, TestB11_B12_Duplicates) or at the
// beginning of a case's name, in Go or in a JSON file under testdata ("A17 the description is kept",
// "A17, A18: …").
package main

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

var (
	ruleLine = regexp.MustCompile(`^([A-Z][0-9]{1,3})\. (.*)$`)
	testFunc = regexp.MustCompile(`(?m)^func (?:Test|Fuzz|Benchmark)(\w+)\(`)
	inName   = regexp.MustCompile(`(?:^|_)([A-Z][0-9]{1,3})`)
	caseName = regexp.MustCompile("[\"`]([A-Z][0-9]{1,3}(?:(?:, ?| and | ?/ ?|_)[A-Z][0-9]{1,3})*)(?:[ :_\"`])")
	inCase   = regexp.MustCompile(`[A-Z][0-9]{1,3}`)
)

type rule struct{ number, text string }

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "rules:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	if len(args) != 2 || args[0] == "" {
		return fmt.Errorf("usage: rules SPEC ROOT (make rules SPEC=file)")
	}
	spec, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer spec.Close()
	rules, err := readRules(spec)
	if err != nil {
		return fmt.Errorf("read %s: %w", args[0], err)
	}
	if len(rules) == 0 {
		return fmt.Errorf("%s has no line that begins with a rule's number", args[0])
	}
	named, err := namedIn(os.DirFS(args[1]))
	if err != nil {
		return fmt.Errorf("read tests: %w", err)
	}
	return report(out, rules, named)
}

func readRules(spec io.Reader) ([]rule, error) {
	var rules []rule
	lines := bufio.NewScanner(spec)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if found := ruleLine.FindStringSubmatch(lines.Text()); found != nil {
			rules = append(rules, rule{number: found[1], text: found[2]})
		}
	}
	return rules, lines.Err()
}

// namedIn collects the rule numbers that the tests of a source tree name.
func namedIn(root fs.FS) (map[string]bool, error) {
	named := map[string]bool{}
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "node_modules" || name == "tools" || name != "." && strings.HasPrefix(name, ".") {
				return fs.SkipDir
			}
			return nil
		}
		isTest := strings.HasSuffix(path, "_test.go")
		isCase := filepath.Ext(path) == ".json" && strings.Contains("/"+path, "/testdata/")
		if !isTest && !isCase {
			return nil
		}
		body, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		collect(string(body), named)
		return nil
	})
	return named, err
}

func collect(source string, named map[string]bool) {
	for _, function := range testFunc.FindAllStringSubmatch(source, -1) {
		for _, number := range inName.FindAllStringSubmatch(function[1], -1) {
			named[number[1]] = true
		}
	}
	for _, name := range caseName.FindAllStringSubmatch(source, -1) {
		for _, number := range inCase.FindAllString(name[1], -1) {
			named[number] = true
		}
	}
}

func report(out io.Writer, rules []rule, named map[string]bool) error {
	missing := 0
	for _, r := range rules {
		if named[r.number] {
			continue
		}
		missing++
		text := []rune(r.text)
		if len(text) > 110 {
			text = append(text[:109], '…')
		}
		if _, err := fmt.Fprintf(out, "%-5s %s\n", r.number, string(text)); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(out, "%d of %d rules are named by no test\n", missing, len(rules))
	return err
}
