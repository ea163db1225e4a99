//go:build windows

package main

import "golang.org/x/sys/windows"

// freeSpace is how many bytes this user may still write to the disk of a folder.
func freeSpace(dir string) (uint64, error) {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free uint64
	err = windows.GetDiskFreeSpaceEx(path, &free, nil, nil)
	return free, err
}
