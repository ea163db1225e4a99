package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestT21_RememberCommand(t *testing.T) {
	t.Parallel()
	env, key := testEnvironment(t), freshKey()
	require.Equal(t, exitDone, runMneme(t, env, "", "workspace", "create", key).status)

	out := runMneme(t, env, "", "remember", "Prefers", "trains.", "--about", "dana@acme.com", "--type", "preference", "--thread", "th", "--workspace", key, "--json")
	require.Equal(t, exitDone, out.status, out.stderr)
	kept := fromJSON[rememberOutput](t, out.stdout)
	require.Len(t, kept.Entries, 1)
	assert.True(t, kept.Entries[0].Created)
	assert.Equal(t, "PREFERENCE", kept.Entries[0].Entry.Type)
	assert.Equal(t, "Prefers trains.", kept.Entries[0].Entry.Content)

	out = runMneme(t, env, "", "recall", "trains", "--contact", "dana@acme.com", "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "Prefers trains.")

	out = runMneme(t, env, "prefers  TRAINS.\n", "remember", "-", "--about", "dana@acme.com", "--type", "preference", "--workspace", key)
	require.Equal(t, exitDone, out.status, out.stderr)
	assert.Contains(t, out.stdout, "was known already")

	for _, args := range [][]string{
		{"remember", "x", "--type", "rumour"},
		{"remember", " "},
		{"remember", "x", "--at", "soon"},
		{"remember", "x", "--about", "Nobody", "--only-known"},
		{"remember"},
		{"remember", "x", "--workspace", "no such"},
	} {
		out = runMneme(t, env, "", args...)
		assert.Equal(t, exitInput, out.status, "%v: %s", args, out.stderr)
	}
}
