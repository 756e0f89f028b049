package subject

import (
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"

	"dyno.example/internal/i18n"
)

// Ports a subject may get: clear of those of well-known services and of those
// that need permission.
const (
	lowestPort  = 10000
	highestPort = 60000
)

// freePort finds a free TCP port. It lies outside the range the kernel takes for
// outgoing connections where that is known: from within it, a client that polls the
// port can be connected with itself, and the load's own connections can take it between
// two trials.
func freePort() (int, error) {
	low, high := portsOutside(readPortRange())
	for range 50 {
		if high <= low {
			break
		}
		port := low + rand.IntN(high-low)
		if portIsFree(port) == nil {
			return port, nil
		}
	}
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		return 0, i18n.Errorf("subject.find-free-port", "find a free port: %w", err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// portIsFree says why a port can't be listened on, or nil.
func portIsFree(port int) error {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return err
	}
	return l.Close()
}

// portsOutside is the wider part of the ports, [low, high), that is not in the
// range of outgoing connections.
func portsOutside(first, last int) (low, high int) {
	below, above := first-lowestPort, highestPort-last-1
	if below >= above {
		return lowestPort, first
	}
	return last + 1, highestPort
}

// readPortRange returns the first and last port of outgoing connections, or
// all ports if that can't be known.
func readPortRange() (first, last int) {
	data, _ := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	fields := strings.Fields(string(data))
	if len(fields) != 2 {
		return 0, highestPort
	}
	first, err1 := strconv.Atoi(fields[0])
	last, err2 := strconv.Atoi(fields[1])
	if err1 != nil || err2 != nil {
		return 0, highestPort
	}
	return first, last
}

// saysPortTaken reports whether a program that has just died complained that
// its port was in use, in the words of C, Go, Node, Java and others.
func saysPortTaken(lines []string) bool {
	for _, line := range lines {
		line = strings.ToLower(line)
		for _, words := range []string{"address already in use", "eaddrinuse", "address in use", "port is already", "port already in use"} {
			if strings.Contains(line, words) {
				return true
			}
		}
	}
	return false
}
