"""Serves a small real language model on a free port of this machine, as an OpenAI-compatible server.

Its address is written to the file that is named on the command line.
"""
import pathlib
import sys
import time

import xllamacpp

address = pathlib.Path(sys.argv[1])
address.unlink(missing_ok=True)
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(sys.prefix).rglob("SmolLM2-135M*.gguf")))
params.n_ctx = 8192
params.n_parallel = 1
params.hostnames = ["127.0.0.1"]
params.port = 0
server = xllamacpp.Server(params)
address.write_text(server.listening_address)
while True:
    time.sleep(60)
