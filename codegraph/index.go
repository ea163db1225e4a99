package codegraph

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"mneme/knowledge"
)

// Index is the graph of one repository.
type Index = knowledge.CodeIndex

// Report says what a run did.
type Report = knowledge.CodeReport

// Problem is something that went wrong with one file and did not end the run.
type Problem = knowledge.CodeProblem

// Progress is how far a run has come. Its stages here are scan, extract and resolve.
type Progress = knowledge.CodeProgress

// Build scans and indexes a folder: NewScan, Index and Close in one.
func Build(ctx context.Context, folder string, options Options) (*Index, error) {
	s, err := NewScan(ctx, folder, options)
	if err != nil {
		return nil, err
	}
	index, err := s.Index(ctx)
	return index, errors.Join(err, s.Close())
}

// Index extracts and resolves what was scanned. Broken source is no error; the error is that of ctx, or
// of the cache's encoding.
func (s *Scan) Index(ctx context.Context) (*Index, error) {
	if err := s.extractAll(ctx); err != nil {
		return nil, err
	}
	p := newProject(s)
	for i, l := range s.options.Languages {
		s.options.Progress(Progress{Stage: "resolve", Done: i, Total: len(s.options.Languages)})
		if l.Resolve == nil {
			continue
		}
		if err := l.Resolve(ctx, p); err != nil {
			return nil, fmt.Errorf("resolve %s: %w", l.Name, err)
		}
	}
	return p.index(), nil
}

// extractAll fills in the facts of every file, in parallel.
func (s *Scan) extractAll(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.options.Workers)
	failures := make([]error, len(s.files))
	done := make(chan struct{}, s.options.Workers)
	var reporter errgroup.Group
	reporter.Go(func() error {
		n := 0
		for range done {
			n++
			s.options.Progress(Progress{Stage: "extract", Done: n, Total: len(s.files)})
		}
		return nil
	})
	for i, f := range s.files {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			unread, err := s.extract(f)
			failures[i] = unread
			done <- struct{}{}
			return err
		})
	}
	err := group.Wait()
	close(done)
	if err := errors.Join(err, reporter.Wait()); err != nil {
		return err
	}
	for i, f := range s.files {
		if failures[i] != nil {
			s.unreadable(f.path, failures[i])
		}
	}
	return nil
}

// cachedFile is what the cache keeps of a file: all that depends on its bytes and its extension.
type cachedFile struct {
	Encoding, Skipped string
	Facts             Facts
}

// extract fills in one file's facts. unread says why it could not be read.
func (s *Scan) extract(f *file) (unread, err error) {
	l := f.entry.language
	if f.size > maxParsed {
		f.encoding, f.skipped = encodingUTF8, SkippedTooLarge
		return nil, nil
	}
	key := factsKey(l, f.entry.name, f.hash)
	minifiedName := isMinified(f.path, nil)
	if c, ok := decodeCached[cachedFile](s.options.Cache, key); ok && !minifiedName {
		f.encoding, f.skipped, f.facts, f.reused = c.Encoding, c.Skipped, c.Facts, true
		return nil, nil
	}
	raw, err := s.read(f)
	if err != nil {
		f.encoding, f.facts.ParseErrors = encodingUTF8, true
		return err, nil
	}
	d := decode(f.path, raw)
	f.encoding, f.skipped = d.encoding, d.skipped
	if f.skipped == "" {
		if l.Extract == nil {
			f.skipped = l.NotParsed
		} else {
			f.facts = l.Extract(Source{Language: f.entry.name, Text: d.text})
		}
	}
	if minifiedName {
		return nil, nil
	}
	return nil, keep(s.options.Cache, key, cachedFile{f.encoding, f.skipped, f.facts})
}

// index gathers what files and resolvers have said.
func (p *Project) index() *Index {
	x := &Index{Repository: p.Repository, Digest: p.scan.Digest()}
	for _, f := range p.scan.files {
		x.Files = append(x.Files, p.codeFile(f))
		x.Symbols = append(x.Symbols, p.symbols(f)...)
	}
	for _, k := range p.packages {
		x.Packages = append(x.Packages, k)
	}
	for _, e := range p.edges {
		x.Edges = append(x.Edges, e)
	}
	for _, s := range x.Symbols {
		x.Edges = append(x.Edges, knowledge.CodeEdge{
			Type: knowledge.CodeDefines, From: knowledge.CodeRef{Path: s.Path},
			To:   knowledge.CodeRef{Path: s.Path, Symbol: s.QualifiedName, Kind: s.Kind},
			File: s.Path, Kind: "declaration", Resolution: "same file", Confidence: knowledge.CodeConfidenceExport,
		})
	}
	slices.SortFunc(x.Packages, knowledge.CompareCodePackages)
	knowledge.SortCodeEdges(x.Edges)
	x.Report = p.report(x)
	return x
}

func (p *Project) codeFile(f *file) knowledge.CodeFile {
	outside := slices.Clone(p.outside[f.path])
	slices.Sort(outside)
	return knowledge.CodeFile{
		Repository: p.Repository, Path: f.path, Language: f.entry.name, ContentHash: f.hash, Size: f.size,
		Encoding: f.encoding, BuildTag: f.facts.BuildTag, Skipped: f.skipped, ParseErrors: f.facts.ParseErrors,
		ExternalExports: outside,
	}
}

// symbols are a file's, one for each key: declarations that merge (overloads, an interface that is
// opened again) are one symbol from its first line on.
func (p *Project) symbols(f *file) []knowledge.CodeSymbol {
	byKey := map[knowledge.CodeRef]int{}
	var out []knowledge.CodeSymbol
	for i, s := range f.facts.Symbols {
		ref := p.Ref(f.path, i)
		if at, there := byKey[ref]; there {
			out[at].Exported = out[at].Exported || s.Exported
			if out[at].Doc == "" {
				out[at].Doc = s.Doc
			}
			continue
		}
		byKey[ref] = len(out)
		parents := slices.Clone(p.parents[ref])
		slices.Sort(parents)
		out = append(out, knowledge.CodeSymbol{
			Repository: p.Repository, Path: f.path, Name: s.Name, QualifiedName: s.Qualified, Kind: s.Kind,
			Exported: s.Exported, Line: s.Line, EndLine: s.EndLine, Signature: s.Signature, Doc: s.Doc, ExternalParents: parents,
		})
	}
	slices.SortFunc(out, knowledge.CompareCodeSymbols)
	return out
}

func (p *Project) report(x *Index) Report {
	r := Report{
		Files: len(x.Files), Symbols: len(x.Symbols), Packages: len(x.Packages),
		Edges: map[knowledge.CodeEdgeType]int{}, Skipped: map[string]int{}, Left: p.scan.left,
		Problems: slices.Clone(p.scan.problems), Truncated: p.scan.left[LeftTooMany] > 0,
	}
	slices.SortFunc(r.Problems, func(a, b Problem) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message)) })
	r.Problems = slices.Compact(r.Problems)
	for _, e := range x.Edges {
		r.Edges[e.Type]++
	}
	for _, f := range p.scan.files {
		switch {
		case f.skipped != "":
			r.Skipped[f.skipped]++
		case f.reused:
			r.Reused++
		default:
			r.Parsed++
		}
		if f.facts.ParseErrors {
			r.ParseErrors++
		}
	}
	return r
}
