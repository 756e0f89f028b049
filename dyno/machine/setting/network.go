package setting

import (
	"fmt"
	"strconv"
	"strings"
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
	text := soft
	if hard != soft {
		text = fmt.Sprintf("%s, can be raised to %s", soft, hard)
	}
	most, err := strconv.ParseUint(hard, 10, 64)
	switch {
	case err != nil || most >= manyFiles: // "unlimited" is no number
		return good(text)
	case most >= fewFiles:
		return mind(text, "enough for some thousand connections; ulimit -Hn 1048576 as root for more")
	}
	return bad(text, "too few for more than some hundred connections: ulimit -Hn 1048576 as root, or LimitNOFILE= of the unit")
}

func portRange(m *Machine) Value {
	from, to, ok := strings.Cut(m.PortRange, "-")
	low, err1 := strconv.Atoi(from)
	high, err2 := strconv.Atoi(to)
	if !ok || err1 != nil || err2 != nil {
		return m.unseen(pathPorts)
	}
	n := max(high-low+1, 0)
	text := fmt.Sprintf("%s, %d ports", m.PortRange, n)
	if n >= manyPorts {
		return good(text)
	}
	return mind(text, fmt.Sprintf("at most %d connections at once, or about %d new ones a second", n, n/60))
}

func somaxconn(m *Machine) Value {
	switch n := m.Somaxconn; {
	case n == 0:
		return m.unseen(pathSomaxconn)
	case n >= longBacklog:
		return good(fmt.Sprint(n))
	default:
		return bad(fmt.Sprint(n), "bursts of connections are dropped")
	}
}

func timeWait(m *Machine) Value {
	switch text, ok := m.text(pathReuse); {
	case !ok:
		return m.unseen(pathReuse)
	case text == "1":
		return good("everywhere")
	case text == "2":
		return good("on loopback")
	default:
		return mind("off", "loads with a new connection per request run out of ports")
	}
}

func congestion(m *Machine) Value {
	switch m.Congestion {
	case "":
		return m.unseen("proc/sys/net/ipv4/tcp_congestion_control")
	case "bbr":
		return mind("bbr", "it sends large answers by a timer; choose what production has")
	}
	return good(m.Congestion)
}

func conntrack(m *Machine) Value {
	most, ok := m.number(pathConntrack)
	if !ok {
		return good("not loaded")
	}
	now, _ := m.number(pathTracked)
	text := fmt.Sprintf("%d of %d connections", now, most)
	if most < manyTracked {
		return bad(text, "when it is full, packets are dropped without a word to the program")
	}
	return good(text)
}

const needsBoth = "loads with fast open would not use it"

func fastOpen(m *Machine) Value {
	n, ok := m.number(pathFastOpen)
	if !ok {
		return m.unseen(pathFastOpen)
	}
	const client, server = 1, 2
	switch {
	case n&client != 0 && n&server != 0:
		return good("client and server")
	case n&client != 0:
		return mind("client only", needsBoth)
	case n&server != 0:
		return mind("server only", needsBoth)
	}
	return mind("off", needsBoth)
}
