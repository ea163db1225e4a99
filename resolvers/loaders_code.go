package resolvers

import (
	"context"
	"time"

	"github.com/vikstrous/dataloadgen"

	"mneme/knowledge"
	"mneme/service"
)

// codeLoaders gather what the fields of the code graph need.
type codeLoaders struct {
	files          *dataloadgen.Loader[itemKey, *knowledge.CodeFile]
	symbols        *dataloadgen.Loader[itemKey, []*knowledge.CodeSymbol]
	imports        *dataloadgen.Loader[itemKey, []*knowledge.CodeImport]
	importedBy     *dataloadgen.Loader[itemKey, []*knowledge.CodeFile]
	packages       *dataloadgen.Loader[itemKey, []*knowledge.CodePackage]
	packageFiles   *dataloadgen.Loader[itemKey, []*knowledge.CodeFile]
	packageImports *dataloadgen.Loader[itemKey, []*knowledge.CodeFile]
	bridges        *dataloadgen.Loader[itemKey, []*knowledge.Bridge]
	linked         map[knowledge.CodeLink]*dataloadgen.Loader[itemKey, []*knowledge.CodeSymbol]
}

func newCodeLoaders(code *service.Code, wait time.Duration) codeLoaders {
	l := codeLoaders{
		files:          byItem(code.FilesByID, wait),
		symbols:        byItem(code.Symbols, wait),
		imports:        byItem(code.Imports, wait),
		importedBy:     byItem(code.ImportedBy(knowledge.CodeImportsFile), wait),
		packages:       byItem(code.PackagesOf, wait),
		packageFiles:   byItem(code.FilesOf, wait),
		packageImports: byItem(code.ImportedBy(knowledge.CodeImportsPackage), wait),
		bridges:        byItem(code.BridgedTo, wait),
		linked:         map[knowledge.CodeLink]*dataloadgen.Loader[itemKey, []*knowledge.CodeSymbol]{},
	}
	for _, kind := range []knowledge.CodeEdgeType{
		knowledge.CodeCalls, knowledge.CodeReferences, knowledge.CodeExtends, knowledge.CodeImplements, knowledge.CodeEmbeds,
	} {
		for _, link := range []knowledge.CodeLink{{Type: kind}, {Type: kind, Incoming: true}} {
			l.linked[link] = byItem(code.Linked(link), wait)
		}
	}
	return l
}

// listOf loads a list that belongs to a node; an empty one where there is nothing.
func listOf[T any](ctx context.Context, loader *dataloadgen.Loader[itemKey, []T], workspaceID, id string) ([]T, error) {
	list, err := loader.Load(ctx, itemKey{workspaceID, id})
	if list == nil {
		list = []T{}
	}
	return list, err
}

// linked are the symbols at the other end of a symbol's edges of one kind.
func linked(ctx context.Context, s *knowledge.CodeSymbol, link knowledge.CodeLink) ([]*knowledge.CodeSymbol, error) {
	return listOf(ctx, loadersOf(ctx).code.linked[link], s.WorkspaceID, s.ID())
}

// orNull is null for an empty text.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
