package knowledge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// mentionsIn is what an index of names, each of an entity of that name, finds: "text of the mention=entity".
func mentionsIn(text string, names ...string) []string {
	var all []MentionName
	for _, n := range names {
		entity, name, ok := strings.Cut(n, ":")
		if !ok {
			name = entity
		}
		all = append(all, MentionName{EntityID: entity, Name: name})
	}
	found := []string{}
	for _, m := range NewMentionIndex(all).Find(text) {
		found = append(found, text[m.Start:m.End]+"="+m.EntityID)
	}
	return found
}

func TestMentionIndex_Find(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, text string
		names      []string
		want       []string
	}{
		{"whole words in any casing", "melanie met CAROLINE, not Carolinea", []string{"Caroline", "Melanie"}, []string{"melanie=Melanie", "CAROLINE=Caroline"}},
		{"possessive", "Caroline's dog and Melanie’s cat", []string{"Caroline", "Melanie"}, []string{"Caroline=Caroline", "Melanie=Melanie"}},
		{"plural", "the Johnsons and two auth services, many libraries", []string{"Johnson", "Auth service", "C library", "library"}, []string{"Johnsons=Johnson", "auth services=Auth service", "libraries=library"}},
		{"the longest", "New York City and New York", []string{"New York", "New York City", "York"}, []string{"New York City=New York City", "New York=New York"}},
		{"a shorter one where the longest ends otherwise", "New York Times", []string{"New York", "New York City"}, []string{"New York=New York"}},
		{"shared names are left out, and block shorter ones", "Li Na called", []string{"a:Li Na", "b:Li Na", "c:Li"}, []string{}},
		{"the same entity twice is not shared", "Li Na called", []string{"a:Li Na", "a:li na"}, []string{"Li Na=a"}},
		{"alias", "We love NYC in May", []string{"New York:NYC"}, []string{"NYC=New York"}},
		{"signs are part of a name", "C++ and C and Node.js. node js", []string{"C++", "C", "Node.js"}, []string{"C++=C++", "Node.js=Node.js"}},
		{"not inside addresses, paths and identifiers", "mail.acme.io jane@acme.org src/acme/x my_acme acme.", []string{"Acme"}, []string{"acme=Acme"}},
		{"a handle and a hyphen", "@redis and Redis-based", []string{"Redis"}, []string{"redis=Redis", "Redis=Redis"}},
		{"white space between words", "New\n  York", []string{"New York"}, []string{"New\n  York=New York"}},
		{"very short names as stored", "AI is not ai. go with Go", []string{"AI", "Go"}, []string{"AI=AI", "Go=Go"}},
		{"everyday words only where they must be names", "Grace called. Then Grace said grace.", []string{"Grace"}, []string{"Grace=Grace"}},
		{"everyday words without a capital are left out", "place an order", []string{"order"}, []string{}},
		{"function words are left out", "It is the one", []string{"It", "the"}, []string{}},
		{"function words in capitals stay", "ask IT about it", []string{"IT"}, []string{"IT=IT"}},
		{"numbers and single letters are left out", "x 2024 42", []string{"X", "2024"}, []string{}},
		{"a qualifier in brackets", "Mercury rises", []string{"Mercury (planet)"}, []string{"Mercury=Mercury (planet)"}},
		{"a full name is stronger than a bare one", "Mercury (planet) and Mercury", []string{"Mercury (planet)", "Mercury"}, []string{"Mercury (planet)=Mercury (planet)", "Mercury=Mercury"}},
		{"bare names that are shared are left out", "Mercury rises", []string{"Mercury (planet)", "Mercury (element)"}, []string{}},
		{"Chinese", "今天王小明先生来了", []string{"王小明"}, []string{"王小明=王小明"}},
		{"Japanese, Katakana as words", "東京タワーとマリオ", []string{"東京", "タワー", "マリ"}, []string{"東京=東京", "タワー=タワー"}},
		{"Japanese half width", "東京ﾀﾜｰ", []string{"タワー"}, []string{"ﾀﾜｰ=タワー"}},
		{"Korean with particles, from the beginning of a word", "서울에서 남서울", []string{"서울"}, []string{"서울=서울"}},
		{"Thai", "ผมอยู่กรุงเทพครับ", []string{"กรุงเทพ"}, []string{"กรุงเทพ=กรุงเทพ"}},
		{"Russian", "Вчера ИВАН ПЕТРОВ звонил", []string{"Иван Петров"}, []string{"ИВАН ПЕТРОВ=Иван Петров"}},
		{"Arabic", "قال محمد علي", []string{"محمد علي"}, []string{"محمد علي=محمد علي"}},
		{"Greek final sigma", "ο ΝΙΚΟΣ ήρθε", []string{"Νίκος", "Νικος"}, []string{"ΝΙΚΟΣ=Νικος"}},
		{"full width", "ＡＷＳ と", []string{"AWS"}, []string{"ＡＷＳ=AWS"}},
		{"soft hyphen", "Caro\u00adline came", []string{"Caroline"}, []string{"Caro\u00adline=Caroline"}},
		{"trade mark", "Mneme™ is here", []string{"Mneme"}, []string{"Mneme=Mneme"}},
		{"German genitive and umlaut", "Müllers Büro", []string{"Müller"}, []string{"Müllers=Müller"}},
		{"nothing", "", []string{"Caroline"}, []string{}},
		{"no names", "Caroline", nil, []string{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, mentionsIn(c.text, c.names...))
		})
	}
}

