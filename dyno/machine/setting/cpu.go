package setting

import (
	"fmt"
	"path"
	"strings"

	"dyno.example/internal/i18n"
)

// Files of CPU settings, below the root folder.
const (
	pathNoTurbo       = "sys/devices/system/cpu/intel_pstate/no_turbo"
	pathBoost         = "sys/devices/system/cpu/cpufreq/boost"
	pathSMT           = "sys/devices/system/cpu/smt/control"
	pathNUMABalancing = "proc/sys/kernel/numa_balancing"
	pathIsolated      = "sys/devices/system/cpu/isolated"
	pathNMIWatchdog   = "proc/sys/kernel/nmi_watchdog"
	pathClocks        = "sys/devices/system/clocksource/clocksource0/available_clocksource"
	globGovernor      = "sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor"
	globIdle          = "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]*/latency"
	globVulnerable    = "sys/devices/system/cpu/vulnerabilities/*"
	globInterrupts    = "proc/irq/[0-9]*/smp_affinity_list"
)

// deepIdle is from how many µs of wake-up time on an idle state is deep.
const deepIdle = 20

// uncontrolled is why neither governor nor turbo can be seen.
var uncontrolled = i18n.New("setting.frequency-by-host", "the kernel does not control the CPUs' frequency, as in most virtual machines: the host does, unseen")

func governor(m *Machine) Value {
	switch m.Governor {
	case "":
		return unknown(uncontrolled)
	case "performance":
		return good(i18n.Verbatim(m.Governor))
	}
	return bad(i18n.Verbatim(m.Governor), i18n.New("setting.not-performance", "not performance on every CPU"))
}

func betterGovernor(m *Machine) (all []Change) {
	for _, file := range m.files(globGovernor) {
		if offered, ok := m.text(path.Join(path.Dir(file), "scaling_available_governors")); !ok || strings.Contains(offered, "performance") {
			all = append(all, Change{Path: file, New: "performance"})
		}
	}
	return all
}

func turbo(m *Machine) Value {
	switch m.Turbo {
	case "":
		return unknown(uncontrolled)
	case "off":
		return good(i18n.New("study.off", "off"))
	}
	return bad(i18n.New("setting.on", "on"), i18n.New("setting.heat-changes-speed", "compare nothing that ran hot with what ran cool"))
}

// betterTurbo: the Intel driver has its own switch, and no other then.
func betterTurbo(m *Machine) []Change {
	if m.has(pathNoTurbo) {
		return []Change{{Path: pathNoTurbo, New: "1"}}
	}
	return []Change{{Path: pathBoost, New: "0"}}
}

// idleStates looks for the deepest idle state that is in use.
func idleStates(m *Machine) Value {
	files := m.files(globIdle)
	if len(files) == 0 {
		return unknown(i18n.New("setting.idle-by-host", "the kernel does not choose how deeply CPUs sleep; a host may"))
	}
	deepest, name := int64(0), "none"
	for _, file := range files {
		us, ok := m.number(file)
		if off, _ := m.text(disableOf(file)); ok && off == "0" && us >= deepest {
			deepest = us
			name, _ = m.text(path.Join(path.Dir(file), "name"))
		}
	}
	text := i18n.New("setting.deepest-idle-state", "deepest %s, %d µs to wake up", name, deepest)
	if deepest < deepIdle {
		return good(text)
	}
	return mind(text, i18n.New("setting.slower-at-low-rates", "adds to the response time at low rates"))
}

func disableOf(latencyFile string) string { return path.Join(path.Dir(latencyFile), "disable") }

func betterIdleStates(m *Machine) (all []Change) {
	for _, file := range m.files(globIdle) {
		if us, ok := m.number(file); ok && us >= deepIdle {
			all = append(all, Change{Path: disableOf(file), New: "1"})
		}
	}
	return all
}

func smt(m *Machine) Value {
	control, _ := m.text(pathSMT)
	switch {
	case control == "notsupported" || control == "notimplemented":
		return good(i18n.New("study.none", "none"))
	case m.SMT == "":
		return m.unseen("sys/devices/system/cpu/smt/active")
	case m.SMT == "off":
		return good(i18n.New("study.off", "off"))
	}
	return mind(i18n.New("setting.on", "on"), i18n.New("setting.use-whole-cores", "give generator and subject whole cores: profile all switches it off"))
}

