package llm

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
)

var testShape = &knowledge.ReplyShape{
	Name: "knowledge", Schema: `{"type":"object"}`,
	Lists: []knowledge.ListShape{{
		Key: "entries", Aliases: []string{"items", "knowledge"},
		Fields: []knowledge.FieldShape{
			{Key: "type", Aliases: []string{"kind"}},
			{Key: "title", Aliases: []string{"name"}},
			{Key: "content", Aliases: []string{"text"}},
			{Key: "confidence"},
			{Key: "tags"},
		},
	}},
}

const (
	one = `{"type":"fact","title":"Plan","content":"They pay.","confidence":0.9}`
	two = `{"type":"goal","title":"Grow","content":"They grow."}`
)

func TestT16_Decode(t *testing.T) {
	t.Parallel()
	both := `{"entries":[` + one + `,` + two + `]}`
	cases := map[string]struct {
		text   string
		titles string // joined by a comma
		cut    bool
	}{
		"plain":                         {both, "Plan,Grow", false},
		"prose around":                  {"Sure! Here it is:\n" + both + "\nAnything else {ok}?", "Plan,Grow", false},
		"a fence":                       {"```json\n" + both + "\n```", "Plan,Grow", false},
		"a fence that never ends":       {"```json\n" + both, "Plan,Grow", false},
		"a fence of another language":   {"Result:\n~~~javascript\n" + both + "\n~~~", "Plan,Grow", false},
		"thoughts":                      {`<think>{"entries": []} or so</think>` + both, "Plan,Grow", false},
		"thoughts without a beginning":  {`maybe {"entries": []}</think>` + both, "Plan,Grow", false},
		"thoughts in capitals":          {`<THINKING>hm</THINKING>` + both, "Plan,Grow", false},
		"a tag inside the JSON":         {`{"entries":[{"type":"fact","title":"<think>","content":"a tag"}]}`, "<think>", false},
		"a bare list":                   {"[" + one + "," + two + "]", "Plan,Grow", false},
		"a bare object":                 {one, "Plan", false},
		"one object a line":             {one + "\n" + two, "Plan,Grow", false},
		"wrapped":                       {`{"result":{"data":` + both + `}}`, "Plan,Grow", false},
		"a renamed list":                {`{"Knowledge":[` + one + `]}`, "Plan", false},
		"a list of an unknown name":     {`{"note":"x","findings":[` + one + `],"tags":["a"]}`, "Plan", false},
		"one object for the list":       {`{"entries":` + one + `}`, "Plan", false},
		"renamed and extra fields":      {`{"entries":[{"Kind":"fact","NAME":"Plan","text":"x","mood":"good"}]}`, "Plan", false},
		"quoted as a whole":             {string(mustJSON(both)), "Plan,Grow", false},
		"trailing commas":               {`{"entries":[` + one + `,],}`, "Plan", false},
		"missing commas":                {"{\"entries\":[{\"type\":\"fact\"\n\"title\":\"Plan\"\n\"content\":\"x\"}]}", "Plan", false},
		"single quotes":                 {`{'entries':[{'type':'fact','title':'Kim's plan','content':'x'}]}`, "Kim's plan", false},
		"typographic quotes":            {`{“entries”:[{“type”:“fact”,“title”:“Plan”,“content”:“x”}]}`, "Plan", false},
		"unquoted names":                {`{entries:[{type:"fact",title:"Plan",content:"x",tags:None}]}`, "Plan", false},
		"comments":                      {"{\"entries\":[ // all\n" + one + " /* no more */ ]}", "Plan", false},
		"bad escapes":                   {`{"entries":[{"type":"fact","title":"C:\dir \_x\_ 5\% \'a\'","content":"x"}]}`, `C:\dir \_x\_ 5\% 'a'`, false},
		"bad code points":               {`{"entries":[{"type":"fact","title":"\ud83d\u00e9 \uZZ \x41","content":"x"}]}`, "\uFFFDé \\uZZ A", false},
		"line breaks in a string":       {"{\"entries\":[{\"type\":\"fact\",\"title\":\"a\nb\",\"content\":\"x\"}]}", "a\nb", false},
		"quotes in a string":            {`{"entries":[{"type":"fact","title":"the "big" one","content":"x"}]}`, `the "big" one`, false},
		"a quote and a comma in one":    {`{"entries":[{"type":"fact","title":"said "no", then left","content":"x"}]}`, `said "no", then left`, false},
		"cut in a string":               {`{"entries":[` + one + `,{"type":"goal","title":"Gro`, "Plan", true},
		"cut in a number":               {`{"entries":[` + one + `,{"type":"goal","title":"Grow","content":"x","confidence":0.`, "Plan", true},
		"cut after an object":           {`{"entries":[` + one, "Plan", true},
		"cut in a bare list":            {`[` + one + `,` + two + `,{"type"`, "Plan,Grow", true},
		"cut inside a fence":            {"```json\n{\"entries\":[" + one + ",{\"ti", "Plan", true},
		"nothing found":                 {`{"entries":[]}`, "", false},
		"nothing found, a bare list":    {"```json\n[]\n```", "", false},
		"the better of two":             {`Like {"entries":[]} but: ` + both, "Plan,Grow", false},
		"the last of two equal":         {`{"entries":[` + one + `]} Correction: {"entries":[` + two + `]}`, "Grow", false},
		"an empty list after a bracket": {"see [1] and []: " + both, "Plan,Grow", false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lists, cut, err := decode(c.text, testShape)
			require.NoError(t, err)
			var titles []string
			for _, item := range lists["entries"] {
				titles = append(titles, item["title"].(string))
				for key := range item {
					assert.Contains(t, []string{"type", "title", "content", "confidence", "tags"}, key)
				}
			}
			assert.Equal(t, c.titles, strings.Join(titles, ","))
			assert.Equal(t, c.cut, cut)
		})
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

func TestT16_DecodeNeverEmptySuccess(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty":                      "",
		"prose":                      "I could not find anything worth keeping.",
		"prose with brackets":        "As [1] says, there is nothing [] here {really}.",
		"only thoughts":              `<think>{"entries":[` + one + `]}`,
		"an empty object":            "{}",
		"null":                       `{"entries":null}`,
		"a word for the list":        `{"entries":"none"}`,
		"words in the list":          `{"entries":["They pay.","They grow."]}`,
		"objects of something else":  `{"entries":[{"foo":1},{"bar":2}]}`,
		"another list":               `{"users":[{"id":1,"login":"a"}]}`,
		"an error":                   `{"error":{"message":"quota"}}`,
		"cut before anything":        `{"entries`,
		"a number":                   "42",
		"a schema in place of data":  `{"type":"object","properties":{"entries":{"type":"array"}}}`,
		"a quote that is not JSON":   `"nothing"`,
		"brackets that never end":    strings.Repeat("[", 5_000),
		"braces that never end":      strings.Repeat("{", 5_000),
		"objects that never end":     strings.Repeat(`{"a":`, 5_000),
		"quotes that never end":      strings.Repeat(`"`, 5_000),
		"thoughts and more thoughts": strings.Repeat("<think>", 5_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lists, cut, err := decode(text, testShape)
			if err == nil {
				// The caller rejects what was cut before anything was complete.
				assert.True(t, cut && empty(lists), "%v", lists)
			}
		})
	}
}

