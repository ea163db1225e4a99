package knowledge

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestA10_NormalizedName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"  GO ": "go", "Node.js": "node.js", "node.JS": "node.js", "Ｇｏ": "go", "A\t B": "a b",
		"Zoe\u0308": "zoë", "İstanbul": NormalizeName("i\u0307stanbul"), "": "", " \n": "",
	} {
		require.Equal(t, want, NormalizeName(in), "A10 %q", in)
	}
}

func TestA10_NormalizationIsIdempotent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		once := NormalizeName(rapid.String().Draw(t, "name"))
		if NormalizeName(once) != once {
			t.Fatalf("%q becomes %q", once, NormalizeName(once))
		}
	})
}

func TestA5_TypeKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Data Store": "data_store", " API--Endpoint! ": "api_endpoint", "→": "", "데이터": "데이터"} {
		require.Equal(t, want, TypeKey(in))
	}
}

func TestO3_EdgeTypeKey(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Powers Index": "powers_index", "DEPENDS-ON": "depends_on", "→": "related_to", "": "related_to", "Feeds  Into!": "feeds_into"} {
		require.Equal(t, want, EdgeTypeKey(in))
	}
}

func TestO2_Slug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Auth service": "auth-service", "SqliteStore": "sqlitestore", "getHTTPServer": "gethttpserver", "__init__": "init", "Иван Петров": "иван-петров"} {
		require.Equal(t, want, Slug(in))
	}
}

func TestC2_C9_ContentFingerprint(t *testing.T) {
	t.Parallel()
	require.Equal(t, "content:f5d98d559ad5ae2c416878189511ecd7", ContentFingerprint("Compiles fast"))
	require.Equal(t, "content:f5d98d559ad5ae2c416878189511ecd7", Fingerprint("  ", "compiles   FAST"))
	require.Equal(t, "mailbox:received:1", Fingerprint(" mailbox:received:1 ", "text"))
}

func TestK19_ContentHash(t *testing.T) {
	t.Parallel()
	const want = "b3d400e1c25cbe3f476a41d07c7b43aa56a5ff6b2a0ee3849d89464df206cfd6"
	require.Equal(t, want, ContentHash("Acme plan", "Acme is on  Enterprise"))
	require.Equal(t, want, ContentHash(" acme PLAN", "acme is on enterprise"))
}
