package ingest

import (
	"context"
	"iter"
	"os"

	"mneme/knowledge"
)

// LineFiles reads files of JSON lines.
type LineFiles struct{}

// CountLines is how many lines a file has; INVALID_INPUT (path) where there is no such file.
func (LineFiles) CountLines(ctx context.Context, path string) (int, error) {
	in, err := openLines(path)
	if err != nil {
		return 0, err
	}
	defer func() { _ = in.Close() }() // only read
	n := 0
	lines := NewLines(in)
	for lines.Next() {
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		n++
	}
	return n, lines.Err()
}

// Lines reads the lines of a file as what the format says they are.
func (LineFiles) Lines(ctx context.Context, path string, format knowledge.ImportFormat) iter.Seq[knowledge.LineItem] {
	return func(yield func(knowledge.LineItem) bool) {
		in, err := openLines(path)
		if err != nil {
			yield(knowledge.LineItem{Line: 1, Err: err})
			return
		}
		defer func() { _ = in.Close() }() // only read
		decode := lineDecoder(format)
		lines := NewLines(in)
		for lines.Next() {
			item := knowledge.LineItem{}
			data, err := lines.Data()
			if err == nil {
				item, err = decode(data)
			}
			if err != nil {
				item = knowledge.LineItem{Err: err}
			}
			item.Line = lines.Number()
			if ctx.Err() != nil || !yield(item) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(knowledge.LineItem{Line: lines.Number() + 1, Err: err})
		}
	}
}

func lineDecoder(format knowledge.ImportFormat) func([]byte) (knowledge.LineItem, error) {
	chat := NewChat()
	return func(line []byte) (knowledge.LineItem, error) {
		switch format {
		case knowledge.ImportChat:
			draft, err := chat.Decode(line)
			return knowledge.LineItem{Entry: &draft}, err
		case knowledge.LinesOfMessages:
			message, err := DecodeMessage(line)
			return knowledge.LineItem{Message: &message}, err
		case knowledge.ImportGraph:
			item, err := DecodeGraph(line)
			return knowledge.LineItem{Entity: item.Entity, Edge: item.Edge}, err
		default:
			draft, err := DecodeEntry(line)
			return knowledge.LineItem{Entry: &draft}, err
		}
	}
}

func openLines(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, knowledge.Invalid("path", "there is no such file; files of JSON lines are imported one by one").Because(err)
	}
	in, err := os.Open(path) //nolint:gosec // only paths below the import root come here
	if err != nil {
		return nil, knowledge.Invalid("path", "the file cannot be read").Because(err)
	}
	return in, nil
}
