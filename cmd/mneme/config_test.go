package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"mneme/knowledge"
)

// environment is a process environment for one run.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

// runOutput is what a run printed, and its exit status.
type runOutput struct {
	status         int
	stdout, stderr string
}

// runMneme runs the whole program.
func runMneme(t *testing.T, env environment, stdin string, args ...string) runOutput {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr, env.get)
	return runOutput{status, stdout.String(), stderr.String()}
}

func settingsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mneme.yaml")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func TestConfig_FlagOverEnvironmentOverFileOverDefault(t *testing.T) {
	t.Parallel()
	file := settingsFile(t, "mneme_listen: 127.0.0.1:1\nLOG_LEVEL: debug\nMNEME_DATA_DIR: /from/file\nNEO4J_PASSWORD: s3cret\n")
	flag := "/from/flag"
	p := &program{
		getenv:     environment{"MNEME_DATA_DIR": "/from/environment", "MNEME_LISTEN": "127.0.0.1:2", "HOME": "/home/somebody"}.get,
		configFile: file, flags: map[string]*string{"MNEME_DATA_DIR": &flag},
	}
	cfg, err := p.loadConfig()
	require.NoError(t, err)
	assert.Equal(t, "/from/flag", cfg.DataDir)
	assert.Equal(t, "flag", cfg.source("MNEME_DATA_DIR"))
	assert.Equal(t, "127.0.0.1:2", cfg.Listen)
	assert.Equal(t, "environment", cfg.source("MNEME_LISTEN"))
	assert.Equal(t, "s3cret", cfg.Neo4jPassword)
	assert.Equal(t, file, cfg.source("NEO4J_PASSWORD"))
	assert.Equal(t, embedderLocal, cfg.Embedder)
	assert.Equal(t, sourceDefault, cfg.source("MNEME_EMBEDDER"))
	for _, e := range maskedSettings(cfg) {
		assert.NotContains(t, e.Value, "s3cret")
	}
}

func TestConfig_Wrong(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		env   environment
		file  string
		field string
	}{
		"a foreign address":             {env: environment{"MNEME_LISTEN": "0.0.0.0:8080"}, field: "MNEME_LISTEN"},
		"an address of the network":     {env: environment{"MNEME_LISTEN": "192.168.1.4:8080"}, field: "MNEME_LISTEN"},
		"a name":                        {env: environment{"MNEME_LISTEN": "example.org:8080"}, field: "MNEME_LISTEN"},
		"no port":                       {env: environment{"MNEME_LISTEN": "127.0.0.1"}, field: "MNEME_LISTEN"},
		"no such port":                  {env: environment{"MNEME_LISTEN": "127.0.0.1:99999"}, field: "MNEME_LISTEN"},
		"an address of no database":     {env: environment{"NEO4J_URI": "http://localhost:7474"}, field: "NEO4J_URI"},
		"a password in the address":     {env: environment{"NEO4J_URI": "bolt://neo4j:secret@localhost"}, field: "NEO4J_URI"},
		"an unknown embedder":           {env: environment{"MNEME_EMBEDDER": "magic"}, field: "MNEME_EMBEDDER"},
		"a provider without key":        {env: environment{"MNEME_EMBEDDER": "openai"}, field: "OPENAI_API_KEY"},
		"an unknown level":              {env: environment{"LOG_LEVEL": "loud"}, field: "LOG_LEVEL"},
		"an unknown format":             {env: environment{"LOG_FORMAT": "xml"}, field: "LOG_FORMAT"},
		"no home":                       {env: environment{"HOME": ""}, field: "MNEME_DATA_DIR"},
		"a file that is no YAML":        {file: "a: b: c", field: "--config"},
		"a file with a typing mistake":  {file: "MNEME_LISTN: 127.0.0.1:1", field: "--config"},
		"a file with a list for a text": {file: "MNEME_LISTEN: [1]", field: "--config"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			env := environment{"HOME": "/home/somebody"}
			for k, v := range tc.env {
				env[k] = v
			}
			p := &program{getenv: env.get}
			if tc.file != "" {
				p.configFile = settingsFile(t, tc.file)
			}
			_, err := p.loadConfig()
			var wrong *knowledge.Error
			require.ErrorAs(t, err, &wrong)
			assert.Equal(t, knowledge.CodeInvalidInput, wrong.Code)
			assert.Equal(t, tc.field, wrong.Field)
			assert.NotContains(t, err.Error(), "secret")
		})
	}
}

func TestConfig_ListensOnLoopbackOnly(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"127.0.0.1:8080", "127.8.8.8:0", "[::1]:8080", "localhost:80"} {
		assert.NoError(t, checkListen(address), address)
	}
}

func TestRun_ExitStatus(t *testing.T) {
	t.Parallel()
	env := environment{"HOME": t.TempDir()}
	missing := filepath.Join(t.TempDir(), "none.yaml")
	for name, tc := range map[string]struct {
		args   []string
		status int
		says   string // on stderr
	}{
		"help":                          {[]string{"--help"}, exitDone, ""},
		"no command":                    {nil, exitDone, ""},
		"version":                       {[]string{"version"}, exitDone, ""},
		"O21 an unknown command":        {[]string{"remeber"}, exitInput, "remeber"},
		"O21 an unknown flag":           {[]string{"version", "--jsno"}, exitInput, "--jsno"},
		"no file of settings":           {[]string{"doctor", "--config", missing}, exitInput, "--config"},
		"a foreign address":             {[]string{"serve", "--listen", "0.0.0.0:80"}, exitInput, "MNEME_LISTEN"},
		"deleting without confirmation": {[]string{"workspace", "delete", "x"}, exitInput, "--confirm"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := runMneme(t, env, "", tc.args...)
			assert.Equal(t, tc.status, got.status, got.stderr)
			if tc.says == "" {
				assert.Empty(t, got.stderr)
				assert.NotEmpty(t, got.stdout)
				return
			}
			assert.Contains(t, got.stderr, tc.says)
			assert.Empty(t, got.stdout, "an error is no result")
		})
	}
}
