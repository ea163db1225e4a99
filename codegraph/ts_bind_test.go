package codegraph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

func TestP6_NamesAreFollowedToTheirDefiner(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.ts --
import { Renamed, Chosen, Both, fromDefault, Cycle } from "./barrel";
import whole from "./barrel";
export class A extends Renamed {}
export class B extends Chosen {}
export class C extends Both {}
export class D extends fromDefault {}
export class E extends Cycle {}
export class F extends whole {}
-- barrel.ts --
export { Original as Renamed, default as fromDefault } from "./one";
export * from "./one";
export * from "./two";
export { Chosen } from "./two";
export * from "./cycle";
-- cycle.ts --
export * from "./barrel";
export class Cycle {}
-- one.ts --
export class Original {}
export class Chosen {}
export class Both {}
export default class Main {}
-- two.ts --
export class Chosen {}
class Own {}
export { Own as Both };
`)
	assert.Equal(t, lines(`
		m.ts#A → one.ts#Original
		m.ts#B → two.ts#Chosen
		m.ts#D → one.ts#Main
		m.ts#E → cycle.ts#Cycle`), edges(x, knowledge.CodeExtends, nil), "Both is ambiguous, and a star carries no default")
	assert.Contains(t, edges(x, knowledge.CodeImportsFile, nil), "m.ts → barrel.ts", "the import stays on the barrel")
	assert.NotContains(t, edges(x, knowledge.CodeImportsFile, nil), "m.ts → one.ts")
	exports := edges(x, knowledge.CodeExportsSymbol, name)
	for _, want := range lines(`
		barrel.ts → one.ts#Original as Renamed
		barrel.ts → one.ts#Original as Original
		barrel.ts → one.ts#Main as fromDefault
		barrel.ts → two.ts#Chosen as Chosen
		cycle.ts → two.ts#Chosen as Chosen
		barrel.ts → cycle.ts#Cycle as Cycle
		two.ts → two.ts#Own as Both
		one.ts → one.ts#Main as default`) {
		assert.Contains(t, exports, want)
	}
	assert.NotContains(t, exports, "barrel.ts → one.ts#Main as default")
}

func TestP6_WhatIsExported(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.ts --
export const { a, b: [c], ...rest } = make(), d = () => 1;
export function over(x: string): void;
export function over(x: number): void;
export enum Level { Low }
export namespace Space.Deep { export class Inside {} }
export * as ns from "./n";
export { useState } from "react";
export default { a };
interface Twice { one: string }
interface Twice { two: string }
const Twice = 1;
export { Twice, Twice as "with space" };
-- n.ts --
export const n = 1;
-- types.d.ts --
import "./n";
declare class Implicit {}
interface Silent {}
-- typed.js --
/** @typedef {{ a: import("./n").N }} Options */
/**
 * @callback Done
 * @param {Options} options
 */
export const typed = 1;
-- legacy.cjs --
/** @typedef {string} Hidden */
function f() {}
module.exports = { f, g() {}, h: 1 };
module.exports.i = class I {};
exports.j = f;
`)
	assert.Equal(t, lines(`
		legacy.cjs → legacy.cjs#f as f
		legacy.cjs → legacy.cjs#f as j
		legacy.cjs → legacy.cjs#g as g
		legacy.cjs → legacy.cjs#h as h
		legacy.cjs → legacy.cjs#i as i
		m.ts → m.ts#Level as Level
		m.ts → m.ts#Space.Deep as Space.Deep
		m.ts → m.ts#Twice as Twice
		m.ts → m.ts#Twice as with space
		m.ts → m.ts#Twice as Twice
		m.ts → m.ts#Twice as with space
		m.ts → m.ts#a as a
		m.ts → m.ts#c as c
		m.ts → m.ts#d as d
		m.ts → m.ts#default as default
		m.ts → m.ts#ns as ns
		m.ts → m.ts#over as over
		m.ts → m.ts#rest as rest
		n.ts → n.ts#n as n
		typed.js → typed.js#Done as Done
		typed.js → typed.js#Options as Options
		typed.js → typed.js#typed as typed
		types.d.ts → types.d.ts#Implicit as Implicit
		types.d.ts → types.d.ts#Silent as Silent`), edges(x, knowledge.CodeExportsSymbol, name))
	assert.Equal(t, []string{"useState"}, file(t, x, "m.ts").ExternalExports, "what is declared outside is a property")
	assert.Equal(t, knowledge.CodeKindClass, symbol(t, x, "m.ts", "Space.Deep.Inside").Kind)
	assert.Equal(t, knowledge.CodeKindEnum, symbol(t, x, "m.ts", "Level").Kind)
}

