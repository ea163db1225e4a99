package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
)

// codeFormat is a part of every hash: another way of storing or analysing the code graph gets another number,
// and everything is written anew.
const codeFormat = "1"

// CodePart is what the graph owes to one file: the file, its symbols, and the edges that begin at either. An
// index is the sum of its parts and its packages.
type CodePart struct {
	File    CodeFile
	Symbols []CodeSymbol
	Edges   []CodeEdge
	// Hash changes whenever anything of the part does.
	Hash string
}

// Rows is how many nodes and edges a part has.
func (p *CodePart) Rows() int { return 1 + len(p.Symbols) + len(p.Edges) }

// Parts are the parts of an index, in the order of the files. An edge belongs to the file that it begins at.
func (x *CodeIndex) Parts() []*CodePart {
	parts := make([]*CodePart, len(x.Files))
	byPath := make(map[string]int, len(x.Files))
	for i, f := range x.Files {
		parts[i] = &CodePart{File: f}
		byPath[f.Path] = i
	}
	symbols := divided(x.Symbols, len(parts), func(s *CodeSymbol) (int, bool) { i, ok := byPath[s.Path]; return i, ok })
	edges := divided(x.Edges, len(parts), func(e *CodeEdge) (int, bool) { i, ok := byPath[e.From.Path]; return i, ok })
	for i, p := range parts {
		p.Symbols, p.Edges = symbols[i], edges[i]
		p.Hash = p.hash()
	}
	return parts
}

// divided deals a list out to parts, each in the order of the list. All of it is one piece of memory: a repository
// has hundreds of thousands of edges.
func divided[T any](list []T, parts int, part func(*T) (int, bool)) [][]T {
	sizes, all := make([]int, parts), 0
	for i := range list {
		if p, ok := part(&list[i]); ok {
			sizes[p]++
			all++
		}
	}
	memory, out := make([]T, all), make([][]T, parts)
	for i, size := range sizes {
		if size > 0 {
			out[i], memory = memory[0:0:size], memory[size:]
		}
	}
	for i := range list {
		if p, ok := part(&list[i]); ok {
			out[p] = append(out[p], list[i])
		}
	}
	return out
}

// hash writes lengths before texts, so that no two parts are written alike.
func (p *CodePart) hash() string {
	h := sha256.New()
	line := make([]byte, 0, 1024)
	add := func(fields ...string) {
		line = line[:0]
		for _, f := range fields {
			line = strconv.AppendInt(line, int64(len(f)), 10)
			line = append(append(line, ':'), f...)
		}
		_, _ = h.Write(append(line, '\n')) // a hash takes everything
	}
	f := p.File
	add(codeFormat, f.Repository, f.Path, f.Language, f.ContentHash, strconv.FormatInt(f.Size, 10), f.Encoding, f.BuildTag, f.Skipped, strconv.FormatBool(f.ParseErrors))
	add(f.ExternalExports...)
	for _, s := range p.Symbols {
		add(s.QualifiedName, s.Name, string(s.Kind), strconv.FormatBool(s.Exported), strconv.Itoa(s.Line), strconv.Itoa(s.EndLine), s.Signature, s.Doc)
		add(s.ExternalParents...)
	}
	for _, e := range p.Edges {
		add(string(e.Type), e.From.Symbol, string(e.From.Kind), e.To.Package, e.To.Path, e.To.Symbol, string(e.To.Kind),
			e.File, e.Name, e.Specifier, e.Kind, strconv.FormatBool(e.TypeOnly), e.Resolution, strconv.FormatFloat(e.Confidence, 'g', -1, 64))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// CodePartState is what is stored of a part: no hash where a run was interrupted before the part was whole.
type CodePartState struct {
	Path string
	Hash string
}

// CodePlan is what is to be written to make a stored graph an index.
type CodePlan struct {
	Fresh    []*CodePart   // of files that are not stored
	Changed  []*CodePart   // of files that are stored otherwise
	Removed  []string      // paths of stored files that are not there any more
	Kept     int           // parts that are stored as they are
	Packages []CodePackage // all of them
}

// Rows is how many nodes and edges are written, removed files counted as one each.
func (p *CodePlan) Rows() int {
	n := len(p.Removed)
	for _, parts := range [][]*CodePart{p.Fresh, p.Changed} {
		for _, part := range parts {
			n += part.Rows()
		}
	}
	return n
}

// Empty tells whether no part is to be written or removed.
func (p *CodePlan) Empty() bool { return len(p.Fresh)+len(p.Changed)+len(p.Removed) == 0 }

// Plan compares an index with what is stored (SPEC P11).
func (x *CodeIndex) Plan(stored []CodePartState) CodePlan {
	hashes := make(map[string]string, len(stored))
	for _, s := range stored {
		hashes[s.Path] = s.Hash
	}
	plan := CodePlan{Packages: x.Packages}
	for _, p := range x.Parts() {
		hash, there := hashes[p.File.Path]
		delete(hashes, p.File.Path)
		switch {
		case !there:
			plan.Fresh = append(plan.Fresh, p)
		case hash != p.Hash:
			plan.Changed = append(plan.Changed, p)
		default:
			plan.Kept++
		}
	}
	for _, s := range stored { // in their order
		if _, left := hashes[s.Path]; left {
			plan.Removed = append(plan.Removed, s.Path)
		}
	}
	return plan
}

// Counts are a report as a job shows it: files, symbols and packages, edges by type, what was skipped and left
// out by reason (SPEC P12).
func (r CodeReport) Counts() map[string]int {
	out := map[string]int{"files": r.Files, "symbols": r.Symbols, "packages": r.Packages, "parseErrors": r.ParseErrors, "parsed": r.Parsed, "reused": r.Reused, "problems": len(r.Problems)}
	for kind, n := range r.Edges {
		out["edges."+string(kind)] = n
	}
	for reason, n := range r.Skipped {
		out[fmt.Sprintf("skipped: %s", reason)] = n
	}
	for reason, n := range r.Left {
		out[fmt.Sprintf("left out: %s", reason)] = n
	}
	return out
}
