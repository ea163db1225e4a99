package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mneme/internal/mavencache"
	"mneme/knowledge"
	"mneme/llm"
	"mneme/localneo4j"
)

// Exit statuses of every command.
const (
	exitDone    = 0
	exitInput   = 1 // the input was wrong
	exitMissing = 2 // something needed is missing or down
	exitPartly  = 3 // partly done; counts say what
)

// errPartly means that a command did a part of its work and has said which.
var errPartly = errors.New("partly done")

// program is what every command is given: the streams, the environment and the global flags.
type program struct {
	stdin          io.Reader
	stdout, stderr *output
	getenv         func(string) string

	configFile string
	flags      map[string]*string // values of flags that are settings, by the setting's name
}

// run is the whole program: it carries out one command line and returns the exit status.
// Results go to stdout, everything else to stderr. It ends early when ctx does, after
// stopping what it started.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	p := &program{stdin: stdin, stdout: &output{w: stdout}, stderr: &output{w: stderr}, getenv: getenv, flags: map[string]*string{}}
	root := p.rootCommand() //nolint:contextcheck // cobra hands the context to the command that it runs
	root.SetArgs(splitPath(args))
	root.SetIn(stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	err := root.ExecuteContext(ctx)
	if lost := p.stdout.failed(); err == nil && lost != nil {
		err = knowledge.Errorf(knowledge.CodeUnavailable, "the result could not be printed: %v", lost)
	}
	if err == nil {
		return exitDone
	}
	if !errors.Is(err, errPartly) {
		p.stderr.printf("mneme: %s\n", describe(err))
	}
	return exitStatus(err)
}

func (p *program) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "mneme",
		Short: "A knowledge graph that remembers what was said, by whom, and when it was true",
		Long: "Mneme keeps entities, their connections over time and pieces of knowledge in Neo4j,\n" +
			"and answers questions about them through GraphQL and this command line.\n\n" +
			"Without NEO4J_URI every command uses a local Neo4j, which it fetches and starts by itself.",
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&p.configFile, "config", "", "a YAML `FILE` of settings, named as the environment variables")
	p.settingFlag(root, "MNEME_DATA_DIR", "data", "folder of the local Neo4j's data and password")
	root.AddCommand(
		p.serveCommand(),
		p.importCommand(),
		p.exportCommand(),
		p.rememberCommand(),
		p.recallCommand(),
		p.messagesCommand(),
		p.filesCommand(),
		p.jobsCommand(),
		p.backfillCommand(),
		p.maintainCommand(),
		p.askCommand(),
		p.briefCommand(),
		p.contextCommand(),
		p.mcpCommand(),
		p.graphCommand(),
		p.codeCommand(),
		p.benchCommand(),
		p.workspaceCommand(),
		p.neo4jCommand(),
		p.doctorCommand(),
		p.versionCommand(),
	)
	return root
}

// settingFlag declares a flag that is a setting: it wins over the environment and the file.
func (p *program) settingFlag(cmd *cobra.Command, setting, flag, usage string) {
	value := new(string)
	p.flags[setting] = value
	cmd.PersistentFlags().StringVar(value, flag, "", usage+" ("+setting+")")
}

// describe is an error for a person: what was wrong, the field to blame and the code.
func describe(err error) string {
	var e *knowledge.Error
	if !errors.As(err, &e) {
		return err.Error()
	}
	var b strings.Builder
	b.WriteString(err.Error())
	fmt.Fprintf(&b, " [%s]", e.Code)
	if cause := e.Unwrap(); cause != nil && codeStatus(e.Code) == exitMissing {
		fmt.Fprintf(&b, "\n  because: %v", cause) // whoever runs the command is whom the log is for
	}
	for _, c := range e.Candidates {
		fmt.Fprintf(&b, "\n  %s  %s (%s)", c.ID, c.Name, c.Type)
	}
	return b.String()
}

// exitStatus is the exit status of a failed command.
func exitStatus(err error) int {
	var e *knowledge.Error
	switch {
	case errors.Is(err, errPartly), errors.Is(err, context.Canceled):
		return exitPartly
	case isMissing(err):
		return exitMissing
	case errors.As(err, &e):
		return codeStatus(e.Code)
	default: // what cobra says of a command line, and files that cannot be read
		return exitInput
	}
}

// isMissing tells whether something that the product needs is not there.
func isMissing(err error) bool {
	for _, missing := range []error{
		mavencache.ErrNoMaven, mavencache.ErrNoJava, mavencache.ErrNoSpace, mavencache.ErrFetch, mavencache.ErrDamaged,
		localneo4j.ErrOldJava, localneo4j.ErrNewerData, localneo4j.ErrDataDir, localneo4j.ErrPassword, localneo4j.ErrExited,
		localneo4j.ErrNotReady, localneo4j.ErrPlatform, llm.ErrNoLocalEmbedder, llm.ErrModelMismatch,
	} {
		if errors.Is(err, missing) {
			return true
		}
	}
	return false
}

func codeStatus(code knowledge.Code) int {
	switch code {
	case knowledge.CodeUnavailable, knowledge.CodeTimeout, knowledge.CodeRateLimited, knowledge.CodeInternal:
		return exitMissing
	default:
		return exitInput
	}
}
