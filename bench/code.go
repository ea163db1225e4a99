package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"mneme/codegraph"
	"mneme/knowledge"
)

// Kinds that a code graph is scored by, beside the types of its edges.
const kindUses = "USES" // Go: a file uses what a file of another package declares

// CodeScore compares a code graph with what a compiler says of the same source.
type CodeScore struct {
	F1      map[string]float64  `json:"f1"`
	Oracle  map[string]int      `json:"oracle"` // how many the compiler has
	Missing map[string][]string `json:"missing"`
	Extra   map[string][]string `json:"extra"`
	Files   int                 `json:"files"`   // of the graph
	LeftOut []string            `json:"leftOut"` // files of the oracle that the walk prunes, and so are not scored
	Took    time.Duration       `json:"-"`
	TookMs  float64             `json:"tookMs"`
}

// ErrNoOracle means that a file is not what an oracle writes.
var ErrNoOracle = errors.New("not the output of a code oracle")

// codeOracle is the output of either oracle; the fields tell which.
type codeOracle struct {
	Edges    [][]any             `json:"edges"` // TypeScript: from, to, kinds
	Heritage []string            `json:"heritage"`
	Exports  map[string][]string `json:"exports"`

	ImportPackages    []string `json:"importPkg"` // Go
	Uses              []string `json:"uses"`
	Embeds            []string `json:"embeds"`
	ImplementsVisible []string `json:"implementsVisible"`
	Symbols           []string `json:"symbols"`
}

// Code indexes a repository and scores the graph against an oracle's output. It returns ErrNoOracle for any
// other input, and codegraph.ErrNotAFolder.
func Code(ctx context.Context, repository string, from io.Reader) (*CodeScore, error) {
	var oracle codeOracle
	if err := json.NewDecoder(from).Decode(&oracle); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoOracle, err)
	}
	begin := time.Now()
	index, err := codegraph.Build(ctx, repository, codegraph.Options{})
	if err != nil {
		return nil, err
	}
	score := &CodeScore{
		F1: map[string]float64{}, Oracle: map[string]int{}, Missing: map[string][]string{}, Extra: map[string][]string{}, LeftOut: []string{},
		Files: len(index.Files), Took: time.Since(begin).Round(time.Millisecond),
	}
	score.TookMs = milliseconds(score.Took)
	switch {
	case oracle.Exports != nil:
		score.typescript(index, &oracle)
	case oracle.ImportPackages != nil:
		score.golang(index, &oracle)
	default:
		return nil, ErrNoOracle
	}
	return score, nil
}

// add scores one kind.
func (s *CodeScore) add(kind string, want, got map[string]bool) {
	hits := 0
	s.Missing[kind], s.Extra[kind] = []string{}, []string{}
	for _, key := range sortedSet(want) {
		if got[key] {
			hits++
			continue
		}
		s.Missing[kind] = append(s.Missing[kind], key)
	}
	for _, key := range sortedSet(got) {
		if !want[key] {
			s.Extra[kind] = append(s.Extra[kind], key)
		}
	}
	s.Oracle[kind] = len(want)
	s.F1[kind] = 1
	if len(want)+len(got) > 0 {
		s.F1[kind] = 2 * float64(hits) / float64(len(want)+len(got))
	}
}

// scope records which of the oracle's files the graph does not hold: those of folders that are pruned and of
// ignored files.
func (s *CodeScore) scope(index *codegraph.Index, judged map[string]bool) {
	held := languagesOf(index)
	for _, file := range sortedSet(judged) {
		if held[file] == "" {
			s.LeftOut = append(s.LeftOut, file)
		}
	}
}

// keepHeld drops what an oracle says of files that are left out. held are names that are no files.
func (s *CodeScore) keepHeld(wanted map[string]map[string]bool, held map[string]bool) {
	left := setOf(s.LeftOut)
	for _, keys := range wanted {
		for key := range keys {
			for part := range strings.SplitSeq(key, "\t") {
				file, _, _ := strings.Cut(part, "#")
				if left[file] || held != nil && path.Ext(file) != ".go" && !held[part] {
					delete(keys, key)
				}
			}
		}
	}
}

