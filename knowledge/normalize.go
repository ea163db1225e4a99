package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/language"
	"golang.org/x/text/unicode/norm"
)

// CollapseSpace is s with each run of white space as one space, and none at its ends.
func CollapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// NormalizeName is the form by which names are compared: NFKC, white space
// collapsed, lower case in the American English locale (SPEC A10).
func NormalizeName(name string) string {
	// Lower-casing can denormalise (İ becomes i and a combining dot), hence NFKC on both sides.
	lower := cases.Lower(language.AmericanEnglish).String(CollapseSpace(norm.NFKC.String(name)))
	return CollapseSpace(norm.NFKC.String(lower))
}

// TypeKey is the key of an entity type's name: lower case, each run of other than
// letters and digits one underscore, none at the ends (SPEC A5). Empty where
// nothing of the name is left.
func TypeKey(name string) string { return joinRuns(NormalizeName(name), '_') }

// EdgeTypeKey is the key of an edge type's free text: as TypeKey, at most 64
// characters, related_to where nothing is left (SPEC O3).
func EdgeTypeKey(text string) string {
	key := strings.TrimRight(truncateRunes(joinRuns(NormalizeName(text), '_'), MaxEdgeTypeKeyLength), "_")
	if key == "" {
		return "related_to"
	}
	return key
}

// Slug is a name as it stands in addresses: lower case, runs of other than
// letters and digits one hyphen, at most 100 characters (SPEC O2).
func Slug(name string) string {
	return strings.TrimRight(truncateRunes(joinRuns(NormalizeName(name), '-'), MaxSlugLength), "-")
}

// joinRuns keeps letters, their marks and digits, and puts sep for each run of anything else between them.
func joinRuns(s string, sep rune) string {
	var b strings.Builder
	gap := false
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !(unicode.IsMark(r) && b.Len() > 0 && !gap) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteRune(sep)
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

func truncateRunes(s string, n int) string {
	count := 0
	for i := range s {
		if count == n {
			return s[:i]
		}
		count++
	}
	return s
}

// IdentityValue is the form by which identities of a kind are compared.
func IdentityValue(value string) string { return NormalizeName(value) }

// Fingerprint is how an observation is known: the caller's own, trimmed and cut to
// 200 characters, else the content's (SPEC C2).
func Fingerprint(given, text string) string {
	if given = strings.TrimSpace(given); given != "" {
		return truncateRunes(given, MaxFingerprintLength)
	}
	return ContentFingerprint(text)
}

// ContentFingerprint is "content:" and 32 hex digits of SHA-256 over the normalised text (SPEC C2).
func ContentFingerprint(text string) string {
	sum := sha256.Sum256([]byte(NormalizeName(text)))
	return "content:" + hex.EncodeToString(sum[:])[:32]
}

// ContentHash is how equal entries are found: SHA-256 over normalised title,
// newline, normalised content (SPEC K19).
func ContentHash(title, content string) string {
	sum := sha256.Sum256([]byte(normalizeText(title) + "\n" + normalizeText(content)))
	return hex.EncodeToString(sum[:])
}

// normalizeText collapses and lower-cases a text without changing its compatibility characters.
func normalizeText(s string) string {
	return cases.Lower(language.AmericanEnglish).String(CollapseSpace(s))
}
