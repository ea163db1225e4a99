package codegraph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/codegraph"
	"mneme/knowledge"
)

func TestP7_ImportsBindToFilesThatDeclare(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- go.mod --
module example.com/m
-- main.go --
package main

import (
	"fmt"

	_ "example.com/m/blank"
	. "example.com/m/dot"
	alias "example.com/m/lib"
	"example.com/missing"
)

func main() {
	fmt.Println(alias.One(), Dotted, missing.X)
	var alias struct{ Two int }
	_ = alias.Two
}
-- lib/one.go --
package lib

func One() int { return 1 }
-- lib/two.go --
package lib

func Two() int { return One() }
-- blank/b.go --
package blank
-- dot/d.go --
package dot

const Dotted = 1
`)
	assert.Equal(t, lines(`
		main.go → dot/d.go (module)
		main.go → lib/one.go (module)`), edges(x, knowledge.CodeImportsFile, resolution), "not to every file of the package")
	assert.Equal(t, lines(`
		main.go → example.com/m/blank (module)
		main.go → example.com/m/dot (module)
		main.go → example.com/m/lib (module)`), edges(x, knowledge.CodeImportsPackage, resolution))
	assert.Equal(t, lines(`
		lib/two.go#Two → lib/one.go#One
		main.go#main → lib/one.go#One`), edges(x, knowledge.CodeCalls, nil))
	assert.Contains(t, x.Packages, knowledge.CodePackage{Repository: "repo", Name: "lib", ImportPath: "example.com/m/lib", Path: "lib"})
}

func TestP7_Modules(t *testing.T) {
	t.Parallel()
	use := func(path string) string {
		return "package p\n\nimport \"" + path + "\"\n\nvar _ = lib.One\n"
	}
	const lib = "package lib\n\nvar One = 1\n"
	cases := []struct{ name, archive, want string }{
		{"a nested module is not part of the one around it", `
-- go.mod --
module example.com/m
-- a/a.go --
` + use("example.com/m/nested/lib") + `
-- nested/go.mod --
module example.com/nested
-- nested/lib/l.go --
` + lib, ``},
		{"a local replace", `
-- app/go.mod --
module example.com/app

require example.com/lib v1.0.0

replace example.com/lib v1.0.0 => ../forks/lib
-- app/a.go --
` + use("example.com/lib") + `
-- forks/lib/go.mod --
module example.com/lib
-- forks/lib/l.go --
` + lib, `app/a.go → example.com/lib (replace)`},
		{"go.work", `
-- go.work --
go 1.25

use (
	./app
	./lib
)
-- app/go.mod --
module example.com/app
-- app/a.go --
` + use("example.com/lib") + `
-- lib/go.mod --
module example.com/lib
-- lib/l.go --
` + lib, `app/a.go → example.com/lib (go.work)`},
		{"another module of the repository, which nothing says is the same", `
-- app/go.mod --
module example.com/app

require example.com/lib v1.2.3
-- app/a.go --
` + use("example.com/lib") + `
-- lib/go.mod --
module example.com/lib
-- lib/l.go --
` + lib, `app/a.go → example.com/lib (module of the repository)`},
		{"no module", `
-- a/a.go --
` + use("b/lib") + `
-- b/lib/l.go --
` + lib, ``},
	}
	for _, c := range cases {
		t.Run("P7 "+c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, lines(c.want), edges(index(t, c.archive), knowledge.CodeImportsPackage, resolution))
		})
	}
}

func TestP7_EveryFileWhateverItsBuildTags(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- go.mod --
module example.com/m
-- use/u.go --
package use

import "example.com/m/sys"

func Use() { sys.Open() }
-- sys/open_windows.go --
package sys

func Open() { windows() }

func windows() {}
-- sys/open_linux_arm64.go --
//go:build cgo || special

package sys

func Open() {}
-- sys/open.go --
// A comment.

//go:build linux && amd64

package sys

func Open() {}
-- sys/gen.go --
//go:build ignore

package main

import "example.com/m/use"

func main() { use.Use() }
`)
	assert.Equal(t, "windows", file(t, x, "sys/open_windows.go").BuildTag)
	assert.Equal(t, "linux && arm64 && (cgo || special)", file(t, x, "sys/open_linux_arm64.go").BuildTag)
	assert.Equal(t, "linux && amd64", file(t, x, "sys/open.go").BuildTag)
	assert.Equal(t, "ignore", file(t, x, "sys/gen.go").BuildTag)
	assert.Equal(t, lines(`
		sys/gen.go → use/u.go
		use/u.go → sys/open.go
		use/u.go → sys/open_linux_arm64.go
		use/u.go → sys/open_windows.go`), edges(x, knowledge.CodeImportsFile, nil))
	assert.Equal(t, lines(`
		sys/gen.go#main → use/u.go#Use
		sys/open_windows.go#Open → sys/open_windows.go#windows
		use/u.go#Use → sys/open.go#Open`), edges(x, knowledge.CodeCalls, nil))
}

