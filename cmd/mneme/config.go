package main

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mneme/knowledge"
	"mneme/mcp"
)

// Values of MNEME_EMBEDDER and LOG_FORMAT.
const (
	embedderLocal  = "local"
	embedderOpenAI = "openai"
	embedderOff    = "off"
	logText        = "text"
	logJSON        = "json"
)

// Config is the configuration of one run, checked.
type Config struct {
	Neo4jURI, Neo4jUsername, Neo4jPassword, Neo4jDatabase string // URI empty: the local Neo4j

	DataDir, CacheDir        string // absolute
	Listen                   string // host:port, always a loopback address
	CORSOrigins              []string
	Embedder                 string // local, openai or off
	OpenAIKey, OpenAIBaseURL string
	ModelEmbed               string                         // empty: the provider's default
	Models                   map[knowledge.ModelRole]string // of the roles that are named
	ModelTokensADay          int                            // 0: no limit
	MCPTokens                int                            // of one answer
	Deployment               knowledge.Deployment
	Maintenance              maintenancePlan
	ImportRoot               string   // what paths the API may name; empty: none
	CodeRoots                []string // below which folders of source may be named; none: none
	LogLevel                 slog.Level
	LogFormat                string // text or json

	Effective []effective // every setting, for doctor
}

// loadConfig reads flags, environment and settings file. INVALID_INPUT names the setting
// that is wrong.
func (p *program) loadConfig() (Config, error) {
	all, err := p.effectiveSettings()
	if err != nil {
		return Config{}, err
	}
	value := func(name string) string {
		i := slices.IndexFunc(all, func(e effective) bool { return e.Name == name })
		return all[i].Value
	}
	cfg := Config{
		Neo4jURI:      value("NEO4J_URI"),
		Neo4jUsername: value("NEO4J_USERNAME"),
		Neo4jPassword: value("NEO4J_PASSWORD"),
		Neo4jDatabase: value("NEO4J_DATABASE"),
		Listen:        value("MNEME_LISTEN"),
		CORSOrigins:   splitList(value("MNEME_CORS_ORIGINS")),
		Embedder:      strings.ToLower(value("MNEME_EMBEDDER")),
		OpenAIKey:     value("OPENAI_API_KEY"),
		OpenAIBaseURL: value("OPENAI_BASE_URL"),
		ModelEmbed:    value("MNEME_MODEL_EMBED"),
		ImportRoot:    value("MNEME_IMPORT_ROOT"),
		CodeRoots:     splitFolders(value("MNEME_CODE_ROOTS")),
		LogFormat:     strings.ToLower(value("LOG_FORMAT")),
		Effective:     all,
	}
	if cfg.DataDir, err = filepath.Abs(value("MNEME_DATA_DIR")); err != nil {
		return Config{}, knowledge.Invalid("MNEME_DATA_DIR", "the folder cannot be found: %v", err)
	}
	if cfg.CacheDir, err = filepath.Abs(value("MNEME_CACHE_DIR")); err != nil {
		return Config{}, knowledge.Invalid("MNEME_CACHE_DIR", "the folder cannot be found: %v", err)
	}
	if err := cfg.LogLevel.UnmarshalText([]byte(value("LOG_LEVEL"))); err != nil {
		return Config{}, knowledge.Invalid("LOG_LEVEL", "%q is not one of debug, info, warn, error", value("LOG_LEVEL"))
	}
	cfg.Models = map[knowledge.ModelRole]string{
		knowledge.ModelExtract: value("MNEME_MODEL_EXTRACT"), knowledge.ModelLink: value("MNEME_MODEL_LINK"), knowledge.ModelAsk: value("MNEME_MODEL_ASK"),
	}
	if cfg.ModelTokensADay, err = strconv.Atoi(value("MNEME_LIMIT_MODEL_TOKENS_A_DAY")); err != nil || cfg.ModelTokensADay < 0 {
		return Config{}, knowledge.Invalid("MNEME_LIMIT_MODEL_TOKENS_A_DAY", "is not a number of tokens")
	}
	if cfg.Maintenance, err = readMaintenance(value); err != nil {
		return Config{}, err
	}
	if cfg.MCPTokens, err = strconv.Atoi(value("MNEME_LIMIT_MCP_TOKENS")); err != nil || cfg.MCPTokens < mcp.MinMaxTokens {
		return Config{}, knowledge.Invalid("MNEME_LIMIT_MCP_TOKENS", "is not a number of tokens, %d at least", mcp.MinMaxTokens)
	}
	cfg.Deployment.ModelConfigured = cfg.modelConfigured()
	if cfg.Deployment.Switches, err = featureSwitches(value("MNEME_FEATURES"), value("MNEME_GRAPH")); err != nil {
		return Config{}, err
	}
	return cfg, cfg.check()
}

