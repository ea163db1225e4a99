package knowledge

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// shortForms end in a full stop that ends no sentence.
var shortForms = regexp.MustCompile(`(?i)(?:^|[\s("'\[])(?:mr|mrs|ms|dr|prof|st|vs|etc|approx|ca|bzw|ggf|usw|evtl|inkl|zzgl|no|nr|fig|abb|vol|inc|ltd|co|corp|gmbh|jr|sr|e\.g|i\.e|z\.\s?b|d\.\s?h|u\.\s?a|u\.s|a\.m|p\.m|p\.\s?ex|m|mme|art|env|cf|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|okt|dez|\p{L}|\d{1,2})\.$`)

// bullet begins a line of a list, or a heading.
var bullet = regexp.MustCompile(`^\s*(?:[-*•–—+>#]+\s+|\d{1,3}[.)]\s+|[a-z][.)]\s+)`)

// sentencesOf are the sentences of a text that say something, each with the markers
// that follow it. A line that ends in a colon belongs to what comes after it.
func sentencesOf(text string) []string {
	var out []string
	open := ""
	for line := range strings.SplitSeq(text, "\n") {
		line = bullet.ReplaceAllString(line, "")
		if strings.TrimSpace(line) == "" {
			out, open = addSentence(out, open), ""
			continue
		}
		parts := splitLine(line)
		for i, part := range parts {
			if open != "" {
				part = open + " " + part
				open = ""
			}
			if i == len(parts)-1 && goesOn(part) {
				open = part
				continue
			}
			out = addSentence(out, part)
		}
	}
	return addSentence(out, open)
}

// goesOn tells whether a line's last words are continued on the next.
func goesOn(part string) bool {
	trimmed := strings.TrimRight(part, " \t*_")
	return strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, ",")
}

func addSentence(out []string, s string) []string {
	s = strings.TrimSpace(s)
	bare := checkedMarker.ReplaceAllString(s, "")
	if !strings.ContainsFunc(bare, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		if len(out) > 0 && s != bare { // markers on a line of their own
			out[len(out)-1] += " " + s
		}
		return out
	}
	return append(out, s)
}

// splitLine cuts a line after each sentence's end, closing quotes and the markers
// that follow it.
func splitLine(line string) []string {
	var out []string
	start := 0
	for i := 0; i < len(line); {
		r, size := utf8.DecodeRuneInString(line[i:])
		i += size
		if !ends(r) {
			continue
		}
		for i < len(line) { // ?!, ..., closing quotes
			next, n := utf8.DecodeRuneInString(line[i:])
			if !ends(next) && !strings.ContainsRune(`"'”’»)*_`, next) {
				break
			}
			i += n
		}
		if wide := r == '。' || r == '！' || r == '？'; !wide && i < len(line) && !unicode.IsSpace(rune(line[i])) && line[i] != '[' {
			continue // 3.5, example.com
		}
		if r == '.' && shortForms.MatchString(line[start:i]) && followedByText(line[i:]) {
			continue
		}
		i += markersLength(line[i:])
		out = append(out, line[start:i])
		start = i
	}
	if strings.TrimSpace(line[start:]) != "" {
		out = append(out, line[start:])
	}
	return out
}

func ends(r rune) bool { return strings.ContainsRune(".!?…。！？", r) }

// followedByText tells whether a sentence may go on: words follow, and no marker.
func followedByText(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest != "" && rest[0] != '['
}

// markersLength is how much of a text its leading markers take.
func markersLength(rest string) int {
	n := 0
	for {
		space := len(rest[n:]) - len(strings.TrimLeft(rest[n:], " \t"))
		at := checkedMarker.FindStringIndex(rest[n+space:])
		if at == nil || at[0] != 0 {
			return n
		}
		n += space + at[1]
	}
}