// TestT16_LenientReadsJSON holds the lenient parser to the strict one, where the text is right.
func TestT16_LenientReadsJSON(t *testing.T) {
	t.Parallel()
	text := rapid.StringOfN(rapid.RuneFrom([]rune(`abc "'\{}[]:,“” é王/*`+"\n\t")), 0, 12, -1)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		leaf := rapid.OneOf(rapid.Map(text, func(s string) any { return s }), rapid.Map(rapid.Int(), func(i int) any { return float64(i % 1000) }),
			rapid.Map(rapid.Bool(), func(b bool) any { return b }), rapid.Just[any](nil))
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(s []any) any {
				if s == nil {
					return []any{}
				}
				return s
			}),
			rapid.Map(rapid.MapOfN(rapid.StringMatching(`[a-z_]{1,6}`), value(depth-1), 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]any{"v": value(3).Draw(t, "value")}
		raw, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := parseAt(string(raw), 0)
		if !got.whole || got.end != len(raw) || !assert.ObjectsAreEqual(any(want), got.value) {
			t.Fatalf("%s\nread as %#v", raw, got)
		}
		// Cut anywhere, it does not panic, and never gains a member.
		at := rapid.IntRange(0, len(raw)).Draw(t, "cut")
		parseAt(string(raw[:at]), 0)
	})
}

func FuzzDecode(f *testing.F) {
	f.Add(`{"entries":[` + one + `,{"type":"goal","title":"Gro`)
	f.Add("```json\n[" + two + "]\n```")
	f.Fuzz(func(t *testing.T, text string) {
		lists, _, err := decode(text, testShape)
		if err == nil && lists == nil {
			t.Fatal("success without lists")
		}
	})
}
