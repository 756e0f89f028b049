package setting

import (
	"fmt"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// Files of network settings, below the root folder.
const (
	pathPorts     = "proc/sys/net/ipv4/ip_local_port_range"
	pathSomaxconn = "proc/sys/net/core/somaxconn"
	pathReuse     = "proc/sys/net/ipv4/tcp_tw_reuse"
	pathConntrack = "proc/sys/net/netfilter/nf_conntrack_max"
	pathTracked   = "proc/sys/net/netfilter/nf_conntrack_count"
	pathFastOpen  = "proc/sys/net/ipv4/tcp_fastopen"
	pathLimits    = "proc/self/limits"
)

// What is enough.
const (
	manyFiles   = 65536
	fewFiles    = 4096
	manyPorts   = 40000
	longBacklog = 4096
	manyTracked = 262144
)

// fileLimit reads the limits of this process. dyno raises the soft limit of the
// processes it starts to the hard one.
func fileLimit(m *Machine) Value {
	text, _ := m.text(pathLimits)
	for line := range strings.Lines(text) {
		rest, ok := strings.CutPrefix(line, "Max open files")
		if limits := strings.Fields(rest); ok && len(limits) >= 2 {
			return judgeFiles(limits[0], limits[1])
		}
	}
	return m.unseen(pathLimits)
}

func judgeFiles(soft, hard string) Value {
	text := i18n.Verbatim(soft)
	if hard != soft {
		text = i18n.New("setting.can-raised", "%s, can be raised to %s", soft, hard)
	}
	most, err := strconv.ParseUint(hard, 10, 64)
	switch {
	case err != nil || most >= manyFiles: // "unlimited" is no number
		return good(text)
	case most >= fewFiles:
		return mind(text, i18n.New("setting.raise-file-limit", "enough for some thousand connections; ulimit -Hn 1048576 as root for more"))
	}
	return bad(text, i18n.New("setting.too-few-files", "too few for more than some hundred connections: ulimit -Hn 1048576 as root, or LimitNOFILE= of the unit"))
}

func portRange(m *Machine) Value {
	from, to, ok := strings.Cut(m.PortRange, "-")
	low, err1 := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil {
		return m.unseen(pathPorts)
	}
	n := max(high-low+1, 0)
	text := i18n.New("setting.ports", "%s, %d ports", m.PortRange, n)
	if n >= manyPorts {
		return good(text)
	}
	return mind(text, i18n.New("setting.ports-limit", "at most %d connections at once, or about %d new ones a second", n, n/60))
}

func somaxconn(m *Machine) Value {
	switch n := m.Somaxconn; {
	case n == 0:
		return m.unseen(pathSomaxconn)
	case n >= longBacklog:
		return good(i18n.Verbatim(fmt.Sprint(n)))
	default:
		return bad(i18n.Verbatim(fmt.Sprint(n)), i18n.New("setting.bursts-dropped", "bursts of connections are dropped"))
	}
}

func timeWait(m *Machine) Value {
	switch text, ok := m.text(pathReuse); {
	case !ok:
		return m.unseen(pathReuse)
	case text == "1":
		return good(i18n.New("setting.everywhere", "everywhere"))
	case text == "2":
		return good(i18n.New("setting.loopback", "on loopback"))
	default:
		return mind(i18n.New("study.off", "off"), i18n.New("setting.ports-run-out", "loads with a new connection per request run out of ports"))
	}
}

func congestion(m *Machine) Value {
	switch m.Congestion {
	case "":
		return m.unseen("proc/sys/net/ipv4/tcp_congestion_control")
	case "bbr":
		return mind(i18n.Verbatim("bbr"), i18n.New("setting.large-responses-by-timer", "it sends large responses by a timer; choose what production has"))
	}
	return good(i18n.Verbatim(m.Congestion))
}

func conntrack(m *Machine) Value {
	most, ok := m.number(pathConntrack)
	if !ok {
		return good(i18n.New("setting.not-loaded", "not loaded"))
	}
	now, _ := m.number(pathTracked)
	text := i18n.New("setting.connections", "%d of %d connections", now, most)
	if most < manyTracked {
		return bad(text, i18n.New("setting.full-table-drops", "when it is full, packets are dropped without a word to the program"))
	}
	return good(text)
}

var needsBoth = i18n.New("setting.fast-open-off", "loads with fast open would not use it")

func fastOpen(m *Machine) Value {
	n, ok := m.number(pathFastOpen)
	if !ok {
		return m.unseen(pathFastOpen)
	}
	const client, server = 1, 2
	switch {
	case n&client != 0 && n&server != 0:
		return good(i18n.New("setting.both-sides", "client and server"))
	case n&client != 0:
		return mind(i18n.New("setting.client-only", "client only"), needsBoth)
	case n&server != 0:
		return mind(i18n.New("setting.server-only", "server only"), needsBoth)
	}
	return mind(i18n.New("study.off", "off"), needsBoth)
}
