package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"mneme/knowledge"
	"mneme/localneo4j"
)

func (p *program) neo4jCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "neo4j",
		Short: "Start, stop, inspect and query the local Neo4j",
		Args:  cobra.NoArgs,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(p.neo4jStartCommand(), p.neo4jStopCommand(), p.neo4jStatusCommand(), p.neo4jShellCommand())
	return cmd
}

func (p *program) neo4jStartCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "start",
		Short: "Start the local Neo4j of --data, fetching it where it is not there yet",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.localConfig()
			if err != nil {
				return err
			}
			if _, err := localneo4j.Ensure(cmd.Context(), cfg.localNeo4j(p.commandLogger(cfg), p.fetchMeter)); err != nil {
				return err
			}
			return p.neo4jStatus(cmd.Context(), cfg, asJSON)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

func (p *program) neo4jStopCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "stop",
		Short: "Stop the local Neo4j of --data, whoever started it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.localConfig()
			if err != nil {
				return err
			}
			local := cfg.localNeo4j(p.commandLogger(cfg), p.fetchMeter)
			before, err := localneo4j.Inspect(cmd.Context(), local)
			if err != nil {
				return err
			}
			if !before.Running {
				p.stdout.printf("The local Neo4j does not run.\n")
				return nil
			}
			if err := localneo4j.Stop(cmd.Context(), local); err != nil {
				return err
			}
			p.stdout.printf("Stopped the local Neo4j (process %d).\n", before.PID)
			return nil
		},
	}
}

func (p *program) neo4jStatusCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Print the addresses of the local Neo4j and where its password is kept",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := p.localConfig()
			if err != nil {
				return err
			}
			return p.neo4jStatus(cmd.Context(), cfg, asJSON)
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}

// localConfig is the configuration of a command about the local Neo4j.
func (p *program) localConfig() (Config, error) {
	cfg, err := p.loadConfig()
	if err != nil {
		return Config{}, err
	}
	if cfg.Neo4jURI != "" {
		return Config{}, knowledge.Invalid("NEO4J_URI", "it names a Neo4j that is not the local one; unset it to use the local one")
	}
	return cfg, nil
}

// neo4jState is what `neo4j status` says.
type neo4jState struct {
	State        string     `json:"state"` // ready, starting or stopped
	Version      string     `json:"version,omitempty"`
	BoltURI      string     `json:"boltUri,omitempty"`
	BrowserURL   string     `json:"browserUrl,omitempty"`
	Username     string     `json:"username"`
	PasswordFile string     `json:"passwordFile"`
	LogDir       string     `json:"logDir"`
	PID          int        `json:"pid,omitempty"`
	StartedAt    *time.Time `json:"startedAt,omitempty"`
}

func (p *program) neo4jStatus(ctx context.Context, cfg Config, asJSON bool) error {
	s, err := localneo4j.Inspect(ctx, cfg.localNeo4j(p.commandLogger(cfg), p.fetchMeter))
	if err != nil {
		return err
	}
	out := neo4jState{
		State: "stopped", Version: s.Version, BoltURI: s.URI, BrowserURL: s.BrowserURL,
		Username: s.Username, PasswordFile: s.PasswordFile, LogDir: s.LogDir, PID: s.PID,
	}
	if s.Running {
		out.State, out.StartedAt = "starting", &s.StartedAt
	}
	if s.Ready {
		out.State = statusReady
	}
	if asJSON {
		return p.printJSON(out)
	}
	p.stdout.printf("state          %s\n", out.State)
	if out.Version != "" {
		p.stdout.printf("version        %s\n", out.Version)
	}
	if s.Running {
		p.stdout.printf("Bolt           %s\n", out.BoltURI)
		p.stdout.printf("Neo4j Browser  %s\n", out.BrowserURL)
		p.stdout.printf("process        %d, since %s\n", out.PID, s.StartedAt.Local().Format(time.DateTime))
	}
	p.stdout.printf("user           %s\n", out.Username)
	p.stdout.printf("password       in %s\n", out.PasswordFile)
	p.stdout.printf("logs           in %s\n", out.LogDir)
	return nil
}
