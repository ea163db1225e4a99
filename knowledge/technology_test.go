package knowledge_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

// finds checks texts against the one technology that they must give, or none.
func finds(t *testing.T, technology string, yes, no []string) {
	t.Helper()
	for _, text := range yes {
		assert.Contains(t, knowledge.FindTechnologies(text), technology, "%q", text)
	}
	for _, text := range no {
		assert.NotContains(t, knowledge.FindTechnologies(text), technology, "%q", text)
	}
}

func TestD6_ExactCasing(t *testing.T) {
	t.Parallel()
	for technology, spellings := range map[string][]string{
		"Vue": {"Vue", "Vue.js", "VueJS", "vuejs"}, "Vite": {"Vite"}, "Angular": {"Angular", "AngularJS"}, "Electron": {"Electron", "Electron.js"},
		"Flask": {"Flask"}, "Tailwind": {"Tailwind", "TailwindCSS", "Tailwind CSS"}, "REST": {"REST", "RESTful"},
	} {
		for _, spelling := range spellings {
			finds(t, technology, []string{spelling, "We moved to " + spelling + ".", "(" + spelling + ")", spelling + ", then more", "日本語 " + spelling + " の話"}, nil)
			if lower := strings.ToLower(spelling); !slices.Contains(spellings, lower) {
				finds(t, technology, nil, []string{lower, "the " + lower + " of it"})
			}
			finds(t, technology, nil, []string{strings.ToUpper(spelling[:1]) + strings.ToUpper(spelling[1:]) + "X", "x" + spelling})
		}
	}
}

func TestD7_Ambiguous(t *testing.T) {
	t.Parallel()
	for technology, aliases := range map[string][]string{
		"Go": {"Golang", "golang"}, "Rust": {"rustc", "rustup", "Rust-lang"}, "Express": {"Express.js", "ExpressJS", "expressjs"},
		"React": {"React.js", "ReactJS", "reactjs", "React Native"},
	} {
		for _, alias := range aliases {
			finds(t, technology, []string{alias, "our " + alias + " client"}, []string{strings.ToUpper(alias), "x" + alias})
		}
		finds(t, technology, nil, []string{technology, technology + " away", "They " + strings.ToLower(technology) + " now", "My " + technology + "."})
	}
	assert.Equal(t, []string{"Redis", "Vite", "Go", "React"}, knowledge.FindTechnologies("React Native and golang before Vite, with redis"), "in list order")
}

func TestD8_TokenBoundary(t *testing.T) {
	t.Parallel()
	for _, before := range []string{"a", "Z", "7", "_", ".", "/", "@", "#", "-"} {
		finds(t, "Redis", nil, []string{before + "redis", "x " + before + "Redis y"})
	}
	for _, after := range []string{"a", "9", "_", "/", "@", "-", ".host", ".1"} {
		finds(t, "Redis", nil, []string{"redis" + after, "our Redis" + after + " now"})
	}
	for _, text := range []string{"redis", "redis.", "redis. Then", "redis...", "«redis»", "“redis”", "(redis)", "redis:", "redis,", "redis\n", "é redis", "redisです", "*redis*", "redis=1", "redis;"} {
		finds(t, "Redis", []string{text}, nil)
	}
}

func TestD9_Consequences(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"Docker-based", "docker-compose up", "TypeScript/JavaScript", "my.redis.host", "@redis", "redis-server", "graphql/server", "#python", "node.js/express"} {
		assert.Empty(t, knowledge.FindTechnologies(text), text)
	}
	finds(t, "PostgreSQL", []string{"postgresql://db:5432/x", "postgres: the database"}, nil)
	finds(t, "SQLite", []string{"kept in sqlite."}, nil)
	finds(t, "Kubernetes", []string{"on k8s: fine", "K8S"}, nil)
}

func TestD10_InlineCode(t *testing.T) {
	t.Parallel()
	finds(t, "Go", []string{"`go`", "run `Go` here", "`GO`", "`go@1.22`"}, []string{"`go away`", "`gopher`", "`go", "go`"})
	finds(t, "Express", []string{"`express`", "`Express@4.18.2`"}, []string{"`express yourself`", "`@express`", "`express/lib`"})
	finds(t, "React", []string{"`react`"}, []string{"`react-dom-x`", "`reactive`"})
}

func TestD11_Version(t *testing.T) {
	t.Parallel()
	finds(t, "Go", []string{"Go 1.22", "Go v1", "Go\t1.x", "with Go 1.22.3."}, []string{"Go 22", "go 1.22", "Go x.1", "Go to 1.22", "Go1.22 is"})
	finds(t, "Express", []string{"Express 4.x", "Express v5"}, []string{"Express 24 hours", "express 4.x"})
	finds(t, "Rust", []string{"Rust v1 shipped", "Rust 1.80"}, []string{"Rust 2021 edition", "rust v1"})
}

func TestD12_Adoption(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"using", "uses", "adopt", "adopted", "switched to", "switch to"} {
		finds(t, "Rust", []string{"We are " + verb + " Rust", verb + " Rust.", verb + "  Rust, and more"}, []string{
			verb + " rust", verb + " Rusty", verb + " Rust/C", verb + " Rust-based things", strings.ToUpper(verb) + " Rust", "re" + verb + " Rust",
		})
	}
	finds(t, "Go", nil, []string{"We use Go", "focusing Go", "misuses Go"})
}

