package localneo4j

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// zombie is SZOMB of <sys/proc.h>: ended, but not waited for.
const zombie = 5

// processStart returns when the process was started; "" when there is no such process or it has ended.
func processStart(pid int) string {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(info.Proc.P_pid) != pid {
		return ""
	}
	if info.Proc.P_stat == zombie {
		reap(pid)
		return ""
	}
	t := info.Proc.P_starttime
	return fmt.Sprintf("%d.%06d", t.Sec, t.Usec)
}

// machineMemoryMiB returns the machine's memory in MiB; 0 when it is not known.
func machineMemoryMiB() int {
	total, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int(total >> 20) //nolint:gosec // MiB of a machine
}
