// Package web holds what a browser gets from the server: pages built ahead of time, embedded in the
// binary and served without one reference to another host.
//
// The sources of the GraphQL playground are in graphiql/, what its build makes of them is in
// dist/playground and committed, so that nobody needs Node to run the server. Large text files are
// there in their gzip form alone: they are sent as they are to clients that accept gzip and unpacked
// for the others.
package web

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

const playgroundRoot = "/playground"

// playgroundPolicy allows the page its own scripts, workers and connections and nothing else. The
// editor sets style attributes and carries some of its icons as data: URLs, hence the two exceptions.
const playgroundPolicy = "default-src 'none'; script-src 'self'; worker-src 'self'; " +
	"style-src 'self' 'unsafe-inline'; font-src 'self' data:; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

//go:embed dist/playground
var playgroundFiles embed.FS

// Playground serves GraphiQL with example operations. It is mounted at both /playground and
// /playground/ with the path unchanged: either answers with the page, what lies below with its assets,
// anything unknown with 404 and any method but GET and HEAD with 405. The page sends its operations to
// /graphql of the same host, subscriptions over a WebSocket.
func Playground() http.Handler {
	return pages{root: playgroundRoot, dir: "dist/playground", files: playgroundFiles, policy: playgroundPolicy}
}

// pages serves one built page and its assets from a file system.
type pages struct {
	root   string // the URL path of the page, without a final slash
	dir    string // the folder of its files
	files  fs.FS
	policy string
}

func (p pages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	rest, below := strings.CutPrefix(r.URL.Path, p.root)
	if !below || rest != "" && rest[0] != '/' {
		http.NotFound(w, r)
		return
	}
	name := strings.TrimPrefix(rest, "/")
	if name == "" {
		name = "index.html"
	}
	if !fs.ValidPath(name) {
		http.NotFound(w, r)
		return
	}
	found, err := openAsset(p.files, path.Join(p.dir, name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Security-Policy", p.policy)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.Header().Set("Cache-Control", cacheControl(name))
	found.serve(w, r)
}

// cacheControl lets browsers keep for a year what has its content's hash in its name, and makes them
// ask again for the page, which names those files.
func cacheControl(name string) string {
	if strings.HasPrefix(name, "assets/") {
		return "public, max-age=31536000, immutable"
	}
	return "no-cache"
}
