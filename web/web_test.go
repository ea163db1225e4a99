package web

import (
	"compress/gzip"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// elsewhere finds what would make a browser load something from another host.
var elsewhere = regexp.MustCompile(`(?i)(src|href)\s*=\s*["']?(https?:)?//|unpkg|jsdelivr|@import\s+(url\()?["']?(https?:)?//|url\(["']?(https?:)?//`)

func get(t *testing.T, target string, header http.Header) *http.Response {
	t.Helper()
	request := httptest.NewRequest(http.MethodGet, target, nil)
	for name, values := range header {
		request.Header[name] = values
	}
	recorder := httptest.NewRecorder()
	Playground().ServeHTTP(recorder, request)
	return recorder.Result()
}

func text(t *testing.T, reader io.Reader) string {
	t.Helper()
	body, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(body)
}

// names are the URL paths of everything that is embedded, without the suffix of its stored form.
func names(t *testing.T) []string {
	t.Helper()
	var found []string
	err := fs.WalkDir(playgroundFiles, "dist/playground", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name = strings.TrimSuffix(strings.TrimPrefix(name, "dist/playground"), ".gz")
		found = append(found, playgroundRoot+name)
		return nil
	})
	require.NoError(t, err)
	return found
}

func TestPlaygroundPage(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"/playground", "/playground/", "/playground/index.html"} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			response := get(t, target, nil)
			assert.Equal(t, http.StatusOK, response.StatusCode)
			assert.Equal(t, "text/html; charset=utf-8", response.Header.Get("Content-Type"))
			assert.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
			assert.Equal(t, "nosniff", response.Header.Get("X-Content-Type-Options"))
			policy := response.Header.Get("Content-Security-Policy")
			assert.True(t, strings.HasPrefix(policy, "default-src 'none'; script-src 'self'; worker-src 'self'; "), policy)
			assert.NotContains(t, policy, "unsafe-eval")
			assert.Contains(t, text(t, response.Body), "graphiql")
		})
	}
}

func TestPlaygroundNamesOnlyWhatIsServed(t *testing.T) {
	t.Parallel()
	page := text(t, get(t, "/playground", nil).Body)
	links := regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1)
	require.NotEmpty(t, links)
	for _, link := range links {
		response := get(t, link[1], nil)
		assert.Equal(t, http.StatusOK, response.StatusCode, link[1])
		assert.NotEmpty(t, text(t, response.Body), link[1])
	}
}

func TestPlaygroundIsOffline(t *testing.T) {
	t.Parallel()
	for _, name := range names(t) {
		t.Run(path.Base(name), func(t *testing.T) {
			t.Parallel()
			response := get(t, name, nil)
			require.Equal(t, http.StatusOK, response.StatusCode)
			assert.NotEqual(t, "application/octet-stream", response.Header.Get("Content-Type"), "a kind of file without a media type")
			switch path.Ext(name) {
			case ".html", ".css", ".svg":
				assert.Empty(t, elsewhere.FindString(text(t, response.Body)))
			case ".js":
				// Addresses in messages and comments are not loaded; a module from elsewhere would be.
				assert.NotRegexp(t, `(import|from|importScripts)\s*\(?\s*["'](https?:)?//`, text(t, response.Body))
			}
		})
	}
}

