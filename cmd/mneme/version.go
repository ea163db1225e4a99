package main

import (
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// versionText is the version that the binary was built as: of the module where it was
// installed as one, else the commit of the checkout.
func versionText() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "development"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "development-" + s.Value[:12]
		}
	}
	return "development"
}

func (p *program) versionCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if asJSON {
				return p.printJSON(map[string]string{"version": versionText(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
			}
			p.stdout.printf("mneme %s (%s, %s/%s)\n", versionText(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
			return nil
		},
	}
	jsonFlag(cmd, &asJSON)
	return cmd
}
