package knowledge_test

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"mneme/knowledge"
)

// now is the time of all these tests: hour 50.
var now = *hour(50)

func edge(id, from, to string, validFrom, validTo int) *knowledge.Edge {
	return &knowledge.Edge{ID: id, WorkspaceID: "w", FromID: from, ToID: to, Type: "t", ValidFrom: hour(validFrom), ValidTo: hour(validTo), CreatedAt: now, Weight: 1}
}

// show is an edge as a test writes it: "id from-to [start, end)".
func show(e *knowledge.Edge) string {
	end := "open"
	if e.ValidTo != nil {
		end = fmt.Sprint(e.ValidTo.Sub(*hour(0)).Hours())
	}
	return fmt.Sprintf("%s %s-%s [%v, %s)", e.ID, e.FromID, e.ToID, e.Start().Sub(*hour(0)).Hours(), end)
}

func TestT4_B11_B12_B13_AssertEdge(t *testing.T) {
	t.Parallel()
	single, symmetric := knowledge.EdgeType{SingleValued: true}, knowledge.EdgeType{Symmetric: true}
	both := knowledge.EdgeType{SingleValued: true, Symmetric: true}
	cases := []struct {
		name    string
		stored  []*knowledge.Edge
		claim   *knowledge.Edge
		undated bool
		rules   knowledge.EdgeType
		want    string // the edge, then what ended; or the code of an error
	}{
		{"B13 nothing there", nil, edge("n", "a", "b", 3, -1), false, knowledge.EdgeType{}, "new n a-b [3, open)"},
		{"B9 equal ends", nil, edge("n", "a", "b", 3, 3), false, knowledge.EdgeType{}, "INVALID_INPUT"},
		{"B9 reversed", nil, edge("n", "a", "b", 4, 3), false, knowledge.EdgeType{}, "INVALID_INPUT"},
		{"B11 the current one", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "b", 50, -1), true, knowledge.EdgeType{}, "s a-b [3, open)"},
		{"B11 current with an end in the future", []*knowledge.Edge{edge("s", "a", "b", 3, 60)}, edge("n", "a", "b", 50, -1), true, knowledge.EdgeType{}, "s a-b [3, 60)"},
		{"B11 not one that starts later", []*knowledge.Edge{edge("s", "a", "b", 60, -1)}, edge("n", "a", "b", 50, -1), true, knowledge.EdgeType{}, "OVERLAPPING_INTERVAL"},
		{"O6 an ended one is revived", []*knowledge.Edge{edge("s", "a", "b", 3, 9)}, edge("n", "a", "b", 50, -1), true, knowledge.EdgeType{}, "new n a-b [50, open)"},
		{"B11 not with a start", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "b", 50, -1), false, knowledge.EdgeType{}, "OVERLAPPING_INTERVAL"},
		{"B12 the same interval", []*knowledge.Edge{edge("s", "a", "b", 3, 9)}, edge("n", "a", "b", 3, 9), false, knowledge.EdgeType{}, "s a-b [3, 9)"},
		{"B13 inside", []*knowledge.Edge{edge("s", "a", "b", 3, 9)}, edge("n", "a", "b", 4, 5), false, knowledge.EdgeType{}, "OVERLAPPING_INTERVAL"},
		{"B13 touching", []*knowledge.Edge{edge("s", "a", "b", 3, 9)}, edge("n", "a", "b", 9, -1), false, knowledge.EdgeType{}, "new n a-b [9, open)"},
		{"B14 the other way", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "b", "a", 3, -1), false, knowledge.EdgeType{}, "new n b-a [3, open)"},
		{"T4 symmetric: the other way is the same", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "b", "a", 3, -1), false, symmetric, "s a-b [3, open)"},
		{"T4 symmetric: overlap", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "b", "a", 4, -1), false, symmetric, "OVERLAPPING_INTERVAL"},
		{"T4 many-valued: both hold", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "c", 4, -1), false, knowledge.EdgeType{}, "new n a-c [4, open)"},
		{"T4 the newer ends the older", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "c", 4, -1), false, single, "new n a-c [4, open); s a-b [3, 4)"},
		{"T4 without dates", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "c", 50, -1), true, single, "new n a-c [50, open); s a-b [3, 50)"},
		{"T4 another source is left alone", []*knowledge.Edge{edge("s", "x", "b", 3, -1)}, edge("n", "a", "c", 4, -1), false, single, "new n a-c [4, open)"},
		{"T4 another direction is left alone", []*knowledge.Edge{edge("s", "b", "a", 3, -1)}, edge("n", "a", "c", 4, -1), false, single, "new n a-c [4, open)"},
		{"T4 back-dated", []*knowledge.Edge{edge("s", "a", "b", 8, -1)}, edge("n", "a", "c", 4, -1), false, single, "new n a-c [4, 8)"},
		{"T4 back-dated with an end inside", []*knowledge.Edge{edge("s", "a", "b", 8, -1)}, edge("n", "a", "c", 4, 10), false, single, "new n a-c [4, 8)"},
		{"T4 back-dated with an end before", []*knowledge.Edge{edge("s", "a", "b", 8, -1)}, edge("n", "a", "c", 4, 6), false, single, "new n a-c [4, 6)"},
		{"T4 said again after it was cut short", []*knowledge.Edge{edge("s", "a", "b", 8, -1), edge("o", "a", "c", 4, 8)}, edge("n", "a", "c", 4, -1), false, single, "o a-c [4, 8)"},
		{"T4 told out of order: between two", []*knowledge.Edge{edge("s", "a", "b", 8, -1), edge("o", "a", "c", 2, 8)}, edge("n", "a", "d", 5, -1), false, single, "new n a-d [5, 8); o a-c [2, 5)"},
		{"T4 told out of order: before both", []*knowledge.Edge{edge("s", "a", "b", 8, -1), edge("o", "a", "c", 5, 8)}, edge("n", "a", "d", 2, -1), false, single, "new n a-d [2, 5)"},
		{"T4 an end that was said stays", []*knowledge.Edge{edge("s", "a", "b", 3, 9)}, edge("n", "a", "c", 5, -1), false, single, "new n a-c [5, open)"},
		{"T4 the past does not end what is current", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "c", 5, 7), false, single, "new n a-c [5, 7)"},
		{"T4 an end in the future is moved", []*knowledge.Edge{edge("s", "a", "b", 3, 70)}, edge("n", "a", "c", 60, -1), false, single, "new n a-c [60, open); s a-b [3, 60)"},
		{"T4 a start in the future", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "c", 60, -1), false, single, "new n a-c [60, open); s a-b [3, 60)"},
		{"T4 the same start is a correction", []*knowledge.Edge{edge("s", "a", "b", 3, -1)}, edge("n", "a", "c", 3, -1), false, single, "new n a-c [3, open); s a-b [3, 3)"},
		{"T4 overlap with itself is still one", []*knowledge.Edge{edge("s", "a", "b", 3, -1), edge("o", "a", "c", 1, 3)}, edge("n", "a", "c", 2, -1), false, single, "OVERLAPPING_INTERVAL"},
		{"T4 it returns", []*knowledge.Edge{edge("s", "a", "b", 3, -1), edge("o", "a", "c", 1, 3)}, edge("n", "a", "c", 9, -1), false, single, "new n a-c [9, open); s a-b [3, 9)"},
		{"T4 symmetric and single-valued: either end", []*knowledge.Edge{edge("s", "b", "a", 3, -1), edge("o", "c", "d", 3, -1), edge("x", "d", "e", 3, -1)}, edge("n", "a", "c", 5, -1), false, both, "new n a-c [5, open); s b-a [3, 5); o c-d [3, 5)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := make([]knowledge.Edge, 0, len(c.stored))
			for _, e := range c.stored {
				before = append(before, *e)
			}
			c.rules.Key = "t"
			got, err := knowledge.AssertEdge(c.stored, knowledge.EdgeClaim{Edge: c.claim, Dated: !c.undated}, c.rules, now)
			for i, e := range c.stored {
				require.Equal(t, before[i], *e, "nothing is changed in place")
			}
			if err != nil {
				require.Equal(t, c.want, string(knowledge.CodeOf(err)))
				if c.want == "OVERLAPPING_INTERVAL" {
					require.Regexp(t, `\b[so]\b`, err.Error(), "the edge in the way is named")
				}
				return
			}
			text := show(got.Edge)
			if got.Created {
				text = "new " + text
			}
			for _, e := range got.Ended {
				text += "; " + show(e)
				require.Equal(t, now, *e.InvalidatedAt)
			}
			require.Equal(t, c.want, text)
		})
	}
}

