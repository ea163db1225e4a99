//go:build unix

package neo4jtest

import (
	"os/exec"
	"syscall"
)

// detach gives the process a session of its own, out of reach of the terminal's Ctrl-C.
func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}
