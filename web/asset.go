package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strconv"
	"strings"
	"time"
)

// asset is one file to send, in the form in which it is stored.
type asset struct {
	mediaType string
	body      []byte
	gzipped   bool
}

// openAsset finds a file by the name it is asked for, stored as it is or, with .gz appended,
// compressed. A folder, or a name that is in neither form, is an error.
func openAsset(files fs.FS, name string) (asset, error) {
	found := asset{mediaType: mediaType(name)}
	body, err := fs.ReadFile(files, name)
	if err != nil {
		body, err = fs.ReadFile(files, name+".gz")
		found.gzipped = true
	}
	if err != nil {
		return asset{}, fmt.Errorf("read %s: %w", name, err)
	}
	found.body = body
	return found, nil
}

// serve answers with the stored form where the client accepts it. Its entity tag is that of the form
// sent, so that a cache never takes one for the other.
func (a asset) serve(w http.ResponseWriter, r *http.Request) {
	header := w.Header()
	header.Set("Content-Type", a.mediaType)
	body := a.body
	if a.gzipped {
		header.Add("Vary", "Accept-Encoding")
		if acceptsGzip(r.Header.Values("Accept-Encoding")) {
			header.Set("Content-Encoding", "gzip")
		} else {
			unpacked, err := unpack(a.body)
			if err != nil {
				http.Error(w, "internal error", http.StatusInternalServerError)
				return
			}
			body = unpacked
		}
	}
	sum := sha256.Sum256(body)
	header.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(body))
}

func unpack(packed []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("unpack asset: %w", err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("unpack asset: %w", err)
	}
	return body, nil
}

// mediaType knows the kinds of file that a build emits; the system's table is not asked, since it
// differs between machines.
func mediaType(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".ttf":
		return "font/ttf"
	case ".woff2":
		return "font/woff2"
	default:
		return "application/octet-stream"
	}
}

// acceptsGzip reads Accept-Encoding (RFC 9110, section 12.5.3): the coding by its name, else the
// asterisk decides; a quality of 0 refuses.
func acceptsGzip(values []string) bool {
	anything := false
	for coding := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		switch name = strings.TrimSpace(name); {
		case strings.EqualFold(name, "gzip"):
			return quality(parameters) > 0
		case name == "*":
			anything = quality(parameters) > 0
		}
	}
	return anything
}

// quality is the q parameter of a coding: 1 without one, 0 where it cannot be read.
func quality(parameters string) float64 {
	value, given := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameters)), "q=")
	if !given {
		return 1
	}
	q, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0
	}
	return q
}
