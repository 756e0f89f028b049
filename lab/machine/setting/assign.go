package setting

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dyno/internal/spelling"
	"dyno/lab/machine"
)

// assignable are the settings that have one value everywhere, which can be any
// that the kernel takes.
var assignable = []string{
	"governor", "numa_balancing", "nmi_watchdog", "transparent_hugepages", "swappiness", "port_range",
	"somaxconn", "tcp_tw_reuse", "conntrack", "tcp_fastopen", "smt",
}

// sysctlRoots are the first parts of the names of sysctls.
var sysctlRoots = []string{"abi", "debug", "dev", "fs", "kernel", "net", "user", "vm"}

// Assign lists the files to write for a setting to have a value: a sysctl by its
// name ("net.ipv4.tcp_fastopen"), or one of the settings by theirs
// ("transparent_hugepages"). Files that have the value already are not listed.
// An error says that there is no such setting, here or at all.
func Assign(root fs.FS, f machine.Fingerprint, name, value string) ([]Change, error) {
	files, err := filesOf(&Machine{Fingerprint: f, root: root}, name)
	if err != nil {
		return nil, err
	}
	var all []Change
	for _, file := range files {
		old, err := Current(root, file)
		if err != nil {
			return nil, fmt.Errorf("%s: this machine has no such setting: %w", name, err)
		}
		if old != Normal(value) {
			all = append(all, Change{Setting: name, Path: file, Old: old, New: value})
		}
	}
	return all, nil
}

// filesOf are the files that hold a setting's value.
func filesOf(m *Machine, name string) ([]string, error) {
	if strings.Contains(name, ".") {
		file := path.Join("proc/sys", strings.ReplaceAll(name, ".", "/"))
		first, _, _ := strings.Cut(name, ".")
		if strings.Contains(name, "..") || strings.HasSuffix(name, ".") || !fs.ValidPath(file) || !slices.Contains(sysctlRoots, first) {
			return nil, fmt.Errorf("%s is not the name of a sysctl, such as net.ipv4.tcp_fastopen", name)
		}
		return []string{file}, nil
	}
	at := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	if at < 0 || !slices.Contains(assignable, name) {
		hint := "there are " + strings.Join(assignable, ", ") + ", and sysctls such as net.ipv4.tcp_fastopen"
		if near, ok := spelling.Nearest(name, assignable); ok {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		return nil, fmt.Errorf("there is no setting %q that can be given a value (%s)", name, hint)
	}
	var files []string
	for _, c := range settings[at].better(m) {
		files = append(files, c.Path)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s can't be set on this machine", name)
	}
	return files, nil
}
