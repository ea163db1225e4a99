//go:build linux || darwin

package localneo4j

import (
	"os/exec"
	"syscall"
)

// supported tells whether processes can be told apart and ended here.
const supported = true

func detach(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
}

func terminate(pid int) error { return syscall.Kill(pid, syscall.SIGTERM) }

func kill(pid int) error { return syscall.Kill(pid, syscall.SIGKILL) }

// reap lets a child of ours that has ended disappear. It does nothing for others.
func reap(pid int) {
	_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
}
