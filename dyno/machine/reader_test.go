package machine

import (
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// server is a made-up machine of two sockets.
func server() fstest.MapFS {
	files := fstest.MapFS{}
	for path, text := range map[string]string{
		"etc/os-release":                                                  "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n",
		"proc/sys/kernel/osrelease":                                       "6.1.0-18-amd64\n",
		"proc/sys/kernel/random/boot_id":                                  "0f0e0d0c-0b0a-0908-0706-050403020100\n",
		"proc/sys/kernel/numa_balancing":                                  "1\n",
		"proc/sys/net/ipv4/ip_local_port_range":                           "32768\t60999\n",
		"proc/sys/net/core/somaxconn":                                     "4096\n",
		"proc/cpuinfo":                                                    "processor\t: 0\nmodel name\t: Example CPU @ 3.00GHz\nflags\t\t: fpu sse2 ht\n\nprocessor\t: 1\nmodel name\t: Another\n",
		"proc/meminfo":                                                    "MemTotal:       65536000 kB\nMemFree: 1 kB\nSwapTotal:       2048 kB\nSwapFree:        1024 kB\n",
		"proc/sys/net/ipv4/tcp_congestion_control":                        "cubic\n",
		"sys/devices/system/cpu/online":                                   "0-3,8-11\n",
		"sys/devices/system/cpu/smt/active":                               "1\n",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor":            "powersave\n",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor":            "powersave\n",
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor":           "performance\n",
		"sys/devices/system/cpu/intel_pstate/no_turbo":                    "0\n",
		"sys/devices/system/node/online":                                  "0-1\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		"sys/kernel/mm/transparent_hugepage/enabled":                      "always [madvise] never\n",
		"sys/fs/cgroup/cgroup.controllers":                                "cpu memory\n",
	} {
		files[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return files
}

func TestReader(t *testing.T) {
	want := Fingerprint{
		OS: "linux", Distribution: "Debian GNU/Linux 12 (bookworm)", Kernel: "6.1.0-18-amd64",
		Arch: runtime.GOARCH, GoVersion: runtime.Version(),
		CPUModel: "Example CPU @ 3.00GHz", CPUs: 8, SMT: "on", NUMANodes: 2, NUMABalancing: "on",
		Governor: "performance, powersave", Turbo: "on", ClockSource: "tsc",
		MemoryBytes: 65536000 << 10, SwapBytes: 2 << 20, SwapUsed: 1 << 20,
		Cgroup: "v2", Congestion: "cubic", Somaxconn: 4096, PortRange: "32768-60999", THP: "madvise",
		BootID: "0f0e0d0c-0b0a-0908-0706-050403020100",
	}
	expect(t, Reader{Root: server()}.Read(), want)
}

// expect compares row by row, for a readable difference.
func expect(t *testing.T, got, want Fingerprint) {
	t.Helper()
	g, w := fields(t, got), fields(t, want)
	for _, name := range slices.Sorted(maps.Keys(w)) {
		if g[name] != w[name] {
			t.Errorf("%s = %s, want %s", name, g[name], w[name])
		}
	}
	if len(g) != len(w) {
		t.Errorf("got %v\nwant %v", g, w)
	}
}

func TestReaderOfEmptyMachine(t *testing.T) {
	got := Reader{Root: fstest.MapFS{}}.Read()
	if got.CPUs < 1 || got.OS != "linux" {
		t.Errorf("fingerprint = %+v", got)
	}
	for _, name := range []string{"boot_id", "cgroup", "clock_source", "cpu_model", "cpus", "distro", "governor", "kernel", "memory_bytes", "numa_nodes", "port_range", "smt", "somaxconn", "tcp_congestion", "transparent_hugepages", "turbo"} {
		n := 0
		for _, m := range got.Missing {
			if strings.HasPrefix(m, name+": ") && len(m) > len(name)+2 {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s is named %d times among what is missing: %q", name, n, got.Missing)
		}
	}
}

func TestVirtualization(t *testing.T) {
	const virtual = "flags : fpu hypervisor\n"
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"bare metal", map[string]string{"sys/class/dmi/id/sys_vendor": "Dell Inc.\n"}, ""},
		{"bare metal of a cloud", map[string]string{"sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "c7i.metal-24xl\n"}, ""},
		{"a cloud", map[string]string{"proc/cpuinfo": virtual, "sys/class/dmi/id/sys_vendor": "Amazon EC2\n", "sys/class/dmi/id/product_name": "c7i.large\n"}, "Amazon EC2 c7i.large"},
		{"no firmware", map[string]string{"proc/cpuinfo": virtual}, "unknown hypervisor"},
		{"Xen", map[string]string{"sys/hypervisor/type": "xen\n"}, "xen"},
		{"on ARM", map[string]string{"proc/cpuinfo": "CPU part : 0xd0c\n", "sys/class/dmi/id/sys_vendor": "QEMU\n"}, "QEMU"},
	}
	for _, test := range tests {
		files := fstest.MapFS{}
		for path, text := range test.files {
			files[path] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := (Reader{Root: files}).Read().Virtualization; got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestVariants(t *testing.T) {
	tests := []struct {
		name, path, text string
		got              func(Fingerprint) string
		want             string
	}{
		{"turbo of other drivers", "sys/devices/system/cpu/cpufreq/boost", "1\n", func(f Fingerprint) string { return f.Turbo }, "on"},
		{"turbo off", "sys/devices/system/cpu/intel_pstate/no_turbo", "1\n", func(f Fingerprint) string { return f.Turbo }, "off"},
		{"ARM", "proc/cpuinfo", "processor : 0\nCPU implementer : 0x41\nCPU part : 0xd0c\n", func(f Fingerprint) string { return f.CPUModel }, "implementer 0x41, part 0xd0c"},
		{"cgroups of both versions", "sys/fs/cgroup/unified/cgroup.controllers", "", func(f Fingerprint) string { return f.Cgroup }, "hybrid"},
		{"cgroups of version 1", "sys/fs/cgroup/cpu/cpu.shares", "1024", func(f Fingerprint) string { return f.Cgroup }, "v1"},
		{"a name without quotes", "etc/os-release", "PRETTY_NAME=Alpine\n", func(f Fingerprint) string { return f.Distribution }, "Alpine"},
	}
	for _, test := range tests {
		files := fstest.MapFS{test.path: {Data: []byte(test.text)}}
		if got := test.got(Reader{Root: files}.Read()); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestNUMABalancingHasSeveralModes(t *testing.T) {
	for bits, want := range map[string]string{"0": "off", "1": "on", "2": "on", "3": "on"} {
		root := fstest.MapFS{"proc/sys/kernel/numa_balancing": {Data: []byte(bits + "\n")}}
		if got := (Reader{Root: root}).Read().NUMABalancing; got != want {
			t.Errorf("%s is %q, want %q", bits, got, want)
		}
	}
}
