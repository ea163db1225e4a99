package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"mneme/knowledge"
)

// MaxLine is the longest line that is read, in bytes: as much as the API takes in one
// request (SPEC U).
const MaxLine = 4 << 20

// Lines reads a file of JSON lines, one at a time, whatever its size.
//
//	lines := NewLines(file)
//	for lines.Next() {
//		data, err := lines.Data() // err: this line is wrong
//	}
//	err := lines.Err() // the file could not be read to its end
type Lines struct {
	in     *bufio.Reader
	number int
	offset int64
	data   []byte
	bad    error
	err    error
}

// NewLines reads from r. A byte order mark at the start, blank lines and carriage
// returns at the end of a line are passed over.
func NewLines(r io.Reader) *Lines { return &Lines{in: bufio.NewReaderSize(r, 64<<10)} }

// Next moves to the next line that is not blank; false at the end and after an error.
func (l *Lines) Next() bool {
	for l.err == nil {
		more := l.read()
		if !more {
			return false
		}
		if l.bad != nil || len(l.data) > 0 {
			return true
		}
	}
	return false
}

// Number is the number of the line, from 1, blank lines counted.
func (l *Lines) Number() int { return l.number }

// Offset is how many bytes were read, up to the end of the line.
func (l *Lines) Offset() int64 { return l.offset }

// Data is the line without its end; it holds until Next. LIMIT_EXCEEDED where it is
// longer than MaxLine, INVALID_INPUT where it is not UTF-8.
func (l *Lines) Data() ([]byte, error) { return l.data, l.bad }

// Err is what kept the file from being read to its end, nil where nothing did.
func (l *Lines) Err() error { return l.err }

// read takes one line, of which it keeps MaxLine bytes at most.
func (l *Lines) read() bool {
	l.data, l.bad = l.data[:0], nil
	var length int64
	for {
		part, err := l.in.ReadSlice('\n')
		length += int64(len(part))
		if room := MaxLine + 2 - len(l.data); room > 0 {
			l.data = append(l.data, part[:min(room, len(part))]...)
		}
		if err == nil || errors.Is(err, io.EOF) {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			l.err = fmt.Errorf("read line %d: %w", l.number+1, err)
			return false
		}
	}
	if length == 0 {
		return false
	}
	l.number++
	l.offset += length
	l.check()
	return true
}

func (l *Lines) check() {
	l.data = bytes.TrimRight(l.data, "\r\n")
	if l.number == 1 {
		l.data = bytes.TrimPrefix(l.data, []byte("\ufeff"))
	}
	switch {
	case len(l.data) > MaxLine:
		l.bad = knowledge.Limit("", "the line is longer than %d bytes", MaxLine)
	case !utf8.Valid(l.data):
		l.bad = knowledge.Invalid("", "the line is not UTF-8")
	default:
		l.data = bytes.TrimSpace(l.data)
	}
}
