package bench

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"mneme/knowledge"
)

// extractionTables are cases of what patterns must find: a case a line, its name, its
// text and what is right, separated by tabs. Those named by letters and a number are the
// rules' own (SPEC D and E); the rest are further cases of the same kinds.
//
//go:embed testdata/extraction/*.tsv
var extractionTables embed.FS

// ExtractionScore is how precise and how complete the patterns are on one set of cases.
type ExtractionScore struct {
	What      string   `json:"what"` // technologies, paths, endpoints, senders, organizations
	Set       string   `json:"set"`  // tables: the rules' own cases; own: further ones
	Cases     int      `json:"cases"`
	Precision float64  `json:"precision"`
	Recall    float64  `json:"recall"`
	Wrong     []string `json:"wrong"` // names of the cases that are not right

	right, found, wanted int
}

// extractors read the cases of each table: what is found in a text, and what is right.
func extractors() []struct {
	what, table string
	find        func(row []string) (found, want []string)
} {
	list := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, ", ")
	}
	return []struct {
		what, table string
		find        func(row []string) (found, want []string)
	}{
		{"technologies", "technologies", func(row []string) ([]string, []string) { return knowledge.FindTechnologies(row[1]), list(row[2]) }},
		{"paths", "files", func(row []string) ([]string, []string) { return knowledge.FindFiles(row[1]), list(row[2]) }},
		{"endpoints", "endpoints", func(row []string) ([]string, []string) {
			var found []string
			for _, e := range knowledge.FindEndpoints(row[1]) {
				found = append(found, e.Name())
			}
			return found, list(row[2])
		}},
		{"senders", "senders", func(row []string) ([]string, []string) {
			var found, want []string
			if knowledge.AutomatedAddress(row[1]) {
				found = []string{"automated"}
			}
			if row[2] == "yes" {
				want = []string{"automated"}
			}
			return found, want
		}},
		{"organizations", "domains", func(row []string) ([]string, []string) {
			return list(knowledge.DomainOrganization(row[1])), list(row[4])
		}},
	}
}

// Extraction measures the patterns on all cases. It needs no database.
func Extraction() ([]*ExtractionScore, error) {
	var out []*ExtractionScore
	for _, e := range extractors() {
		tables, own := &ExtractionScore{What: e.what, Set: "tables", Wrong: []string{}}, &ExtractionScore{What: e.what, Set: "own", Wrong: []string{}}
		rows, err := extractionCases(e.table)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			found, want := e.find(row)
			score := own
			if ruleCase.MatchString(row[0]) {
				score = tables
			}
			score.add(row[0], found, want)
		}
		out = append(out, tables.done(), own.done())
	}
	return out, nil
}

// ruleCase is the name of a case of the rules' own tables.
var ruleCase = regexp.MustCompile(`^[DE]-[A-Z]\d+$`)

func extractionCases(table string) ([][]string, error) {
	data, err := extractionTables.ReadFile(path.Join("testdata/extraction", table+".tsv"))
	if err != nil {
		return nil, fmt.Errorf("read cases: %w", err)
	}
	unescape := strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\t`, "\t")
	var rows [][]string
	for _, line := range strings.Split(strings.TrimRight(string(data), "\n"), "\n") {
		if strings.HasPrefix(line, "# ") {
			continue
		}
		row := strings.Split(line, "\t")
		for i := range row {
			row[i] = unescape.Replace(row[i])
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (s *ExtractionScore) add(name string, found, want []string) {
	s.Cases++
	s.found, s.wanted = s.found+len(found), s.wanted+len(want)
	for _, f := range found {
		if slices.Contains(want, f) {
			s.right++
		}
	}
	if !slices.Equal(found, want) {
		s.Wrong = append(s.Wrong, name)
	}
}

// done turns counts into shares; of nothing everything is right.
func (s *ExtractionScore) done() *ExtractionScore {
	s.Precision, s.Recall = 1, 1
	if s.found > 0 {
		s.Precision = float64(s.right) / float64(s.found)
	}
	if s.wanted > 0 {
		s.Recall = float64(s.right) / float64(s.wanted)
	}
	return s
}
