package service

import (
	"context"

	"mneme/knowledge"
)

// filePieces is how many pieces a file that is looked for may have among what is recalled.
const filePieces = 5

// FileFinder finds files by what they say.
type FileFinder struct {
	recall *Recall
	files  *Files
}

// NewFileFinder makes the search for files.
func NewFileFinder(recall *Recall, files *Files) *FileFinder {
	return &FileFinder{recall: recall, files: files}
}

// Find is a FileSearch: the files of the entries that a recall finds among those that came
// from files, best first, each with the passage that was found first.
func (s *FileFinder) Find(ctx context.Context, ws *knowledge.Workspace, q FileQuery) ([]FoundFile, error) {
	flat := false
	found, err := s.recall.Recall(ctx, ws, knowledge.RecallQuery{
		Query: q.Query, Embedding: q.Vector, Scope: q.Scope, Limit: min(filePieces*q.Limit, knowledge.MaxRecallLimit), Ranking: knowledge.RankingBest, Expand: &flat,
		Kinds: []knowledge.RecallKind{knowledge.RecallEntry}, Sources: []knowledge.EntrySource{knowledge.SourceFileText},
	})
	if err != nil {
		return nil, err
	}
	var ids []string
	pieces := map[string]*knowledge.Entry{}
	for _, h := range found.Hits {
		e := h.Entry()
		if e == nil || e.SourceID == nil || pieces[*e.SourceID] != nil {
			continue
		}
		pieces[*e.SourceID] = e
		ids = append(ids, *e.SourceID)
	}
	known, err := s.files.ByIDs(ctx, ws.ID, ids)
	if err != nil {
		return nil, err
	}
	var out []FoundFile
	for _, id := range ids {
		f := known[id]
		if f == nil || len(out) == q.Limit {
			continue // an entry of a file that is not stored here
		}
		one := FoundFile{File: f, ID: id, Name: f.Name, Title: f.Name, Excerpt: pieces[id].Content}
		if f.Title != nil {
			one.Title = *f.Title
		}
		if one.Excerpt == "" {
			one.Excerpt = value(f.Summary)
		}
		out = append(out, one)
	}
	return out, nil
}
