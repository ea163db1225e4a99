package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"mneme/knowledge"
	"mneme/mcp"
)

// setting is one thing that can be configured: by a flag, by the environment variable of
// its name, by a line of the settings file, or left at its default, in this order.
type setting struct {
	name   string
	secret bool
	preset func(p *program) (string, error) // nil: empty
}

// source says where the value of a setting came from.
func (c Config) source(name string) string {
	for _, e := range c.Effective {
		if e.Name == name {
			return e.Source
		}
	}
	return ""
}

func preset(value string) func(*program) (string, error) {
	return func(*program) (string, error) { return value, nil }
}

// settings are all settings, in the order in which they are shown.
func settings() []setting {
	return slices.Concat([]setting{
		{name: "NEO4J_URI"},
		{name: "NEO4J_USERNAME"},
		{name: "NEO4J_PASSWORD", secret: true},
		{name: "NEO4J_DATABASE"},
		{name: "MNEME_DATA_DIR", preset: (*program).userDataDir},
		{name: "MNEME_CACHE_DIR", preset: (*program).userCacheDir},
		{name: "MNEME_LISTEN", preset: preset("127.0.0.1:8080")},
		{name: "MNEME_CORS_ORIGINS"},
		{name: "MNEME_EMBEDDER", preset: preset(embedderLocal)},
		{name: "OPENAI_API_KEY", secret: true},
		{name: "OPENAI_BASE_URL"},
		{name: "MNEME_MODEL_EXTRACT"},
		{name: "MNEME_MODEL_LINK"},
		{name: "MNEME_MODEL_ASK"},
		{name: "MNEME_MODEL_EMBED"},
		{name: "MNEME_LIMIT_MODEL_TOKENS_A_DAY", preset: preset("0")},
		{name: "MNEME_LIMIT_MCP_TOKENS", preset: preset(strconv.Itoa(mcp.DefaultMaxTokens))},
		{name: "MNEME_FEATURES"},
		{name: "MNEME_GRAPH"},
		{name: "MNEME_IMPORT_ROOT"},
		{name: "MNEME_CODE_ROOTS"},
		{name: "LOG_LEVEL", preset: preset("info")},
		{name: "LOG_FORMAT", preset: preset(logText)},
	}, maintenanceSettings())
}

// sourceDefault is the source of a setting that nobody has set.
const sourceDefault = "default"

// effective is the value of a setting and where it came from.
type effective struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Source string `json:"source"` // flag, environment, the file's path, or default
	secret bool
}

// Shown is the value as it may be printed.
func (e effective) Shown() string {
	if e.secret && e.Value != "" {
		return "********"
	}
	return e.Value
}

// effectiveSettings works out every setting. INVALID_INPUT where the settings file cannot
// be read or names a setting that does not exist.
func (p *program) effectiveSettings() ([]effective, error) {
	file, err := p.readSettingsFile()
	if err != nil {
		return nil, err
	}
	var out []effective
	for _, s := range settings() {
		e, err := p.effectiveSetting(s, file)
		if err != nil {
			return nil, err
		}
		out = append(out, e)
	}
	return out, nil
}

func (p *program) effectiveSetting(s setting, file map[string]string) (effective, error) {
	e := effective{Name: s.name, secret: s.secret}
	if v := p.flags[s.name]; v != nil && *v != "" {
		e.Value, e.Source = *v, "flag"
		return e, nil
	}
	if v := p.getenv(s.name); v != "" {
		e.Value, e.Source = v, "environment"
		return e, nil
	}
	if v, ok := file[s.name]; ok {
		e.Value, e.Source = v, p.configFile
		return e, nil
	}
	e.Source = sourceDefault
	if s.preset == nil {
		return e, nil
	}
	var err error
	e.Value, err = s.preset(p)
	return e, err
}

// readSettingsFile reads the file of --config: a YAML map from the names of settings to values.
func (p *program) readSettingsFile() (map[string]string, error) {
	if p.configFile == "" {
		return map[string]string{}, nil
	}
	data, err := os.ReadFile(p.configFile)
	if err != nil {
		return nil, knowledge.Invalid("--config", "the settings file cannot be read: %v", errors.Unwrap(err))
	}
	var raw map[string]any
	if err := yaml.Unmarshal(data, &raw); err != nil {
		return nil, knowledge.Invalid("--config", "%s is not a YAML map of settings: %v", p.configFile, err)
	}
	known := make([]string, 0, len(settings()))
	for _, s := range settings() {
		known = append(known, s.name)
	}
	out := make(map[string]string, len(raw))
	for key, value := range raw {
		name := strings.ToUpper(key)
		if !slices.Contains(known, name) {
			return nil, knowledge.Invalid("--config", "%s sets %q, which is no setting; there are %s", p.configFile, key, strings.Join(known, ", "))
		}
		switch value.(type) {
		case string, int, float64, bool:
			out[name] = fmt.Sprint(value)
		default:
			return nil, knowledge.Invalid("--config", "%s: the value of %s must be a single text or number", p.configFile, key)
		}
	}
	return out, nil
}

// userDataDir is where the platform keeps an application's data for one user.
func (p *program) userDataDir() (string, error) {
	return p.userDir("XDG_DATA_HOME", filepath.Join(".local", "share"), filepath.Join("Library", "Application Support"), "data", "MNEME_DATA_DIR")
}

// userCacheDir is where the platform keeps what can be fetched again.
func (p *program) userCacheDir() (string, error) {
	return p.userDir("XDG_CACHE_HOME", ".cache", filepath.Join("Library", "Caches"), "cache", "MNEME_CACHE_DIR")
}

func (p *program) userDir(xdg, unix, mac, windows, setting string) (string, error) {
	if dir := p.getenv(xdg); filepath.IsAbs(dir) {
		return filepath.Join(dir, "mneme"), nil
	}
	home := p.getenv("HOME")
	if runtime.GOOS == "windows" {
		home = p.getenv("LocalAppData")
	}
	if home == "" {
		return "", knowledge.Invalid(setting, "there is no home folder: set %s to a folder to use", setting)
	}
	switch runtime.GOOS {
	case "windows":
		return filepath.Join(home, "mneme", windows), nil
	case "darwin":
		return filepath.Join(home, mac, "mneme"), nil
	default:
		return filepath.Join(home, unix, "mneme"), nil
	}
}
