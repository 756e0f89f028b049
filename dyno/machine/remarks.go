package machine

import (
	"fmt"
	"strings"

	"dyno.example/internal/i18n"
)

// What is still nothing to worry about.
const (
	fewCPUs       = 4    // fewer can't keep the generator, the subject and the rest apart
	manyFiles     = 4096 // open files: enough for some thousand connections
	little        = 0.2  // CPUs used by other programs, and load average per CPU
	stealNoticed  = 0.001
	suggestedOpen = 65536
)

// remarks says in full sentences which properties of f disturb measurements there, and
// what can be done.
func remarks(f Fingerprint) []i18n.Message { return append(remarksSettings(f), remarksNow(f)...) }

// remarksSettings is about what is so until somebody changes it.
func remarksSettings(f Fingerprint) (all []i18n.Message) {
	say := sayTo(&all)
	say(f.Virtualization != "" && f.Steal >= stealNoticed, i18n.New("machine.virtual-machine-stolen", "This is a virtual machine (%s) whose host has taken %.1f %% of its CPU time since boot: pauses that no program here can explain will be in the tail.", f.Virtualization, 100*f.Steal))
	say(f.Virtualization != "" && f.Steal < stealNoticed, i18n.New("machine.virtual-machine", "This is a virtual machine (%s): what its neighbours do can't be seen from here. Compare only runs made side by side.", f.Virtualization))
	say(f.Governor != "" && f.Governor != "performance", i18n.New("machine.governor-not-performance", "The CPU frequency governor is %s, not performance: speed depends on what ran before. Set it with `sudo cpupower frequency-set -g performance`.", f.Governor))
	say(f.Turbo == "on", i18n.New("machine.turbo-on", "Turbo is on: speed depends on temperature and on how many CPUs are busy. Switch it off with `echo 1 | sudo tee /%s` (Intel) or `echo 0 | sudo tee /%s`.", noTurbo, boost))
	say(f.SMT == "on", i18n.New("machine.smt-on", "SMT is on: two CPUs share a core and slow each other down. Switch it off with `echo off | sudo tee /sys/devices/system/cpu/smt/control`."))
	say(f.NUMANodes > 1 && f.NUMABalancing == "on", i18n.New("machine.numa-balancing-on", "NUMA balancing is on and moves memory between %d nodes while programs run. Switch it off with `sudo sysctl kernel.numa_balancing=0`.", f.NUMANodes))
	say(f.SwapUsed > 0, i18n.New("machine.memory-swapped", "%s of memory are swapped out: touching them takes milliseconds. Free some memory, then `sudo swapoff -a`.", bytesText(f.SwapUsed)))
	say(f.FileLimit > 0 && f.FileLimit < manyFiles, i18n.New("machine.few-open-files", "At most %d files can be open, which leaves about %d connections. Raise the limit with `ulimit -n %d` in the shell that starts dyno.", f.FileLimit, f.FileLimit-min(f.FileLimit, 100), suggestedOpen))
	say(isSlowClock(f.ClockSource), i18n.New("machine.slow-clock-source", "The clock source is %s: each look at the clock is a slow system call. Choose another of /sys/devices/system/clocksource/clocksource0/available_clocksource.", f.ClockSource))
	return all
}

// remarksNow is about the machine's size and what else it is doing.
func remarksNow(f Fingerprint) (all []i18n.Message) {
	say := sayTo(&all)
	say(f.CPUs > 0 && f.CPUs < fewCPUs, i18n.New("machine.cpus-shared", "With %s, the load generator, the service and everything else are in each other's way: throughput found here is a lower bound.", cpus(f.CPUs)))
	say(f.CPUs > 0 && f.Load1 > little*float64(f.CPUs), i18n.New("machine.load-high", "The load average is already %.2f on %s: wait until it has fallen, or find what runs with `top`.", f.Load1, cpus(f.CPUs)))
	say(f.Busy > little, i18n.New("machine.others-busy", "Other programs used %.1f of %s while dyno looked on. Find them with `top`.", f.Busy, cpus(f.CPUs)))
	return all
}

// sayTo returns how to add a remark when something holds.
func sayTo(all *[]i18n.Message) func(when bool, remark i18n.Message) {
	return func(when bool, remark i18n.Message) {
		if when {
			*all = append(*all, remark)
		}
	}
}

// isSlowClock knows the clock sources of Linux that can't be read without
// entering the kernel.
func isSlowClock(source string) bool {
	switch source {
	case "hpet", "acpi_pm", "jiffies", "refined-jiffies":
		return true
	}
	return false
}

func cpus(n int) i18n.Message {
	return i18n.Plural(n, i18n.New("machine.cpu", "%d CPU", n), i18n.New("machine.cpus", "%d CPUs", n))
}

// bytesText writes a size with three digits at most: "1.5 GiB".
func bytesText(n uint64) string {
	units := []string{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	v, i := float64(n), 0
	for v >= 1000 && i < len(units)-1 {
		v, i = v/1024, i+1
	}
	digits := fmt.Sprintf("%.1f", v)
	if v >= 99.95 {
		digits = fmt.Sprintf("%.0f", v)
	}
	return strings.TrimSuffix(digits, ".0") + " " + units[i]
}
