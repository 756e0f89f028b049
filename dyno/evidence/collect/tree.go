package collect

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Trees are processes and all below them, as far as /proc tells.
func Trees(roots []int) []int {
	all := slices.Clone(roots)
	for i := 0; i < len(all); i++ {
		lists, _ := filepath.Glob("/proc/" + strconv.Itoa(all[i]) + "/task/*/children")
		for _, list := range lists {
			text, _ := os.ReadFile(list) // of one that has ended
			for _, word := range strings.Fields(string(text)) {
				if pid, err := strconv.Atoi(word); err == nil && !slices.Contains(all, pid) {
					all = append(all, pid)
				}
			}
		}
	}
	return all
}

// comm is the name of a process; empty if that isn't known.
func comm(pid int) string {
	name, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
