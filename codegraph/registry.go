package codegraph

import (
	"context"
	"path"
	"strings"
)

// Language is one entry of the registry: which files are of a language, what is read from one of
// them, and how the facts of all of them connect.
type Language struct {
	// Name is the language's, or the family's.
	Name string
	// Version is that of Extract and Resolve: facts of another version are not used.
	Version string
	// Extensions are the extensions of its files, with the dot and in lower case, each with the
	// name that a file's language is given.
	Extensions map[string]string
	// Names are whole file names, in lower case, each with the name of the language.
	Names map[string]string
	// Settings are names of files that Resolve reads. A .gitignore does not hide them: compilers read
	// them all the same.
	Settings []string
	// Extract reads one file. It must depend on nothing but its argument, panic on nothing, and set
	// ParseErrors where it understood only a part. Nil: the files are nodes without contents.
	Extract func(Source) Facts
	// NotParsed is the reason that files are given where Extract is nil although the language has
	// contents to extract.
	NotParsed string
	// Resolve adds the edges between its files. Nil: there are none but DEFINES.
	Resolve func(context.Context, *Project) error
}

// Source is one file for an extractor: its language and its text in UTF-8. It has no path, because
// facts are shared by all files of the same bytes and language.
type Source struct {
	Language string
	Text     []byte
}

// Languages is the registry of the product, a new one with each call.
func Languages() []Language {
	return []Language{goLanguage(), typescriptLanguage(), pythonLanguage(), textLanguage()}
}

// registry finds the language of a path.
type registry struct {
	languages  []Language
	extensions map[string]registryEntry
	names      map[string]registryEntry
	settings   map[string]bool
}

type registryEntry struct {
	language *Language
	name     string
}

func newRegistry(languages []Language) *registry {
	r := &registry{languages: languages, extensions: map[string]registryEntry{}, names: map[string]registryEntry{}, settings: map[string]bool{}}
	for i := range languages {
		l := &languages[i]
		for extension, name := range l.Extensions {
			r.extensions[extension] = registryEntry{l, name}
		}
		for file, name := range l.Names {
			r.names[file] = registryEntry{l, name}
		}
		for _, name := range l.Settings {
			r.settings[name] = true
		}
	}
	return r
}

// find is the entry of a file, false for what is no source.
func (r *registry) find(file string) (registryEntry, bool) {
	base := strings.ToLower(path.Base(file))
	if e, ok := r.names[base]; ok {
		return e, true
	}
	e, ok := r.extensions[path.Ext(base)]
	return e, ok
}
