package resolvers

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Where nothing may be remembered everything can still be read and deleted.
func TestR9_ReadsAndDeletesWithoutMemory(t *testing.T) {
	t.Parallel()
	own := newAPI(t).fill(t)
	own.do(t, `mutation($w: String!){updateWorkspace(workspace: $w, input: {memory: {enabled: false}}){workspace{memory{enabled}}}}`, nil)
	for name, c := range reads() {
		if !c.modelled {
			got := own.try(t, c.query, c.variables(own.ids))
			assert.Empty(t, got.Errors, "%s: %s", name, got.Body)
		}
	}
	deleted := 0
	for _, name := range []string{"deleteRelation", "deleteEntry", "deleteObservation", "deleteEdge", "deleteTask", "deleteEntity"} {
		c, ok := writes()[name]
		if !ok {
			continue
		}
		deleted++
		got := own.try(t, c.query, c.variables(own.ids))
		assert.Empty(t, got.Errors, "%s: %s", name, got.Body)
	}
	require.GreaterOrEqual(t, deleted, 4)
}

// One page more than each cap is refused, naming the argument; the cap itself is answered.
func TestR10_ReadCaps(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	a.entity(t, "Ada")
	refs := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "{name: \"nobody %d\"},", i)
		}
		return "[" + b.String() + "]"
	}
	for _, c := range []struct {
		field string
		query func(n int) string
		most  int
	}{
		{"first", func(n int) string { return fmt.Sprintf(`search(query: "ada", first: %d){totalCount}`, n) }, 50},
		{"hops", func(n int) string {
			return fmt.Sprintf(`entity(ref: {name: "Ada"}){neighbors(hops: %d){truncated}}`, n)
		}, 3},
		{"first", func(n int) string {
			return fmt.Sprintf(`entity(ref: {name: "Ada"}){neighbors(first: %d){truncated}}`, n)
		}, 200},
		{"refs", func(n int) string { return fmt.Sprintf(`subgraph(refs: %s){truncated}`, refs(n)) }, 100},
		{"first", func(n int) string {
			return fmt.Sprintf(`entity(ref: {name: "Ada"}){observations(first: %d){totalCount}}`, n)
		}, 100},
	} {
		got := a.try(t, `query($w: String!){workspace(key: $w){`+c.query(c.most)+`}}`, nil)
		require.Empty(t, got.Errors, got.Body)
		got = a.try(t, `query($w: String!){workspace(key: $w){`+c.query(c.most+1)+`}}`, nil)
		require.Len(t, got.Errors, 1, c.query(1))
		require.Equal(t, c.field, got.Errors[0].Extensions["field"])
	}
}