// typescript scores imports, exports and heritage.
func (s *CodeScore) typescript(index *codegraph.Index, oracle *codeOracle) {
	wanted := map[string]map[string]bool{}
	want := func(kind knowledge.CodeEdgeType, key string) { put(wanted, string(kind), key) }
	for _, e := range oracle.Edges {
		if len(e) >= 2 && e[0] != e[1] {
			want(knowledge.CodeImportsFile, fmt.Sprint(e[0], "\t", e[1]))
		}
	}
	for file, names := range oracle.Exports {
		for _, name := range names {
			want(knowledge.CodeExportsSymbol, file+"\t"+name)
		}
	}
	defaults := defaultNames(index)
	for _, line := range oracle.Heritage {
		parts := strings.Split(line, "\t")
		if len(parts) != 5 {
			continue
		}
		if name := defaults[parts[3]]; parts[4] == "default" && name != "" {
			parts[4] = name // the compiler calls what is exported as default by that
		}
		want(knowledge.CodeEdgeType(parts[2]), strings.Join([]string{parts[0], parts[1], parts[3], parts[4]}, "\t"))
	}
	judged := map[string]bool{}
	for file := range oracle.Exports {
		judged[file] = true
	}
	for _, e := range oracle.Edges {
		if len(e) >= 2 {
			judged[fmt.Sprint(e[0])], judged[fmt.Sprint(e[1])] = true, true
		}
	}
	s.scope(index, judged)
	s.keepHeld(wanted, nil)
	got := typescriptKeys(index)
	for key := range got[string(knowledge.CodeExportsSymbol)] {
		file, _, _ := strings.Cut(key, "\t")
		if oracle.Exports[file] == nil {
			delete(got[string(knowledge.CodeExportsSymbol)], key) // CommonJS, of whose exports the oracle says nothing
		}
	}
	for _, kind := range []knowledge.CodeEdgeType{
		knowledge.CodeImportsFile, knowledge.CodeExportsSymbol, knowledge.CodeExtends, knowledge.CodeImplements,
	} {
		s.add(string(kind), wanted[string(kind)], got[string(kind)])
	}
}

// typescriptKeys are the graph's edges as the oracle writes them.
func typescriptKeys(index *codegraph.Index) map[string]map[string]bool {
	got := map[string]map[string]bool{}
	for _, f := range index.Files {
		for _, name := range f.ExternalExports {
			put(got, string(knowledge.CodeExportsSymbol), f.Path+"\t"+name)
		}
	}
	languages := languagesOf(index)
	names := map[knowledge.CodeRef]string{}
	for _, symbol := range index.Symbols {
		names[knowledge.CodeRef{Path: symbol.Path, Symbol: symbol.QualifiedName, Kind: symbol.Kind}] = symbol.Name
	}
	for _, e := range index.Edges {
		if !strings.HasSuffix(languages[e.File], "script") && languages[e.File] != "tsx" {
			continue
		}
		switch e.Type {
		case knowledge.CodeImportsFile:
			put(got, string(e.Type), e.From.Path+"\t"+e.To.Path)
		case knowledge.CodeExportsSymbol:
			put(got, string(e.Type), e.From.Path+"\t"+e.Name)
		case knowledge.CodeExtends, knowledge.CodeImplements:
			put(got, string(e.Type), strings.Join([]string{e.From.Path, names[e.From], e.To.Path, names[e.To]}, "\t"))
		}
	}
	return got
}

// defaultNames are the names of what files export as default, by file.
func defaultNames(index *codegraph.Index) map[string]string {
	names := map[string]string{}
	for _, e := range index.Edges {
		if e.Type == knowledge.CodeExportsSymbol && e.Name == "default" && e.To.Path == e.From.Path {
			names[e.From.Path] = e.To.Symbol
		}
	}
	return names
}

func languagesOf(index *codegraph.Index) map[string]string {
	languages := map[string]string{}
	for _, f := range index.Files {
		languages[f.Path] = f.Language
	}
	return languages
}

func put(sets map[string]map[string]bool, kind, key string) {
	if sets[kind] == nil {
		sets[kind] = map[string]bool{}
	}
	sets[kind][key] = true
}
