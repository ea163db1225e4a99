// Reads DOT from standard input and writes what Graphviz makes of it, as its JSON.
// node graphviz.mjs FOLDER-OF-NODE_MODULES
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const module = `${process.argv[2]}/node_modules/@hpcc-js/wasm-graphviz/dist/index.js`;
const { Graphviz } = await import(pathToFileURL(module));
const graphviz = await Graphviz.load();
process.stdout.write(graphviz.layout(readFileSync(0, "utf8"), "json", "dot"));
