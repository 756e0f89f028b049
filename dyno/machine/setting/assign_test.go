package setting

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"dyno.example/dyno/machine"
)

func TestAssign(t *testing.T) {
	root := fstest.MapFS{}
	put := func(path, text string) { root[path] = &fstest.MapFile{Data: []byte(text + "\n")} }
	put("proc/sys/net/ipv4/tcp_fastopen", "1")
	put("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999")
	put("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never")
	put("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave")
	put("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance")
	for _, c := range []struct {
		name, value string
		want        []Change
	}{
		{"net.ipv4.tcp_fastopen", "3", []Change{{"net.ipv4.tcp_fastopen", "proc/sys/net/ipv4/tcp_fastopen", "1", "3"}}},
		{"net.ipv4.tcp_fastopen", "1", nil},
		{"tcp_fastopen", "3", []Change{{"tcp_fastopen", "proc/sys/net/ipv4/tcp_fastopen", "1", "3"}}},
		{"port_range", "10000 60999", []Change{{"port_range", "proc/sys/net/ipv4/ip_local_port_range", "32768 60999", "10000 60999"}}},
		{"port_range", "32768  60999", nil},
		{"transparent_hugepages", "never", []Change{{"transparent_hugepages", "sys/kernel/mm/transparent_hugepage/enabled", "madvise", "never"}}},
		{"governor", "performance", []Change{{"governor", "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave", "performance"}}},
	} {
		got, err := Assign(root, machine.Fingerprint{}, c.name, c.value)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s = %s: %+v, %v, want %+v", c.name, c.value, got, err, c.want)
		}
	}
	for name, want := range map[string]string{
		"net.ipv4.tcp_nothing":   "this machine has no such setting: ",
		"net.ipv4.tcp_fastopn":   `this machine has no such setting (did you mean "net.ipv4.tcp_fastopen"?)`,
		"nett.ipv4.tcp_fastopen": `is not the name of a sysctl (did you mean "net.ipv4.tcp_fastopen"?)`,
		"governer":               `did you mean "governor"?`,
		"turbo":                  "there is no setting \"turbo\" that can be given a value",
		"interrupts":             "there is no setting \"interrupts\" that can be given a value",
		"etc.passwd":             "is not the name of a sysctl",
		"net..ipv4":              "is not the name of a sysctl",
		"net.ipv4.tcp_fastopen.": "is not the name of a sysctl",
	} {
		if got, err := Assign(root, machine.Fingerprint{}, name, "1"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v, want %q", name, got, err, want)
		}
	}
}

// TestAssignableSettingsAreKnown: each of them is in the table, with files.
func TestAssignableSettingsAreKnown(t *testing.T) {
	for _, name := range assignable {
		if !slices.ContainsFunc(settings, func(s Setting) bool { return s.Name == name && s.better != nil }) {
			t.Errorf("%s is not in the table, or has no files", name)
		}
	}
}
