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
	"mneme/knowledge"
)

func TestLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", ingest.MaxLine+1)
	longest := strings.Repeat("y", ingest.MaxLine)
	type line struct {
		number int
		data   string
		code   knowledge.Code
	}
	for name, tc := range map[string]struct {
		in   string
		want []line
	}{
		"nothing":                         {"", nil},
		"only blank lines":                {"\n \r\n\n", nil},
		"a mark, returns and a blank":     {"\ufeff{}\r\n\n  {\"a\":1} \n[]", []line{{1, "{}", ""}, {3, `{"a":1}`, ""}, {4, "[]", ""}}},
		"the longest line that is taken":  {longest + "\nb", []line{{1, longest, ""}, {2, "b", ""}}},
		"U a longer one does not stop it": {long + "\nb", []line{{1, "", knowledge.CodeLimitExceeded}, {2, "b", ""}}},
		"not UTF-8":                       {"a\xff\nb", []line{{1, "", knowledge.CodeInvalidInput}, {2, "b", ""}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := ingest.NewLines(strings.NewReader(tc.in))
			var got []line
			for lines.Next() {
				data, err := lines.Data()
				if err != nil {
					got = append(got, line{lines.Number(), "", knowledge.CodeOf(err)})
					continue
				}
				got = append(got, line{lines.Number(), string(data), ""})
			}
			require.NoError(t, lines.Err())
			assert.Equal(t, tc.want, got)
			assert.Equal(t, int64(len(tc.in)), lines.Offset())
		})
	}
}

func TestLines_ReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is gone")
	lines := ingest.NewLines(io.MultiReader(strings.NewReader("{}\n{"), iotest.ErrReader(broken)))
	require.True(t, lines.Next())
	assert.False(t, lines.Next())
	assert.ErrorIs(t, lines.Err(), broken)
}
