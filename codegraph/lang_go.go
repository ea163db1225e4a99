package codegraph

import (
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"mneme/knowledge"
)

// goName is the registry's name of Go.
const goName = "go"

func goLanguage() Language {
	return Language{
		Name: goName, Version: "2", Extensions: map[string]string{".go": "go"},
		Settings: []string{"go.mod", "go.work"},
		Extract:  extractGo, Resolve: resolveGo,
	}
}

// goExtractor reads the declarations of one file.
type goExtractor struct {
	text  []byte
	fset  *token.FileSet
	facts Facts
}

// extractGo reads one file, whatever its build tags. What types are needed for is left to the resolver.
func extractGo(s Source) Facts {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", s.Text, parser.ParseComments|parser.SkipObjectResolution)
	x := &goExtractor{text: s.Text, fset: fset}
	x.facts.ParseErrors = err != nil
	if file == nil {
		return x.facts
	}
	if file.Name != nil {
		x.facts.Package = file.Name.Name
	}
	x.facts.BuildTag = goBuildTag(file)
	x.facts.API = goAPI(fset, file, s.Text)
	for _, spec := range file.Imports {
		x.importSpec(spec)
	}
	for _, decl := range file.Decls {
		x.declaration(decl)
	}
	return x.facts
}

// goBuildTag is the expression of the //go:build line above the package clause.
func goBuildTag(file *ast.File) string {
	for _, group := range file.Comments {
		if group.Pos() >= file.Package {
			break
		}
		for _, c := range group.List {
			if !constraint.IsGoBuild(c.Text) {
				continue
			}
			if e, err := constraint.Parse(c.Text); err == nil {
				return e.String()
			}
		}
	}
	return ""
}

// goAPI is a hash of what other packages and files can depend on: the tokens without the bodies of functions,
// without comments and white space.
func goAPI(fset *token.FileSet, file *ast.File, text []byte) string {
	type span struct{ from, to int }
	var bodies []span
	for _, decl := range file.Decls {
		if f, isFunc := decl.(*ast.FuncDecl); isFunc && f.Body != nil {
			bodies = append(bodies, span{fset.Position(f.Body.Pos()).Offset, fset.Position(f.Body.End()).Offset})
		}
	}
	h := newDigest()
	h.add(goBuildTag(file))
	var s scanner.Scanner
	whole := token.NewFileSet().AddFile("", 1, len(text))
	s.Init(whole, text, func(token.Position, string) {}, 0)
	for {
		pos, t, literal := s.Scan()
		if t == token.EOF {
			return h.sum()
		}
		at := whole.Offset(pos)
		for len(bodies) > 0 && at >= bodies[0].to {
			bodies = bodies[1:]
		}
		if len(bodies) > 0 && at >= bodies[0].from {
			continue
		}
		if literal == "\n" {
			literal = ";" // a semicolon, written or not
		}
		h.add(t.String(), literal)
	}
}

func (x *goExtractor) importSpec(spec *ast.ImportSpec) {
	specifier, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return
	}
	i := Import{Specifier: specifier, Kind: "import", Line: x.line(spec.Pos())}
	if spec.Name != nil {
		i.Alias = spec.Name.Name
	}
	switch i.Alias {
	case "_":
		i.Kind = "import-blank"
	case ".":
		i.Kind = "import-dot"
	}
	x.facts.Imports = append(x.facts.Imports, i)
}

func (x *goExtractor) line(p token.Pos) int { return x.fset.Position(p).Line }

// source is the text from one position up to another.
func (x *goExtractor) source(from, to token.Pos) string {
	a, b := x.fset.Position(from).Offset, x.fset.Position(to).Offset
	if a < 0 || b > len(x.text) || a > b {
		return ""
	}
	return string(x.text[a:b])
}

func (x *goExtractor) declaration(decl ast.Decl) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		x.function(d)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				x.typeSpec(d, s)
			case *ast.ValueSpec:
				x.valueSpec(d, s)
			}
		}
	}
}

func (x *goExtractor) add(name, owner string, kind knowledge.CodeKind, node ast.Node, signature string, docs ...*ast.CommentGroup) {
	if name == "_" || name == "" {
		return
	}
	s := Symbol{
		Name: name, Qualified: qualify(owner, name), Kind: kind, Line: x.line(node.Pos()), EndLine: x.line(node.End()),
		Exported: ast.IsExported(name) && (owner == "" || ast.IsExported(owner)), Signature: clip(signature),
	}
	for _, doc := range docs {
		if doc != nil && s.Doc == "" {
			s.Doc = clipTo(strings.Join(strings.Fields(doc.Text()), " "), maxDoc)
		}
	}
	x.facts.Symbols = append(x.facts.Symbols, s)
}

func (x *goExtractor) function(d *ast.FuncDecl) {
	end := d.End()
	if d.Body != nil {
		end = d.Body.Pos()
	}
	kind, owner := knowledge.CodeKindFunction, ""
	if d.Recv != nil {
		kind, owner = knowledge.CodeKindMethod, goReceiver(d)
	}
	x.add(d.Name.Name, owner, kind, d, x.source(d.Pos(), end), d.Doc)
}

// goReceiver is the name of the type that a method belongs to.
func goReceiver(d *ast.FuncDecl) string {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return ""
	}
	t := d.Recv.List[0].Type
	for {
		switch e := t.(type) {
		case *ast.StarExpr:
			t = e.X
		case *ast.ParenExpr:
			t = e.X
		case *ast.IndexExpr:
			t = e.X
		case *ast.IndexListExpr:
			t = e.X
		case *ast.Ident:
			return e.Name
		default:
			return ""
		}
	}
}

func (x *goExtractor) typeSpec(d *ast.GenDecl, s *ast.TypeSpec) {
	kind, end := knowledge.CodeKindType, s.End()
	switch t := s.Type.(type) {
	case *ast.InterfaceType:
		kind = knowledge.CodeKindInterface
		if t.Methods != nil {
			end = t.Methods.Pos()
		}
	case *ast.StructType:
		if t.Fields != nil {
			end = t.Fields.Pos()
		}
	}
	x.add(s.Name.Name, "", kind, s, "type "+x.source(s.Pos(), end), s.Doc, d.Doc)
	if t, isInterface := s.Type.(*ast.InterfaceType); isInterface && t.Methods != nil {
		for _, m := range t.Methods.List {
			for _, name := range m.Names {
				x.add(name.Name, s.Name.Name, knowledge.CodeKindMethod, m, x.source(m.Pos(), m.End()), m.Doc, m.Comment)
			}
		}
	}
}

func (x *goExtractor) valueSpec(d *ast.GenDecl, s *ast.ValueSpec) {
	kind := knowledge.CodeKindVariable
	if d.Tok == token.CONST {
		kind = knowledge.CodeKindConstant
	}
	for _, name := range s.Names {
		x.add(name.Name, "", kind, s, d.Tok.String()+" "+x.source(s.Pos(), s.End()), s.Doc, d.Doc, s.Comment)
	}
}
