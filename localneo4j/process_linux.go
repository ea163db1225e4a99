package localneo4j

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// processStart returns when the process was started, with the boot that the
// time is counted from; "" when there is no such process or it has ended.
func processStart(pid int) string {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	// "pid (name) state …": the name may hold spaces and parentheses. By proc(5)
	// the state is field 3, the number of threads 20 and the start time 22.
	_, rest, _ := strings.Cut(string(raw[max(0, strings.LastIndexByte(string(raw), ')')):]), " ")
	fields := strings.Fields(rest)
	if len(fields) < 20 || fields[0] == "X" {
		return ""
	}
	// A process whose first thread has ended is shown as a zombie while others
	// still run and hold its files.
	if fields[0] == "Z" && (fields[17] == "0" || fields[17] == "1") {
		reap(pid)
		return ""
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return fields[19]
	}
	return strings.TrimSpace(string(boot)) + "/" + fields[19]
}

// machineMemoryMiB returns the memory that this process may use, in MiB; 0 when it is not known.
func machineMemoryMiB() int {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return 0
	}
	total := uint64(info.Totalram) * uint64(info.Unit) //nolint:unconvert // the type depends on the processor
	// A container's limit; "max" when it has none.
	if raw, err := os.ReadFile("/sys/fs/cgroup/memory.max"); err == nil {
		if limit, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 64); err == nil {
			total = min(total, limit)
		}
	}
	return int(total >> 20) //nolint:gosec // MiB of a machine
}