func (c Config) check() error {
	if err := checkListen(c.Listen); err != nil {
		return err
	}
	if err := checkURI(c.Neo4jURI); err != nil {
		return err
	}
	if !slices.Contains([]string{embedderLocal, embedderOpenAI, embedderOff}, c.Embedder) {
		return knowledge.Invalid("MNEME_EMBEDDER", "%q is not one of %s, %s, %s", c.Embedder, embedderLocal, embedderOpenAI, embedderOff)
	}
	if c.Embedder == embedderOpenAI && c.OpenAIKey == "" && c.OpenAIBaseURL == "" {
		return knowledge.Invalid("OPENAI_API_KEY", "MNEME_EMBEDDER=openai needs it, or the OPENAI_BASE_URL of a server that wants no key")
	}
	if c.LogFormat != logText && c.LogFormat != logJSON {
		return knowledge.Invalid("LOG_FORMAT", "%q is not one of %s, %s", c.LogFormat, logText, logJSON)
	}
	return nil
}

// checkListen refuses any address but a loopback one: without keys, whoever reaches the
// server may read and change everything.
func checkListen(listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return knowledge.Invalid("MNEME_LISTEN", "%q is not an address like 127.0.0.1:8080", listen)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return knowledge.Invalid("MNEME_LISTEN", "%q is not a port; 0 stands for any free one", port)
	}
	if host == "localhost" {
		return nil
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.IsLoopback() {
		return knowledge.Invalid("MNEME_LISTEN", "%q is not a loopback address: without API keys the server listens on 127.0.0.1, ::1 or localhost only", host)
	}
	return nil
}

func checkURI(uri string) error {
	if uri == "" {
		return nil
	}
	schemes := []string{"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"}
	u, err := url.Parse(uri)
	if err != nil || u.Host == "" || !slices.Contains(schemes, u.Scheme) {
		return knowledge.Invalid("NEO4J_URI", "the address must look like bolt://host:7687 or neo4j://host:7687, with +s for TLS")
	}
	if u.User != nil {
		return knowledge.Invalid("NEO4J_URI", "put the user name and password into NEO4J_USERNAME and NEO4J_PASSWORD, not into the address")
	}
	return nil
}

// featureSwitches reads the deployment's switches: a list of feature=on or feature=off;
// graph is short for the feature graph and wins.
func featureSwitches(list, graph string) (knowledge.FeatureSwitches, error) {
	out := knowledge.FeatureSwitches{}
	for _, part := range splitList(list) {
		name, state, _ := strings.Cut(part, "=")
		feature := knowledge.FeatureName(strings.ToLower(strings.TrimSpace(name)))
		on, known := onOff(state)
		if !feature.Valid() || !known {
			return nil, knowledge.Invalid("MNEME_FEATURES", "%q is not a feature and on or off, as in ai=off,ai_knowledge_auto_link=on", part)
		}
		out[feature] = on
	}
	if graph != "" {
		on, known := onOff(graph)
		if !known {
			return nil, knowledge.Invalid("MNEME_GRAPH", "%q is neither true nor false", graph)
		}
		out[knowledge.FeatureGraph] = on
	}
	return out, nil
}

func onOff(text string) (on, known bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "on", "true", "1", "yes":
		return true, true
	case "off", "false", "0", "no":
		return false, true
	}
	return false, false
}

// logger writes to w as the settings say.
func (c Config) logger(w io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == logJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// splitList splits a comma-separated setting; empty parts are dropped.
func splitList(text string) []string {
	var out []string
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

// splitFolders splits a list of folders at commas and at what the platform puts between folders.
func splitFolders(text string) []string {
	var out []string
	for _, part := range splitList(text) {
		out = append(out, filepath.SplitList(part)...)
	}
	return out
}
