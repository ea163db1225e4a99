package service

import (
	"cmp"
	"context"
	"encoding/base64"
	"slices"
	"strings"

	"mneme/knowledge"
)

// FromFile extracts knowledge from a file that is given with its bytes, once a file (SPEC
// M6): entries as from a message, and the entities and edges that it states (O8). What is
// not extracted says why in Skipped. The errors are those of FromMessage, and INVALID_INPUT
// or LIMIT_EXCEEDED (data) for bytes that are no file that can be read.
func (s *Extraction) FromFile(ctx context.Context, to Target, f knowledge.FileExtraction) (*knowledge.Extracted, error) {
	ws, err := s.workspace(ctx, to)
	if err != nil {
		return nil, err
	}
	data, err := checkFile(f)
	if err != nil {
		return nil, err
	}
	if s.c.Documents == nil {
		return nil, knowledge.Errorf(knowledge.CodeForbidden, "this server reads no files")
	}
	read, err := s.c.Documents.ReadData(ctx, f.Name, f.MediaType, data)
	if err != nil {
		return nil, knowledge.InField("data", err)
	}
	if f.Title == "" {
		f.Title = read.Title
	}
	return s.extract(ctx, ws, to, s.fileSource(f, f.FileID, textOf(read.Sections)))
}

// FromStored extracts from a file that was imported, once for each of its versions.
func (s *Extraction) FromStored(ctx context.Context, to Target, f *knowledge.SourceFile) (*knowledge.Extracted, error) {
	ws, err := s.workspace(ctx, to)
	if err != nil {
		return nil, err
	}
	pieces, err := s.pieces(ctx, ws.ID, f.ID)
	if err != nil {
		return nil, err
	}
	in := knowledge.FileExtraction{FileID: f.ID, Name: f.Name, Title: value(f.Title), Summary: value(f.Summary)}
	var texts []string
	for _, e := range pieces {
		texts = append(texts, e.Content)
		if in.Contacts == nil {
			for _, id := range e.ContactIDs {
				in.Contacts = append(in.Contacts, knowledge.EntityRef{ID: id})
			}
		}
	}
	return s.extract(ctx, ws, to, s.fileSource(in, f.ID+"#"+f.ContentHash, strings.Join(texts, "\n\n")))
}

// pieces are the entries of a file, in the order in which they stand in it.
func (s *Extraction) pieces(ctx context.Context, workspaceID, fileID string) ([]*knowledge.Entry, error) {
	listed, err := s.c.Files.EntriesOfFile(ctx, workspaceID, fileID)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(listed))
	for i, e := range listed {
		ids[i] = e.ID
	}
	found, err := s.c.Entries.ByIDs(ctx, workspaceID, ids)
	var out []*knowledge.Entry
	for _, e := range found {
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b *knowledge.Entry) int { return cmp.Compare(a.ID, b.ID) })
	return out, err
}

func textOf(sections []knowledge.FileSection) string {
	var b strings.Builder
	for _, section := range sections {
		for _, part := range []string{section.Heading, section.Lead, section.Text} {
			if part = strings.TrimSpace(part); part != "" {
				b.WriteString(part + "\n\n")
			}
		}
	}
	return strings.TrimSpace(b.String())
}

func checkFile(f knowledge.FileExtraction) ([]byte, error) {
	if err := knowledge.CheckID("fileId", f.FileID); err != nil {
		return nil, err
	}
	if strings.TrimSpace(f.Name) == "" {
		return nil, knowledge.Invalid("name", "must not be empty")
	}
	for _, part := range []struct {
		field, text string
		limit       int
	}{
		{"name", f.Name, knowledge.MaxNameLength},
		{"mediaType", f.MediaType, knowledge.MaxTagLength},
		{"title", f.Title, knowledge.MaxNameLength},
		{"summary", f.Summary, knowledge.MaxTextLength},
		{"threadId", f.ThreadID, knowledge.MaxIDLength},
	} {
		if err := knowledge.CheckText(part.field, part.text, part.limit); err != nil {
			return nil, err
		}
	}
	if base64.StdEncoding.DecodedLen(len(f.Data)) > knowledge.MaxFileData {
		return nil, knowledge.Limit("data", "the file is larger than %d MiB", knowledge.MaxFileData>>20)
	}
	data, err := base64.StdEncoding.DecodeString(f.Data)
	if err != nil {
		return nil, knowledge.Invalid("data", "is no base64").Because(err)
	}
	return data, nil
}

// fileSource is a file as a source; key is what it is known by.
func (s *Extraction) fileSource(f knowledge.FileExtraction, key, text string) sourceText {
	document := firstRunes(text, knowledge.MaxGraphText)
	return sourceText{
		source: knowledge.SourceFileText, id: key, thread: f.ThreadID, docID: f.FileID, contacts: f.Contacts, force: f.Force, claimed: true,
		text: firstRunes(text, knowledge.MaxSourceText), shortest: knowledge.MinFileText, screened: []string{f.Name, f.Title, f.Summary, document},
		call: knowledge.FileCall(f.Name, f.Title, f.Summary, text), document: document,
	}
}

func firstRunes(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// graph writes the entities and edges that a document states, each edge resting on it
// (SPEC O8), where the graph is on (O23). An entity that cannot be told apart is left out
// with its edges.
func (s *Extraction) graph(ctx context.Context, ws *knowledge.Workspace, to Target, src sourceText, out *knowledge.Extracted) error {
	if src.document == "" || !knowledge.FeatureOn(s.c.Features(ws), knowledge.FeatureGraph) {
		return nil
	}
	var g knowledge.ExtractedGraph
	var dropped knowledge.Dropped
	reply, err := s.c.Model.Structured(ctx, knowledge.GraphCall(src.document), func(lists knowledge.ReplyLists) error {
		var err error
		g, dropped, err = knowledge.ValidateGraph(lists, src.document)
		return err
	})
	out.Usage = out.Usage.Plus(reply.Usage)
	if err != nil {
		return err
	}
	for why, n := range dropped {
		out.Dropped["graph: "+why] += n
	}
	by := auto(to.Caller)
	return s.c.Tx.Atomically(ctx, func(ctx context.Context) error {
		out.Entities, out.Edges = nil, nil
		drafts := make([]knowledge.EntityDraft, len(g.Entities))
		for i, e := range g.Entities {
			drafts[i] = knowledge.EntityDraft{Type: e.Type, Name: e.Name, DocID: src.docID}
			if e.Description != "" {
				drafts[i].Description = &e.Description
			}
		}
		upserts, err := s.c.Graph.upsertMany(ctx, ws, by, drafts, false)
		if err != nil {
			return err
		}
		for _, up := range upserts {
			if up.Err == nil {
				out.Entities = append(out.Entities, up.Value.Entity)
			}
		}
		var edges []knowledge.EdgeDraft
		for _, e := range g.Edges {
			if from, to := upserts[e.From], upserts[e.To]; from.Err == nil && to.Err == nil {
				edges = append(edges, knowledge.EdgeDraft{
					From: knowledge.EntityRef{ID: from.Value.Entity.ID}, To: knowledge.EntityRef{ID: to.Value.Entity.ID}, Type: e.Label, DocID: src.docID,
				})
			}
		}
		asserts, err := s.c.Edges.assertMany(ctx, ws, by, edges, false)
		if err != nil {
			return err
		}
		for _, a := range asserts {
			if a.Err == nil {
				out.Edges = append(out.Edges, a.Value.Edge)
			}
		}
		return nil
	})
}
