package ingest_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/ingest"
)

func mailbox(t *testing.T, r io.Reader) (raws []string, err error) {
	t.Helper()
	for m := range ingest.Mbox(r) {
		if m.Err != nil {
			err = m.Err
			continue
		}
		raws = append(raws, string(m.Raw))
	}
	return raws, err
}

func TestE18_Mbox(t *testing.T) {
	t.Parallel()
	file := "From jane@acme.com Mon Mar  2 10:00:00 2026\nSubject: one\n\nFrom here on.\n>From there.\n>>From far.\n\n" +
		"From - Mon Mar  2 10:00:00 2026\r\nSubject: two\r\n\r\nBody\r\n\r\nFrom Berlin with love.\r\n\r\n" +
		"From bob@beta.io  Tue, 3 Mar 2026 08:00:00 +0100\nSubject: three\n\nlast line without an end"
	raws, err := mailbox(t, strings.NewReader(file))
	require.NoError(t, err)
	require.Len(t, raws, 3)
	assert.Equal(t, "Subject: one\n\nFrom here on.\nFrom there.\n>From far.\n\n", raws[0])
	assert.Contains(t, raws[1], "From Berlin with love.")
	assert.True(t, strings.HasSuffix(raws[2], "without an end"))
}

func TestE18_MboxOddities(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		want int
	}{
		"empty": {"", 0}, "blank": {"\n\n", 0}, "one mail without a From_ line": {"Subject: x\n\nbody\n", 1},
		"leading blank lines": {"\n\nFrom a Mon Mar 2 10:00:00 2026\nSubject: x\n\nbody\n", 1},
		"an empty message":    {"From a Mon Mar 2 10:00:00 2026\n\nFrom b Mon Mar 2 10:00:00 2026\nSubject: x\n\nbody\n", 1},
	} {
		raws, err := mailbox(t, strings.NewReader(c.file))
		require.NoError(t, err, name)
		assert.Len(t, raws, c.want, name)
	}
	raws, err := mailbox(t, io.MultiReader(strings.NewReader("From a Mon Mar 2 10:00:00 2026\nSubject: x\n\nbo"), iotest.ErrReader(errors.New("gone"))))
	require.Error(t, err)
	assert.Empty(t, raws)
}

func TestE18_MboxOffsets(t *testing.T) {
	t.Parallel()
	file := "From a Mon Mar  2 10:00:00 2026\nSubject: one\n\nbody\n\nFrom b Mon Mar  2 10:00:00 2026\nSubject: two\n\nbody\n"
	var offsets []int64
	for m := range ingest.Mbox(strings.NewReader(file)) {
		offsets = append(offsets, m.Offset)
	}
	assert.Equal(t, []int64{int64(strings.LastIndex(file, "From ")), int64(len(file))}, offsets)
}
