package knowledge

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestT7_DuplicateScore(t *testing.T) {
	t.Parallel()
	mail := func(value string) []ContactIdentity { return []ContactIdentity{{Kind: "email", Value: value}} }
	for _, c := range []struct {
		name   string
		a, b   NameCard
		score  float64
		reason string
	}{
		{"same slug", NameCard{Name: "C.R.M. System"}, NameCard{Name: "c-r-m system"}, scoreSlug, reasonSlug},
		{"same letters", NameCard{Name: "SqliteStore"}, NameCard{Name: "Sqlite Store"}, scoreLetters, reasonLetters},
		{"accents are letters' dress", NameCard{Name: "Zoe"}, NameCard{Name: "Zoë"}, scoreLetters, reasonLetters},
		{"other order", NameCard{Name: "Li Na"}, NameCard{Name: "Na, Li"}, scoreOrder, reasonOrder},
		{"alias is the name", NameCard{Name: "New York City", Aliases: []string{"NYC"}}, NameCard{Name: "nyc"}, scoreAlias, reasonAlias},
		{"common alias", NameCard{Name: "Big Blue", Aliases: []string{"IBM"}}, NameCard{Name: "Int. Machines", Aliases: []string{"ibm"}}, scoreAliases, reasonAliases},
		{"legal form", NameCard{Name: "Acme"}, NameCard{Name: "Acme Inc."}, scoreAddition, reasonAddition},
		{"middle initial", NameCard{Name: "John Smith"}, NameCard{Name: "John A. Smith"}, scoreAddition, reasonAddition},
		{"swapped letters", NameCard{Name: "Kestrel"}, NameCard{Name: "Kesterl"}, 1 - 1.0/7, reasonNear},
		{"one identity, two kinds", NameCard{Name: "Rosa", Identities: mail("r@x.io")}, NameCard{Name: "RQ", Identities: []ContactIdentity{{Kind: "login", Value: "r@x.io"}}}, scoreIdentity, reasonIdentity},
		{"A11 identities conflict", NameCard{Name: "Li Na", Identities: mail("a@x.io")}, NameCard{Name: "Li Na", Identities: mail("b@x.io")}, 0, ""},
		{"other types", NameCard{Name: "Mercury", Type: "project"}, NameCard{Name: "Mercury", Type: "tool"}, 0, ""},
		{"other digits", NameCard{Name: "Release 1"}, NameCard{Name: "Release 2"}, 0, ""},
		{"too short to be near", NameCard{Name: "Go"}, NameCard{Name: "Gu"}, 0, ""},
		{"only articles", NameCard{Name: "The Co"}, NameCard{Name: "Co"}, 0, ""},
		{"another word", NameCard{Name: "New York"}, NameCard{Name: "New Jersey"}, 0, ""},
		{"a word more", NameCard{Name: "Auth"}, NameCard{Name: "Auth Service"}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.a.ID, c.b.ID = "a", "b"
			a, b := compared(c.a), compared(c.b)
			score, reasons := duplicateScore(&a, &b)
			require.InDelta(t, c.score, score, 1e-9, "%v", reasons)
			back, same := duplicateScore(&b, &a)
			require.InDelta(t, score, back, 1e-9)
			require.Equal(t, reasons, same)
			if c.reason == "" {
				require.Empty(t, reasons)
				return
			}
			require.Contains(t, reasons, c.reason)
			found := FindDuplicates([]NameCard{c.a, c.b}, 0.5)
			require.Len(t, found, 1, "every kind of pair is among those that are compared")
			require.Equal(t, []string{"a", "b"}, found[0].IDs)
		})
	}
}

func TestT7_DuplicateGroups(t *testing.T) {
	t.Parallel()
	cards := []NameCard{
		{ID: "1", Name: "Sqlite Store"},
		{ID: "2", Name: "sqlite-store"},
		{ID: "3", Name: "SqliteStore"},
		{ID: "4", Name: "Lena Brook"},
		{ID: "5", Name: "Lena Brooks"},
		{ID: "6", Name: "Lena Brookes"},
		{ID: "7", Name: "somebody else"},
	}
	groups := FindDuplicates(cards, 0.9)
	require.Equal(t, [][]string{{"1", "2", "3"}, {"5", "6"}, {"4", "5"}}, ids(groups), "4 and 6 are two letters apart, so 5 is in two pairs")
	require.InDelta(t, scoreLetters, groups[0].Score, 1e-9, "a group is as likely as its least likely pair")
	require.Equal(t, []string{reasonLetters, reasonSlug}, groups[0].Reasons)
	slices.Reverse(cards)
	require.Equal(t, groups, FindDuplicates(cards, 0.9), "the order of the names does not matter")
	require.Equal(t, [][]string{{"1", "2", "3"}, {"4", "5", "6"}}, ids(FindDuplicates(cards, 0.8)))
	require.Empty(t, FindDuplicates(cards, 1))
	require.Empty(t, FindDuplicates(nil, 0))
}

func TestT7_DuplicateGroupsHaveACap(t *testing.T) {
	t.Parallel()
	var cards []NameCard
	for i := range 3 * maxExactBlock {
		cards = append(cards, NameCard{ID: fmt.Sprintf("%04d", i), Name: "x" + fmt.Sprintf("%*s", i+2, "y")})
	}
	for _, g := range FindDuplicates(cards, 0.9) {
		require.LessOrEqual(t, len(g.IDs), maxGroup)
	}
}

func ids(groups []DuplicateGroup) [][]string {
	out := [][]string{}
	for _, g := range groups {
		out = append(out, g.IDs)
	}
	return out
}

// BenchmarkFindDuplicates looks through 100,000 names made of 2,000 words.
func BenchmarkFindDuplicates(b *testing.B) {
	cards := make([]NameCard, 100_000)
	for i := range cards {
		cards[i] = NameCard{ID: fmt.Sprintf("%06d", i), Type: "person", Name: word(i) + " " + word(i/7+3) + " " + word(i*31)}
	}
	for b.Loop() {
		FindDuplicates(cards, 0.8)
	}
}

func word(n int) string {
	const letters = "abcdefghijklmnopqrst"
	out := []byte{}
	for n = n%2000 + 2000; n > 0; n /= 7 {
		out = append(out, letters[(n*13)%20])
	}
	return string(out)
}
