package codegraph

import (
	"strings"

	"mneme/knowledge"
)

// sure is the confidence of what was found through an import.
func (m *modules) sure(file string, i int, viaImport bool, sure float64) float64 {
	if viaImport && i >= 0 {
		return confidence(m.target(file, i), sure)
	}
	return sure
}

// parents adds the edges of inheritance.
func (m *modules) parents(file string) {
	facts := m.project.Facts(file)
	for _, parent := range facts.Parents {
		child := m.project.Ref(file, parent.Child)
		found, left := m.bind(file, parent.Binding)
		if !found.found || len(left) > 0 || len(found.symbols) == 0 {
			if found.outside || !parent.Binding.bound() {
				m.project.AddOutsideParent(child, parent.Text)
			}
			continue
		}
		s := m.preferred(found.symbols, parent)
		to := m.project.Ref(s.file, s.symbol)
		if to == child {
			continue
		}
		kind, clause := knowledge.CodeExtends, "extends"
		if parent.Implements {
			kind, clause = knowledge.CodeImplements, "implements"
		}
		resolution := "import"
		if parent.Binding.Symbol >= 0 {
			resolution = "same file"
		}
		m.project.AddEdge(knowledge.CodeEdge{
			Type: kind, From: child, To: to, File: file, Kind: clause, Resolution: resolution,
			Confidence: m.sure(file, parent.Binding.Import, true, knowledge.CodeConfidenceHeritage),
		})
	}
}

// preferred is the symbol that a parent means where a type and a value share its name.
func (m *modules) preferred(symbols []symbolAt, parent Parent) symbolAt {
	for _, s := range symbols {
		kind := m.project.Facts(s.file).Symbols[s.symbol].Kind
		isType := kind == knowledge.CodeKindInterface || kind == knowledge.CodeKindType
		if isType == parent.TypeSpace || kind == knowledge.CodeKindClass {
			return s
		}
	}
	return symbols[0]
}

// uses adds what a file's symbols mention.
func (m *modules) uses(file string) {
	for _, use := range m.project.Facts(file).Uses {
		found, _ := m.bind(file, use.Binding)
		kind := knowledge.CodeReferences
		if use.Call {
			kind = knowledge.CodeCalls
		}
		resolution := "import"
		if use.Binding.Symbol >= 0 {
			resolution = "same file"
		}
		from := m.project.Ref(file, use.From)
		for _, s := range found.symbols {
			to := m.project.Ref(s.file, s.symbol)
			if to == from {
				continue
			}
			m.project.AddEdge(knowledge.CodeEdge{
				Type: kind, From: from, To: to, File: file, Kind: strings.ToLower(string(kind)), Resolution: resolution,
				Confidence: m.sure(file, use.Binding.Import, true, knowledge.CodeConfidenceUse),
			})
		}
	}
}
