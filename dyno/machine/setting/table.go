package setting

import "dyno.example/internal/i18n"

// settings are all that are known, in the order in which they are shown and
// tuned. SMT comes last of what is tuned: switching it off takes CPUs away whose
// own settings must have been written before, and are restored after.
var settings = []Setting{
	{
		Name: "governor", Title: i18n.New("setting.cpu-governor", "CPU governor"), Profile: Quiet,
		Why:    "It chooses the CPUs' frequency from what ran before, so that the same work takes longer after a pause.",
		Source: "kernel: admin-guide/pm/cpufreq.rst", look: governor, better: betterGovernor,
	},
	{
		Name: "turbo", Title: i18n.New("setting.turbo", "Turbo"), Profile: Quiet,
		Why:    "Speed then depends on temperature and on how many CPUs are busy.",
		Source: "kernel: admin-guide/pm/intel_pstate.rst", look: turbo, better: betterTurbo,
	},
	{
		Name: "idle_states", Title: i18n.New("setting.idle-states", "Idle states"), Profile: Quiet,
		Why:    "A CPU that sleeps deeply wakes up late, which a service under light load pays at every request.",
		Source: "kernel: admin-guide/pm/cpuidle.rst", look: idleStates, better: betterIdleStates,
	},
	{
		Name: "numa", Title: i18n.New("setting.numa-nodes", "NUMA nodes"),
		Why:    "Memory of another node is slower; where a program's memory lies differs from start to start.",
		Source: "numa(7)", look: numa,
	},
	{
		Name: "numa_balancing", Title: i18n.New("setting.numa-balancing", "NUMA balancing"), Profile: Quiet,
		Why:    "The kernel unmaps memory now and then, to see who uses it, and moves it while programs run.",
		Source: "kernel: admin-guide/sysctl/kernel.rst", look: numaBalancing, better: write(pathNUMABalancing, "0"),
	},
	{
		Name: "isolated_cpus", Title: i18n.New("setting.isolated-cpus", "Isolated CPUs"),
		Why:    "On CPUs that the scheduler leaves alone nothing gets in the way of a pinned thread.",
		Source: "kernel: admin-guide/kernel-parameters.txt, isolcpus", look: isolated,
	},
	{
		Name: "interrupts", Title: i18n.New("setting.interrupts", "Interrupts"),
		Why:    "An interrupt takes its CPU away from whatever runs there.",
		Source: "kernel: core-api/irq/irq-affinity.rst", look: interrupts,
	},
	{
		Name: "nmi_watchdog", Title: i18n.New("setting.nmi-watchdog", "NMI watchdog"), Profile: Quiet,
		Why:    "It interrupts every CPU now and then and occupies a hardware counter.",
		Source: "kernel: admin-guide/sysctl/kernel.rst", look: nmiWatchdog, better: write(pathNMIWatchdog, "0"),
	},
	{
		Name: "transparent_hugepages", Title: i18n.New("setting.huge-pages", "Huge pages"), Profile: Quiet,
		Why:    "With always, the kernel compacts memory for programs that did not ask, at moments of its own choosing.",
		Source: "kernel: admin-guide/mm/transhuge.rst", look: hugePages, better: write(pathTHP, "madvise"),
	},
	{
		Name: "swap", Title: i18n.New("setting.swap", "Swap"),
		Why:    "Touching memory that is swapped out takes milliseconds.",
		Source: "swapon(8)", look: swap,
	},
	{
		Name: "swappiness", Title: i18n.New("setting.swappiness", "Swappiness"), Profile: Quiet,
		Why:    "It is how readily memory is swapped out while there is still some.",
		Source: "kernel: admin-guide/sysctl/vm.rst", look: swappiness, better: write(pathSwappiness, "1"),
	},
	{
		Name: "mitigations", Title: i18n.New("setting.mitigations", "Mitigations"),
		Why:    "They make system calls and switches of process dearer; machines with others can't be compared.",
		Source: "kernel: admin-guide/hw-vuln/index.rst", look: mitigations,
	},
	{
		Name: "clock_source", Title: i18n.New("setting.clock-source", "Clock source"),
		Why:    "Each request is timed by several looks at the clock, which are system calls with a slow one.",
		Source: "kernel: timers/timekeeping.rst", look: clockSource,
	},
	{
		Name: "virtualisation", Title: i18n.New("setting.virtualisation", "Virtualisation"),
		Why:    "A host takes CPU time away when it likes, and neighbours share caches and memory bandwidth unseen.",
		Source: "proc_stat(5), steal", look: virtualisation,
	},
	{
		Name: "cgroup", Title: i18n.New("setting.cgroup-limits", "Cgroup limits"),
		Why:    "A quota on CPU time stops programs for the rest of each period, 100 ms by default, once it is used up.",
		Source: "kernel: admin-guide/cgroup-v2.rst", look: cgroupLimits,
	},
	{
		Name: "file_limit", Title: i18n.New("setting.open-files", "Open files"),
		Why:    "Each connection is an open file, on both sides.",
		Source: "getrlimit(2)", look: fileLimit,
	},
	{
		Name: "port_range", Title: i18n.New("setting.local-ports", "Local ports"), Profile: Network,
		Why:    "Each connection to one address needs a port of its own, a minute longer than it lives.",
		Source: "kernel: networking/ip-sysctl.rst", look: portRange, better: write(pathPorts, "10240 65535"),
	},
	{
		Name: "somaxconn", Title: i18n.New("setting.listen-backlog", "Listen backlog"), Profile: Network,
		Why:    "Connections beyond it are dropped when many come at once; their clients try again a second later.",
		Source: "listen(2)", look: somaxconn, better: write(pathSomaxconn, "65535"),
	},
	{
		Name: "tcp_tw_reuse", Title: i18n.New("setting.time-wait-reuse", "TIME_WAIT reuse"), Profile: Network,
		Why:    "Without it a load of short connections runs out of ports after half a minute.",
		Source: "kernel: networking/ip-sysctl.rst", look: timeWait, better: write(pathReuse, "1"),
	},
	{
		Name: "tcp_congestion", Title: i18n.New("setting.tcp-congestion", "TCP congestion"),
		Why:    "It decides how fast large responses leave; results with different ones can't be compared.",
		Source: "tcp(7)", look: congestion,
	},
	{
		Name: "conntrack", Title: i18n.New("setting.conntrack", "Conntrack"), Profile: Network,
		Why:    "Where a firewall follows connections each packet costs more, and beyond its table they are dropped.",
		Source: "kernel: networking/nf_conntrack-sysctl.rst", look: conntrack, better: write(pathConntrack, "1048576"),
	},
	{
		Name: "tcp_fastopen", Title: i18n.New("setting.tcp-fast-open", "TCP Fast Open"), Profile: Network,
		Why:    "Loads with fast open need it on both sides; nothing else is changed by it.",
		Source: "kernel: networking/ip-sysctl.rst; RFC 7413", look: fastOpen, better: write(pathFastOpen, "3"),
	},
	{
		Name: "smt", Title: i18n.New("setting.smt", "SMT"), Profile: All,
		Why:    "Two CPUs that share a core slow each other down by a third and more.",
		Source: "kernel: admin-guide/hw-vuln/core-scheduling.rst", look: smt, better: write(pathSMT, "off"),
	},
}
