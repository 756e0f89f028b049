package machine

import (
	"fmt"
	"io"
	"strings"

	"dyno.example/dyno/internal/columns"
	"dyno.example/internal/i18n"
)

// Describe writes for people what machine f is of, in two columns, and what
// speaks against measuring there just now. Its settings are package setting's to
// describe. The error is that of w.
func Describe(w io.Writer, f Fingerprint, say i18n.Say) error {
	var b strings.Builder
	for _, row := range rows(f) {
		fmt.Fprintf(&b, "%s %s\n", columns.Left(say(row.label), 12), say(orUnknown(row.value)))
	}
	if now := remarksNow(f); len(now) > 0 {
		fmt.Fprintf(&b, "\n%s\n", say(i18n.New("machine.speaks-against", "What speaks against measuring just now:")))
		for _, remark := range now {
			fmt.Fprintf(&b, "  - %s\n", say(remark))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type row struct{ label, value i18n.Message }

func rows(f Fingerprint) []row {
	return []row{
		{i18n.New("machine.system", "System"), joined(f.Distribution, prefixed(i18n.New("machine.kernel", "kernel %s", f.Kernel), f.Kernel != ""), f.OS+"/"+f.Arch)},
		{i18n.New("machine.processor", "Processor"), i18n.Verbatim(f.CPUModel)},
		{i18n.New("machine.cpus-label", "CPUs"), joined(i18n.New("machine.online", "%d online", f.CPUs), prefixed(i18n.Format("SMT %s", f.SMT), f.SMT != ""), nodes(f.NUMANodes))},
		{i18n.New("machine.memory", "Memory"), i18n.Verbatim(size(f.MemoryBytes))},
		{i18n.New("machine.right-now", "Right now"), i18n.New("machine.load-average", "load average %.2f, %.1f CPUs busy", f.Load1, f.Busy)},
		{i18n.New("machine.built", "Built with"), i18n.Verbatim(f.GoVersion)},
	}
}

func nodes(n int) i18n.Message {
	switch n {
	case 0:
		return i18n.Message{}
	case 1:
		return i18n.New("machine.numa-node", "1 NUMA node")
	}
	return i18n.New("machine.numa-nodes", "%d NUMA nodes", n)
}

func size(n uint64) string {
	if n == 0 {
		return ""
	}
	return bytesText(n)
}

// prefixed is a part that is known, or nothing.
func prefixed(part i18n.Message, known bool) i18n.Message {
	if !known {
		return i18n.Message{}
	}
	return part
}

// joined lists the parts that say something.
func joined(parts ...any) i18n.Message {
	var known []i18n.Message
	for _, p := range parts {
		if m := i18n.Join(p); !m.IsZero() {
			known = append(known, m)
		}
	}
	return i18n.List(", ", known...)
}

func orUnknown(m i18n.Message) i18n.Message {
	if m.IsZero() {
		return i18n.New("machine.unknown", "unknown")
	}
	return m
}