func TestP7_EmbedsAndImplements(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- go.mod --
module example.com/m
-- api/api.go --
package api

import (
	"context"
	"io"
)

type Store interface {
	Get(ctx context.Context, id string) (Item, error)
	Closer
}

type Closer interface{ Close() error }

type Empty interface{}

type Number interface{ ~int | ~float64 }

type Unknown interface {
	context.Context
	Get(ctx context.Context, id string) (Item, error)
}

type Stream interface {
	io.Reader
	Name() string
}

type Item struct{}
-- impl/impl.go --
package impl

import (
	"context"

	"example.com/m/api"
)

type Base struct{}

func (b *Base) Close() error { return nil }

type Store struct {
	*Base
	api.Item
	name string
}

func (Store) Get(ctx context.Context, id string) (api.Item, error) { return api.Item{}, nil }

type Pointer struct{ Base }

func (p *Pointer) Get(ctx context.Context, id string) (api.Item, error) { return api.Item{}, nil }

type Wrong struct{ Base }

func (Wrong) Get(id string) (api.Item, error) { return api.Item{}, nil }

type File struct{}

func (File) Read(p []byte) (int, error) { return 0, nil }
func (File) Name() string              { return "" }

type Generic[T any] struct{ Base }

func (g *Generic[T]) Get(ctx context.Context, id string) (api.Item, error) { return api.Item{}, nil }
-- other/other.go --
package other

type Unseen interface{ Close() error }
`)
	assert.Equal(t, lines(`
		api/api.go#Store → api/api.go#Closer
		impl/impl.go#Generic → impl/impl.go#Base
		impl/impl.go#Pointer → impl/impl.go#Base
		impl/impl.go#Store → api/api.go#Item
		impl/impl.go#Store → impl/impl.go#Base
		impl/impl.go#Wrong → impl/impl.go#Base`), edges(x, knowledge.CodeEmbeds, nil))
	form := func(e knowledge.CodeEdge) string { return e.Kind }
	assert.Equal(t, lines(`
		impl/impl.go#Base → api/api.go#Closer pointer
		impl/impl.go#File → api/api.go#Stream value
		impl/impl.go#Pointer → api/api.go#Closer pointer
		impl/impl.go#Pointer → api/api.go#Store pointer
		impl/impl.go#Store → api/api.go#Closer value
		impl/impl.go#Store → api/api.go#Store value
		impl/impl.go#Wrong → api/api.go#Closer pointer`), edges(x, knowledge.CodeImplements, form))
}

func TestP7_UsesOfMethodsAndFields(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- go.mod --
module example.com/m
-- a/a.go --
package a

type T struct {
	Field int
	inner struct{ deep string }
}

func (t *T) Method() *T { return t }

type I interface{ Call() }

const C = 1
-- b/b.go --
package b

import "example.com/m/a"

func New() *a.T { return nil }
-- c/c.go --
package c

import "example.com/m/b"

type holder struct{ value int }

func Use() {
	t := b.New().Method()
	t.Field = 1
}
-- c/c_test.go --
package c

import "testing"

func TestUse(t *testing.T) { Use() }
-- c/x_test.go --
package c_test

import "example.com/m/c"

func helper() { c.Use() }
-- d/d.go --
package d

import "example.com/m/a"

var _ a.I = nil

func Over(i a.I) { i.Call() }
`)
	assert.Equal(t, lines(`
		c/c.go#Use → a/a.go#T.Method
		c/c.go#Use → b/b.go#New
		c/c_test.go#TestUse → c/c.go#Use
		c/x_test.go#helper → c/c.go#Use
		d/d.go#Over → a/a.go#I.Call`), edges(x, knowledge.CodeCalls, nil))
	references := edges(x, knowledge.CodeReferences, nil)
	assert.Contains(t, references, "c/c.go#Use → a/a.go#T", "a field is a part of its type")
	assert.Contains(t, references, "d/d.go → a/a.go#I", "outside of any symbol the file mentions it")
	s := symbol(t, x, "a/a.go", "T.Method")
	assert.Equal(t, "func (t *T) Method() *T", s.Signature)
	assert.Equal(t, knowledge.CodeKindMethod, s.Kind)
	assert.Equal(t, knowledge.CodeKindInterface, symbol(t, x, "a/a.go", "I").Kind)
}

func TestP10_GoThatDoesNotTypeCheck(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- go.mod --
module example.com/m
-- a/a.go --
package a

import "example.com/m/b"

type A struct{ b.B }

func Broken() { return undefined.X(b.Make(1, 2, 3)) + 1 }
-- b/b.go --
package b

import "example.com/m/a"

type B struct{ a.A }

func Make() a.A
`)
	assert.Contains(t, edges(x, knowledge.CodeCalls, nil), "a/a.go#Broken → b/b.go#Make")
	assert.Contains(t, edges(x, knowledge.CodeEmbeds, nil), "a/a.go#A → b/b.go#B")
	assert.Len(t, edges(x, knowledge.CodeImportsPackage, nil), 2, "a cycle is no reason to stop")
}

func TestP7_SettingsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	x := index(t, "-- go.mod --\nthis is no module\n-- go.work --\n{\n-- a.go --\npackage a\n\ntype A int\n")
	assert.Equal(t, []codegraph.Problem{
		{Path: "go.mod", Message: "settings that cannot be read"}, {Path: "go.work", Message: "settings that cannot be read"},
	}, x.Report.Problems)
	symbol(t, x, "a.go", "A")
}
