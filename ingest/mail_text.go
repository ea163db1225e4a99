package ingest

import (
	"regexp"
	"slices"
	"strings"

	"github.com/jhillyerd/enmime/v2"

	"mneme/knowledge"
)

// mailText is what the writer of a mail wrote: the plain part, else the HTML part as
// text, without quoted answers and signature. A mail of nothing else keeps them.
func mailText(env *enmime.Envelope, subject string) string {
	text := strings.ReplaceAll(strings.ReplaceAll(env.Text, "\r\n", "\n"), "\r", "\n")
	forwarded := forwards(subject)
	if strings.TrimSpace(text) == "" && env.HTML != "" {
		text = htmlText(env.HTML, mailHTML{dropQuotes: !forwarded})
	}
	if own := ownText(text, forwarded); own != "" {
		return own
	}
	return strings.TrimSpace(text)
}

var forwardPrefix = regexp.MustCompile(`(?i)^(?:fwd?|wg|tr|rv|i|enc|vs|vb|vl|pd|doorst|转发|轉寄|転送|전달)\s*[:：]`)

// forwards tells whether a subject is a forwarded mail's: what is quoted in one is what it
// is about, so that it stays.
func forwards(subject string) bool {
	return forwardPrefix.MatchString(strings.TrimSpace(subject))
}

var (
	// attribution is the line before a quotation, in English, German, French and Spanish.
	attribution = regexp.MustCompile(`(?i)^\s*(?:` + strings.Join([]string{
		`on\b.{5,250}\bwrote\s*:`,
		`am\b.{5,250}\bschrieb\b.{0,120}:`,
		`.{1,120}\bschrieb\s+am\b.{5,120}:`,
		`le\b.{5,250}\ba\s+écrit\s*:`,
		`el\b.{5,250}\bescribió\s*:`,
		`\d{4}[-/.]\d{1,2}[-/.]\d{1,2}.{0,120}<[^<>\s]+@[^<>\s]+>\s*:`,
	}, "|") + `)\s*$`)
	attributionStart = regexp.MustCompile(`(?i)^\s*(?:on|am|le|el)\s+\S`)

	// separator is the line that Outlook and its like put above what they quote.
	separator = regexp.MustCompile(`(?i)^\s*(?:-{2,}|_{2,})\s*(?:original message|ursprüngliche nachricht|originalnachricht|message d[’']origine|message original|mensaje original)\s*(?:-{2,}|_{2,})\s*$`)
	// headerFrom and its like are the header that such programs quote.
	headerFrom = regexp.MustCompile(`(?i)^\s*\*?(?:from|von|de)\s*:\*?\s+\S`)
	headerSent = regexp.MustCompile(`(?i)^\s*\*?(?:sent|date|gesendet|datum|envoyé|enviado(?: el)?|fecha)\s*:\*?\s+\S`)
	headerTo   = regexp.MustCompile(`(?i)^\s*\*?(?:to|an|à|para|subject|betreff|objet|asunto)\s*:\*?`)

	quoted = regexp.MustCompile(`^\s{0,3}>`)

	// deviceLine is what a telephone writes below a mail.
	deviceLine = regexp.MustCompile(`(?i)^\s*(?:sent from my |sent from (?:outlook|mail|yahoo|proton)|get outlook for |von meinem .{1,40} gesendet|gesendet mit |gesendet von |envoyé de(?:puis)? mon |envoyé à partir de |enviado desde mi |enviado desde |obtener outlook para )[^.!?]{0,60}\.?\s*$`)
	// listFooter is the line above what a mailing list adds.
	listFooter = regexp.MustCompile(`^\s*_{20,}\s*$`)
	listWords  = regexp.MustCompile(`(?i)mailing list|mailman|unsubscribe|abbestellen|liste de diffusion|lista de correo|listinfo`)
)

// ownText takes quoted answers and the signature away. In a forwarded mail only the
// signature above what is forwarded goes.
func ownText(text string, forwarded bool) string {
	lines := strings.Split(text, "\n")
	if !forwarded {
		lines = withoutQuotes(lines)
	}
	lines = withoutSignature(lines, forwarded)
	return strings.TrimSpace(collapseBlank(lines))
}

