package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"

	"mneme/knowledge"
)

// maxExported bounds what one thing of an export may take up, in bytes: what a line may,
// and indentation.
const maxExported = 2 * MaxLine

// byteOrderMark may stand before UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// exportParts are the parts of an export in their order: what names others stands after them.
var exportParts = []string{"workspace", "entityTypes", "edgeTypes", "entities", "edges", "observations", "entries", "relations"}

// IsExport tells whether what is to be read is an export in JSON, as `mneme export` writes
// it, rather than JSON lines. It reads nothing that is not to be read again.
func IsExport(in *bufio.Reader) bool {
	for n := 64; n <= 4096; n *= 2 { // past any white space that a person may have put there
		start, err := in.Peek(n)
		start = bytes.TrimLeft(bytes.TrimPrefix(start, []byte(byteOrderMark)), " \t\r\n")
		rest, isObject := bytes.CutPrefix(start, []byte("{"))
		rest = bytes.TrimLeft(rest, " \t\r\n")
		if len(start) > 0 && !isObject {
			return false
		}
		for _, part := range exportParts {
			after, begins := bytes.CutPrefix(rest, []byte(`"`+part+`"`))
			after = bytes.TrimLeft(bytes.TrimPrefix(bytes.TrimLeft(after, " \t\r\n"), []byte(":")), " \t\r\n")
			if begins && len(after) > 0 {
				return after[0] == '{' || after[0] == '['
			}
		}
		if err != nil {
			return false
		}
	}
	return false
}

// ReadExport reads an export in JSON as a stream, thing by thing. A thing that is none is
// given with its error and does not end the sequence; what makes the file unreadable ends
// it, and is given by the function.
func ReadExport(in io.Reader) (iter.Seq[knowledge.ExportItem], func() error) {
	buffered := bufio.NewReaderSize(in, 64<<10)
	if mark, err := buffered.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
		_, _ = buffered.Discard(len(byteOrderMark)) // it was peeked
	}
	r := &exportReader{budget: &budget{in: buffered}}
	r.decoder = json.NewDecoder(r.budget)
	return r.items, func() error { return r.err }
}

// Export reads a file as an export; false where it is none. INVALID_INPUT (path) where
// there is no such file.
func (LineFiles) Export(path string) (iter.Seq[knowledge.ExportItem], func() error, bool, error) {
	in, err := openLines(path)
	if err != nil {
		return nil, nil, false, err
	}
	is := IsExport(bufio.NewReader(in))
	if err := in.Close(); err != nil || !is {
		return nil, nil, false, err
	}
	var failure error
	items := func(yield func(knowledge.ExportItem) bool) {
		in, err := openLines(path)
		if err != nil {
			failure = err
			return
		}
		defer func() { _ = in.Close() }() // only read
		things, failed := ReadExport(in)
		things(yield)
		failure = failed()
	}
	return items, func() error { return failure }, true, nil
}

// budget is a reader that refuses to go on when one thing takes up too much.
type budget struct {
	in   io.Reader
	left int
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, knowledge.Limit("FILE", "holds a thing that is larger than %d MiB", maxExported>>20)
	}
	n, err := b.in.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

type exportReader struct {
	budget  *budget
	decoder *json.Decoder
	last    int // index of the last part
	err     error
}

func (r *exportReader) items(yield func(knowledge.ExportItem) bool) {
	if err := r.parts(yield); err != nil && !errors.Is(err, errStopped) {
		r.err = describeExport(err)
	}
}

// errStopped says that nobody wants more.
var errStopped = errors.New("stopped")

func describeExport(err error) error {
	var ours *knowledge.Error
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &syntax):
		return knowledge.Invalid("FILE", "is not JSON, at byte %d", syntax.Offset)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return knowledge.Invalid("FILE", "ends in the middle of the export")
	default:
		return fmt.Errorf("read export: %w", err)
	}
}

func (r *exportReader) token() (json.Token, error) {
	r.budget.left = maxExported
	return r.decoder.Token()
}

func (r *exportReader) expect(want json.Delim) error {
	t, err := r.token()
	if err == nil && t != want {
		err = knowledge.Invalid("FILE", "is no export: %q was expected at byte %d", want.String(), r.decoder.InputOffset())
	}
	return err
}

func (r *exportReader) parts(yield func(knowledge.ExportItem) bool) error {
	if err := r.expect('{'); err != nil {
		return err
	}
	for r.decoder.More() {
		key, err := r.token()
		if err != nil {
			return err
		}
		name, _ := key.(string)
		at := slices.Index(exportParts, name)
		switch {
		case at < 0:
			return knowledge.Invalid("FILE", "has a part %q, which no export has", name)
		case at < r.last:
			return knowledge.Invalid("FILE", "has %q after %q: keep the order in which it was written", name, exportParts[r.last])
		}
		r.last = at
		if at == 0 {
			err = r.thing(name, name, yield)
		} else {
			err = r.list(name, yield)
		}
		if err != nil {
			return err
		}
	}
	return r.expect('}')
}

func (r *exportReader) list(name string, yield func(knowledge.ExportItem) bool) error {
	if err := r.expect('['); err != nil {
		return err
	}
	for i := 0; r.decoder.More(); i++ {
		if err := r.thing(name, fmt.Sprintf("%s[%d]", name, i), yield); err != nil {
			return err
		}
	}
	return r.expect(']')
}

func (r *exportReader) thing(part, where string, yield func(knowledge.ExportItem) bool) error {
	item := knowledge.ExportItem{Where: where}
	var into any
	switch part {
	case "workspace":
		item.Workspace = &knowledge.ExportedWorkspace{}
		into = item.Workspace
	case "entityTypes":
		item.EntityType = &knowledge.ExportedEntityType{}
		into = item.EntityType
	case "edgeTypes":
		item.EdgeType = &knowledge.ExportedEdgeType{}
		into = item.EdgeType
	case "entities":
		item.Entity = &knowledge.ExportedEntity{}
		into = item.Entity
	case "edges":
		item.Edge = &knowledge.ExportedEdge{}
		into = item.Edge
	case "observations":
		item.Observation = &knowledge.ExportedObservation{}
		into = item.Observation
	case "entries":
		item.Entry = &knowledge.ExportedEntry{}
		into = item.Entry
	case "relations":
		item.Relation = &knowledge.ExportedRelation{}
		into = item.Relation
	}
	r.budget.left = maxExported
	if err := r.decoder.Decode(into); err != nil {
		field, ok := wrongField(err)
		if !ok {
			return err
		}
		item = knowledge.ExportItem{Where: where, Err: knowledge.Invalid(field, "has the wrong form")}
	}
	if !yield(item) {
		return errStopped
	}
	return nil
}

// wrongField is the field whose value has the wrong form, where that is all that is wrong
// with a thing.
func wrongField(err error) (string, bool) {
	var typ *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	var ours *knowledge.Error
	switch {
	case errors.As(err, &typ):
		return typ.Field, true
	case errors.As(err, &syntax), errors.As(err, &ours), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "", false
	default: // a moment that is none: the time package says so in its own words
		return "", true
	}
}
