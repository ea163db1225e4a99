package knowledge

import (
	"regexp"
	"slices"
	"strings"
)

// precision is how carefully a technology's name must be read before it counts.
type precision int

const (
	anyCasing   precision = iota // in any casing (SPEC D5)
	exactCasing                  // as written here only (SPEC D6)
	codeOnly                     // an everyday word: needs code around it (SPEC D7)
)

// technology is a name that texts are searched for.
type technology struct {
	name    string
	level   precision
	aliases []string
}

// technologies are the known ones in the order of the rule's list (SPEC D5–D7).
func technologies() []technology {
	return []technology{
		{"TypeScript", anyCasing, nil},
		{"JavaScript", anyCasing, nil},
		{"Node.js", anyCasing, []string{"NodeJS"}},
		{"Next.js", anyCasing, []string{"NextJS"}},
		{"Python", anyCasing, nil},
		{"Docker", anyCasing, nil},
		{"Kubernetes", anyCasing, []string{"k8s"}},
		{"PostgreSQL", anyCasing, []string{"Postgres"}},
		{"MongoDB", anyCasing, nil},
		{"Redis", anyCasing, nil},
		{"GraphQL", anyCasing, nil},
		{"Webpack", anyCasing, nil},
		{"FastAPI", anyCasing, nil},
		{"Django", anyCasing, nil},
		{"SQLite", anyCasing, nil},
		{"Vue", exactCasing, []string{"Vue.js", "VueJS", "vuejs"}},
		{"Vite", exactCasing, nil},
		{"Angular", exactCasing, []string{"AngularJS"}},
		{"Electron", exactCasing, []string{"Electron.js"}},
		{"Flask", exactCasing, nil},
		{"Tailwind", exactCasing, []string{"TailwindCSS", "Tailwind CSS"}},
		{"REST", exactCasing, []string{"RESTful"}},
		{"Go", codeOnly, []string{"Golang", "golang"}},
		{"Rust", codeOnly, []string{"rustc", "rustup", "Rust-lang"}},
		{"Express", codeOnly, []string{"Express.js", "ExpressJS", "expressjs"}},
		{"React", codeOnly, []string{"React.js", "ReactJS", "reactjs", "React Native"}},
	}
}

// FindTechnologies are the canonical names of all technologies that a text speaks of, in
// the order of the rule's list, not of the text (SPEC D2, D5–D19).
func FindTechnologies(text string) []string {
	lower := asciiLower(text)
	var found []string
	for _, t := range technologies() {
		if t.in(text, lower) {
			found = append(found, t.name)
		}
	}
	return found
}

// in tells whether a text speaks of the technology; lower is the text with its ASCII
// letters lower-cased, so that both have the same offsets.
func (t technology) in(text, lower string) bool {
	switch t.level {
	case anyCasing:
		return slices.ContainsFunc(t.names(), func(name string) bool { return hasToken(lower, asciiLower(name)) })
	case exactCasing:
		return slices.ContainsFunc(t.names(), func(name string) bool { return hasToken(text, name) })
	default:
		return slices.ContainsFunc(t.aliases, func(alias string) bool { return hasToken(text, alias) }) || inCode(t.name, text, lower)
	}
}

func (t technology) names() []string { return append([]string{t.name}, t.aliases...) }

// CanonicalTechnology is the spelling of a known technology under any of its names in any
// casing (SPEC A13); false for one that is not known.
func CanonicalTechnology(name string) (string, bool) {
	key := NormalizeName(name)
	for _, t := range technologies() {
		if slices.ContainsFunc(t.names(), func(known string) bool { return NormalizeName(known) == key }) {
			return t.name, true
		}
	}
	return "", false
}

// NoisyTechnology tells whether a technology's name was probably read out of ordinary
// prose: an everyday word, or a name in a casing that is none of its own (SPEC D20).
func NoisyTechnology(name string) bool {
	key, written := NormalizeName(name), CollapseSpace(name)
	for _, t := range technologies() {
		switch t.level {
		case codeOnly:
			if NormalizeName(t.name) == key {
				return true
			}
		case exactCasing:
			same := func(known string) bool { return NormalizeName(known) == key }
			if slices.ContainsFunc(t.names(), same) && !slices.Contains(t.names(), written) {
				return true
			}
		case anyCasing: // in any casing it is what it says
		}
	}
	return false
}

