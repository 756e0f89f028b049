package machine

import (
	"fmt"
	"io"
	"strings"
)

// Describe writes f for people to read: two columns, then the remarks, then
// what could not be read. The error is that of w.
func Describe(w io.Writer, f Fingerprint) error {
	var b strings.Builder
	for _, row := range rows(f) {
		fmt.Fprintf(&b, "%-16s %s\n", row.label, orUnknown(row.value))
	}
	list(&b, "What speaks against measuring here", f.Remarks)
	list(&b, "What could not be read", f.Missing)
	_, err := io.WriteString(w, b.String())
	return err
}

type row struct{ label, value string }

func rows(f Fingerprint) []row {
	count := func(n uint64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	return []row{
		{"System", joined(f.Distribution, prefixed("kernel ", f.Kernel), f.OS+"/"+f.Arch)},
		{"Processor", f.CPUModel},
		{"CPUs", joined(fmt.Sprintf("%d online", f.CPUs), prefixed("SMT ", f.SMT), nodes(f.NUMANodes))},
		{"Frequency", joined(prefixed("governor ", f.Governor), prefixed("turbo ", f.Turbo))},
		{"Clock source", f.ClockSource},
		{"Virtual machine", virtual(f)},
		{"Memory", joined(size(f.MemoryBytes), prefixed("transparent huge pages ", f.THP))},
		{"Swap", swap(f)},
		{"Cgroups", f.Cgroup},
		{"Open files", prefixed("at most ", count(f.FileLimit))},
		{"TCP", joined(prefixed("congestion control ", f.Congestion), prefixed("backlog ", count(uint64(f.Somaxconn))), prefixed("ports ", f.PortRange))},
		{"Right now", fmt.Sprintf("load average %.2f, %.1f CPUs busy", f.Load1, f.Busy)},
		{"Built with", f.GoVersion},
	}
}

func virtual(f Fingerprint) string {
	if f.Virtualization == "" {
		return "not that it can be seen"
	}
	return fmt.Sprintf("%s, %.1f %% steal since boot", f.Virtualization, 100*f.Steal)
}

func swap(f Fingerprint) string {
	if f.SwapBytes == 0 {
		return "none"
	}
	return fmt.Sprintf("%s, %s used", bytesText(f.SwapBytes), bytesText(f.SwapUsed))
}

func nodes(n int) string {
	if n == 0 {
		return ""
	}
	return plural(n, "NUMA node")
}

func size(n uint64) string {
	if n == 0 {
		return ""
	}
	return bytesText(n)
}

func prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// joined lists the parts that are not empty.
func joined(parts ...string) string {
	var known []string
	for _, p := range parts {
		if p != "" {
			known = append(known, p)
		}
	}
	return strings.Join(known, ", ")
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}

func list(b *strings.Builder, title string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%s:\n", title)
	for _, line := range lines {
		fmt.Fprintf(b, "  - %s\n", line)
	}
}
