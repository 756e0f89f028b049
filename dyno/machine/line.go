package machine

import (
	"fmt"
	"strings"
)

// Line describes the machine in a line.
func (f *Fingerprint) Line() string {
	parts := []string{fmt.Sprintf("%s × %d", f.CPUModel, f.CPUs)}
	if f.Virtualization != "" {
		parts = append(parts, f.Virtualization)
	}
	parts = append(parts, fmt.Sprintf("%s %s", f.OS, f.Kernel))
	if f.Distribution != "" {
		parts = append(parts, f.Distribution)
	}
	return strings.Join(parts, ", ")
}
