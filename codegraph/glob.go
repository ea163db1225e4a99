package codegraph

import (
	"regexp"
	"strings"
)

// globPattern translates a pattern of settings files to a regular expression over paths: `*` and `?`
// stay within a segment, `**` is any number of segments. As compilers do, `**` does not enter folders
// whose name begins with a dot, nor installed packages; a pattern without a wildcard or extension in
// its last segment is a folder and means all that is in it. A nil result matches nothing.
func globPattern(pattern string, folders bool) *regexp.Regexp {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	if pattern == "" || pattern == "." {
		pattern = "**/*"
	}
	segments := strings.Split(pattern, "/")
	if last := segments[len(segments)-1]; folders && last != "**" && !strings.ContainsAny(last, "*?.") {
		segments = append(segments, "**", "*")
	} else if last == "**" {
		segments = append(segments, "*")
	}
	var b strings.Builder
	b.WriteString("^")
	for i, segment := range segments {
		if segment == "**" {
			b.WriteString(`(?:[^/.][^/]*/)*`)
			continue
		}
		for _, r := range segment {
			switch r {
			case '*':
				b.WriteString(`[^/]*`)
			case '?':
				b.WriteString(`[^/]`)
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if i < len(segments)-1 {
			b.WriteString("/")
		}
	}
	b.WriteString("$")
	compiled, err := regexp.Compile(b.String())
	if err != nil {
		return nil
	}
	return compiled
}

// excludePattern is as globPattern, and matches whatever is below a match too.
func excludePattern(pattern string) *regexp.Regexp {
	pattern = strings.TrimSuffix(strings.TrimPrefix(pattern, "./"), "/")
	var b strings.Builder
	b.WriteString("^")
	segments := strings.Split(pattern, "/")
	for i, segment := range segments {
		if segment == "**" {
			b.WriteString(`(?:[^/]+/)*`)
			if i == len(segments)-1 {
				b.WriteString(`[^/]*`)
			}
			continue
		}
		for _, r := range segment {
			switch r {
			case '*':
				b.WriteString(`[^/]*`)
			case '?':
				b.WriteString(`[^/]`)
			default:
				b.WriteString(regexp.QuoteMeta(string(r)))
			}
		}
		if i < len(segments)-1 {
			b.WriteString("/")
		}
	}
	b.WriteString("(?:/.*)?$")
	compiled, err := regexp.Compile(b.String())
	if err != nil {
		return nil
	}
	return compiled
}