func TestPlaygroundAssets(t *testing.T) {
	t.Parallel()
	var script string
	for _, name := range names(t) {
		if strings.Contains(name, "/assets/index-") && path.Ext(name) == ".js" {
			script = name
		}
	}
	require.NotEmpty(t, script)

	packed := get(t, script, http.Header{"Accept-Encoding": {"br, gzip"}})
	assert.Equal(t, "gzip", packed.Header.Get("Content-Encoding"))
	assert.Equal(t, "text/javascript; charset=utf-8", packed.Header.Get("Content-Type"))
	assert.Equal(t, "Accept-Encoding", packed.Header.Get("Vary"))
	assert.Equal(t, "public, max-age=31536000, immutable", packed.Header.Get("Cache-Control"))
	reader, err := gzip.NewReader(packed.Body)
	require.NoError(t, err)

	plain := get(t, script, http.Header{"Accept-Encoding": {"gzip;q=0"}})
	assert.Empty(t, plain.Header.Get("Content-Encoding"))
	assert.Equal(t, "Accept-Encoding", plain.Header.Get("Vary"))
	assert.NotEqual(t, packed.Header.Get("ETag"), plain.Header.Get("ETag"))
	assert.Equal(t, text(t, reader), text(t, plain.Body), "both forms are one file")

	again := get(t, script, http.Header{"Accept-Encoding": {"gzip"}, "If-None-Match": {packed.Header.Get("ETag")}})
	assert.Equal(t, http.StatusNotModified, again.StatusCode)

	icon := get(t, "/playground/favicon.svg", nil)
	assert.Equal(t, http.StatusOK, icon.StatusCode)
	assert.Equal(t, "image/svg+xml", icon.Header.Get("Content-Type"))
}

func TestPlaygroundRefuses(t *testing.T) {
	t.Parallel()
	for _, target := range []string{
		"/", "/playgrounds", "/playground/none.js", "/playground/assets", "/playground/assets/",
		"/playground/../web.go", "/playground//index.html", "/playground/./index.html", "/playground/%2e%2e/x",
	} {
		assert.Equal(t, http.StatusNotFound, get(t, target, nil).StatusCode, target)
	}
	recorder := httptest.NewRecorder()
	Playground().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/playground", nil))
	assert.Equal(t, http.StatusMethodNotAllowed, recorder.Code)
	assert.Equal(t, "GET, HEAD", recorder.Header().Get("Allow"))
}

// Who changes an example without `make web` is told here.
func TestPlaygroundIsBuiltFromItsSources(t *testing.T) {
	t.Parallel()
	var bundle strings.Builder
	for _, name := range names(t) {
		if path.Ext(name) == ".js" {
			bundle.WriteString(text(t, get(t, name, nil).Body))
		}
	}
	built := bundle.String()
	examples, err := fs.Glob(os.DirFS("graphiql/operations"), "*.graphql")
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	for _, name := range examples {
		source, err := os.ReadFile(path.Join("graphiql/operations", name))
		require.NoError(t, err)
		for line := range strings.Lines(string(source)) {
			line = strings.TrimRight(line, "\n")
			// How the bundle quotes these is the bundler's choice.
			if strings.ContainsAny(line, "`\"'\\$") {
				continue
			}
			assert.Contains(t, built, line, "%s is not in web/dist: run `make web`", name)
		}
	}
}

// A binary that carries the playground twice, or an unshaken editor, is a mistake of the build.
func TestPlaygroundIsSmall(t *testing.T) {
	t.Parallel()
	const limit = 8 << 20
	total := 0
	for _, name := range names(t) {
		total += len(text(t, get(t, name, nil).Body))
	}
	assert.Less(t, total, limit)
}

func TestAcceptsGzip(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		header []string
		want   bool
	}{
		"absent":            {nil, false},
		"empty":             {[]string{""}, false},
		"alone":             {[]string{"gzip"}, true},
		"upper case":        {[]string{"GZIP"}, true},
		"among others":      {[]string{"deflate, gzip;q=0.5, br"}, true},
		"on a second line":  {[]string{"br", "gzip"}, true},
		"refused":           {[]string{"gzip;q=0, *"}, false},
		"refused, spaced":   {[]string{"gzip ; Q=0.000"}, false},
		"anything":          {[]string{"*"}, true},
		"nothing":           {[]string{"*;q=0"}, false},
		"identity":          {[]string{"identity"}, false},
		"unreadable":        {[]string{"gzip;q=much"}, false},
		"name as a portion": {[]string{"x-gzipped"}, false},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			assert.Equal(t, c.want, acceptsGzip(c.header))
		})
	}
}