func numa(m *Machine) Value {
	switch m.NUMANodes {
	case 0:
		return m.unseen("sys/devices/system/node/online")
	case 1:
		return good(i18n.Verbatim("1"))
	}
	return mind(i18n.Verbatim(fmt.Sprint(m.NUMANodes)), i18n.New("setting.stay-on-node", "keep generator and subject on one node each: placement: {generator: [...], subject: [...]}"))
}

func numaBalancing(m *Machine) Value {
	switch {
	case m.NUMABalancing == "" && m.NUMANodes == 1:
		return good(i18n.New("study.none", "none"))
	case m.NUMABalancing == "":
		return m.unseen(pathNUMABalancing)
	case m.NUMABalancing == "off":
		return good(i18n.New("study.off", "off"))
	case m.NUMANodes == 1:
		return good(i18n.New("setting.nothing-balance", "on, with nothing to balance"))
	}
	return bad(i18n.New("setting.on", "on"), i18n.New("setting.memory-moves", "memory moves while programs run"))
}

func isolated(m *Machine) Value {
	cpus, ok := m.text(pathIsolated)
	switch {
	case !ok:
		return m.unseen(pathIsolated)
	case cpus == "":
		return mind(i18n.New("study.none", "none"), i18n.New("setting.isolation-at-boot", "only a boot parameter isolates: isolcpus=2-7 nohz_full=2-7 rcu_nocbs=2-7"))
	}
	return good(i18n.Verbatim(cpus))
}

// interrupts counts those that may arrive on every CPU.
func interrupts(m *Machine) Value {
	files := m.files(globInterrupts)
	if len(files) == 0 {
		return unknown(i18n.New("setting.irq-unreadable", "there is nothing below /proc/irq to be read"))
	}
	where := make(map[string]int)
	for _, file := range files {
		cpus, _ := m.text(file)
		where[cpus]++
	}
	everywhere := 0
	if online, ok := m.text("sys/devices/system/cpu/online"); ok {
		everywhere = where[online]
	}
	text := i18n.New("setting.interrupts-spread", "%d, of which %d may go to any CPU", len(files), everywhere)
	if everywhere == 0 || m.CPUs == 1 {
		return good(text)
	}
	return mind(text, i18n.New("setting.steer-interrupts", "tie those of busy devices to the CPU that is left to the system: /proc/irq/N/smp_affinity_list"))
}

func nmiWatchdog(m *Machine) Value {
	switch on, ok := m.text(pathNMIWatchdog); {
	case !ok:
		return m.unseen(pathNMIWatchdog)
	case on == "0":
		return good(i18n.New("study.off", "off"))
	}
	return mind(i18n.New("setting.on", "on"), i18n.New("setting.few-interrupts", "one interrupt per CPU every few seconds"))
}

// mitigations counts what the kernel says of each weakness of the CPU.
func mitigations(m *Machine) Value {
	files := m.files(globVulnerable)
	if len(files) == 0 {
		return unknown(i18n.New("setting.mitigations-unreadable", "there is nothing below /sys/devices/system/cpu/vulnerabilities to be read"))
	}
	active, open := 0, 0
	for _, file := range files {
		switch text, _ := m.text(file); {
		case strings.HasPrefix(text, "Mitigation"):
			active++
		case strings.HasPrefix(text, "Vulnerable"):
			open++
		}
	}
	text := i18n.New("setting.force-weaknesses-open", "%d in force, %d of %d weaknesses open", active, open, len(files))
	if active == 0 {
		return good(text)
	}
	return mind(text, i18n.New("setting.mitigations-advice", "measure with what production has; boot parameter mitigations="))
}

func clockSource(m *Machine) Value {
	switch m.ClockSource {
	case "":
		return m.unseen("sys/devices/system/clocksource/clocksource0/current_clocksource")
	case "hpet", "acpi_pm", "jiffies", "refined-jiffies":
		offered, _ := m.text(pathClocks)
		return bad(i18n.Verbatim(m.ClockSource), i18n.New("setting.clock-enters-kernel", "each look at the clock enters the kernel; there are: %s", offered))
	}
	return good(i18n.Verbatim(m.ClockSource))
}
