package live

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"dyno.example/dyno/evidence/collect"
)

// alive reports whether a process is there and hasn't ended.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	return len(fields) > 0 && fields[0] != "Z" && fields[0] != "X"
}

// Ports are the TCP ports that a process and those below it listen on, in order; none if it
// isn't there, or not ours to look at.
func Ports(pid int) []int {
	var ports []int
	for _, one := range collect.Trees([]int{pid}) {
		sockets := socketsOf(one)
		for _, table := range []string{"tcp", "tcp6"} {
			text, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", one, table))
			if err != nil {
				continue
			}
			for inode, port := range listening(string(text)) {
				if sockets[inode] && !slices.Contains(ports, port) {
					ports = append(ports, port)
				}
			}
		}
	}
	slices.Sort(ports)
	return ports
}

// socketsOf are the inodes of a process's sockets.
func socketsOf(pid int) map[string]bool {
	sockets := make(map[string]bool)
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	for _, link := range links {
		target, err := os.Readlink(link)
		if inode, ok := strings.CutPrefix(target, "socket:["); err == nil && ok {
			sockets[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return sockets
}

// listening reads the sockets that listen out of /proc/net/tcp: ports by inode
// (proc_pid_net(5)).
func listening(text string) map[string]int {
	const stateListen, inodeField = "0A", 9
	ports := make(map[string]int)
	for line := range strings.Lines(text) {
		fields := strings.Fields(line)
		if len(fields) <= inodeField || fields[3] != stateListen {
			continue
		}
		_, port, _ := strings.Cut(fields[1], ":")
		if n, err := strconv.ParseUint(port, 16, 16); err == nil {
			ports[fields[inodeField]] = int(n)
		}
	}
	return ports
}
