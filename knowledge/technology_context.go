package knowledge

import (
	"regexp"
	"slices"
	"strings"
)

// What only one technology has: files, commands and imports (SPEC D15–D17).
var (
	goFile      = regexp.MustCompile("(?:^|[\\s\"'`()\\[\\]{}<>/])[\\w.-]*\\w\\.go")
	goModule    = regexp.MustCompile("(?:^|[\\s\"'`()\\[\\]{}<>/])go\\.(?:mod|sum)")
	goCommand   = regexp.MustCompile("(?m)(?:^[ \\t]*|[$>`][ \\t]*)go[ \\t]+(?:build|run|test|mod|get|install|vet|fmt|generate)(?:\\W|$)")
	rustFile    = regexp.MustCompile("(?:^|[\\s\"'`()\\[\\]{}<>/])[\\w.-]*\\w\\.rs")
	rustModule  = regexp.MustCompile("(?:^|[\\s\"'`()\\[\\]{}<>/])Cargo\\.(?:toml|lock)")
	rustCommand = regexp.MustCompile("(?m)(?:^[ \\t]*|[$>`][ \\t]*)cargo[ \\t]+(?:build|run|test|add|install|check|clippy)(?:\\W|$)")

	importFrom   = regexp.MustCompile(`(?:^|\W)(?:import|export)\s*[^;'"]{0,1000}?\bfrom\s*(?:'([^'\n]+)'|"([^"\n]+)")`)
	requireCall  = regexp.MustCompile(`(?:^|\W)require\s*\(\s*(?:'([^'\n]+)'|"([^"\n]+)")`)
	bareImport   = regexp.MustCompile(`(?:^|\W)import\s*\(?\s*(?:'([^'\n]+)'|"([^"\n]+)")`)
	installation = regexp.MustCompile("(?:^|[^\\w-])(?:npm|pnpm|yarn|bun)[ \\t]+(?:i|install|add)[ \\t]+([^\\n`;|&]+)")
)

// ownContext tells whether a text holds what belongs to one ambiguous technology alone.
func ownContext(name, text string) bool {
	switch name {
	case "Go":
		return anyFree(goFile, text) || anyFree(goModule, text) || goCommand.MatchString(text)
	case "Rust":
		return anyFree(rustFile, text) || anyFree(rustModule, text) || rustCommand.MatchString(text)
	case "Express":
		return usesPackage(text, "express")
	case "React":
		return usesPackage(text, "react", "react-dom")
	default:
		return false
	}
}

// anyFree tells whether a match is followed neither by a word character nor by another
// dot: main.go.bak is no Go file.
func anyFree(re *regexp.Regexp, text string) bool {
	return slices.ContainsFunc(re.FindAllStringIndex(text, -1), func(m []int) bool {
		return m[1] == len(text) || !isWord(text[m[1]]) && text[m[1]] != '.'
	})
}

// usesPackage tells whether a text imports or installs one of the npm packages.
func usesPackage(text string, packages ...string) bool {
	for _, re := range []*regexp.Regexp{importFrom, requireCall} {
		for _, m := range re.FindAllStringSubmatch(text, -1) {
			if root, _, _ := strings.Cut(m[1]+m[2], "/"); slices.Contains(packages, root) {
				return true
			}
		}
	}
	for _, m := range bareImport.FindAllStringSubmatch(text, -1) {
		if slices.Contains(packages, m[1]+m[2]) {
			return true
		}
	}
	for _, m := range installation.FindAllStringSubmatch(text, -1) {
		for _, word := range strings.Fields(m[1]) {
			// A package may be named with its version: react@18.
			bare, _, _ := strings.Cut(strings.Trim(word, `"'.,:!?()`), "@")
			if slices.Contains(packages, bare) {
				return true
			}
		}
	}
	return false
}
