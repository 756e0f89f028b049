//go:build !linux && !darwin

package machine

import "runtime"

func describeSystem() Fingerprint {
	return Fingerprint{
		OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), GoVersion: runtime.Version(),
		Missing: []string{"everything else: can be read on Linux and macOS only"},
	}
}
