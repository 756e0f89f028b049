package machine

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"slices"
	"strings"
)

// mostConfig bounds what is read of a kernel's configuration, which has some 300 KB.
const mostConfig = 4 << 20

// stealApart reports whether the scheduler leaves out of programs' CPU times what the hypervisor
// took (CONFIG_PARAVIRT_TIME_ACCOUNTING; kernel/sched/core.c, update_rq_clock_task). A kernel that
// was told not to ask the hypervisor (no-steal-acc, admin-guide/kernel-parameters.rst) leaves
// nothing out.
func (d *document) stealApart() bool {
	line, err := d.text("proc/cmdline")
	if err != nil || slices.Contains(strings.Fields(line), "no-steal-acc") {
		return false
	}
	return slices.Contains(strings.Split(d.kernelConfig(), "\n"), "CONFIG_PARAVIRT_TIME_ACCOUNTING=y")
}

// kernelConfig is the configuration that the kernel was built with: its own word, where it was built
// to give it, or the file that distributions put next to it. Empty if there is neither.
func (d *document) kernelConfig() string {
	if data, err := fs.ReadFile(d.root, "proc/config.gz"); err == nil {
		if unpacked, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
			if text, err := io.ReadAll(io.LimitReader(unpacked, mostConfig)); err == nil {
				return string(text)
			}
		}
	}
	if d.Kernel == "" {
		return ""
	}
	text, _ := d.text("boot/config-" + d.Kernel)
	return text
}
