"""Reads GraphML from standard input and writes what NetworkX makes of it, as JSON."""
import json
import sys

import networkx

graph = networkx.read_graphml(sys.stdin.buffer)
json.dump({
    "nodes": {node: data for node, data in graph.nodes(data=True)},
    "edges": [[source, target, data] for source, target, data in graph.edges(data=True)],
}, sys.stdout)
