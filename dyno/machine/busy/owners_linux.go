package busy

import (
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// maxFiles bounds how many open files of a process are looked at.
const maxFiles = 1 << 16

// owners are the processes that listen where connections to any of the addresses
// go, ascending. Those of others can be seen by root only.
func owners(to []netip.AddrPort) ([]int, error) {
	sockets := map[string]bool{}
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if err != nil {
			continue // without IPv6 there is no tcp6
		}
		all, err := parseListeners(f)
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for i := range all {
			if slices.ContainsFunc(to, all[i].takes) {
				sockets[fmt.Sprintf("socket:[%d]", all[i].inode)] = true
			}
		}
	}
	if len(sockets) == 0 {
		return nil, nil
	}
	folders, err := filepath.Glob("/proc/[0-9]*/fd")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, folder := range folders {
		if pid, err := strconv.Atoi(strings.Split(folder, "/")[2]); err == nil && holds(folder, sockets) {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, nil
}

// holds reports whether a process, by its folder of open files, has one of the
// sockets.
func holds(folder string, sockets map[string]bool) bool {
	dir, err := os.Open(folder)
	if err != nil {
		return false // another's, or ended
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(maxFiles)
	return slices.ContainsFunc(names, func(name string) bool {
		to, err := os.Readlink(folder + "/" + name)
		return err == nil && sockets[to]
	})
}
