package setting

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"dyno.example/dyno/machine"
	"dyno.example/internal/i18n"
	"dyno.example/internal/spelling"
)

// assignable are the settings that have one value everywhere, which can be any
// that the kernel takes. The schema of study files lists them too.
var assignable = []string{
	"governor", "numa_balancing", "nmi_watchdog", "transparent_hugepages", "swappiness", "port_range",
	"somaxconn", "tcp_tw_reuse", "conntrack", "tcp_fastopen", "smt",
}

// sysctlRoots are the first parts of the names of sysctls.
var sysctlRoots = []string{"abi", "debug", "dev", "fs", "kernel", "net", "user", "vm"}

// NameError says that no machine has a setting of that name.
type NameError struct {
	What i18n.Message
	Hint i18n.Message // how to write it; may be empty
}

func (e *NameError) Error() string { return e.Message().String() }

// Message implements [i18n.Messager].
func (e *NameError) Message() i18n.Message {
	if e.Hint.IsZero() {
		return e.What
	}
	return i18n.Format("%s (%s)", e.What, e.Hint)
}

// CheckName reports what is wrong with the name of a setting to be given a value,
// as a [*NameError], or nil. Whether a machine has the setting is not looked at.
func CheckName(name string) error {
	if !strings.Contains(name, ".") {
		if slices.Contains(assignable, name) {
			return nil
		}
		return &NameError{i18n.New("setting.not-assignable", "there is no setting %q that can be given a value", name), hintFor(name)}
	}
	first, rest, _ := strings.Cut(name, ".")
	file := sysctlFile(name)
	switch {
	case strings.Contains(name, "..") || strings.HasSuffix(name, ".") || !fs.ValidPath(file):
	case runsPrograms(name):
		return &NameError{i18n.New("setting.runs-programs", "%s has the kernel run programs, and isn't set", name), i18n.New("setting.set-yourself", "set it yourself, before the run")}
	case slices.Contains(sysctlRoots, first):
		return nil
	default:
		if near, ok := spelling.Nearest(first, sysctlRoots); ok {
			return &NameError{noSysctl(name), i18n.New("yaml.did-you-mean", "did you mean %q?", near+"."+rest)}
		}
	}
	return &NameError{noSysctl(name), i18n.New("setting.sysctl-names", "such as net.ipv4.tcp_fastopen; they begin with %s", i18n.Names(sysctlRoots...))}
}

func noSysctl(name string) i18n.Message {
	return i18n.New("setting.no-sysctl", "%s is not the name of a sysctl", name)
}

// hintFor names the setting that was probably meant, or all there are.
func hintFor(name string) i18n.Message {
	if near, ok := spelling.Nearest(name, assignable); ok {
		return i18n.New("yaml.did-you-mean", "did you mean %q?", near)
	}
	return i18n.New("setting.assignable", "there are %s, and sysctls such as net.ipv4.tcp_fastopen", i18n.Names(assignable...))
}

func sysctlFile(name string) string { return path.Join("proc/sys", strings.ReplaceAll(name, ".", "/")) }

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
			return nil, fmt.Errorf("%s: this machine has no such setting%s: %w", name, nearBy(root, name), err)
		}
		if old != Normal(value) {
			all = append(all, Change{Setting: name, Path: file, Old: old, New: value})
		}
	}
	return all, nil
}

// filesOf are the files that hold a setting's value.
func filesOf(m *Machine, name string) ([]string, error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	if strings.Contains(name, ".") {
		return []string{sysctlFile(name)}, nil
	}
	at := slices.IndexFunc(settings, func(s Setting) bool { return s.Name == name })
	var files []string
	for _, c := range settings[at].better(m) {
		files = append(files, c.Path)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s can't be set on this machine", name)
	}
	return files, nil
}

// nearBy names the sysctl whose name is nearest to one that is not there.
func nearBy(root fs.FS, name string) string {
	file := sysctlFile(name)
	entries, err := fs.ReadDir(root, path.Dir(file))
	if err != nil || !strings.Contains(name, ".") {
		return ""
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	near, ok := spelling.Nearest(path.Base(file), names)
	if !ok {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", name[:strings.LastIndexByte(name, '.')+1]+near)
}