func TestB16_EndEdge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		edge *knowledge.Edge
		at   int
		want string
	}{
		{"an open one", edge("e", "a", "b", 3, -1), 9, "e a-b [3, 9)"},
		{"in the future", edge("e", "a", "b", 3, -1), 90, "e a-b [3, 90)"},
		{"at the same time again", edge("e", "a", "b", 3, 9), 9, "unchanged"},
		{"ended at another time", edge("e", "a", "b", 3, 9), 8, "CONFLICT"},
		{"a future end to an earlier one", edge("e", "a", "b", 3, 90), 60, "e a-b [3, 60)"},
		{"a future end to one in the past", edge("e", "a", "b", 3, 90), 10, "e a-b [3, 10)"},
		{"a future end to a later one", edge("e", "a", "b", 3, 90), 91, "CONFLICT"},
		{"at its start", edge("e", "a", "b", 3, -1), 3, "INVALID_INPUT"},
		{"before its start", edge("e", "a", "b", 3, -1), 2, "INVALID_INPUT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, changed, err := knowledge.EndEdge(c.edge, *hour(c.at), now)
			switch {
			case err != nil:
				require.Equal(t, c.want, string(knowledge.CodeOf(err)))
			case !changed:
				require.Equal(t, c.want, "unchanged")
				require.Same(t, c.edge, got)
			default:
				require.Equal(t, c.want, show(got))
			}
		})
	}
}

