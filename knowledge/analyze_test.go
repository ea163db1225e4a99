package knowledge

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// finds tells whether a query finds a text, by the score that orders answers.
func finds(query, text string) bool {
	return LexicalScore(QueryTerms(query, MaxQueryTerms), NewLexicalText(Analyze(text)), LexicalStats{Documents: 10}) > 0
}

func TestT12_EveryScriptIsFound(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, text, query string }{
		{"English stem", "She was running late", "runs"},
		{"English possessive", "We met Caroline's mother", "Caroline"},
		{"English possessive, typographic", "We met Caroline’s mother", "caroline"},
		{"query with a possessive", "Caroline came", "Caroline's"},
		{"contraction", "I don’t know", "don't"},
		{"German plural", "Die Häuser am Fluss", "Haus"},
		{"German umlaut spelled out", "Jürgen Müller", "Mueller"},
		{"German umlaut in the query", "Juergen Mueller", "Müller"},
		{"German umlaut left out", "Jürgen Müller", "muller"},
		{"German sharp s", "Große Straße", "GROSSE STRASSE"},
		{"French accent", "Hélène à l’hôtel", "hotel"},
		{"Spanish", "el niño de Ávila", "nino avila"},
		{"Swedish", "Zoë Ångström", "angstrom"},
		{"Danish", "Søren Kierkegård", "soren"},
		{"Polish", "Łódź", "lodz"},
		{"Turkish dotted", "İSTANBUL", "istanbul"},
		{"Turkish dotless", "Diyarbakır'da", "diyarbakir"},
		{"Russian", "Иван Петров", "иван"},
		{"Russian case ending", "встретил Ивана Петрова", "Петров"},
		{"Russian short i", "Андрей Йогуртов", "андрей"},
		{"Russian yo", "Королёв", "королев"},
		{"Greek", "Αθήνα και Θεσσαλονίκη", "ΑΘΗΝΑ"},
		{"Greek final sigma", "Νίκος", "ΝΙΚΟΣ"},
		{"Arabic", "قال محمد علي", "محمد"},
		{"Arabic with vowels", "مُحَمَّد", "محمد"},
		{"Arabic alef", "أحمد", "احمد"},
		{"Hebrew with points", "שָׁלוֹם", "שלום"},
		{"Hindi", "नमस्ते दुनिया", "दुनिया"},
		{"Chinese name", "今天见了王小明先生", "王小明"},
		{"Chinese single character", "王小明", "明"},
		{"Japanese mixed", "東京タワーに行く", "タワー"},
		{"Japanese half width", "ﾀﾜｰに行く", "タワー"},
		{"Korean with particle", "서울에서 만났다", "서울"},
		{"Korean single syllable", "강가에서", "강"},
		{"Thai", "ประเทศไทยสวยงาม", "ไทย"},
		{"full width", "ＡＩ と Ｇｏ", "ai"},
		{"Arabic digits", "سنة ٢٠٢٤", "2024"},
		{"emoji", "party 🎉", "🎉"},
		{"invoice whole", "invoice INV-30931 is disputed", "INV-30931"},
		{"invoice by part", "invoice INV-30931 is disputed", "30931"},
		{"invoice without hyphen", "invoice INV-30931 is disputed", "INV30931"},
		{"camel case by part", "calls getHTTPServer twice", "server"},
		{"camel case whole", "calls getHTTPServer twice", "GETHTTPSERVER"},
		{"snake case", "max_token_count", "token"},
		{"kebab case", "auth-service", "service"},
		{"compound split in the text", "his half- brother", "half-brother"},
		{"dotted", "Node.js", "node"},
		{"mail address", "write to jane.doe@acme.io", "jane.doe@acme.io"},
		{"domain of an address", "write to jane.doe@acme.io", "acme.io"},
		{"path", "src/api/server.ts", "server.ts"},
		{"initials", "the U.S.A. team", "USA"},
		{"one word or two", "send an e-mail", "email"},
		{"C++", "written in C++, mostly", "c++"},
		{"beginning of a word", "Kubernetes", "kuber"},
	}
	for _, c := range cases {
		t.Run("T12 "+c.name, func(t *testing.T) {
			t.Parallel()
			if !finds(c.query, c.text) {
				t.Errorf("%q does not find %q: %q", c.query, c.text, Analyze(c.text))
			}
			if nfd := norm.NFD.String(c.text); Analyze(nfd) != Analyze(c.text) {
				t.Errorf("NFD differs: %q and %q", Analyze(nfd), Analyze(c.text))
			}
			if !finds(norm.NFD.String(c.query), c.text) {
				t.Errorf("NFD of %q does not find %q", c.query, c.text)
			}
		})
	}
}

