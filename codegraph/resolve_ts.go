package codegraph

import (
	"context"
	"path"
	"slices"
	"strings"

	"mneme/knowledge"
)

// resolveTypescript connects TypeScript and JavaScript files.
func resolveTypescript(ctx context.Context, p *Project) error {
	r := newResolver(p)
	m := newModules(p)
	files := p.Paths(typescriptName)
	for _, file := range files {
		declareAmbient(p.Facts(file), file)
		r.imports(p, m, file)
	}
	for _, dir := range sortedKeys(r.packages.byDir) {
		if k := r.packages.byDir[dir]; k.Name != "" && k == r.packages.byName[k.Name] {
			p.AddPackage(knowledge.CodePackage{Name: k.Name, ImportPath: k.Name, Path: k.dir, Nested: true})
		}
	}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return err
		}
		m.exports(file)
		m.parents(file)
		m.uses(file)
	}
	return nil
}

// declareAmbient exports all that a declaration file declares, if it is a module without an export list.
func declareAmbient(f *Facts, file string) {
	stem := strings.TrimSuffix(file, path.Ext(file))
	if !f.Module || f.ExportList || !strings.HasSuffix(stem, ".d") {
		return
	}
	for i, s := range f.Symbols {
		exported := func(e Export) bool { return e.Symbol == i }
		if s.Name != s.Qualified || s.Nested || slices.ContainsFunc(f.Exports, exported) || strings.HasPrefix(s.Signature, "declare module \"") {
			continue
		}
		f.Symbols[i].Exported = true
		f.Exports = append(f.Exports, Export{Name: s.Name, Symbol: i, Import: -1})
	}
}

// imports resolves what a file imports and adds the edges.
func (r *tsResolver) imports(p *Project, m *modules, file string) {
	facts := p.Facts(file)
	if len(facts.Imports) == 0 {
		return
	}
	config := r.configs.governing(file)
	targets := make([]target, len(facts.Imports))
	for i, imported := range facts.Imports {
		t := r.resolve(file, config, imported)
		targets[i] = t
		edge := knowledge.CodeEdge{
			From: knowledge.CodeRef{Path: file}, File: file, Specifier: imported.Specifier, Kind: imported.Kind,
			TypeOnly: imported.TypeOnly, Resolution: t.resolution, Confidence: confidence(t, knowledge.CodeConfidenceImport),
		}
		if t.path != "" && t.path != file {
			edge.Type, edge.To = knowledge.CodeImportsFile, knowledge.CodeRef{Path: t.path}
			p.AddEdge(edge)
		}
		if t.pkg != nil && t.pkg == r.packages.byName[t.pkg.Name] {
			edge.Type, edge.To, edge.Resolution = knowledge.CodeImportsPackage, knowledge.CodeRef{Package: t.pkg.Name}, resolvedWorkspace
			edge.Confidence = knowledge.CodeConfidenceImport
			p.AddEdge(edge)
		}
	}
	m.targets[file] = targets
}

func confidence(t target, sure float64) float64 {
	if t.resolution == resolvedSource {
		return knowledge.CodeConfidenceGuess
	}
	return sure
}

// exports adds an edge for each name that a file exports.
func (m *modules) exports(file string) {
	facts := m.project.Facts(file)
	own := map[string]Export{}
	for _, e := range facts.Exports {
		if _, there := own[e.Name]; !there {
			own[e.Name] = e
		}
	}
	for _, name := range m.exportNames(file) {
		found := m.export(file, name)
		if !found.found {
			continue
		}
		if len(found.symbols) == 0 {
			m.project.AddOutsideExport(file, name)
			continue
		}
		e, isOwn := own[name]
		kind, resolution := "export-star", "re-export"
		if isOwn && e.Import >= 0 && found.symbols[0].file != file {
			kind = "export-from"
		} else if isOwn {
			kind, resolution = "export", "same file"
		}
		for _, s := range found.symbols {
			m.project.AddEdge(knowledge.CodeEdge{
				Type: knowledge.CodeExportsSymbol, From: knowledge.CodeRef{Path: file}, To: m.project.Ref(s.file, s.symbol), File: file,
				Name: name, Kind: kind, TypeOnly: isOwn && e.TypeOnly, Resolution: resolution,
				Confidence: m.sure(file, e.Import, isOwn, knowledge.CodeConfidenceExport),
			})
		}
	}
}
