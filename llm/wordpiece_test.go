//go:build cgo

package llm

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestWordPiece_ReferenceIDs compares with the ids that the reference
// tokenizer (Hugging Face tokenizers 0.23.3, special tokens encoded as text,
// truncated to 512) gave for the same texts.
func TestWordPiece_ReferenceIDs(t *testing.T) {
	t.Parallel()
	w := openLocal(t).tokens
	file, err := os.Open("testdata/wordpiece.jsonl")
	require.NoError(t, err)
	defer func() { assert.NoError(t, file.Close()) }()
	lines := bufio.NewScanner(file)
	n := 0
	for ; lines.Scan(); n++ {
		var c struct {
			Name, Text string
			IDs        []int64
		}
		require.NoError(t, json.Unmarshal(lines.Bytes(), &c))
		assert.Equal(t, c.IDs, w.encode(c.Text), c.Name)
	}
	require.NoError(t, lines.Err())
	assert.GreaterOrEqual(t, n, 60)
}

func TestWordPiece_StopsReadingAtTheCap(t *testing.T) {
	t.Parallel()
	text := "a b c"
	read := 0
	for range words(text) {
		read++
		if read == 2 {
			break
		}
	}
	assert.Equal(t, 2, read)

	w := openLocal(t).tokens
	ids := w.encode(strings.Repeat("word! ", 10_000))
	assert.Len(t, ids, localMaxTokens)
	assert.Equal(t, w.sep, ids[len(ids)-1])
}

func TestNewWordPiece_RefusesBadFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		max  int
		want string
	}{
		"no JSON":          {"{", 512, "unexpected end"},
		"another kind":     {`{"model":{"type":"BPE"}}`, 512, "not WordPiece"},
		"no special token": {`{"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","vocab":{"a":1}}}`, 512, "no token"},
		"no room":          {`{"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","vocab":{"[UNK]":0,"[CLS]":1,"[SEP]":2}}}`, 2, "no room"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := newWordPiece([]byte(c.file), c.max)
			require.ErrorContains(t, err, c.want)
		})
	}
}

func FuzzWordPiece(f *testing.F) {
	w := openLocal(f).tokens
	f.Add("plain text")
	f.Add("\xff\xfe broken \U0001f680 e\u0301")
	f.Fuzz(func(t *testing.T, text string) {
		ids := w.encode(text)
		require.LessOrEqual(t, len(ids), localMaxTokens)
		require.GreaterOrEqual(t, len(ids), 2)
		require.Equal(t, w.cls, ids[0])
		require.Equal(t, w.sep, ids[len(ids)-1])
		for _, id := range ids {
			require.Less(t, id, int64(len(w.vocab)))
		}
	})
}
