package codegraph_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"mneme/knowledge"
)

func TestP5_ModulesAreFoundAsCompilersFindThem(t *testing.T) {
	t.Parallel()
	cases := []struct{ name, archive, want string }{
		{"the order of extensions", `
-- m.ts --
import "./a"; import "./b"; import "./c"; import "./d";
-- a.ts --
-- a.tsx --
-- a.js --
-- b.tsx --
-- b.d.ts --
-- c.d.ts --
-- c.js --
-- d.js --
-- d.jsx --
`, `m.ts → a.ts (relative)
			m.ts → b.tsx (relative)
			m.ts → c.d.ts (relative)
			m.ts → d.js (relative)`},
		{"a file beats a folder, a folder has a package.json or an index", `
-- m.ts --
import "./a"; import "./b"; import "./c"; import "."; import "./a/";
-- a.ts --
-- a/index.ts --
-- b/index.ts --
-- c/package.json --
{"types": "./main.d.ts", "main": "./x.js"}
-- c/main.d.ts --
-- c/index.ts --
-- index.ts --
`, `m.ts → a.ts (relative)
			m.ts → a/index.ts (relative)
			m.ts → b/index.ts (relative)
			m.ts → c/main.d.ts (relative)
			m.ts → index.ts (relative)`},
		{"an extension stands for that of the source", `
-- m.ts --
import "./a.js"; import "./b.mjs"; import "./c.cjs"; import "./d.jsx"; import "./e.js";
-- a.ts --
-- b.mts --
-- c.cts --
-- d.tsx --
-- e.js --
`, `m.ts → a.ts (relative)
			m.ts → b.mts (relative)
			m.ts → c.cts (relative)
			m.ts → d.tsx (relative)
			m.ts → e.js (relative)`},
		{"paths: exact key, then the longest prefix, below baseUrl", `
-- tsconfig.json --
{ // with comments
  "compilerOptions": {
    "module": "esnext", "moduleResolution": "bundler", "baseUrl": "./src",
    "paths": { "@/*": ["./*"], "@/lib/*": ["missing/*", "library/*"], "exact": ["./one.ts"], },
  },
}
-- m.ts --
import "@/a"; import "@/lib/b"; import "exact"; import "deep/c"; import "react";
-- src/a.ts --
-- src/library/b.ts --
-- src/lib/b.ts --
-- src/one.ts --
-- src/deep/c.ts --
`, `m.ts → src/a.ts (paths)
			m.ts → src/deep/c.ts (baseUrl)
			m.ts → src/library/b.ts (paths)
			m.ts → src/one.ts (paths)`},
		{"paths belong to the config that declares them; extends is a string, a list or a package", `
-- config/base.json --
{"compilerOptions": {"moduleResolution": "bundler", "paths": {"base/*": ["../shared/*"]}}}
-- config/other.json --
{"compilerOptions": {"jsx": "react"}}
-- packages/settings/package.json --
{"name": "@x/settings"}
-- packages/settings/strict.json --
{"compilerOptions": {"paths": {"strict/*": ["../../shared/*"]}}}
-- a/tsconfig.json --
{"extends": ["../config/base", "../config/other.json"]}
-- a/m.ts --
import "base/s";
-- b/tsconfig.json --
{"extends": "@x/settings/strict.json"}
-- b/m.ts --
import "strict/s"; import "base/s";
-- shared/s.ts --
`, `a/m.ts → shared/s.ts (paths)
			b/m.ts → shared/s.ts (paths)`},
		{"the nearest config that includes the file, references followed", `
-- tsconfig.json --
{"compilerOptions": {"paths": {"x": ["./root.ts"]}}}
-- a/tsconfig.json --
{"files": [], "references": [{"path": "./tsconfig.app.json"}, {"path": "./tsconfig.test.json"}]}
-- a/tsconfig.app.json --
{"include": ["src"], "exclude": ["src/**/*.test.ts"], "compilerOptions": {"paths": {"x": ["./app.ts"]}}}
-- a/tsconfig.test.json --
{"include": ["src/**/*.test.ts"], "compilerOptions": {"paths": {"x": ["./test.ts"]}}}
-- a/src/m.ts --
import "x";
-- a/src/m.test.ts --
import "x";
-- b/tsconfig.json --
{"include": ["only"], "compilerOptions": {"paths": {"x": ["./b.ts"]}}}
-- b/m.ts --
import "x";
-- root.ts --
-- a/app.ts --
-- a/test.ts --
-- b/b.ts --
`, `a/src/m.test.ts → a/test.ts (paths)
			a/src/m.ts → a/app.ts (paths)
			b/m.ts → root.ts (paths)`},
		{"a jsconfig is the settings of JavaScript", `
-- jsconfig.json --
{"compilerOptions": {"baseUrl": ".", "paths": {"~/*": ["lib/*"]}}}
-- m.js --
import "~/a"; import b from "lib/b";
-- lib/a.js --
-- lib/b.jsx --
`, `m.js → lib/a.js (paths)
			m.js → lib/b.jsx (baseUrl)`},
		{"a config that extends itself", `
-- tsconfig.json --
{"extends": "./other.json", "compilerOptions": {"baseUrl": "src"}}
-- other.json --
{"extends": "./tsconfig.json"}
-- m.ts --
import "a";
-- src/a.ts --
`, `m.ts → src/a.ts (baseUrl)`},
		{"workspace packages by exports and conditions", `
-- package.json --
{"workspaces": ["packages/*"]}
-- tsconfig.json --
{"compilerOptions": {"module": "esnext", "moduleResolution": "bundler", "customConditions": ["@x/source"]}}
-- packages/lib/package.json --
{"name": "@x/lib", "exports": {
  ".": {"@x/source": "./src/index.ts", "types": "./index.d.ts"},
  "./features/*": {"import": "./src/features/*.js", "require": "./src/features/*.cjs"},
  "./features/hidden": null,
  "./package.json": "./package.json"}, "imports": {"#inner": "./src/inner.ts"}}
-- packages/lib/index.d.ts --
-- packages/lib/src/index.ts --
import "#inner"; import "@x/lib/features/a";
-- packages/lib/src/inner.ts --
-- packages/lib/src/features/a.ts --
-- packages/lib/src/features/a.cts --
-- packages/lib/src/features/hidden.ts --
-- packages/app/package.json --
{"name": "app", "dependencies": {"@x/lib": "workspace:*"}}
-- packages/app/m.ts --
import "@x/lib"; import "@x/lib/features/a"; import "@x/lib/features/hidden"; import "@x/lib/src/inner";
-- packages/app/n.cts --
const a = require("@x/lib/features/a");
`, `packages/app/m.ts → packages/lib/src/features/a.ts (workspace)
			packages/app/m.ts → packages/lib/src/index.ts (workspace)
			packages/app/n.cts → packages/lib/src/features/a.cts (workspace)
			packages/lib/src/index.ts → packages/lib/src/features/a.ts (own package)
			packages/lib/src/index.ts → packages/lib/src/inner.ts (package imports)`},
		{"a target that is not built falls back to its source; pnpm and yarn", `
-- pnpm-workspace.yaml --
packages:
  - "libs/*"
-- libs/one/package.json --
{"name": "one", "exports": {".": {"types": "./dist/index.d.ts", "import": "./dist/index.mjs"}, "./sub": "./dist/sub/x.js"}}
-- libs/one/src/index.ts --
-- libs/one/src/sub/x.tsx --
-- libs/two/package.json --
{"name": "two", "main": "lib/main.js", "dependencies": {"one": "workspace:^"}}
-- libs/two/main.ts --
import "one"; import "one/sub"; import "three";
-- libs/three/package.json --
{"name": "three", "main": "dist/index.js"}
-- libs/three/src/index.ts --
import "two";
`, `libs/two/main.ts → libs/one/src/index.ts (workspace source)
			libs/two/main.ts → libs/one/src/sub/x.tsx (workspace source)`},
		{"a version of the registry is not the workspace's package", `
-- package.json --
{"workspaces": {"packages": ["packages/*"]}}
-- packages/lib/package.json --
{"name": "lib", "version": "4.1.0", "main": "index.js"}
-- packages/lib/index.ts --
-- packages/new/package.json --
{"name": "new", "dependencies": {"lib": "^4.0.0"}}
-- packages/new/m.ts --
import "lib";
-- packages/old/package.json --
{"name": "old", "dependencies": {"lib": "^3.0.0"}}
-- packages/old/m.ts --
import "lib";
`, `packages/new/m.ts → packages/lib/index.ts (workspace)`},
		{"settings are read where a .gitignore hides them", `
-- packages/lib/.gitignore --
**/package.json
*.js
-- packages/lib/package.json --
{"name": "lib", "exports": "./src/index.ts"}
-- packages/lib/src/index.ts --
-- packages/lib/built.js --
-- app/package.json --
{"dependencies": {"lib": "workspace:*"}}
-- app/m.ts --
import "lib";
`, `app/m.ts → packages/lib/src/index.ts (workspace)`},
		{"assets and what is outside are no edges; rootDirs", `
-- tsconfig.json --
{"compilerOptions": {"moduleResolution": "bundler", "rootDirs": ["src", "generated"]}}
-- src/m.ts --
import "./style.css"; import "./logo.png"; import "../../outside"; import "/etc/passwd"; import "node:fs"; import "./made"; import "./data.json"; import "./typed.css";
-- src/style.css --
-- src/logo.png --
-- src/data.json --
{}
-- src/typed.css --
-- src/typed.d.css.ts --
-- generated/made.ts --
`, `src/m.ts → generated/made.ts (rootDirs)
			src/m.ts → src/data.json (relative)
			src/m.ts → src/typed.d.css.ts (relative)`},
	}
	for _, c := range cases {
		t.Run("P5 "+c.name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, lines(c.want), edges(index(t, c.archive), knowledge.CodeImportsFile, resolution))
		})
	}
}

