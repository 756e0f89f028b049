package machine

import (
	"fmt"
	"io"
	"strings"
)

// Describe writes for people what machine f is of, in two columns, and what
// speaks against measuring there just now. Its settings are package setting's to
// describe. The error is that of w.
func Describe(w io.Writer, f Fingerprint) error {
	var b strings.Builder
	for _, row := range rows(f) {
		fmt.Fprintf(&b, "%-12s %s\n", row.label, orUnknown(row.value))
	}
	if now := remarksNow(f); len(now) > 0 {
		b.WriteString("\nWhat speaks against measuring just now:\n")
		for _, remark := range now {
			fmt.Fprintf(&b, "  - %s\n", remark)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type row struct{ label, value string }

func rows(f Fingerprint) []row {
	return []row{
		{"System", joined(f.Distribution, prefixed("kernel ", f.Kernel), f.OS+"/"+f.Arch)},
		{"Processor", f.CPUModel},
		{"CPUs", joined(fmt.Sprintf("%d online", f.CPUs), prefixed("SMT ", f.SMT), nodes(f.NUMANodes))},
		{"Memory", size(f.MemoryBytes)},
		{"Right now", fmt.Sprintf("load average %.2f, %.1f CPUs busy", f.Load1, f.Busy)},
		{"Built with", f.GoVersion},
	}
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
