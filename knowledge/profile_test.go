package knowledge_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestF9_Profile(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		profile         knowledge.Profile
		reads, writes   bool
		refusedEntirely bool
	}{
		"F9 nothing said":        {knowledge.Profile{}, true, true, false},
		"F9 execute, private":    {knowledge.Profile{Mode: "execute", Channel: "private"}, true, true, false},
		"F9 plan":                {knowledge.Profile{Mode: "plan"}, true, false, false},
		"F9 analyze":             {knowledge.Profile{Mode: "analyze"}, true, false, false},
		"F9 verify":              {knowledge.Profile{Mode: "verify"}, true, false, false},
		"F9 read only":           {knowledge.Profile{ReadOnly: true}, true, false, false},
		"F9 group":               {knowledge.Profile{Channel: "group"}, false, false, false},
		"F9 public":              {knowledge.Profile{Channel: "public"}, false, false, false},
		"F9 an unknown mode":     {knowledge.Profile{Mode: "EXECUTE"}, false, false, true},
		"F9 an unknown channel":  {knowledge.Profile{Channel: "everybody"}, false, false, true},
		"L22 a contact's caller": {knowledge.Profile{ContactID: "ent_1"}, true, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := c.profile.Checked()
			assert.Equal(t, c.refusedEntirely, err != nil)
			if err == nil {
				assert.Equal(t, c.reads, p.MayRead() == nil)
				assert.Equal(t, c.writes, p.MayWrite() == nil)
			}
		})
	}
}

func TestL22_T23_ScopeOfTheGraph(t *testing.T) {
	t.Parallel()
	ann := &knowledge.Entity{ID: "ann", TypeKey: "person", Name: "Ann", Description: textOf("secret")}
	bob := &knowledge.Entity{ID: "bob", TypeKey: "person", Name: "Bob", Description: textOf("secret"), Aliases: []string{"Bobby"}}
	acme := &knowledge.Entity{ID: "acme", TypeKey: "organization", Name: "Acme"}
	scope := knowledge.Profile{ContactID: "ann"}.Scope()
	assert.True(t, scope.Bounded())
	assert.False(t, knowledge.Profile{}.Scope().Bounded())
	assert.True(t, knowledge.Scope{OrgGeneralOnly: true}.Bounded())
	for _, c := range []struct {
		from, to *knowledge.Entity
		want     bool
	}{{ann, acme, true}, {acme, ann, true}, {ann, bob, true}, {bob, acme, false}, {acme, acme, true}, {bob, bob, false}} {
		assert.Equal(t, c.want, scope.PermitsEdge(c.from, c.to), "%s to %s", c.from.Name, c.to.Name)
		assert.True(t, knowledge.Scope{}.PermitsEdge(c.from, c.to))
	}
	assert.True(t, scope.PermitsEntity(ann))
	assert.True(t, scope.PermitsEntity(acme))
	assert.False(t, scope.PermitsEntity(bob))
	assert.Same(t, ann, scope.Show(ann))
	shown := scope.Show(bob)
	assert.Equal(t, "Bob", shown.Name)
	assert.Nil(t, shown.Description)
	assert.Empty(t, shown.Aliases)
}
