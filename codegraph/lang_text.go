package codegraph

import "strings"

// textLanguage holds documents and settings: nodes that code and people refer to, with nothing inside.
func textLanguage() Language {
	byName := map[string]string{
		"markdown": ".md .mdx .markdown", "text": ".txt", "rst": ".rst", "asciidoc": ".adoc",
		"json": ".json .jsonc .json5", "yaml": ".yaml .yml", "toml": ".toml", "ini": ".ini .cfg .conf .properties",
		"xml": ".xml", "html": ".html .htm", "css": ".css", "scss": ".scss .sass", "less": ".less",
		"shell": ".sh .bash .zsh", "graphql": ".graphql .graphqls .gql", "protobuf": ".proto", "sql": ".sql", "cypher": ".cypher",
		"terraform": ".tf", "hcl": ".hcl",
	}
	extensions := map[string]string{}
	for name, list := range byName {
		for _, extension := range strings.Fields(list) {
			extensions[extension] = name
		}
	}
	return Language{
		Name: "text", Version: "1", Extensions: extensions,
		Names: map[string]string{
			"dockerfile": "dockerfile", "makefile": "makefile", "go.mod": "go.mod", "go.work": "go.work",
		},
	}
}