// withoutQuotes cuts at a quoted header, and drops quoted lines with the line above them.
func withoutQuotes(lines []string) []string {
	var out []string
	for i := 0; i < len(lines); i++ {
		if separator.MatchString(lines[i]) || quotesHeader(lines[i:]) {
			return out
		}
		if n := attributionLines(lines[i:]); n > 0 {
			if !slices.ContainsFunc(lines[i+n:], quoted.MatchString) {
				return out // quoted without marks: the rest is the other's
			}
			i += n - 1
			continue
		}
		if !quoted.MatchString(lines[i]) {
			out = append(out, lines[i])
		}
	}
	return out
}

// attributionLines is over how many lines a quotation is introduced: mail programs break
// long lines. 0 where none is.
func attributionLines(lines []string) int {
	if !attributionStart.MatchString(lines[0]) {
		if attribution.MatchString(lines[0]) {
			return 1
		}
		return 0
	}
	joined := ""
	for n := 1; n <= min(4, len(lines)); n++ {
		line := strings.TrimSpace(lines[n-1])
		if line == "" {
			return 0
		}
		joined = strings.TrimSpace(joined + " " + line)
		if attribution.MatchString(joined) {
			return n
		}
	}
	return 0
}

// quotesHeader tells whether a quoted mail's header begins here.
func quotesHeader(lines []string) bool {
	if !headerFrom.MatchString(lines[0]) {
		return false
	}
	sent, to := false, false
	for _, line := range lines[1:min(8, len(lines))] {
		sent = sent || headerSent.MatchString(line)
		to = to || headerTo.MatchString(line)
	}
	return sent && to
}

func withoutSignature(lines []string, forwarded bool) []string {
	for i, line := range lines {
		trimmed := strings.TrimRight(line, " \t\u00a0")
		switch {
		case trimmed == "--" && !forwarded:
			return lines[:i]
		case listFooter.MatchString(line) && listWords.MatchString(strings.Join(lines[i+1:min(i+7, len(lines))], "\n")):
			return lines[:i]
		case deviceLine.MatchString(line):
			return append(slices.Clone(lines[:i]), withoutSignature(lines[i+1:], forwarded)...)
		}
	}
	return lines
}

// collapseBlank joins lines, with at most one empty line between two.
func collapseBlank(lines []string) string {
	var out []string
	for _, line := range lines {
		line = strings.TrimRight(line, " \t\u00a0")
		if line == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// invitation is what a meeting request says, as text; empty where a mail has none.
func invitation(env *enmime.Envelope) string {
	calendar := env.Root.BreadthMatchFirst(func(p *enmime.Part) bool { return strings.EqualFold(p.ContentType, "text/calendar") })
	if calendar == nil {
		return ""
	}
	fields := map[string]string{}
	inEvent := false
	unfolded := strings.NewReplacer("\r\n ", "", "\r\n\t", "", "\n ", "", "\n\t", "").Replace(string(calendar.Content))
	for _, line := range strings.Split(unfolded, "\n") {
		name, value, found := strings.Cut(strings.TrimRight(line, "\r"), ":")
		key, _, _ := strings.Cut(strings.ToUpper(name), ";")
		switch {
		case !found:
		case key == "BEGIN":
			inEvent = inEvent || value == "VEVENT"
		case inEvent && fields[key] == "":
			fields[key] = strings.NewReplacer(`\n`, "\n", `\N`, "\n", `\,`, ",", `\;`, ";", `\\`, `\`).Replace(value)
		}
	}
	var parts []string
	for _, f := range []struct{ key, label string }{{"SUMMARY", "Meeting"}, {"DTSTART", "Start"}, {"DTEND", "End"}, {"LOCATION", "Place"}, {"STATUS", "Status"}} {
		if value := strings.TrimSpace(fields[f.key]); value != "" {
			parts = append(parts, f.label+": "+calendarTime(value))
		}
	}
	return knowledge.Ellipsis(strings.Join(parts, "\n"), knowledge.MaxNameLength)
}

var calendarForm = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z?))?$`)

// calendarTime is a moment of a calendar as people write it; anything else as it is.
func calendarTime(value string) string {
	m := calendarForm.FindStringSubmatch(value)
	switch {
	case m == nil:
		return value
	case m[4] == "":
		return m[1] + "-" + m[2] + "-" + m[3]
	case m[7] == "Z":
		return m[1] + "-" + m[2] + "-" + m[3] + " " + m[4] + ":" + m[5] + " UTC"
	default:
		return m[1] + "-" + m[2] + "-" + m[3] + " " + m[4] + ":" + m[5]
	}
}