func TestP8_FormsOfExtends(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.ts --
import * as ns from "./base";
import { z } from "./reexport";
import { Base, type Shape } from "./base";
import { EventEmitter } from "node:events";
class Generic extends Base<string> implements Shape, ns.Other<number> {}
class Member extends ns.Base {}
class Through extends z.Base {}
interface Many extends Shape, ns.Other {}
class Mixed extends mixin(Base, Member) {}
class Outside extends EventEmitter {}
class Global extends Error implements Iterable<string> {}
namespace Local { export class Inner {} }
class FromLocal extends Local.Inner {}
const Expression = class extends Base {};
function scope(Base: any) {
  class Shadow extends Base {}
  class Nested extends Member {}
  return [Shadow, Nested];
}
export class Both extends Merged {}
interface Merged {}
class Merged {}
-- base.ts --
export class Base<T = unknown> {}
export interface Shape {}
export interface Other<T = unknown> {}
-- reexport.ts --
export * as z from "./base";
-- comp.jsx --
import { Base } from "./base";
export class Component extends Base {}
`)
	assert.Equal(t, lines(`
		comp.jsx#Component → base.ts#Base
		m.ts#Both → m.ts#Merged
		m.ts#Expression → base.ts#Base
		m.ts#FromLocal → m.ts#Local.Inner
		m.ts#Generic → base.ts#Base
		m.ts#Many → base.ts#Other
		m.ts#Many → base.ts#Shape
		m.ts#Member → base.ts#Base
		m.ts#Through → base.ts#Base
		m.ts#scope.Nested → m.ts#Member`), edges(x, knowledge.CodeExtends, nil))
	assert.Equal(t, lines(`
		m.ts#Generic → base.ts#Other
		m.ts#Generic → base.ts#Shape`), edges(x, knowledge.CodeImplements, nil))
	assert.Equal(t, []string{"EventEmitter"}, symbol(t, x, "m.ts", "Outside").ExternalParents)
	assert.Equal(t, []string{"Error", "Iterable"}, symbol(t, x, "m.ts", "Global").ExternalParents)
	require.Empty(t, symbol(t, x, "m.ts", "Mixed").ExternalParents)
}

func TestP2_UsesFollowMembers(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.tsx --
import * as ns from "./lib";
import { Tool, Panel } from "./lib";
import lib = require("./lib");
export class App {
  start() { this.stop(); ns.run(); Tool.make(); return <Panel><div/></Panel>; }
  stop() { lib.run(); }
}
export async function lazy() { const { run } = await import("./lib"); run(); }
-- lib.tsx --
export function run() {}
export class Tool { static make() {} }
export const Panel = () => null;
`)
	assert.Equal(t, lines(`
		m.tsx#App.start → lib.tsx#run
		m.tsx#App.start → lib.tsx#Tool.make
		m.tsx#App.start → m.tsx#App.stop
		m.tsx#App.stop → lib.tsx#run
		m.tsx#lazy → lib.tsx#run`), sortLike(edges(x, knowledge.CodeCalls, nil)))
	assert.Contains(t, edges(x, knowledge.CodeReferences, nil), "m.tsx#App.start → lib.tsx#Panel")
}

func TestP10_RightSourceThatTheGrammarMisreads(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.ts --
export interface Signatures {
  <A extends string>(a: A): Array<A>

  // the second
  <B>(b: B): Promise<B>
  <
    C,
  >(c: C): C[]
}
export interface Variance<in out T, out U = T, in V extends string = string> { t: T }
export class After {}
-- n.ts --
export type * from "./m";
`)
	assert.False(t, file(t, x, "m.ts").ParseErrors)
	assert.False(t, file(t, x, "n.ts").ParseErrors)
	assert.Equal(t, []string{"m.ts → m.ts#After", "m.ts → m.ts#Signatures", "m.ts → m.ts#Variance", "n.ts → m.ts#After", "n.ts → m.ts#Signatures", "n.ts → m.ts#Variance"}, edges(x, knowledge.CodeExportsSymbol, nil))
}

func TestP10_BrokenSourceKeepsWhatParses(t *testing.T) {
	t.Parallel()
	x := index(t, `
-- m.ts --
import { a } from "./a";
export class Before {}
export function broken( { return a(;
-- a.ts --
export const a = 1;
-- b.go --
package b

func Whole() {}

func broken( {
-- c.py --
class Whole:
    pass

def broken(:
`)
	assert.Equal(t, 3, x.Report.ParseErrors)
	assert.True(t, file(t, x, "m.ts").ParseErrors)
	assert.Equal(t, []string{"m.ts → a.ts"}, edges(x, knowledge.CodeImportsFile, nil))
	symbol(t, x, "m.ts", "Before")
	symbol(t, x, "b.go", "Whole")
	symbol(t, x, "c.py", "Whole")
}

// TestP6_BarrelsOfBarrels proves that the work does not grow with the number of ways to a name.
func TestP6_BarrelsOfBarrels(t *testing.T) {
	t.Parallel()
	const deep = 60
	archive := "-- m.ts --\nimport { Found } from './a0'; export class M extends Found {}\n"
	for i := range deep {
		stars := fmt.Sprintf("export * from './a%d'; export * from './b%d'; export * from './m';\n", i+1, i+1)
		archive += fmt.Sprintf("-- a%d.ts --\n%s-- b%d.ts --\n%s", i, stars, i, stars)
	}
	archive += fmt.Sprintf("-- a%d.ts --\nexport class Found {}\n-- b%d.ts --\nexport * from './a%d';\n", deep, deep, deep)
	assert.Equal(t, []string{fmt.Sprintf("m.ts#M → a%d.ts#Found", deep)}, edges(index(t, archive), knowledge.CodeExtends, nil))
}

func TestP10_DeeplyNestedSourceIsCut(t *testing.T) {
	t.Parallel()
	x := index(t, "-- a.ts --\nexport class Before {}\nconst deep = "+strings.Repeat("[", 200_000)+";\n-- b.py --\nx = "+strings.Repeat("(", 200_000)+"\n-- c.go --\npackage c\n\nvar x = "+strings.Repeat("(", 200_000)+"\n")
	assert.Equal(t, 3, x.Report.ParseErrors)
}
