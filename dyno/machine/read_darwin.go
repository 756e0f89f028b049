package machine

import (
	"runtime"

	"golang.org/x/sys/unix"
)

func describeSystem() Fingerprint {
	f := Fingerprint{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoVersion: runtime.Version()}
	read := func(name, key string) string {
		s, err := unix.Sysctl(key)
		if err != nil {
			f.Missing = append(f.Missing, name+": sysctl "+key+": "+err.Error())
		}
		return s
	}
	f.Distribution = "macOS " + read("distro", "kern.osproductversion")
	f.Kernel = read("kernel", "kern.osrelease")
	f.CPUModel = read("cpu_model", "machdep.cpu.brand_string")
	var err error
	if f.MemoryBytes, err = unix.SysctlUint64("hw.memsize"); err != nil {
		f.Missing = append(f.Missing, "memory_bytes: sysctl hw.memsize: "+err.Error())
	}
	for _, name := range []string{"smt", "governor", "turbo", "clock_source", "virtualization"} {
		f.Missing = append(f.Missing, name+": macOS doesn't tell")
	}
	return f
}
