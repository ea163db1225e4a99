package ingest

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"regexp"

	"mneme/knowledge"
)

// fromLine is the line that begins a message of a mailbox file: From, an address, a date
// with a time. Without the time a sentence that begins with From would count.
var fromLine = regexp.MustCompile(`^From .*\d{1,2}:\d{2}`)

// quotedFrom is a line of a message that would look like the beginning of another.
var quotedFrom = regexp.MustCompile(`^>+From `)

// MboxMessage is one message of a mailbox file, or the error that it cannot be read with.
type MboxMessage struct {
	Raw    []byte
	Offset int64 // of the byte after it
	Err    error
}

// Mbox reads a mailbox file message by message, whatever its size: From_ lines divide,
// >From is unescaped. A message that is larger than MaxMail is an error of its own and
// does not stop the others. The sequence ends at the end of the file or at a read error,
// which is its last value.
func Mbox(r io.Reader) iter.Seq[MboxMessage] {
	return func(yield func(MboxMessage) bool) {
		m := &mboxReader{in: bufio.NewReaderSize(r, 64<<10)}
		for {
			one, more := m.next()
			if (one.Err != nil || len(one.Raw) > 0) && !yield(one) || !more {
				return
			}
		}
	}
}

type mboxReader struct {
	in     *bufio.Reader
	offset int64
	began  bool
}

// next gathers lines up to the next From_ line.
func (m *mboxReader) next() (MboxMessage, bool) {
	var buf bytes.Buffer
	blank, tooLarge := true, false
	for {
		line, err := m.in.ReadBytes('\n')
		isFrom := blank && bytes.HasPrefix(line, []byte("From ")) && (!m.began || fromLine.Match(line))
		if isFrom && (m.began || buf.Len() == 0) {
			first := !m.began
			m.began = true
			if !first {
				out := m.message(&buf, tooLarge)
				m.offset += int64(len(line))
				return out, true
			}
			m.offset += int64(len(line))
			continue
		}
		m.began = m.began || len(bytes.TrimSpace(line)) > 0
		m.offset += int64(len(line))
		blank = len(bytes.TrimRight(line, "\r\n")) == 0
		if quotedFrom.Match(line) {
			line = line[1:]
		}
		if tooLarge = tooLarge || buf.Len()+len(line) > MaxMail; !tooLarge {
			buf.Write(line)
		}
		if err != nil {
			out := m.message(&buf, tooLarge)
			if !errors.Is(err, io.EOF) {
				out.Err = fmt.Errorf("read mailbox: %w", err)
			}
			return out, false
		}
	}
}

func (m *mboxReader) message(buf *bytes.Buffer, tooLarge bool) MboxMessage {
	out := MboxMessage{Offset: m.offset}
	if tooLarge {
		out.Err = knowledge.Limit("", "the mail is larger than %d MiB", MaxMail>>20)
		return out
	}
	out.Raw = bytes.TrimLeft(bytes.Clone(buf.Bytes()), "\r\n")
	if len(bytes.TrimSpace(out.Raw)) == 0 {
		out.Raw = nil
	}
	return out
}