func TestT12_WhatIsAnotherWordIsNotFound(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"が", "かき"}, {"明", "王小"}, {"30932", "INV-30931"}, {"서울", "부산에서"}, {"c#", "c plus"}} {
		terms := QueryTerms(c[0], MaxQueryTerms)
		text := NewLexicalText(Analyze(c[1]))
		for _, term := range terms {
			for _, f := range term.Forms {
				if text.counts[f.Token] > 0 {
					t.Errorf("%q finds %q", c[0], c[1])
				}
			}
		}
	}
}

func TestAnalyze_NamesAreOneWordInEveryForm(t *testing.T) {
	t.Parallel()
	if got := Analyze("Mneme™ is a trade mark"); !strings.HasPrefix(got, "mneme ") {
		t.Errorf("the sign became letters: %q", got)
	}
	if got := Analyze("co\u00adoperate"); !strings.HasPrefix(got, "cooperate") {
		t.Errorf("soft hyphen: %q", got)
	}
	if got := Analyze(" \t\n?! … "); got != "" {
		t.Errorf("no words: %q", got)
	}
}

func TestAnalyze_TheSameTextFindsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		analysed := Analyze(text)
		tokens := NewLexicalText(analysed)
		for _, term := range QueryTerms(text, MaxQueryRunes) {
			if LexicalScore([]Term{term}, tokens, LexicalStats{Documents: 3}) <= 0 {
				t.Fatalf("term %q of %q is not in %q", term.Text, text, analysed)
			}
		}
		if len(analysed) > 8*len(text)+8 {
			t.Fatalf("%d bytes became %d", len(text), len(analysed))
		}
		for _, token := range strings.Fields(analysed) {
			if utf8.RuneCountInString(token) > maxTokenRunes {
				t.Fatalf("token too long: %q", token)
			}
		}
	})
}

func TestAnalyze_FoldingIsIdempotent(t *testing.T) {
	t.Parallel()
	f := newFolder()
	fold := func(s string) string { return foldMarks(f.lower(compatibilityText(s))) }
	rapid.Check(t, func(t *rapid.T) {
		once := fold(rapid.String().Draw(t, "text"))
		if twice := fold(once); twice != once {
			t.Fatalf("%q became %q", once, twice)
		}
	})
}

