package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxDuplicateScan is how many entities are looked through for duplicates at once.
const MaxDuplicateScan = 250_000

// Why two entities may be one (SPEC T7), and how likely each reason makes it.
const (
	reasonName     = "same name"
	reasonIdentity = "same identity under two kinds"
	reasonAlias    = "an alias of one is the name of the other"
	reasonSlug     = "same slug"
	reasonLetters  = "same letters"
	reasonOrder    = "same words in another order"
	reasonAliases  = "a common alias"
	reasonAddition = "one name has an addition"
	reasonNear     = "near names"

	scoreName     = 1.0
	scoreIdentity = 0.98
	scoreAlias    = 0.97
	scoreSlug     = 0.95
	scoreLetters  = 0.94
	scoreOrder    = 0.93
	scoreAliases  = 0.92
	scoreAddition = 0.88
)

// Near names: shorter ones differ by a letter without meaning the same, and a lower
// similarity is not worth a look.
const (
	minNearLetters = 5
	maxNearLetters = 64
	minNear        = 0.75
)

// additions are words that names of the same thing carry or lack: legal forms and articles.
var additions = map[string]bool{
	"inc": true, "incorporated": true, "ltd": true, "limited": true, "llc": true, "llp": true, "plc": true, "corp": true, "corporation": true,
	"co": true, "company": true, "gmbh": true, "ag": true, "kg": true, "se": true, "sa": true, "sarl": true, "srl": true, "spa": true, "bv": true,
	"nv": true, "ab": true, "oy": true, "as": true, "pty": true, "the": true, "dr": true, "mr": true, "mrs": true, "ms": true, "prof": true,
}

// NameCard is what entities are compared by.
type NameCard struct {
	ID         string
	Type       string
	Name       string
	Aliases    []string
	Identities []ContactIdentity
}

// comparedName is a name card in the forms that are compared.
type comparedName struct {
	NameCard
	key     string // the normalised name
	aliases []string
	slug    string
	letters string // letters and digits only, folded
	words   []string
}

func compared(c NameCard) comparedName {
	n := comparedName{NameCard: c, key: NormalizeName(c.Name), slug: Slug(c.Name)}
	for _, alias := range c.Aliases {
		n.aliases = append(n.aliases, NormalizeName(alias))
	}
	n.words = strings.FieldsFunc(foldMarks(n.key), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	n.letters = strings.Join(n.words, "")
	return n
}

// duplicateScore tells how likely two entities are one, and why; 0 where nothing speaks
// for it, where their types differ, or where their identities conflict (SPEC T7, A11).
func duplicateScore(a, b *comparedName) (float64, []string) {
	if a.Type != b.Type || a.ID == b.ID || identitiesDiffer(a.Identities, b.Identities) {
		return 0, nil
	}
	score, reasons := 0.0, []string(nil)
	says := func(is bool, value float64, reason string) {
		if is {
			score, reasons = max(score, value), append(reasons, reason)
		}
	}
	says(a.key == b.key, scoreName, reasonName)
	says(sharesValue(a.Identities, b.Identities), scoreIdentity, reasonIdentity)
	says(slices.Contains(a.aliases, b.key) || slices.Contains(b.aliases, a.key), scoreAlias, reasonAlias)
	says(slices.ContainsFunc(a.aliases, func(alias string) bool { return slices.Contains(b.aliases, alias) }), scoreAliases, reasonAliases)
	if a.key == b.key {
		return score, reasons
	}
	switch {
	case a.slug != "" && a.slug == b.slug:
		says(true, scoreSlug, reasonSlug)
	case a.letters != "" && a.letters == b.letters:
		says(true, scoreLetters, reasonLetters)
	case sameWords(a.words, b.words):
		says(true, scoreOrder, reasonOrder)
	case onlyAdds(a.words, b.words) || onlyAdds(b.words, a.words):
		says(true, scoreAddition, reasonAddition)
	default:
		near := nearness(a.letters, b.letters)
		says(near >= minNear, near, reasonNear)
	}
	return score, reasons
}

// sharesValue tells whether one value is known of both, under different kinds.
func sharesValue(a, b []ContactIdentity) bool {
	return slices.ContainsFunc(a, func(x ContactIdentity) bool {
		return slices.ContainsFunc(b, func(y ContactIdentity) bool { return x.Value == y.Value })
	})
}

func sameWords(a, b []string) bool {
	return len(a) > 1 && slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// onlyAdds tells whether the longer name is the shorter one with legal forms, articles or single letters.
func onlyAdds(shorter, longer []string) bool {
	if len(shorter) == 0 || len(shorter) >= len(longer) {
		return false
	}
	rest := slices.Clone(longer)
	for _, word := range shorter {
		i := slices.Index(rest, word)
		if i < 0 {
			return false
		}
		rest = slices.Delete(rest, i, i+1)
	}
	if !slices.ContainsFunc(shorter, func(word string) bool { return utf8.RuneCountInString(word) > 1 && !additions[word] }) {
		return false
	}
	return !slices.ContainsFunc(rest, func(word string) bool {
		return !additions[word] && (utf8.RuneCountInString(word) > 1 || !isASCII(word) || unicode.IsDigit(rune(word[0])))
	})
}

// nearness is 1 less the share of letters that have to be changed; 0 for names that are
// too short or too long for that, and where the digits differ (release 1, release 2).
func nearness(a, b string) float64 {
	m, n := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	shorter, longer := min(m, n), max(m, n)
	if shorter < minNearLetters || longer > maxNearLetters || float64(shorter) < minNear*float64(longer) || digits(a) != digits(b) {
		return 0
	}
	return 1 - float64(editDistance([]rune(a), []rune(b)))/float64(longer)
}

func digits(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, s)
}

// editDistance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours (Damerau 1964).
func editDistance(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(b)]
}

// DuplicateGroup is a set of entities that may be one, each with each of the others.
type DuplicateGroup struct {
	IDs     []string // sorted
	Score   float64  // of its least likely pair
	Reasons []string // what speaks for one of its pairs, sorted
}

// CompareGroups orders groups best first, then by their ids.
func CompareGroups(a, b DuplicateGroup) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), slices.Compare(a.IDs, b.IDs))
}