func TestD13_WrittenIn(t *testing.T) {
	t.Parallel()
	for _, verb := range strings.Fields("written implemented built coded rewritten ported migrated migrating porting rewrite rewriting programming developed compiled") {
		finds(t, "Go", []string{verb + " in Go", "It was " + verb + " to Go.", strings.ToUpper(verb) + " in Go"}, []string{verb + " in go", verb + " on Go", verb + " in Google", verb + " in Go-land", "x" + verb + " in Go"})
	}
	finds(t, "Go", nil, []string{"I was told in Go", "listed in Go", "moved to Go"})
}

func TestD14_TechnicalNoun(t *testing.T) {
	t.Parallel()
	nouns := strings.Fields("api apis app apps application backend binary binaries client code codebase compiler component components crate crates endpoint endpoints framework frontend function functions " +
		"hook hooks library libraries middleware module modules package packages program programs project projects router route routes runtime sdk server servers service services struct structs toolchain workspace")
	for _, noun := range nouns {
		finds(t, "Express", []string{"an Express " + noun, "Express " + noun + "."}, []string{"an express " + noun, "Express " + strings.ToUpper(noun), "Express " + noun + "x"})
	}
	finds(t, "Express", nil, []string{"an Express train", "American Express card", "Express delivery"})
	finds(t, "React", []string{"a React component"}, []string{"React quickly", "Reacts components"})
}

func TestD15_GoOnly(t *testing.T) {
	t.Parallel()
	finds(t, "Go", []string{
		"main.go", "see cmd/x/main.go", "\"main.go\"", "`main.go`", "(main.go)", "main.go, then", "go.mod", "in go.sum", "go build ./...", "$ go test", "> go vet", "`go run .`", "\tgo fmt",
		"first\ngo get x", "go generate",
	}, []string{
		"main.go.bak", "edit main.go.", "main.gopher", "go.model", "ergo.mod", "Tomorrow I will go test the bike", "let's go run", "go home", "go builder", "they go get it",
	})
	t.Run("D19 a known limit", func(t *testing.T) {
		t.Parallel()
		finds(t, "Go", []string{"go test the bike tomorrow"}, nil)
	})
}

func TestD16_RustOnly(t *testing.T) {
	t.Parallel()
	finds(t, "Rust", []string{"main.rs", "src/lib.rs", "`lib.rs`", "Cargo.toml", "the Cargo.lock", "cargo test is green", "$ cargo clippy", "`cargo add serde`", "> cargo check"},
		[]string{"main.rs.txt", "mars", "cargo.toml", "the cargo test is due", "cargo ship", "cargo builders", "air cargo run"})
}

func TestD17_ExpressAndReactOnly(t *testing.T) {
	t.Parallel()
	for technology, name := range map[string]string{"Express": "express", "React": "react"} {
		finds(t, technology, []string{
			"import x from '" + name + "'", `import {a, b} from "` + name + `"`, `const e = require("` + name + `")`, "require('" + name + "/sub')", `import "` + name + `"`, "import x from '" + name + "/lib/a'",
			"npm install " + name, "npm i --save " + name + " helmet", "pnpm add " + name, "yarn add x " + name, "bun install " + name, "npm i " + name + "@4",
		}, []string{
			"import x from '" + name + "-session'", "require('" + name + "ive')", "npm i " + name + "-session", "yarn remove " + name, "npm run " + name, "from '" + name + "'",
		})
	}
	finds(t, "React", []string{"import x from 'react-dom'", "npm i react-dom", "import {createRoot} from 'react-dom/client'"}, []string{"yarn add react-router", "import x from 'preact'"})
}

func TestD18_ReactMajors(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"15", "16", "17", "18", "19"} {
		finds(t, "React", []string{"React " + n, "upgraded to React " + n + "."}, []string{"react " + n, "React " + n + "0", "React" + n, "Express " + n + " React"})
	}
	finds(t, "React", nil, []string{"React 14", "React 20", "React 2"})
	finds(t, "Go", nil, []string{"Go 18"})
}

func TestD24_EndpointPathsAreTrimmed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"GET /api/users.": "GET /api/users", "see GET /a/b: it": "GET /a/b", "POST /x-": "POST /x", "PUT /x/:id.": "PUT /x/:id", "DELETE /a...": "DELETE /a", "PATCH /a/{id}": "PATCH /a/", "GET /v1.2/x": "GET /v1.2/x",
		"(GET /健康)": "", "GET /a?b=1.": "GET /a",
	} {
		got := ""
		for _, e := range knowledge.FindEndpoints(text) {
			got += e.Name()
		}
		assert.Equal(t, want, got, text)
	}
}

func TestE6_PersonalProviders(t *testing.T) {
	t.Parallel()
	for _, label := range strings.Fields("aol fastmail gmail gmx googlemail hotmail icloud live mail msn outlook proton protonmail rocketmail tutanota tuta yahoo yandex ymail zoho zohomail") {
		for _, domain := range []string{label + ".com", label + ".co.uk", label + ".de", "mx." + label + ".com.tr", strings.ToUpper(label) + ".COM"} {
			assert.True(t, knowledge.PersonalDomain(domain), domain)
			assert.Empty(t, knowledge.DomainOrganization(domain), domain)
		}
		for _, domain := range []string{label + "x.com", "x" + label + ".com", label + "-tools.io"} {
			assert.NotEmpty(t, knowledge.DomainOrganization(domain), domain)
		}
		assert.Equal(t, "Acme", knowledge.DomainOrganization(label+".acme.org"), "the label is the registrable domain's")
	}
}
