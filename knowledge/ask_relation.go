package knowledge

import (
	"regexp"
	"strings"
)

// relationQuestions are the forms of a question about how two things relate (SPEC O16).
var relationQuestions = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\bhow (?:does|do|did|is|are|was|were) (.+?) (?:relate[ds]?|connect(?:ed)?|link(?:ed)?|tie[ds]?|associated|related) (?:to|with) (.+)$`),
	regexp.MustCompile(`(?i)\bhow (?:does|do|did|is|are|was|were) (.+?) and (.+?) (?:relate[ds]?|connect(?:ed)?|link(?:ed)?|tied|associated|related)(?: (?:to|with) (?:each other|one another))?$`),
	regexp.MustCompile(`(?i)\b(?:relationships?|relations?|links?|paths?|connections?) between (.+?) and (.+)$`),
	regexp.MustCompile(`(?i)\b(?:paths?|route|way) from (.+?) to (.+)$`),
	regexp.MustCompile(`(?i)\bwhat (?:connects|links|joins) (.+?) (?:and|to|with) (.+)$`),
	regexp.MustCompile(`(?i)\bwie (?:h[aä]ng(?:t|en)|steh(?:t|en)) (.+?) (?:mit|und|zu) (.+?)(?: zusammen| in (?:beziehung|verbindung))$`),
	regexp.MustCompile(`(?i)\bwie (?:ist|sind) (.+?) (?:mit|und) (.+?) (?:verbunden|verkn[uü]pft|verwandt)$`),
	regexp.MustCompile(`(?i)\b(?:beziehung|verbindung|zusammenhang|pfad|weg) zwischen (.+?) und (.+)$`),
	regexp.MustCompile(`(?i)\b(?:relation|lien|rapport|chemin|connexion) entre (.+?) et (.+)$`),
	regexp.MustCompile(`(?i)\bcomment (.+?) (?:est-(?:il|elle)|sont-ils|sont-elles|est|sont) (?:li[eé]e?s?|reli[eé]e?s?|connect[eé]e?s?) (?:[aà]|avec|et) (.+)$`),
}

var article = regexp.MustCompile(`(?i)^(?:(?:the|an?|der|die|das|le|la|les)\s+|l['’]\s*)`)

// RelationQuestion is what a question asks the relation of; false where it asks
// something else. The names are as they were written, without quotes and articles.
func RelationQuestion(question string) (a, b string, ok bool) {
	question = strings.TrimRight(CollapseSpace(question), " ?!.…")
	for _, form := range relationQuestions {
		m := form.FindStringSubmatch(question)
		if m == nil {
			continue
		}
		a, b = nameIn(m[1]), nameIn(m[2])
		if a != "" && b != "" {
			return a, b, true
		}
	}
	return "", "", false
}

func nameIn(text string) string {
	text = strings.Trim(text, ` "'“”„«»‘’`+"`")
	return strings.Trim(article.ReplaceAllString(text, ""), ` "'“”„«»‘’`+"`")
}

// PathSummary says a path in a line: "A -uses-> B <-part_of- C". Names are by the ids
// of the path's entities.
func PathSummary(path *Path) string {
	if path == nil || len(path.Entities) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(path.Entities[0].Name)
	for i, e := range path.Edges {
		if i+1 >= len(path.Entities) {
			break
		}
		if e.FromID == path.Entities[i].ID {
			b.WriteString(" -" + e.Type + "-> ")
		} else {
			b.WriteString(" <-" + e.Type + "- ")
		}
		b.WriteString(path.Entities[i+1].Name)
	}
	return b.String()
}
