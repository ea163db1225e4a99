//go:build !linux && !darwin

package localneo4j

import "os/exec"

// supported tells whether processes can be told apart and ended here.
const supported = false

func detach(*exec.Cmd) {}

func terminate(int) error { return ErrPlatform }

func kill(int) error { return ErrPlatform }

func processStart(int) string { return "" }

func machineMemoryMiB() int { return 0 }