func TestP5_FormsOfImport(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.ts --
import def, { a } from "./v1";
import type { B } from "./t1";
import { type C, type D } from "./t2";
import { type E, f } from "./v2";
import "./v3";
import eq = require("./v4");
export { g } from "./v5";
export type { H } from "./t3";
export type * from "./t4";
export * from "./v6";
export * as ns from "./v7";
let i: import("./t5").I;
type J = typeof import("./t6");
const k = await import("./v8");
const l = await import(`+"`./v9`"+`);
const no = await import(`+"`./${name}`"+`);
function later() { return require("./v10"); }
-- v1.ts --
-- v2.ts --
-- v3.ts --
-- v4.ts --
-- v5.ts --
-- v6.ts --
-- v7.ts --
-- v8.ts --
-- v9.ts --
-- v10.ts --
-- t1.ts --
-- t2.ts --
-- t3.ts --
-- t4.ts --
-- t5.ts --
-- t6.ts --
`)
	kinds := func(e knowledge.CodeEdge) string {
		if e.TypeOnly {
			return e.Kind + " typeOnly"
		}
		return e.Kind
	}
	assert.Equal(t, lines(`
		m.ts → t1.ts import-type typeOnly
		m.ts → t2.ts import typeOnly
		m.ts → t3.ts export-type typeOnly
		m.ts → t4.ts export-type typeOnly
		m.ts → t5.ts import()-type typeOnly
		m.ts → t6.ts import()-type typeOnly
		m.ts → v1.ts import
		m.ts → v10.ts require
		m.ts → v2.ts import
		m.ts → v3.ts side-effect
		m.ts → v4.ts import-equals
		m.ts → v5.ts export-from
		m.ts → v6.ts export-star
		m.ts → v7.ts export-star-as
		m.ts → v8.ts dynamic-import
		m.ts → v9.ts dynamic-import`), edges(x, knowledge.CodeImportsFile, kinds))
	assert.False(t, file(t, x, "m.ts").ParseErrors)
}

func TestP5_GuessesAreLessSure(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- lib/package.json --
{"name": "lib", "main": "dist/index.js"}
-- lib/src/index.ts --
export class Base {}
-- app/package.json --
{"dependencies": {"lib": "workspace:*"}}
-- app/m.ts --
import { Base } from "lib";
export class Child extends Base {}
`)
	for _, e := range x.Edges {
		if e.From.Path == "app/m.ts" && e.To.Path == "lib/src/index.ts" || e.Type == knowledge.CodeExtends {
			assert.InDelta(t, 0.9, e.Confidence, 1e-9, e)
		}
	}
	assert.Equal(t, []string{"app/m.ts → lib (workspace)"}, edges(x, knowledge.CodeImportsPackage, resolution))
	assert.Equal(t, []knowledge.CodePackage{{Repository: "repo", Name: "lib", ImportPath: "lib", Path: "lib", Nested: true}}, x.Packages)
}