func TestAnalyze_LongTextsAreBounded(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"one word":       strings.Repeat("Wort ", 20_000),
		"one letter":     strings.Repeat("x", MaxTextLength),
		"dots":           strings.Repeat("a.", MaxTextLength/2),
		"Chinese":        strings.Repeat("王小明去东京塔", MaxTextLength/7),
		"Thai":           strings.Repeat("ก็", MaxTextLength/2),
		"only marks":     strings.Repeat("\u0301", MaxTextLength),
		"letter + marks": "e" + strings.Repeat("\u0301", MaxTextLength-1),
		"emoji":          strings.Repeat("🎉", MaxTextLength),
		"camel":          strings.Repeat("aB", MaxTextLength/2),
		"nulls":          strings.Repeat("\x00", MaxTextLength),
		"invalid":        strings.Repeat("\xff", MaxTextLength),
		"apostrophes":    strings.Repeat("a'", MaxTextLength/2),
	} {
		if got := Analyze(text); len(got) > 8*len(text) || !utf8.ValidString(got) {
			t.Errorf("%s: %d bytes became %d", name, len(text), len(got))
		}
		if got := QueryTerms(text, MaxQueryTerms); len(got) > MaxQueryTerms {
			t.Errorf("%s: %d terms", name, len(got))
		}
		q := LuceneQuery(LuceneRequest{Fields: []LuceneField{{"a", 1}, {"b", 2}}, Terms: QueryTerms(text, MaxRecallTerms), Prefix: true})
		if n := strings.Count(q, "^"); n > maxClauses {
			t.Errorf("%s: %d clauses", name, n)
		}
	}
}

func texts(terms []Term) []string {
	out := make([]string, len(terms))
	for i, t := range terms {
		out[i] = t.Text
	}
	return out
}