func TestMentionIndex_NFDIsTheSame(t *testing.T) {
	t.Parallel()
	require.Len(t, mentionsIn(norm.NFD.String("Zoë Ångström kam"), "Zoë Ångström"), 1)
	require.Len(t, mentionsIn("Zoë Ångström kam", norm.NFD.String("Zoë Ångström")), 1)
	require.Len(t, mentionsIn(norm.NFD.String("서울에서"), "서울"), 1)
}

func TestMentionIndex_Properties(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOf(rapid.StringN(1, 8, -1)).Draw(t, "names")
		text := rapid.String().Draw(t, "text") + " " + strings.Join(names, " ")
		var all []MentionName
		for i, n := range names {
			all = append(all, MentionName{EntityID: fmt.Sprint(i), Name: n})
		}
		mentions := NewMentionIndex(all).Find(text)
		end := 0
		for _, m := range mentions {
			if m.Start < end || m.End <= m.Start || m.End > len(text) {
				t.Fatalf("mentions overlap: %v", mentions)
			}
			end = m.End
		}
		if !slices.Equal(mentions, NewMentionIndex(rapid.Permutation(all).Draw(t, "order")).Find(text)) {
			t.Fatalf("the order of names changes the mentions of %q", text)
		}
	})
}

func TestMentionIndex_ANameIsFoundAmongOthers(t *testing.T) {
	t.Parallel()
	word := rapid.StringMatching(`[A-Z][a-z]{6,9}`)
	rapid.Check(t, func(t *rapid.T) {
		name := word.Draw(t, "first") + " " + word.Draw(t, "last")
		if got := mentionsIn("we met "+strings.ToUpper(name)+", again", name, "Other Name"); len(got) != 1 {
			t.Fatalf("%q: %v", name, got)
		}
	})
}

func TestMentionKeys(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"'s", "caroline", "caroline'", "caroline's", "s"}, MentionKeys("Caroline's"))
	require.Contains(t, MentionKeys("In New  York we use auth services."), "new york")
	require.Contains(t, MentionKeys("In New  York we use auth services."), "auth service")
	require.Contains(t, MentionKeys("今天王小明来了"), "王小明")
	require.Contains(t, MentionKeys("Node.js runs"), "node.js")
	require.Empty(t, MentionKeys(""))
	long := strings.Repeat("word ", 1000)
	require.LessOrEqual(t, len(MentionKeys(long)), 20*1000)
}

// manyNames are distinct names of one to three words, deterministic.
func manyNames(n int) []MentionName {
	syllables := strings.Fields("ba ke li mo nu ra se ti vo zu da fe gi ho ju ka le mi no pu")
	word := func(i int) string {
		return "X" + syllables[i%20] + syllables[i/20%20] + syllables[i/400%20] + syllables[i/8000%20]
	}
	names := make([]MentionName, n)
	for i := range names {
		name := word(i)
		if i%3 > 0 {
			name += " " + word(i*7+1)
		}
		names[i] = MentionName{EntityID: fmt.Sprint("ent_", i), Name: name}
	}
	return names
}

func BenchmarkNewMentionIndex100k(b *testing.B) {
	names := manyNames(100_000)
	b.ReportAllocs()
	for b.Loop() {
		NewMentionIndex(names)
	}
}

func BenchmarkMentionIndexFind100k(b *testing.B) {
	names := manyNames(100_000)
	x := NewMentionIndex(names)
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "We met %s there. ", names[i*997].Name)
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		x.Find(text.String())
	}
}

func BenchmarkAnalyze(b *testing.B) {
	text := strings.Repeat("Caroline painted the sunrise over INV-30931 and 東京タワー yesterday. ", 20)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Analyze(text)
	}
}