func TestO7_EndUnsupported(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		edge *knowledge.Edge
		at   int
		want string
	}{
		{edge("e", "a", "b", 3, -1), 50, "e a-b [3, 50)"},
		{edge("e", "a", "b", 60, -1), 50, "e a-b [60, 60)"},
		{edge("e", "a", "b", 3, 90), 50, "e a-b [3, 50)"},
		{edge("e", "a", "b", 3, 60), 70, "e a-b [3, 60)"},
	} {
		got := knowledge.EndUnsupported(c.edge, *hour(c.at), now)
		require.Equal(t, c.want, show(got))
		require.Zero(t, got.Weight)
		require.InDelta(t, 1, c.edge.Weight, 0, "nothing is changed in place")
	}
}

func TestT20_RelationshipTypes(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"works_at": "WORKS_AT", "mentions": "", "about": "", "supported_by": "", "relates": "", "code_calls": "", "entry_supports": "",
		"encode": "ENCODE", "straße": "STRAßE", "strasse": "STRASSE", "λόγος": "λόγος", "λόγοσ": "ΛΌΓΟΣ", "работает": "РАБОТАЕТ", "所属": "所属",
	} {
		got, own := knowledge.RelationshipType(key)
		require.Equal(t, want, got, key)
		require.Equal(t, want != "", own, key)
	}
}

func TestT23_FactSentence(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Alpha Node feeds into Beta Node", knowledge.FactSentence("Alpha Node", "feeds_into", "Beta Node"))
}

func TestB20_EdgeTypeFilter(t *testing.T) {
	t.Parallel()
	got, err := knowledge.EdgeTypeFilter("types", []string{"Depends On", "depends-on", "→"})
	require.NoError(t, err)
	require.Equal(t, []string{"depends_on", "related_to"}, got)
	var many []string
	for i := range 21 {
		many = append(many, fmt.Sprint("t", i))
	}
	_, err = knowledge.EdgeTypeFilter("types", many)
	require.Equal(t, knowledge.CodeLimitExceeded, knowledge.CodeOf(err))
	require.ErrorContains(t, err, "types")
}

// propertyChecks is how many sequences a property is tried with: rapid's own number,
// or MNEME_PROPERTY_CHECKS.
func propertyChecks(t *testing.T, fallback int) int {
	t.Helper()
	text := os.Getenv("MNEME_PROPERTY_CHECKS")
	if text == "" {
		return fallback
	}
	n, err := strconv.Atoi(text)
	require.NoError(t, err)
	return n
}