// hasToken tells whether a name stands in a text between the boundaries of SPEC D8.
func hasToken(text, name string) bool {
	return slices.ContainsFunc(occurrences(text, name), func(at int) bool {
		return opensToken(text, at) && closesToken(text, at+len(name))
	})
}

// occurrences are the offsets at which a name stands in a text.
func occurrences(text, name string) []int {
	var out []int
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return out
		}
		out = append(out, from+i)
		from += i + 1
	}
}

// opensToken tells whether a name may begin at an offset.
func opensToken(text string, at int) bool {
	return at == 0 || !isWord(text[at-1]) && !strings.ContainsRune("./@#-", rune(text[at-1]))
}

// closesToken tells whether a name may end at an offset. A dot ends it only where the dot
// ends a sentence.
func closesToken(text string, end int) bool {
	if end == len(text) {
		return true
	}
	next := text[end]
	if isWord(next) || strings.ContainsRune("/@-", rune(next)) {
		return false
	}
	return next != '.' || end+1 == len(text) || !isWord(text[end+1])
}

// isWord tells whether a byte is an ASCII letter, a digit or an underscore.
func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// asciiLower lower-cases ASCII letters and keeps every offset.
func asciiLower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Contexts in which the name of an ambiguous technology counts. RE2 has no look-around, so
// what must not stand beside a match is checked in Go.
var (
	versionAhead  = regexp.MustCompile(`^\s+(?:v\d+|\d+\.(?:\d+|x))`)                                                                                                                                                                                                                                                                                      // D11
	adopting      = regexp.MustCompile(`(?:^|\W)(?:using|uses|adopt|adopted|switched\s+to|switch\s+to)\s+$`)                                                                                                                                                                                                                                               // D12
	writtenIn     = regexp.MustCompile(`(?i:(?:^|\W)(?:written|implemented|built|coded|rewritten|ported|migrated|migrating|porting|rewrite|rewriting|programming|developed|compiled))\s+(?:in|to)\s+$`)                                                                                                                                                    // D13
	technicalNoun = regexp.MustCompile(`^\s+(?:apis?|apps?|application|backend|binary|binaries|client|code|codebase|compiler|components?|crates?|endpoints?|framework|frontend|functions?|hooks?|library|libraries|middleware|modules?|packages?|programs?|projects?|router|routes?|runtime|sdk|servers?|services?|structs?|toolchain|workspace)(?:\W|$)`) // D14
	reactMajor    = regexp.MustCompile(`^\s+1[5-9](?:\W|$)`)                                                                                                                                                                                                                                                                                               // D18
)

// inCode tells whether the name of an ambiguous technology stands in a code-like context.
func inCode(name, text, lower string) bool {
	if inlineCode(asciiLower(name), lower) || ownContext(name, text) {
		return true
	}
	return slices.ContainsFunc(occurrences(text, name), func(at int) bool {
		if !opensToken(text, at) {
			return false
		}
		before, after := lastBytes(text[:at], 64), text[at+len(name):]
		if versionAhead.MatchString(after) || technicalNoun.MatchString(after) || name == "React" && reactMajor.MatchString(after) {
			return true
		}
		free := after == "" || !isWord(after[0]) && after[0] != '/' && after[0] != '-'
		return free && (adopting.MatchString(before) || writtenIn.MatchString(before))
	})
}

// lastBytes bounds what a look behind has to read: the longest context is far shorter.
func lastBytes(s string, n int) string { return s[max(0, len(s)-n):] }

// inlineCode tells whether the bare name stands between backticks, perhaps with a version
// (SPEC D10). Both arguments are lower case.
func inlineCode(name, lower string) bool {
	return slices.ContainsFunc(occurrences(lower, "`"+name), func(at int) bool {
		rest := lower[at+1+len(name):]
		if strings.HasPrefix(rest, "@") {
			version := strings.IndexFunc(rest[1:], func(r rune) bool { return strings.ContainsRune("` \t\r\n/", r) })
			return version > 0 && rest[1+version] == '`'
		}
		return strings.HasPrefix(rest, "`")
	})
}
