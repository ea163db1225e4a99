//go:build unix

package main

import "golang.org/x/sys/unix"

// freeSpace is how many bytes this user may still write to the disk of a folder.
func freeSpace(dir string) (uint64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return uint64(s.Bavail) * uint64(s.Bsize), nil //nolint:gosec,unconvert // the types differ among systems, and neither is negative
}
