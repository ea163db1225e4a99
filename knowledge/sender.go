package knowledge

import (
	"regexp"
	"strings"
)

// automatedLocal are local parts that no person answers at, in lower case and before any
// plus sign (SPEC E9).
var automatedLocal = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`(?:.+[-_.])?no[-_.]?reply(?:[-_.].+)?`, // with a prefix or suffix
	`noreply[-_.\w]*`,                       // followed by anything
	`(?:.+[-_.])?do[-_.]?not[-_.]?reply(?:[-_.].+)?`,
	`notifications?`, `notify`, `mailer[-_.]?daemon`, `postmaster`, `bounces?(?:[-_.].*)?`,
	`newsletters?`, `news`, `alerts?`, `updates?`,
}, "|") + `)$`)

// AutomatedAddress tells whether a mail address is a machine's (SPEC E9).
func AutomatedAddress(address string) bool {
	local, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), "@")
	local, _, _ = strings.Cut(local, "+")
	return automatedLocal.MatchString(local)
}

// AutomatedHeaders tells whether a message's headers say that a machine sent it:
// Auto-Submitted other than "no" (RFC 3834), or a delivery report. A List-Id alone does
// not: a person wrote to a list (SPEC E19). Values are strings or lists of strings.
func AutomatedHeaders(headers map[string]any) bool {
	for name, value := range headers {
		for _, text := range headerValues(value) {
			switch strings.ToLower(strings.TrimSpace(name)) {
			case "auto-submitted":
				if word := firstToken(text); word != "" && word != "no" {
					return true
				}
			case "content-type":
				lower := strings.ToLower(text)
				if firstToken(text) == "multipart/report" && strings.Contains(lower, "delivery-status") {
					return true
				}
			}
		}
	}
	return false
}

func headerValues(value any) []string {
	switch v := value.(type) {
	case string:
		return []string{v}
	case []string:
		return v
	case []any:
		var out []string
		for _, one := range v {
			if s, ok := one.(string); ok {
				out = append(out, s)
			}
		}
		return out
	default:
		return nil
	}
}

// firstToken is a header's value in lower case, without parameters and comments.
func firstToken(text string) string {
	if end := strings.IndexAny(text, ";("); end >= 0 {
		text = text[:end]
	}
	return strings.ToLower(strings.TrimSpace(text))
}
