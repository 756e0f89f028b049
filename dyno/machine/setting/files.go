package setting

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// kind is where a setting is written, and what can stand there.
type kind struct {
	files  []string // patterns of [path.Match], below the root folder
	values *regexp.Regexp
}

var (
	aNumber = regexp.MustCompile(`^-?[0-9]{1,20}$`)
	numbers = regexp.MustCompile(`^[0-9]{1,5}[ \t]+[0-9]{1,5}$`)
	aSwitch = regexp.MustCompile(`^[01]$`)
	aWord   = regexp.MustCompile(`^[a-z_]{1,30}$`)
	// text is what a sysctl may be given that is named by its path: one printable line.
	text = regexp.MustCompile(`^[ -~\t]*$`)
)

// longestValue bounds a value, in bytes: the kernel's own are a page at most.
const longestValue = 4096

// kinds are the settings that are written, by their names.
var kinds = map[string]kind{
	"governor":              {[]string{globGovernor}, aWord},
	"turbo":                 {[]string{pathNoTurbo, pathBoost}, aSwitch},
	"idle_states":           {[]string{disableOf(globIdle)}, aSwitch},
	"numa_balancing":        {[]string{pathNUMABalancing}, aNumber},
	"nmi_watchdog":          {[]string{pathNMIWatchdog}, aSwitch},
	"transparent_hugepages": {[]string{pathTHP}, aWord},
	"swappiness":            {[]string{pathSwappiness}, aNumber},
	"port_range":            {[]string{pathPorts}, numbers},
	"somaxconn":             {[]string{pathSomaxconn}, aNumber},
	"tcp_tw_reuse":          {[]string{pathReuse}, aNumber},
	"conntrack":             {[]string{pathConntrack}, aNumber},
	"tcp_fastopen":          {[]string{pathFastOpen}, aNumber},
	"smt":                   {[]string{pathSMT}, aWord},
}

// Check reports what is wrong with a change that was read from a file: that its path isn't
// where the setting of that name is written, or that no such value can have stood there.
// Root writes what such a file says.
func Check(c Change) error {
	if c.Path == "" || !filepath.IsLocal(c.Path) || path.Clean(c.Path) != c.Path {
		return fmt.Errorf("path: %q is not below the root folder", c.Path)
	}
	k, known := kinds[c.Setting]
	written := slices.ContainsFunc(k.files, func(pattern string) bool { ok, _ := path.Match(pattern, c.Path); return ok })
	if !known && strings.Contains(c.Setting, ".") {
		if err := CheckName(c.Setting); err != nil {
			return fmt.Errorf("setting: %w", err)
		}
		k.values, known, written = text, true, c.Path == sysctlFile(c.Setting)
	}
	if !known {
		return fmt.Errorf("setting: there is no setting %q that dyno writes", c.Setting)
	}
	if !written {
		return fmt.Errorf("path: %q is not where the setting %s is written", c.Path, c.Setting)
	}
	for _, value := range []string{c.Old, c.New} {
		if len(value) > longestValue || !k.values.MatchString(value) {
			return fmt.Errorf("%q is no value of the setting %s", value, c.Setting)
		}
	}
	return nil
}

// programs are the sysctls whose value is a program that the kernel runs as root, and
// folders of such.
var programs = []string{"kernel.core_pattern", "kernel.modprobe", "kernel.hotplug", "kernel.poweroff_cmd", "kernel.usermodehelper", "fs.binfmt_misc"}

// runsPrograms reports whether a sysctl has the kernel run programs.
func runsPrograms(name string) bool {
	file := sysctlFile(name)
	return slices.ContainsFunc(programs, func(p string) bool {
		return file == sysctlFile(p) || strings.HasPrefix(file, sysctlFile(p)+"/")
	})
}