func TestJ15_QueryTerms(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, query string
		want        []string
	}{
		{"J15 words", "Redis cache", []string{"redis", "cache"}},
		{"J15 joined stay whole", "INV-30931 a/b x_y node.js it's jane@x.io 10:30", []string{"inv-30931", "a/b", "x_y", "node.js", "it", "jane@x.io", "10:30"}},
		{"J15 joiners outside words", "-a- /b/ .c. tb- ::d", []string{"a", "b", "c", "tb", "d"}},
		{"J15 operators dropped beside others", "NORD AND OR NOT", []string{"nord"}},
		{"J15 operators alone stay", "and OR", []string{"and", "or"}},
		{"J15 near dropped", "cafe NEAR station", []string{"cafe", "station"}},
		{"J15 duplicates dropped", "Go go GO gö", []string{"go"}},
		{"J15 blank", "  \t ", []string{}},
		{"J15 only signs", "?! ()", []string{}},
		{"J15 twelve at most", "a b c d e f g h i j k l m n", strings.Fields("a b c d e f g h i j k l")},
		{"J15 64 characters", strings.Repeat("x", 100), []string{strings.Repeat("x", 64)}},
		{"T11 C++", "C++", []string{"c++"}},
		{"T11 pipe", "install | bash", []string{"install", "bash"}},
		{"T11 parenthesis", "(x", []string{"x"}},
		{"T11 quote", `"quote`, []string{"quote"}},
		{"T11 EBITDA", "EBITDA", []string{"ebitda"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := texts(QueryTerms(c.query, MaxQueryTerms)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	t.Run("J15 first 4,000 characters", func(t *testing.T) {
		t.Parallel()
		if got := QueryTerms(strings.Repeat(" ", MaxQueryRunes)+"late", MaxQueryTerms); len(got) != 0 {
			t.Errorf("got %q", texts(got))
		}
	})
}

func TestJ16_DistinctiveTerms(t *testing.T) {
	t.Parallel()
	got := texts(DistinctiveTerms("Who is the owner of x Redis in IT"))
	if want := []string{"owner", "redis", "it"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := DistinctiveTerms("one two three four five six seven eight"); len(got) != MaxDistinctiveTerms {
		t.Errorf("got %d terms", len(got))
	}
}

func TestT11_StopWords(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, query string
		want        []string
	}{
		{"question words go", "When did Caroline go to the LGBTQ support group?", []string{"caroline", "go", "lgbtq", "support", "group"}},
		{"German question words go", "Wer hat die Rechnung für Müller geschrieben?", []string{"rechnung", "muller", "geschrieben"}},
		{"only stop words stay", "who is the", []string{"who", "is", "the"}},
		{"names in capitals stay", "Does the US office use IT?", []string{"us", "office", "use", "it"}},
		{"a loud question is not all names", "WHO IS THE OWNER", []string{"owner"}},
	}
	for _, c := range cases {
		t.Run("T11 "+c.name, func(t *testing.T) {
			t.Parallel()
			if got := texts(RecallTerms(c.query)); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestT11_LuceneQuery(t *testing.T) {
	t.Parallel()
	fields := []LuceneField{{"searchName", 2}, {"searchText", 1}}
	filters := []LuceneFilter{{"workspaceId", []string{"ws_1"}}, {"entryType", []string{"fact", "event"}}}
	got := LuceneQuery(LuceneRequest{Filters: filters, Fields: fields, Terms: QueryTerms("C++ dogs", MaxQueryTerms), Prefix: true})
	want := `+(workspaceId:ws\_1)^0 +(entryType:fact entryType:event)^0 ` +
		`+(searchName:c\+\+^2 searchText:c\+\+^1 searchName:dogs^2 searchText:dogs^1 searchName:dog^1.6 searchText:dog^0.8 ` +
		`searchName:c^1.6 searchText:c^0.8 searchName:c\+\+*^0.6 searchText:c\+\+*^0.3 searchName:dogs*^0.6 searchText:dogs*^0.3)`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for name, q := range map[string]LuceneRequest{
		"no terms":        {Filters: filters, Fields: fields},
		"no fields":       {Filters: filters, Terms: QueryTerms("x", 1)},
		"a filter of ''":  {Filters: []LuceneFilter{{"workspaceId", []string{""}}}, Fields: fields, Terms: QueryTerms("x", 1)},
		"an empty filter": {Filters: []LuceneFilter{{"workspaceId", nil}}, Fields: fields, Terms: QueryTerms("x", 1)},
	} {
		if got := LuceneQuery(q); got != "" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// FuzzT11_UserTextNeverBecomesSyntax checks that every clause of the query is ours.
func FuzzT11_UserTextNeverBecomesSyntax(f *testing.F) {
	for _, s := range []string{
		"NORD AND OR NOT", "a/b", "C++", "tb-", `"quote`, "install | bash", "(x", "[a TO b]", `\`, "*", "!", "a:b^3~2", "{x}",
		"&&||", "\xff\xfe", "a\u2028b", "workspaceId:other", "王* 小?", "İ ı ẞ ﬀ", "e\u0301\u0302", strings.Repeat("x-", 60),
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		query := LuceneQuery(LuceneRequest{
			Filters: []LuceneFilter{{"workspaceId", []string{"w1"}}},
			Fields:  []LuceneField{{"searchText", 1}}, Terms: QueryTerms(text, MaxQueryTerms), Prefix: true,
		})
		if query == "" {
			return
		}
		body, ok := strings.CutPrefix(query, "+(workspaceId:w1)^0 +(")
		if !ok || !strings.HasSuffix(body, ")") {
			t.Fatalf("frame: %s", query)
		}
		for clause := range strings.SplitSeq(strings.TrimSuffix(body, ")"), " ") {
			token, ok := strings.CutPrefix(clause, "searchText:")
			at := strings.LastIndexByte(token, '^')
			if !ok || at < 0 {
				t.Fatalf("clause %q of %q", clause, query)
			}
			checkEscaped(t, strings.TrimSuffix(token[:at], "*"))
		}
		for token := range strings.FieldsSeq(Analyze(text)) {
			if strings.ContainsFunc(token, unicode.IsSpace) || token == "" {
				t.Fatalf("token %q", token)
			}
		}
	})
}

func checkEscaped(t *testing.T, token string) {
	t.Helper()
	if token == "" || !utf8.ValidString(token) {
		t.Fatalf("token %q", token)
	}
	escaped := false
	for _, r := range token {
		plain := unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
		if !plain && !escaped && r != '\\' {
			t.Fatalf("%q is not escaped in %q", r, token)
		}
		if unicode.IsSpace(r) {
			t.Fatalf("space in %q", token)
		}
		escaped = !escaped && r == '\\'
	}
}