// Whatever is asserted and ended in whatever order: no edge overlaps another of the
// same two entities, at most one of them is open, an end never lies before its start,
// and what was known at a moment stays what it was.
func TestB13_B15_T1_AnySequence(t *testing.T) {
	t.Parallel()
	for _, rules := range []knowledge.EdgeType{{}, {SingleValued: true}, {Symmetric: true}, {SingleValued: true, Symmetric: true}} {
		rules.Key = "t"
		t.Run(fmt.Sprintf("single-valued %v, symmetric %v", rules.SingleValued, rules.Symmetric), func(t *testing.T) {
			t.Parallel()
			for range (propertyChecks(t, 1000) + 99) / 100 {
				rapid.Check(t, func(t *rapid.T) { anySequence(t, rules) })
			}
		})
	}
}

func anySequence(t *rapid.T, rules knowledge.EdgeType) {
	var stored []*knowledge.Edge
	var log []string
	for step := range rapid.IntRange(1, 20).Draw(t, "steps") {
		told := *hour(40 + step)
		before := make([]string, 0, len(stored))
		for _, e := range stored {
			before = append(before, show(e))
		}
		if len(stored) > 0 && rapid.IntRange(0, 3).Draw(t, "what") == 0 {
			i := rapid.IntRange(0, len(stored)-1).Draw(t, "which")
			if ended, _, err := knowledge.EndEdge(stored[i], *hour(rapid.IntRange(0, 70).Draw(t, "at")), told); err == nil {
				stored[i] = ended
				log = append(log, "ended "+show(ended))
			}
		} else {
			stored, log = anyClaim(t, stored, log, rules, step)
		}
		for i, was := range before {
			known := stored[i].KnownAt(told.Add(-1))
			if show(known) != was {
				t.Fatalf("what was known before is not %s but %s\n%s", was, show(known), strings.Join(log, "\n"))
			}
		}
		checkNoOverlap(t, stored, rules, log)
	}
}

func anyClaim(t *rapid.T, stored []*knowledge.Edge, log []string, rules knowledge.EdgeType, step int) ([]*knowledge.Edge, []string) {
	told := *hour(40 + step)
	names := rapid.Permutation([]string{"a", "b", "c"}).Draw(t, "ends")
	from, to := rapid.IntRange(-1, 70).Draw(t, "from"), rapid.IntRange(-1, 70).Draw(t, "to")
	claim := edge(fmt.Sprint("e", step), names[0], names[1], from, to)
	claim.CreatedAt = told
	if from < 0 {
		claim.ValidFrom = &told
	}
	change, err := knowledge.AssertEdge(stored, knowledge.EdgeClaim{Edge: claim, Dated: from >= 0 || to >= 0}, rules, told)
	if err != nil {
		return stored, append(log, "refused "+show(claim)+": "+err.Error())
	}
	for _, ended := range change.Ended {
		log = append(log, "ended "+show(ended))
		for i, e := range stored {
			if e.ID == ended.ID {
				stored[i] = ended
			}
		}
	}
	if change.Created {
		stored = append(stored, change.Edge)
		log = append(log, "created "+show(change.Edge))
	}
	return stored, log
}

func checkNoOverlap(t *rapid.T, stored []*knowledge.Edge, rules knowledge.EdgeType, log []string) {
	for i, a := range stored {
		if a.ValidTo != nil && a.ValidTo.Before(a.Start()) {
			t.Fatalf("%s ends before it starts\n%s", show(a), strings.Join(log, "\n"))
		}
		for _, b := range stored[:i] {
			same := a.FromID == b.FromID && a.ToID == b.ToID || rules.Symmetric && a.FromID == b.ToID && a.ToID == b.FromID
			if same && a.Interval().Overlaps(b.Interval()) {
				t.Fatalf("%s overlaps %s\n%s", show(a), show(b), strings.Join(log, "\n"))
			}
			open := rules.SingleValued && !rules.Symmetric && a.FromID == b.FromID && a.ValidTo == nil && b.ValidTo == nil
			if open {
				t.Fatalf("%s and %s are both open\n%s", show(a), show(b), strings.Join(log, "\n"))
			}
		}
	}
}
