// Reads a Mermaid diagram from standard input and writes what Mermaid's own parser makes
// of it: {"nodes": {id: text}, "edges": [[from, text, to]]}, character codes as Mermaid keeps them.
// node mermaid.mjs FOLDER-OF-TOOLS
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { runInThisContext } from "node:vm";

const folder = process.argv[2];
const { JSDOM } = createRequire(`${folder}/`)("jsdom");
const { window } = new JSDOM("<!doctype html><body></body>");
Object.assign(globalThis, { window, document: window.document, Element: window.Element });
runInThisContext(readFileSync(`${folder}/package/dist/mermaid.min.js`, "utf8"));
const mermaid = globalThis.mermaid ?? window.mermaid;
mermaid.initialize({ startOnLoad: false, maxTextSize: 1e9, maxEdges: 1e6 });
const text = readFileSync(0, "utf8");
await mermaid.parse(text);
const { db } = await mermaid.mermaidAPI.getDiagramFromText(text);
const nodes = Object.fromEntries([...db.getVertices().values()].map((v) => [v.id, v.text]));
const edges = db.getEdges().map((e) => [e.start, e.text, e.end]);
process.stdout.write(JSON.stringify({ nodes, edges }));
